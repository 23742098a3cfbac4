//! Claims made in a revision, and the sources that bear on them.

use std::fmt;
use std::str::FromStr;

use crate::actor::Actor;
use crate::hash::Digest;
use crate::id::{ClaimId, ContentId, EvidenceId, RevisionId, RunId};
use crate::time::Timestamp;

/// A statement of a revision that somebody could check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Identity.
    pub id: ClaimId,
    /// The item.
    pub content: ContentId,
    /// The revision that makes it.
    pub revision: RevisionId,
    /// The statement.
    pub text: String,
    /// A JSON pointer to where the fields make it.
    pub pointer: Option<String>,
    /// Who recorded it.
    pub author: Actor,
    /// The run it was recorded in.
    pub run: Option<RunId>,
    /// When.
    pub created_at: Timestamp,
    /// What bears on it.
    pub evidence: Vec<Evidence>,
}

/// One source that bears on a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Identity.
    pub id: EvidenceId,
    /// Where the source is.
    pub source_url: String,
    /// What it is called.
    pub title: String,
    /// Who publishes it.
    pub publisher: Option<String>,
    /// The words that bear on the claim.
    pub excerpt: String,
    /// The SHA-256 of the excerpt's UTF-8.
    pub excerpt_sha256: Digest,
    /// Where in the source the words stand.
    pub locator: Option<String>,
    /// When the source was read.
    pub retrieved_at: Timestamp,
    /// How it bears on the claim.
    pub stance: Stance,
}

/// How a source bears on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// It says the same.
    Supports,
    /// It says otherwise.
    Contradicts,
    /// It gives background.
    Context,
}

impl Stance {
    /// The stance's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Supports => "supports",
            Self::Contradicts => "contradicts",
            Self::Context => "context",
        }
    }
}

impl fmt::Display for Stance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Stance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Supports, Self::Contradicts, Self::Context]
            .into_iter()
            .find(|stance| stance.as_str() == text)
            .ok_or_else(|| {
                format!("`{text}` is no stance; the stances are supports, contradicts, context")
            })
    }
}
