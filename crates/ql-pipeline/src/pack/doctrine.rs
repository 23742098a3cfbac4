//! What is taught.

use serde::{Deserialize, Serialize};

/// A doctrine to which results may refer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Doctrine {
    /// Its id: `DOC-06`.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What is held, in the pack's words.
    pub statement: String,
    /// How it stands in the pack's tradition, in the pack's own terms.
    pub standing: String,
    /// The passages on which it rests.
    pub basis: Vec<String>,
}
