//! What may be quoted.

use ql_scripture::quota::Grant;
use serde::{Deserialize, Serialize};

/// A translation that may be quoted, and on what terms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Translation {
    /// Its name for people.
    pub name: String,
    /// The terms, as they were read on a day. The edition's id is in them.
    pub grant: Grant,
}
