//! Typed proposals (AGENT-002): what an agent or a member asks to have done, and where that stands.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::actor::Actor;
use crate::canon;
use crate::hash::Digest;
use crate::id::{BriefId, ContentId, OrganizationId, ProposalId, RevisionId, RunId, SiteId};
use crate::scope::Scope;
use crate::time::Timestamp;
use crate::topical_map::Operation;

mod decision;
mod payload;
mod state;

pub use self::decision::{Decision, Verdict};
pub use self::payload::{
    ArchivedAt, ContentBriefDraft, ContentRevision, ContentSourceDraft, CreateContent, Items,
    LifecycleAction, LifecycleItem, Links, Payload, PublishItem, TopicalMapChange, TopicalStrategy,
};
pub use self::state::{InvalidTransition, ProposalState, Transition};

/// The most items of one proposal.
pub const MAX_ITEMS: usize = 100;

/// What a proposal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalKind {
    /// A new item with its first draft.
    CreateContent,
    /// A new draft of an item.
    ContentRevision,
    /// Live pointers moved or taken away.
    PublishLifecycle,
    /// Items put away or brought back.
    ContentLifecycle,
    /// A new version of the topical map, with a brief for each new page.
    TopicalMapChange,
    /// Links set in the drafts of pages.
    InternalLink,
    /// Opportunities taken into the topical map, with a brief for each page.
    TopicalStrategy,
    /// The first draft of the page that a brief asks for.
    ContentBriefDraft,
    /// A new item with its first draft, written from staged source records.
    ContentSourceDraft,
}

impl ProposalKind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::CreateContent,
        Self::ContentRevision,
        Self::PublishLifecycle,
        Self::ContentLifecycle,
        Self::TopicalMapChange,
        Self::InternalLink,
        Self::TopicalStrategy,
        Self::ContentBriefDraft,
        Self::ContentSourceDraft,
    ];

    /// The kind's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CreateContent => "create_content",
            Self::ContentRevision => "content_revision",
            Self::PublishLifecycle => "publish_lifecycle",
            Self::ContentLifecycle => "content_lifecycle",
            Self::TopicalMapChange => "topical_map_change",
            Self::InternalLink => "internal_link",
            Self::TopicalStrategy => "topical_strategy",
            Self::ContentBriefDraft => "content_brief_draft",
            Self::ContentSourceDraft => "content_source_draft",
        }
    }

    /// The scope that an agent needs to propose it.
    pub const fn scope(self) -> Scope {
        match self {
            Self::CreateContent
            | Self::ContentRevision
            | Self::InternalLink
            | Self::ContentBriefDraft
            | Self::ContentSourceDraft => Scope::ContentWrite,
            Self::TopicalMapChange | Self::TopicalStrategy => Scope::TopicalMapWrite,
            Self::PublishLifecycle | Self::ContentLifecycle => Scope::PublishRequest,
        }
    }
}

impl fmt::Display for ProposalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names none of the values it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is no {what}; expected one of {expected}")]
pub struct Unknown {
    /// What was looked for.
    pub what: &'static str,
    /// What stood there.
    pub found: String,
    /// What may stand there.
    pub expected: String,
}

impl Unknown {
    /// The value that a text names, or what it should have named.
    pub(crate) fn find<T: Copy>(
        what: &'static str,
        all: &[T],
        text: &str,
        name: fn(T) -> &'static str,
    ) -> Result<T, Self> {
        let named = all.iter().copied().find(|value| name(*value) == text);
        named.ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|value| name(*value)).collect();
            Self {
                what,
                found: text.to_owned(),
                expected: names.join(", "),
            }
        })
    }
}

impl FromStr for ProposalKind {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        Unknown::find("kind of proposal", &Self::ALL, text, Self::as_str)
    }
}

/// How much can go wrong, as the server judges it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Nothing goes live.
    Low,
    /// Something goes live or stops being live.
    Medium,
    /// Much goes live, or something is put away.
    High,
}

impl Risk {
    /// Every risk, the least first.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// The risk's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Risk {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        Unknown::find("risk", &Self::ALL, text, Self::as_str)
    }
}

/// What one item of a payload stood for when it was proposed: the approver decides on this.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Resolved {
    /// The item; none when executing creates it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_id: Option<ContentId>,
    /// The revision that would go live, or that the change starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision_id: Option<RevisionId>,
    /// The digest of that revision, or of the draft that executing writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
    /// The address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// The template's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// What was live then; absent when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_revision_id: Option<RevisionId>,
    /// The version of the topical map that the change starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map_version: Option<i64>,
    /// The operations on the topical map that the opportunities stand for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<Operation>,
    /// The brief that the draft answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief_id: Option<BriefId>,
    /// The digest of the source records' keys and hashes, where the draft is written from some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources_sha256: Option<Digest>,
}

/// A proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Identity.
    pub id: ProposalId,
    /// The tenant.
    pub organization: OrganizationId,
    /// The site.
    pub site: SiteId,
    /// What it says in one line.
    pub title: String,
    /// Why, in the proposer's words.
    pub rationale: String,
    /// What executing it does.
    pub payload: Payload,
    /// What the payload stood for.
    pub resolved: Vec<Resolved>,
    /// The server's judgement.
    pub risk: Risk,
    /// Who proposes.
    pub proposer: Actor,
    /// Who made the sign-in link that a proposing member's session was opened by; none when a
    /// password opened it, and for agents.
    pub let_in_by: Option<Actor>,
    /// The run it was made in; none for a member's.
    pub run: Option<RunId>,
    /// Where it stands.
    pub state: ProposalState,
    /// When it was made.
    pub created_at: Timestamp,
    /// Until when it can be approved.
    pub expires_at: Timestamp,
}

impl Proposal {
    /// The operations on the topical map that carrying it out applies; none for other kinds.
    pub fn operations(&self) -> &[Operation] {
        match (&self.payload, self.resolved.first()) {
            (Payload::TopicalMapChange(change), _) => &change.operations,
            (Payload::TopicalStrategy(_), Some(seen)) => &seen.operations,
            _ => &[],
        }
    }

    /// The kind of its payload.
    pub const fn kind(&self) -> ProposalKind {
        self.payload.kind()
    }

    /// The digest that a decision names: what was seen is what is executed.
    pub fn digest(&self, policy: &Digest) -> Digest {
        canon::digest(&json!({
            "proposal_id": self.id,
            "site": self.site,
            "kind": self.kind(),
            "payload": self.payload.to_json(),
            "resolved": self.resolved,
            "policy": policy,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states() -> Vec<ProposalState> {
        let at = Timestamp::from_micros(1);
        let by = ProposalId::mint(&crate::id::SystemIdGen::default(), at);
        let reason = || "x".to_owned();
        vec![
            ProposalState::Pending,
            ProposalState::Approved { due_at: at },
            ProposalState::Executed { at },
            ProposalState::Stale {
                at,
                reason: reason(),
            },
            ProposalState::ExecutionFailed {
                at,
                reason: reason(),
            },
            ProposalState::Rejected { at },
            ProposalState::ChangesRequested { at },
            ProposalState::Withdrawn { at },
            ProposalState::Expired { at },
            ProposalState::Superseded { at, by },
            ProposalState::Cancelled { at },
        ]
    }

    #[test]
    fn only_the_lawful_transitions_exist() {
        let at = Timestamp::from_micros(2);
        let by = ProposalId::mint(&crate::id::SystemIdGen::default(), at);
        let transitions = [
            Transition::Approve { due_at: at },
            Transition::Execute,
            Transition::GoStale("x".into()),
            Transition::Fail("x".into()),
            Transition::Reject,
            Transition::RequestChanges,
            Transition::Withdraw,
            Transition::Expire,
            Transition::Supersede(by),
            Transition::Cancel,
        ];
        let mut lawful = Vec::new();
        for state in states() {
            for transition in &transitions {
                if let Ok(next) = state.apply(transition.clone(), at) {
                    lawful.push(format!("{} -> {}", state.as_str(), next.as_str()));
                }
            }
        }
        insta::assert_snapshot!(lawful.join("\n"), @"
        pending -> approved
        pending -> stale
        pending -> rejected
        pending -> changes_requested
        pending -> withdrawn
        pending -> expired
        pending -> superseded
        approved -> executed
        approved -> stale
        approved -> execution_failed
        approved -> cancelled
        ");
        let names: Vec<_> = states().iter().map(ProposalState::as_str).collect();
        assert_eq!(names, ProposalState::NAMES);
    }

    #[test]
    fn the_digest_depends_on_everything_that_was_seen() {
        let ids = crate::id::SystemIdGen::default();
        let at = Timestamp::from_micros(5);
        let content_id = ContentId::mint(&ids, at);
        let proposal = Proposal {
            id: ProposalId::mint(&ids, at),
            organization: OrganizationId::mint(&ids, at),
            site: SiteId::mint(&ids, at),
            title: "t".into(),
            rationale: "r".into(),
            payload: Payload::PublishLifecycle(Items {
                items: vec![PublishItem::Unpublish { content_id }],
            }),
            resolved: vec![Resolved {
                content_id: Some(content_id),
                ..Resolved::default()
            }],
            risk: Risk::Medium,
            let_in_by: None,
            proposer: Actor::System,
            run: None,
            state: ProposalState::Pending,
            created_at: at,
            expires_at: at,
        };
        let policy = Digest::of(b"policy");
        let seen = proposal.digest(&policy);
        assert_eq!(proposal.digest(&policy), seen);
        assert_ne!(proposal.digest(&Digest::of(b"other policy")), seen);
        let mut moved = proposal.clone();
        moved.resolved[0].live_revision_id = Some(RevisionId::mint(&ids, at));
        assert_ne!(moved.digest(&policy), seen);
    }
}
