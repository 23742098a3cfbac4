//! Steps of a task plan: what each does, how risky the server thinks it is, and where it stands.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::canon;
use crate::hash::Digest;
use crate::id::{PlanId, ProposalId, RunId, StepId, TurnId};
use crate::policy::Policy;
use crate::proposal::{ProposalKind, Risk};
use crate::scope::Scope;
use crate::time::Timestamp;

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Finds something out; changes nothing.
    Research,
    /// Proposes a new page.
    CreateContent,
    /// Proposes a new draft of a page.
    ContentRevision,
    /// Proposes a change of the topical map.
    TopicalMapChange,
    /// Proposes links between pages.
    InternalLink,
    /// Proposes what is live.
    PublishLifecycle,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 6] = [
        Self::Research,
        Self::CreateContent,
        Self::ContentRevision,
        Self::TopicalMapChange,
        Self::InternalLink,
        Self::PublishLifecycle,
    ];

    /// The operation's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Research => "research",
            Self::CreateContent => "create_content",
            Self::ContentRevision => "content_revision",
            Self::TopicalMapChange => "topical_map_change",
            Self::InternalLink => "internal_link",
            Self::PublishLifecycle => "publish_lifecycle",
        }
    }

    /// The kind of the proposal through which alone it succeeds; none for one that changes nothing.
    pub const fn proposal_kind(self) -> Option<&'static str> {
        match self {
            Self::Research => None,
            Self::CreateContent
            | Self::ContentRevision
            | Self::TopicalMapChange
            | Self::InternalLink
            | Self::PublishLifecycle => Some(self.as_str()),
        }
    }

    /// What an agent needs on the site to do it.
    pub const fn scope(self) -> Scope {
        match self {
            Self::Research => Scope::ContentRead,
            Self::CreateContent | Self::ContentRevision | Self::InternalLink => Scope::ContentWrite,
            Self::TopicalMapChange => Scope::TopicalMapWrite,
            Self::PublishLifecycle => Scope::PublishRequest,
        }
    }

    /// How much can go wrong, under a site's policy.
    pub fn risk(self, policy: &Policy) -> Risk {
        let kind: Option<ProposalKind> = self.proposal_kind().and_then(|kind| kind.parse().ok());
        kind.map_or(Risk::Low, |kind| policy.risk(kind, 1))
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no operation of a step")]
pub struct UnknownOperation(pub String);

impl FromStr for Operation {
    type Err = UnknownOperation;

    fn from_str(text: &str) -> Result<Self, UnknownOperation> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.as_str() == text)
            .ok_or_else(|| UnknownOperation(text.to_owned()))
    }
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Identity.
    pub id: StepId,
    /// The plan.
    pub plan: PlanId,
    /// Its name in the plan.
    pub key: String,
    /// Its place in the plan, from 1.
    pub position: i64,
    /// What it is about, in one line.
    pub title: String,
    /// What it does.
    pub operation: Operation,
    /// The server's judgement.
    pub risk: Risk,
    /// The keys of the steps that must have succeeded before.
    pub depends_on: Vec<String>,
    /// What it starts from.
    pub input: Value,
    /// What it is, by which it is recognized in a later version of the plan.
    pub digest: Digest,
    /// How often it was claimed since a person last opened it.
    pub attempts: i64,
    /// Where it stands.
    pub state: StepState,
    /// The turn that delivered it last.
    pub turn: Option<TurnId>,
    /// The proposal that it made.
    pub proposal: Option<ProposalId>,
    /// The run that the agent named.
    pub run: Option<RunId>,
    /// What the agent said last.
    pub summary: String,
    /// What a person answered it.
    pub answer: String,
    /// The step of the version before that it goes on from.
    pub carried_from: Option<StepId>,
}

impl Step {
    /// How often it was tried again since a person last opened it.
    pub const fn retry_count(&self) -> i64 {
        if self.attempts > 1 {
            self.attempts - 1
        } else {
            0
        }
    }
}

/// Why a step stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// A stable code.
    pub code: String,
    /// In words: the reviewer's, or the agent's.
    pub explanation: String,
}

impl Reason {
    /// A reason with a stable code and words.
    pub fn new(code: impl Into<String>, explanation: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            explanation: explanation.into(),
        }
    }
}

/// Where a step stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepState {
    /// Steps that it depends on haven't succeeded.
    Waiting,
    /// It can be offered.
    Ready,
    /// A turn delivers it.
    Offered,
    /// Somebody works on it.
    Running,
    /// Its proposal waits for people.
    AwaitingApproval,
    /// It is done.
    Succeeded {
        /// When.
        at: Timestamp,
    },
    /// It went wrong.
    Failed {
        /// When.
        at: Timestamp,
        /// Why.
        reason: Reason,
    },
    /// A person must look.
    Blocked {
        /// When.
        at: Timestamp,
        /// Why.
        reason: Reason,
    },
    /// It was given up.
    Cancelled {
        /// When.
        at: Timestamp,
        /// Why.
        reason: Reason,
    },
}

/// What can happen to a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepTransition {
    /// Every step that it depends on has succeeded.
    Free,
    /// A turn delivers it.
    Offer,
    /// Its turn is claimed.
    Claim,
    /// Its turn is back in the queue.
    GiveBack,
    /// It goes wrong and is tried once more.
    Retry,
    /// Its proposal is before people.
    AwaitApproval,
    /// It is done.
    Succeed,
    /// It goes wrong for good.
    Fail(Reason),
    /// Something stands in the way.
    Block(Reason),
    /// It is given up.
    Cancel(Reason),
    /// A person opens it again.
    Reopen,
}

/// A change of a step that isn't lawful where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the step is {from} and can't be changed that way")]
pub struct InvalidStepTransition {
    /// The state it is in.
    pub from: &'static str,
}

impl StepState {
    /// Every state's text, in the order of the life cycle.
    pub const NAMES: [&'static str; 9] = [
        "waiting",
        "ready",
        "offered",
        "running",
        "awaiting_approval",
        "succeeded",
        "failed",
        "blocked",
        "cancelled",
    ];

    /// The state's text.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Ready => "ready",
            Self::Offered => "offered",
            Self::Running => "running",
            Self::AwaitingApproval => "awaiting_approval",
            Self::Succeeded { .. } => "succeeded",
            Self::Failed { .. } => "failed",
            Self::Blocked { .. } => "blocked",
            Self::Cancelled { .. } => "cancelled",
        }
    }

    /// When it came to rest; none while it goes on by itself.
    pub const fn settled_at(&self) -> Option<Timestamp> {
        match self {
            Self::Waiting
            | Self::Ready
            | Self::Offered
            | Self::Running
            | Self::AwaitingApproval => None,
            Self::Succeeded { at }
            | Self::Failed { at, .. }
            | Self::Blocked { at, .. }
            | Self::Cancelled { at, .. } => Some(*at),
        }
    }

    /// Why it stopped.
    pub const fn reason(&self) -> Option<&Reason> {
        match self {
            Self::Failed { reason, .. }
            | Self::Blocked { reason, .. }
            | Self::Cancelled { reason, .. } => Some(reason),
            Self::Waiting
            | Self::Ready
            | Self::Offered
            | Self::Running
            | Self::AwaitingApproval
            | Self::Succeeded { .. } => None,
        }
    }

    /// Whether a turn holds it.
    pub const fn is_with_agent(&self) -> bool {
        matches!(self, Self::Offered | Self::Running)
    }

    /// Whether nothing more can come of it, not even by a person.
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Succeeded { .. } | Self::Cancelled { .. })
    }

    /// The state after `transition` at `at`.
    pub fn apply(
        &self,
        transition: StepTransition,
        at: Timestamp,
    ) -> Result<Self, InvalidStepTransition> {
        match (self, transition) {
            (Self::Waiting, StepTransition::Free)
            | (Self::Running, StepTransition::Retry)
            | (Self::Failed { .. } | Self::Blocked { .. }, StepTransition::Reopen) => {
                Ok(Self::Ready)
            }
            (Self::Ready, StepTransition::Offer) | (Self::Running, StepTransition::GiveBack) => {
                Ok(Self::Offered)
            }
            (Self::Offered, StepTransition::Claim) => Ok(Self::Running),
            (Self::Running, StepTransition::AwaitApproval) => Ok(Self::AwaitingApproval),
            (Self::Running | Self::AwaitingApproval, StepTransition::Succeed) => {
                Ok(Self::Succeeded { at })
            }
            (Self::Running | Self::AwaitingApproval, StepTransition::Fail(reason)) => {
                Ok(Self::Failed { at, reason })
            }
            (Self::Ready | Self::Offered | Self::Running, StepTransition::Block(reason)) => {
                Ok(Self::Blocked { at, reason })
            }
            (state, StepTransition::Cancel(reason)) if !state.is_final() => {
                Ok(Self::Cancelled { at, reason })
            }
            (
                _,
                StepTransition::Free
                | StepTransition::Offer
                | StepTransition::Claim
                | StepTransition::GiveBack
                | StepTransition::Retry
                | StepTransition::AwaitApproval
                | StepTransition::Succeed
                | StepTransition::Fail(_)
                | StepTransition::Block(_)
                | StepTransition::Cancel(_)
                | StepTransition::Reopen,
            ) => Err(InvalidStepTransition {
                from: self.as_str(),
            }),
        }
    }
}

/// What a step is, by which a later version of the plan recognizes it.
pub fn step_digest(operation: Operation, depends_on: &[String], input: &Value) -> Digest {
    canon::digest(&json!({"operation": operation, "depends_on": depends_on, "input": input}))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Timestamp = Timestamp::from_micros(1);

    #[test]
    fn only_the_lawful_transitions_exist() {
        let reason = || Reason::new("x", "");
        let states = [
            StepState::Waiting,
            StepState::Ready,
            StepState::Offered,
            StepState::Running,
            StepState::AwaitingApproval,
            StepState::Succeeded { at: AT },
            StepState::Failed {
                at: AT,
                reason: reason(),
            },
            StepState::Blocked {
                at: AT,
                reason: reason(),
            },
            StepState::Cancelled {
                at: AT,
                reason: reason(),
            },
        ];
        assert_eq!(states.each_ref().map(StepState::as_str), StepState::NAMES);
        let transitions = [
            StepTransition::Free,
            StepTransition::Offer,
            StepTransition::Claim,
            StepTransition::GiveBack,
            StepTransition::Retry,
            StepTransition::AwaitApproval,
            StepTransition::Succeed,
            StepTransition::Fail(reason()),
            StepTransition::Block(reason()),
            StepTransition::Cancel(reason()),
            StepTransition::Reopen,
        ];
        let mut lawful = Vec::new();
        for state in &states {
            let next: Vec<&str> = transitions
                .iter()
                .filter_map(|transition| state.apply(transition.clone(), AT).ok())
                .map(|next| next.as_str())
                .collect();
            lawful.push(format!("{} -> {}", state.as_str(), next.join(", ")));
        }
        insta::assert_snapshot!(lawful.join("\n"), @"
        waiting -> ready, cancelled
        ready -> offered, blocked, cancelled
        offered -> running, blocked, cancelled
        running -> offered, ready, awaiting_approval, succeeded, failed, blocked, cancelled
        awaiting_approval -> succeeded, failed, cancelled
        succeeded -> 
        failed -> cancelled, ready
        blocked -> cancelled, ready
        cancelled -> 
        ");
    }

    #[test]
    fn the_server_says_how_risky_a_step_is_and_what_it_needs() {
        let policy = Policy::default();
        let lines: Vec<String> = Operation::ALL
            .iter()
            .map(|operation| {
                let risk = operation.risk(&policy).as_str();
                let kind = operation.proposal_kind().unwrap_or("nothing");
                format!("{operation}: {risk} risk, {}, {kind}", operation.scope())
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        research: low risk, content:read, nothing
        create_content: low risk, content:write, create_content
        content_revision: low risk, content:write, content_revision
        topical_map_change: low risk, topical-map:write, topical_map_change
        internal_link: low risk, content:write, internal_link
        publish_lifecycle: medium risk, publish:request, publish_lifecycle
        ");
    }
}
