//! Governed runs: begin, work, record artifacts, finish with one explicit outcome.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

use crate::actor::Harness;
use crate::id::{AgentId, ConnectionId, OrganizationId, RunId, SiteId};
use crate::time::Timestamp;

/// The most events a run may have.
pub const MAX_EVENTS: i64 = 10_000;
/// The most bytes of artifacts and payloads a run may hold.
pub const MAX_INLINE_BYTES: i64 = 16 << 20;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Everything asked for is there.
    Completed,
    /// Everything asked for is there, with reservations.
    CompletedWithWarnings,
    /// A person must answer something first.
    NeedsHumanInput,
    /// Something stands in the way.
    Blocked,
    /// It went wrong.
    Failed,
    /// It was given up.
    Cancelled,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 6] = [
        Self::Completed,
        Self::CompletedWithWarnings,
        Self::NeedsHumanInput,
        Self::Blocked,
        Self::Failed,
        Self::Cancelled,
    ];

    /// The outcome's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::CompletedWithWarnings => "completed_with_warnings",
            Self::NeedsHumanInput => "needs_human_input",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether this outcome claims that the required outputs exist.
    pub const fn claims_completion(self) -> bool {
        matches!(self, Self::Completed | Self::CompletedWithWarnings)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no outcome.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no outcome")]
pub struct UnknownOutcome(pub String);

impl FromStr for Outcome {
    type Err = UnknownOutcome;

    fn from_str(text: &str) -> Result<Self, UnknownOutcome> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == text)
            .ok_or_else(|| UnknownOutcome(text.to_owned()))
    }
}

/// Where a run stands.
#[derive(Debug, Clone, PartialEq)]
pub enum RunState {
    /// It accepts work.
    Open,
    /// It accepts nothing more.
    Finished(Finish),
}

/// How a run was finished.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    /// What the caller asked to store; none when the server closed the run.
    pub requested: Option<Outcome>,
    /// What was stored.
    pub outcome: Outcome,
    /// Why, each an object with a `code`.
    pub reasons: Vec<Value>,
    /// The caller's own words.
    pub summary: String,
    /// When.
    pub at: Timestamp,
}

/// A governed run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Identity.
    pub id: RunId,
    /// The tenant.
    pub organization: OrganizationId,
    /// The site.
    pub site: SiteId,
    /// The agent.
    pub agent: AgentId,
    /// The connection that began it, and that alone may work in it.
    pub connection: ConnectionId,
    /// The program the agent ran in.
    pub harness: Harness,
    /// A stable slug such as `refresh-article`.
    pub run_type: String,
    /// The structured input.
    pub input: Value,
    /// The artifact keys that completion needs.
    pub required_outputs: Vec<String>,
    /// What completion means, in sentences.
    pub completion_conditions: Vec<String>,
    /// Where it stands.
    pub state: RunState,
    /// When it began.
    pub begun_at: Timestamp,
}

/// A run that is finished already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the run is finished as {outcome} and accepts nothing more")]
pub struct RunClosed {
    /// How it ended.
    pub outcome: Outcome,
}

impl Run {
    /// Checks that the run accepts work.
    pub fn require_open(&self) -> Result<(), RunClosed> {
        match &self.state {
            RunState::Open => Ok(()),
            RunState::Finished(finish) => Err(RunClosed {
                outcome: finish.outcome,
            }),
        }
    }

    /// The end that a request leads to, given the artifact keys that exist.
    ///
    /// Asking for completion without a required output gives `blocked` with the reason
    /// `missing_required_outputs`; polished prose can't turn partial work into success.
    pub fn finish(
        &self,
        requested: Outcome,
        recorded: &BTreeSet<String>,
        request: FinishRequest,
        at: Timestamp,
    ) -> Result<Finish, RunClosed> {
        self.require_open()?;
        let missing: Vec<&String> = self
            .required_outputs
            .iter()
            .filter(|key| !recorded.contains(*key))
            .collect();
        let mut reasons = request.reasons;
        let mut outcome = requested;
        if requested.claims_completion() && !missing.is_empty() {
            outcome = Outcome::Blocked;
            reasons.insert(
                0,
                json!({"code": "missing_required_outputs", "missing": missing}),
            );
        }
        Ok(Finish {
            requested: Some(requested),
            outcome,
            reasons,
            summary: request.summary,
            at,
        })
    }
}

/// What a caller says when it finishes a run.
#[derive(Debug, Clone, Default)]
pub struct FinishRequest {
    /// Its own words.
    pub summary: String,
    /// Its reasons, each an object with a `code`.
    pub reasons: Vec<Value>,
}

/// Whether `text` is a stable slug for a run type or an artifact key: 1 to 64 of `a-z 0-9 - _ .`,
/// beginning with a letter.
pub fn is_stable_slug(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.as_bytes()[0].is_ascii_lowercase()
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b))
}
