//! Productions: a work that goes through the stages of a policy pack.
//!
//! What a stage is, who completes it and what must stand before it is the pack's; here is what is
//! kept of one production and which way a stage may move.

use serde_json::Value;

use crate::actor::Actor;
use crate::hash::Digest;
use crate::id::{ConnectionId, OrganizationId, ProductionId, RunId, SiteId, TaskId};
use crate::time::Timestamp;

/// A production on a site.
#[derive(Debug, Clone, PartialEq)]
pub struct Production {
    /// Identity.
    pub id: ProductionId,
    /// The tenant.
    pub organization: OrganizationId,
    /// The site.
    pub site: SiteId,
    /// What it's called.
    pub title: String,
    /// What is to be made, in a sentence or two.
    pub objective: String,
    /// For whom.
    pub audience: String,
    /// The medium in which it appears, such as `video`.
    pub medium: String,
    /// The template of the page that it becomes.
    pub template: String,
    /// The fields of that page which no document fills.
    pub fields: Value,
    /// The policy under which all of it is made.
    pub policy: PolicyRef,
    /// The most that all of it may cost, in micro-dollars.
    pub budget: i64,
    /// The most that a task may cost, in micro-dollars.
    pub task_budget: i64,
    /// Who started it.
    pub started_by: Actor,
    /// When.
    pub started_at: Timestamp,
}

/// A policy pack, by its hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRef {
    /// The constitution's version.
    pub version: String,
    /// The hash of the constitution.
    pub constitution_sha256: Digest,
    /// The hash of the pack.
    pub sha256: Digest,
}

/// Where a stage of a production stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StageState {
    /// Something must be done before it.
    Waiting,
    /// Whoever completes it can begin.
    Ready,
    /// An agent works on it.
    Running,
    /// It isn't good enough, or couldn't be made; a person decides what becomes of it.
    NeedsReview {
        /// Why, as a stable code.
        reason: String,
    },
    /// It's done.
    Passed,
}

/// What happens to a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StageTransition {
    /// Everything before it is done.
    Free,
    /// An agent begins.
    Begin,
    /// It passes.
    Pass,
    /// It doesn't pass.
    Hold(String),
    /// A person has it done again.
    Reopen,
    /// Something before it is done again.
    Reset,
}

/// A move that a stage can't make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a stage that is {from} can't {what}")]
pub struct InvalidStageTransition {
    /// Where it stands.
    pub from: &'static str,
    /// What was tried.
    pub what: &'static str,
}

impl StageState {
    /// The name for programs.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Ready => "ready",
            Self::Running => "running",
            Self::NeedsReview { .. } => "needs_review",
            Self::Passed => "passed",
        }
    }

    /// The state after `transition`.
    ///
    /// # Errors
    /// The state doesn't allow it.
    pub fn apply(&self, transition: StageTransition) -> Result<Self, InvalidStageTransition> {
        use StageTransition as T;
        match (self, transition) {
            (Self::Waiting, T::Free) | (Self::NeedsReview { .. } | Self::Passed, T::Reopen) => {
                Ok(Self::Ready)
            }
            // A worker that died has left it running; the next one begins again.
            (Self::Ready | Self::Running, T::Begin) => Ok(Self::Running),
            (Self::Ready | Self::Running, T::Pass) => Ok(Self::Passed),
            (Self::Ready | Self::Running, T::Hold(reason)) => Ok(Self::NeedsReview { reason }),
            (_, T::Reset) => Ok(Self::Waiting),
            (from, transition) => Err(InvalidStageTransition {
                from: from.as_str(),
                what: transition.verb(),
            }),
        }
    }
}

impl StageTransition {
    const fn verb(&self) -> &'static str {
        match self {
            Self::Free => "be freed",
            Self::Begin => "be begun",
            Self::Pass => "pass",
            Self::Hold(_) => "be held",
            Self::Reopen => "be opened again",
            Self::Reset => "be reset",
        }
    }
}

/// A stage of a production.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductionStage {
    /// The pack's stage.
    pub stage: String,
    /// Its place in the pack's order.
    pub position: i64,
    /// Where it stands.
    pub state: StageState,
    /// How many attempts were issued.
    pub attempts: i64,
    /// The task that counts; none before the first.
    pub task: Option<TaskId>,
    /// What its document is worth; none before it was audited.
    pub verdict: Option<String>,
    /// When it last moved.
    pub updated_at: Timestamp,
}

/// A task that was given to a role (the seed's `agent_runs`).
#[derive(Debug, Clone, PartialEq)]
pub struct StageTask {
    /// Identity; the envelope's `task_id` is its UUID.
    pub id: TaskId,
    /// The production.
    pub production: ProductionId,
    /// The stage.
    pub stage: String,
    /// The attempt, from 1; issued by the server.
    pub attempt: i64,
    /// The digest of the envelope without its `task_id`, to which the idempotency key is bound.
    pub body_sha256: Digest,
    /// The governed run.
    pub run: RunId,
    /// The envelope.
    pub envelope: Value,
    /// When it was asked.
    pub asked_at: Timestamp,
}

/// How a call of a provider ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// It answered.
    Answered,
    /// It failed in a way that passes, before anything was paid.
    Transient,
    /// It failed for good, and nothing was paid.
    Failed,
    /// It was asked, and nobody knows whether that is paid for.
    Uncertain,
}

impl CallOutcome {
    /// Every outcome.
    pub const ALL: [Self; 4] = [
        Self::Answered,
        Self::Transient,
        Self::Failed,
        Self::Uncertain,
    ];

    /// The name for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Transient => "transient",
            Self::Failed => "failed",
            Self::Uncertain => "uncertain",
        }
    }
}

/// Who does the work of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayedBy {
    /// The server asks a provider, in the agent's name.
    Provider,
    /// The agent claims tasks and submits results itself.
    Agent,
}

impl PlayedBy {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Provider, Self::Agent];

    /// The name for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Agent => "agent",
        }
    }

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == name)
    }
}

/// By whom a role is played on a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cast {
    /// The role.
    pub role: String,
    /// The connection in whose name it's played.
    pub connection: ConnectionId,
    /// Who does the work.
    pub played_by: PlayedBy,
}

impl Cast {
    /// A role that the server plays by asking a provider, in the name of a connection.
    pub fn by_provider(role: &str, connection: ConnectionId) -> Self {
        Self {
            role: role.to_owned(),
            connection,
            played_by: PlayedBy::Provider,
        }
    }

    /// A role that an agent plays itself, over a connection.
    pub fn by_agent(role: &str, connection: ConnectionId) -> Self {
        Self {
            played_by: PlayedBy::Agent,
            ..Self::by_provider(role, connection)
        }
    }
}

/// One call of a provider for a task, or one answer of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderCall {
    /// Its number, from 1.
    pub number: i64,
    /// Who answered.
    pub by: PlayedBy,
    /// Whether it asks to mend an answer that didn't fit its schema.
    pub is_repair: bool,
    /// How it ended.
    pub outcome: CallOutcome,
    /// The raw answer, or what went wrong.
    pub raw: String,
    /// The model that answered, as the provider says; empty where nobody says so.
    pub model: String,
    /// The tokens that were counted, where they were.
    pub usage: Option<Value>,
    /// What it cost in micro-dollars; none where nobody knows.
    pub cost: Option<i64>,
    /// When it ended.
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lawful_transitions_exist() {
        let reason = || "x".to_owned();
        let states = [
            StageState::Waiting,
            StageState::Ready,
            StageState::Running,
            StageState::NeedsReview { reason: reason() },
            StageState::Passed,
        ];
        let transitions = [
            StageTransition::Free,
            StageTransition::Begin,
            StageTransition::Pass,
            StageTransition::Hold(reason()),
            StageTransition::Reopen,
            StageTransition::Reset,
        ];
        let lines: Vec<String> = states
            .iter()
            .map(|state| {
                let next: Vec<String> = transitions
                    .iter()
                    .map(|transition| match state.apply(transition.clone()) {
                        Ok(next) => next.as_str().to_owned(),
                        Err(_) => "-".to_owned(),
                    })
                    .collect();
                format!("{}: {}", state.as_str(), next.join(" "))
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        waiting: ready - - - - waiting
        ready: - running passed needs_review - waiting
        running: - running passed needs_review - waiting
        needs_review: - - - - ready waiting
        passed: - - - - ready waiting
        ");
    }
}
