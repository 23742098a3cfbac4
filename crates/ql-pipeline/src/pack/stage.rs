//! In which order things are made.

use serde::{Deserialize, Serialize};

use super::fields::Fields;
use super::table::Entry;
use crate::document::DocKind;
use crate::verdict::Verdict;

/// Who completes a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// An agent in this role.
    Role(String),
    /// The server, deterministically.
    Server,
    /// A person.
    Human,
}

/// A stage of a production.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Its id, which is what is true once it's done: `SCRIPT_GENERATED`.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Who completes it.
    pub by: Actor,
    /// What it makes; only stages of roles make documents.
    #[serde(default)]
    pub doc_kind: Option<DocKind>,
    /// The stages that come before it.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The rules that must stand before it passes.
    #[serde(default)]
    pub rules: Vec<String>,
    /// The least verdict with which it passes.
    #[serde(default)]
    pub gate: Option<Verdict>,
    /// Whether it is a way out, such as a withdrawal, that only a person's decision opens.
    #[serde(default)]
    pub side: bool,
}

impl Entry for Stage {
    const FILE: &'static str = "stages.toml";
    const NAME: &'static str = "stage";

    fn id(&self) -> &str {
        &self.id
    }

    fn read(fields: &mut Fields<'_, '_>) -> Option<Self> {
        let (id, name, by) = (fields.need("id"), fields.words("name"), fields.need("by"));
        let (doc_kind, needs) = (fields.or_default("doc_kind"), fields.or_default("needs"));
        let (rules, gate) = (fields.or_default("rules"), fields.or_default("gate"));
        let side = fields.or_default("side");
        Some(Self {
            id: id?,
            name: name?,
            by: by?,
            doc_kind: doc_kind?,
            needs: needs?,
            rules: rules?,
            gate: gate?,
            side: side?,
        })
    }
}
