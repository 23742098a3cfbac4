//! What members say about a proposal.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Unknown;
use crate::actor::Actor;
use crate::hash::Digest;
use crate::id::{DecisionId, MemberId, ProposalId};
use crate::time::Timestamp;

/// What a member says about a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Do it.
    Approve,
    /// Don't.
    Reject,
    /// Do something else.
    RequestChanges,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 3] = [Self::Approve, Self::Reject, Self::RequestChanges];

    /// The verdict's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::RequestChanges => "request_changes",
        }
    }
}

impl FromStr for Verdict {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        Unknown::find("decision", &Self::ALL, text, Self::as_str)
    }
}

/// A member's decision, as history keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Identity.
    pub id: DecisionId,
    /// The proposal.
    pub proposal: ProposalId,
    /// Who decided.
    pub member: MemberId,
    /// What it said.
    pub verdict: Verdict,
    /// What it saw.
    pub digest: Digest,
    /// Its words.
    pub comment: String,
    /// Whether it decided its own proposal, being the only one who could.
    pub own_proposal: bool,
    /// Who made the sign-in link that its session was opened by; none when a password opened it.
    pub let_in_by: Option<Actor>,
    /// When.
    pub at: Timestamp,
}

impl Decision {
    /// Who decided, with whoever made the sign-in link that let it in.
    pub fn by(&self) -> (Actor, Option<Actor>) {
        (Actor::Member(self.member), self.let_in_by)
    }
}
