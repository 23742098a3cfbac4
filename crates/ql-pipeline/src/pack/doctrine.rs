//! What is taught.

use serde::{Deserialize, Serialize};

use super::fields::Fields;
use super::table::Entry;

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

impl Entry for Doctrine {
    const FILE: &'static str = "doctrines.toml";
    const NAME: &'static str = "doctrine";

    fn id(&self) -> &str {
        &self.id
    }

    fn read(fields: &mut Fields<'_, '_>) -> Option<Self> {
        let (id, title) = (fields.need("id"), fields.words("title"));
        let (statement, standing) = (fields.words("statement"), fields.words("standing"));
        let basis = fields.need("basis");
        Some(Self {
            id: id?,
            title: title?,
            statement: statement?,
            standing: standing?,
            basis: basis?,
        })
    }
}
