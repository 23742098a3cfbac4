//! What is validated, and by whom.

use serde::{Deserialize, Serialize};

/// How a rule is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleKind {
    /// The engine decides it.
    Deterministic,
    /// A role that may attest it says how it stands.
    Attested,
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
    /// The roles that may say that it doesn't apply; none where it always does.
    #[serde(default)]
    pub not_applicable_by: Vec<String>,
}
