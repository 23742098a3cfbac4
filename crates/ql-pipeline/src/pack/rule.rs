//! What is validated, and by whom.

use serde::{Deserialize, Serialize};

use super::fields::Fields;
use super::table::Entry;
use crate::finding::Code;

/// How a rule is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleKind {
    /// The engine decides it.
    Deterministic,
    /// A role that may attest it says how it stands.
    Attested,
}

/// What the engine can decide by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Quotations are what they claim to be. The engine always looks.
    Quotations,
    /// What is made from the script says what the script says.
    Derivatives,
}

/// A rule of validation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its id: `VAL-04`.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What is asked, in a sentence.
    pub question: String,
    /// How it is decided.
    pub kind: RuleKind,
    /// What the engine looks at, for a deterministic rule.
    #[serde(default)]
    pub check: Option<Check>,
    /// The findings that a reviewer's attestation of this rule, about the very document, clears.
    #[serde(default)]
    pub clears: Vec<Code>,
    /// The roles that may say that it doesn't apply; none where it always does.
    #[serde(default)]
    pub not_applicable_by: Vec<String>,
}

impl Entry for Rule {
    const FILE: &'static str = "rules.toml";
    const NAME: &'static str = "rule";

    fn id(&self) -> &str {
        &self.id
    }

    fn read(fields: &mut Fields<'_, '_>) -> Option<Self> {
        let (id, title) = (fields.need("id"), fields.words("title"));
        let (question, kind) = (fields.words("question"), fields.need("kind"));
        let (check, clears) = (fields.or_default("check"), fields.or_default("clears"));
        let not_applicable_by = fields.or_default("not_applicable_by");
        Some(Self {
            id: id?,
            title: title?,
            question: question?,
            kind: kind?,
            check: check?,
            clears: clears?,
            not_applicable_by: not_applicable_by?,
        })
    }
}
