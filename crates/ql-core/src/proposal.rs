//! Typed proposals (AGENT-002): what an agent or a member asks to have done, and where that stands.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::actor::Actor;
use crate::canon;
use crate::edit::Change;
use crate::hash::Digest;
use crate::id::{
    ContentId, DecisionId, MemberId, OrganizationId, ProposalId, RevisionId, RunId, SiteId,
    TranslationGroupId,
};
use crate::scope::Scope;
use crate::time::Timestamp;

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
}

impl ProposalKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [
        Self::CreateContent,
        Self::ContentRevision,
        Self::PublishLifecycle,
        Self::ContentLifecycle,
    ];

    /// The kind's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CreateContent => "create_content",
            Self::ContentRevision => "content_revision",
            Self::PublishLifecycle => "publish_lifecycle",
            Self::ContentLifecycle => "content_lifecycle",
        }
    }

    /// The scope that an agent needs to propose it.
    pub const fn scope(self) -> Scope {
        match self {
            Self::CreateContent | Self::ContentRevision => Scope::ContentWrite,
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

fn find<T: Copy>(
    what: &'static str,
    all: &[T],
    text: &str,
    name: fn(T) -> &'static str,
) -> Result<T, Unknown> {
    all.iter()
        .copied()
        .find(|value| name(*value) == text)
        .ok_or_else(|| Unknown {
            what,
            found: text.to_owned(),
            expected: all
                .iter()
                .map(|value| name(*value))
                .collect::<Vec<_>>()
                .join(", "),
        })
}

impl FromStr for ProposalKind {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        find("kind of proposal", &Self::ALL, text, Self::as_str)
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
        find("risk", &Self::ALL, text, Self::as_str)
    }
}

/// What executing a proposal does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Payload {
    /// For [`ProposalKind::CreateContent`].
    CreateContent(CreateContent),
    /// For [`ProposalKind::ContentRevision`].
    ContentRevision(ContentRevision),
    /// For [`ProposalKind::PublishLifecycle`].
    PublishLifecycle(Items<PublishItem>),
    /// For [`ProposalKind::ContentLifecycle`].
    ContentLifecycle(Items<LifecycleItem>),
}

impl Payload {
    /// The kind that this payload belongs to.
    pub const fn kind(&self) -> ProposalKind {
        match self {
            Self::CreateContent(_) => ProposalKind::CreateContent,
            Self::ContentRevision(_) => ProposalKind::ContentRevision,
            Self::PublishLifecycle(_) => ProposalKind::PublishLifecycle,
            Self::ContentLifecycle(_) => ProposalKind::ContentLifecycle,
        }
    }

    /// Reads the stored JSON of a payload of `kind`.
    pub fn from_json(kind: ProposalKind, value: Value) -> Result<Self, serde_json::Error> {
        Ok(match kind {
            ProposalKind::CreateContent => Self::CreateContent(serde_json::from_value(value)?),
            ProposalKind::ContentRevision => Self::ContentRevision(serde_json::from_value(value)?),
            ProposalKind::PublishLifecycle => {
                Self::PublishLifecycle(serde_json::from_value(value)?)
            }
            ProposalKind::ContentLifecycle => {
                Self::ContentLifecycle(serde_json::from_value(value)?)
            }
        })
    }

    /// The payload as JSON.
    ///
    /// # Panics
    /// Never: every key of a payload is a text.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("payloads have string keys and no failing serializer")
    }

    /// How many things it touches.
    pub fn item_count(&self) -> usize {
        match self {
            Self::CreateContent(_) | Self::ContentRevision(_) => 1,
            Self::PublishLifecycle(list) => list.items.len(),
            Self::ContentLifecycle(list) => list.items.len(),
        }
    }

    /// The instant its publications are meant for; none for at once.
    pub fn publish_at(&self) -> Option<Timestamp> {
        match self {
            Self::PublishLifecycle(list) => list.items.iter().find_map(PublishItem::publish_at),
            Self::CreateContent(_) | Self::ContentRevision(_) | Self::ContentLifecycle(_) => None,
        }
    }
}

/// Several things that are done all or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Items<T> {
    /// The things.
    pub items: Vec<T>,
}

/// A new item with its first draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CreateContent {
    /// The template's key.
    pub template: String,
    /// The address; made from the title when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The language; the site's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// The translation group to join; a new one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation_group: Option<TranslationGroupId>,
    /// The fields.
    pub fields: Value,
}

/// A new draft of an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContentRevision {
    /// The item.
    pub content_id: ContentId,
    /// The draft that the change starts from.
    pub base_revision_id: RevisionId,
    /// A new address; the base's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The change.
    #[serde(flatten)]
    pub change: Change,
}

/// One live pointer to move or take away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum PublishItem {
    /// Put exactly this revision live.
    Publish {
        /// The item.
        content_id: ContentId,
        /// The revision.
        revision_id: RevisionId,
        /// When; at once when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        publish_at: Option<Timestamp>,
        /// The IANA zone in which the time was meant, for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time_zone: Option<String>,
    },
    /// Take whatever is live off the site.
    Unpublish {
        /// The item.
        content_id: ContentId,
    },
}

impl PublishItem {
    /// The item.
    pub const fn content(&self) -> ContentId {
        match self {
            Self::Publish { content_id, .. } | Self::Unpublish { content_id } => *content_id,
        }
    }

    /// When it is meant to happen; none for at once.
    pub const fn publish_at(&self) -> Option<Timestamp> {
        match self {
            Self::Publish { publish_at, .. } => *publish_at,
            Self::Unpublish { .. } => None,
        }
    }
}

/// One item to put away or bring back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LifecycleItem {
    /// What to do.
    pub action: LifecycleAction,
    /// The item.
    pub content_id: ContentId,
    /// The item's archived state that the proposer saw.
    pub archived_at: ArchivedAt,
}

/// Putting away or bringing back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LifecycleAction {
    /// Put away.
    Archive,
    /// Bring back; never live.
    Restore,
}

/// An archived state: `none` or the exact instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchivedAt(pub Option<Timestamp>);

impl Serialize for ArchivedAt {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            None => serializer.serialize_str("none"),
            Some(at) => at.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ArchivedAt {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "none" {
            return Ok(Self(None));
        }
        text.parse()
            .map(|at| Self(Some(at)))
            .map_err(serde::de::Error::custom)
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

/// Where a proposal stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProposalState {
    /// It waits for people.
    Pending,
    /// It is approved and waits for its instant.
    Approved {
        /// When it is due.
        due_at: Timestamp,
    },
    /// It was carried out.
    Executed {
        /// When.
        at: Timestamp,
    },
    /// The world moved on and it can't be carried out as it was seen.
    Stale {
        /// When that was noticed.
        at: Timestamp,
        /// A stable code.
        reason: String,
    },
    /// Carrying it out went wrong at its instant.
    ExecutionFailed {
        /// When.
        at: Timestamp,
        /// A stable code.
        reason: String,
    },
    /// A member said no.
    Rejected {
        /// When.
        at: Timestamp,
    },
    /// A member asked for something else.
    ChangesRequested {
        /// When.
        at: Timestamp,
    },
    /// The proposer took it back.
    Withdrawn {
        /// When.
        at: Timestamp,
    },
    /// Nobody decided in time.
    Expired {
        /// When.
        at: Timestamp,
    },
    /// A newer proposal took its place.
    Superseded {
        /// When.
        at: Timestamp,
        /// The newer one.
        by: ProposalId,
    },
    /// A member stopped it before its instant.
    Cancelled {
        /// When.
        at: Timestamp,
    },
}

/// What can happen to a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transition {
    /// Enough members approved; it is due at an instant.
    Approve {
        /// When it is due.
        due_at: Timestamp,
    },
    /// It was carried out.
    Execute,
    /// A precondition no longer holds.
    GoStale(String),
    /// Carrying it out went wrong.
    Fail(String),
    /// A member says no.
    Reject,
    /// A member asks for something else.
    RequestChanges,
    /// The proposer takes it back.
    Withdraw,
    /// Its time ran out.
    Expire,
    /// A newer one takes its place.
    Supersede(ProposalId),
    /// A member stops it before its instant.
    Cancel,
}

/// A change of state that isn't lawful.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the proposal is {from} and can't be changed that way")]
pub struct InvalidTransition {
    /// The state it is in.
    pub from: &'static str,
}

impl ProposalState {
    /// Every state's text, in the order of the life cycle.
    pub const NAMES: [&'static str; 11] = [
        "pending",
        "approved",
        "executed",
        "stale",
        "execution_failed",
        "rejected",
        "changes_requested",
        "withdrawn",
        "expired",
        "superseded",
        "cancelled",
    ];

    /// The state's text.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved { .. } => "approved",
            Self::Executed { .. } => "executed",
            Self::Stale { .. } => "stale",
            Self::ExecutionFailed { .. } => "execution_failed",
            Self::Rejected { .. } => "rejected",
            Self::ChangesRequested { .. } => "changes_requested",
            Self::Withdrawn { .. } => "withdrawn",
            Self::Expired { .. } => "expired",
            Self::Superseded { .. } => "superseded",
            Self::Cancelled { .. } => "cancelled",
        }
    }

    /// When it came to rest; none while it waits.
    pub const fn settled_at(&self) -> Option<Timestamp> {
        match self {
            Self::Pending | Self::Approved { .. } => None,
            Self::Executed { at }
            | Self::Stale { at, .. }
            | Self::ExecutionFailed { at, .. }
            | Self::Rejected { at }
            | Self::ChangesRequested { at }
            | Self::Withdrawn { at }
            | Self::Expired { at }
            | Self::Superseded { at, .. }
            | Self::Cancelled { at } => Some(*at),
        }
    }

    /// The stable code of why it came to rest, where there is one.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Stale { reason, .. } | Self::ExecutionFailed { reason, .. } => Some(reason),
            Self::Pending
            | Self::Approved { .. }
            | Self::Executed { .. }
            | Self::Rejected { .. }
            | Self::ChangesRequested { .. }
            | Self::Withdrawn { .. }
            | Self::Expired { .. }
            | Self::Superseded { .. }
            | Self::Cancelled { .. } => None,
        }
    }

    /// The state after `transition` at `at`.
    pub fn apply(&self, transition: Transition, at: Timestamp) -> Result<Self, InvalidTransition> {
        let refused = InvalidTransition {
            from: self.as_str(),
        };
        match (self, transition) {
            (Self::Pending, Transition::Approve { due_at }) => Ok(Self::Approved { due_at }),
            (Self::Approved { .. }, Transition::Execute) => Ok(Self::Executed { at }),
            (Self::Pending | Self::Approved { .. }, Transition::GoStale(reason)) => {
                Ok(Self::Stale { at, reason })
            }
            (Self::Approved { .. }, Transition::Fail(reason)) => {
                Ok(Self::ExecutionFailed { at, reason })
            }
            (Self::Pending, Transition::Reject) => Ok(Self::Rejected { at }),
            (Self::Pending, Transition::RequestChanges) => Ok(Self::ChangesRequested { at }),
            (Self::Pending, Transition::Withdraw) => Ok(Self::Withdrawn { at }),
            (Self::Pending, Transition::Expire) => Ok(Self::Expired { at }),
            (Self::Pending, Transition::Supersede(by)) => Ok(Self::Superseded { at, by }),
            (Self::Approved { .. }, Transition::Cancel) => Ok(Self::Cancelled { at }),
            (
                _,
                Transition::Approve { .. }
                | Transition::Execute
                | Transition::GoStale(_)
                | Transition::Fail(_)
                | Transition::Reject
                | Transition::RequestChanges
                | Transition::Withdraw
                | Transition::Expire
                | Transition::Supersede(_)
                | Transition::Cancel,
            ) => Err(refused),
        }
    }
}

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
        find("decision", &Self::ALL, text, Self::as_str)
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
    /// When.
    pub at: Timestamp,
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
