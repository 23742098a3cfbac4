//! Passages on which readers differ.

use serde::{Deserialize, Serialize};

use super::fields::Fields;
use super::table::Entry;

/// Passages whose meaning or text is disputed. Whoever touches them says what is uncertain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disputed {
    /// Its id: `DIS-03`.
    pub id: String,
    /// The passages, in the English versification.
    pub passages: Vec<String>,
    /// What is disputed.
    pub matter: String,
}

impl Entry for Disputed {
    const FILE: &'static str = "disputed.toml";
    const NAME: &'static str = "disputed";

    fn id(&self) -> &str {
        &self.id
    }

    fn read(fields: &mut Fields<'_, '_>) -> Option<Self> {
        let (id, passages) = (fields.need("id"), fields.need("passages"));
        let matter = fields.words("matter");
        Some(Self {
            id: id?,
            passages: passages?,
            matter: matter?,
        })
    }
}
