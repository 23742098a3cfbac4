//! A post, and where it stands.

use crate::actor::Actor;
use crate::hash::Digest;
use crate::id::{FormId, SubmissionId};
use crate::time::Timestamp;

use super::{Answers, Reason};

/// What the screening came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Nothing speaks against it.
    Accepted,
    /// A member must look at it.
    Held,
    /// It was turned away.
    Rejected,
}

impl Decision {
    /// Every decision.
    pub const ALL: [Self; 3] = [Self::Accepted, Self::Held, Self::Rejected];

    /// The decision's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Held => "held",
            Self::Rejected => "rejected",
        }
    }
}

impl std::str::FromStr for Decision {
    type Err = UnknownStanding;

    fn from_str(text: &str) -> Result<Self, UnknownStanding> {
        let known = Self::ALL.into_iter().find(|known| known.as_str() == text);
        known.ok_or(UnknownStanding)
    }
}

/// What a member said about a post afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It is a real one.
    Ham,
    /// It isn't.
    Spam,
}

impl Mark {
    /// The mark's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ham => "marked_ham",
            Self::Spam => "marked_spam",
        }
    }
}

impl std::str::FromStr for Mark {
    type Err = UnknownStanding;

    fn from_str(text: &str) -> Result<Self, UnknownStanding> {
        match text {
            "marked_ham" | "ham" => Ok(Self::Ham),
            "marked_spam" | "spam" => Ok(Self::Spam),
            _ => Err(UnknownStanding),
        }
    }
}

/// Where a post stands: as it was screened, or as a member marked it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// As it was screened.
    Screened(Decision),
    /// As a member marked it.
    Marked {
        /// What the member said.
        mark: Mark,
        /// Who.
        by: Actor,
        /// When.
        at: Timestamp,
    },
}

impl Standing {
    /// Every standing's text.
    pub const NAMES: [&'static str; 5] =
        ["accepted", "held", "rejected", "marked_ham", "marked_spam"];

    /// The standing's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Screened(decision) => decision.as_str(),
            Self::Marked { mark, .. } => mark.as_str(),
        }
    }
}

/// A text that is no standing of a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected accepted, held, rejected, marked_ham or marked_spam")]
pub struct UnknownStanding;

/// One post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// Identity.
    pub id: SubmissionId,
    /// The form.
    pub form: FormId,
    /// The version that it was checked against.
    pub version: i64,
    /// When it came.
    pub received_at: Timestamp,
    /// What the screening came to.
    pub decision: Decision,
    /// Why; empty for an accepted one.
    pub reasons: Vec<Reason>,
    /// Where it stands now.
    pub standing: Standing,
    /// What the visitor wrote; none where it was turned away for coming too often.
    pub answers: Option<Answers>,
    /// The SHA-256 of the answers' canonical JSON.
    pub body_sha256: Digest,
    /// The network it came from, as a keyed hash that nobody can undo after the day's key is gone.
    pub network: Digest,
    /// The form that was fetched for it, as the hash of its fill token; none without a sound one.
    pub fill: Option<Digest>,
}
