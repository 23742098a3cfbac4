//! Looking again at what claims rest on: how often, what was seen, and what people made of it.

use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::{AttemptId, ClaimId, ContentId, EvidenceId, JobId, MemberId, ReviewId, RevisionId};
use crate::proposal::Unknown;
use crate::time::{Timestamp, days, minutes};

mod judge;
mod passage;
mod text;

pub use self::judge::{Judgement, Observation, judge};

/// The longest cadence, in days.
pub const MAX_CADENCE_DAYS: i64 = 365;

/// How often a failure that may pass is tried again before the cadence goes on.
pub const MAX_RETRIES: i64 = 3;

/// How long after a failure that may pass the source is tried again, by how many there were in a row.
pub const fn backoff(failures: i64) -> Duration {
    match failures {
        ..=1 => minutes(5),
        2 => minutes(30),
        _ => minutes(180),
    }
}

/// How evidence stands, as one look at its source found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The excerpt stands in its source.
    Unchanged,
    /// A passage like it stands there instead.
    Changed,
    /// Nothing like it stands there.
    ExcerptMissing,
    /// It stands where a permanent redirection leads.
    Moved,
    /// The source says that it is gone.
    Gone,
    /// The source couldn't be reached.
    Unreachable,
    /// The source refuses, or the rules of fetching forbid it.
    Blocked,
    /// What came doesn't tell.
    Inconclusive,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 8] = [
        Self::Unchanged,
        Self::Changed,
        Self::ExcerptMissing,
        Self::Moved,
        Self::Gone,
        Self::Unreachable,
        Self::Blocked,
        Self::Inconclusive,
    ];

    /// The outcome's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Changed => "changed",
            Self::ExcerptMissing => "excerpt_missing",
            Self::Moved => "moved",
            Self::Gone => "gone",
            Self::Unreachable => "unreachable",
            Self::Blocked => "blocked",
            Self::Inconclusive => "inconclusive",
        }
    }
}

impl FromStr for Outcome {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        Unknown::find("outcome", &Self::ALL, text, Self::as_str)
    }
}

/// How often a source is looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cadence(i64);

/// A number of days that is no cadence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected 1 to {MAX_CADENCE_DAYS} days")]
pub struct InvalidCadence;

impl Cadence {
    /// A cadence of this many days.
    pub const fn new(days: i64) -> Result<Self, InvalidCadence> {
        if 1 <= days && days <= MAX_CADENCE_DAYS {
            Ok(Self(days))
        } else {
            Err(InvalidCadence)
        }
    }

    /// The number of days.
    pub const fn days(self) -> i64 {
        self.0
    }

    /// The instant one cadence after another.
    pub fn after(self, at: Timestamp) -> Timestamp {
        at.plus(days(self.0.unsigned_abs()))
    }
}

/// Where a target stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetState {
    /// It waits for its time.
    Scheduled,
    /// Its time has come.
    Due,
    /// It is being looked at.
    Running,
    /// A person has yet to say what to make of what was found.
    NeedsReview,
    /// Nobody looks at it any more.
    Stopped,
}

impl TargetState {
    /// Every state.
    pub const ALL: [Self; 5] = [
        Self::Scheduled,
        Self::Due,
        Self::Running,
        Self::NeedsReview,
        Self::Stopped,
    ];

    /// The state's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Due => "due",
            Self::Running => "running",
            Self::NeedsReview => "needs_review",
            Self::Stopped => "stopped",
        }
    }
}

impl FromStr for TargetState {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        Unknown::find("state", &Self::ALL, text, Self::as_str)
    }
}

/// Evidence that is looked at again. It holds nothing of what the source says, so agents may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The evidence.
    pub evidence: EvidenceId,
    /// The claim it bears on.
    pub claim: ClaimId,
    /// The item that makes the claim.
    pub content: ContentId,
    /// The revision that makes it.
    pub revision: RevisionId,
    /// How often, in days.
    pub cadence_days: i64,
    /// Where it stands.
    pub state: TargetState,
    /// The job that looks at it next; none once it is stopped.
    pub job: Option<DueJob>,
    /// The newest look at it.
    pub attempt: Option<AttemptStatus>,
    /// What waits for a person.
    pub review: Option<OpenReview>,
}

/// The job that looks at a target next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueJob {
    /// The job.
    pub id: JobId,
    /// When it is due.
    pub due_at: Timestamp,
    /// How often it was claimed.
    pub attempts: i64,
}

/// How one look ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptStatus {
    /// The attempt.
    pub id: AttemptId,
    /// The how-manieth claim of its job it was.
    pub number: i64,
    /// When it ended.
    pub at: Timestamp,
    /// How the evidence stands.
    pub outcome: Outcome,
    /// A stable code of why.
    pub reason: Option<String>,
}

/// A review that waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenReview {
    /// The review.
    pub id: ReviewId,
    /// What it is about.
    pub outcome: Outcome,
    /// Since when it waits.
    pub opened_at: Timestamp,
}

/// One look with everything that was seen, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// How it ended.
    pub status: AttemptStatus,
    /// The evidence.
    pub evidence: EvidenceId,
    /// The job that looked.
    pub job: JobId,
    /// What was seen.
    pub observation: Observation,
}

/// What a person makes of evidence that isn't as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// The source still bears the claim.
    Holds,
    /// The claim needs another source, or other words.
    Outdated,
    /// It was nothing to act on.
    Dismissed,
    /// The source could be reached again and says what it said: the server's own word.
    Recovered,
}

impl Resolution {
    /// Every resolution.
    pub const ALL: [Self; 4] = [
        Self::Holds,
        Self::Outdated,
        Self::Dismissed,
        Self::Recovered,
    ];
    /// Those that a person gives.
    pub const BY_MEMBERS: [Self; 3] = [Self::Holds, Self::Outdated, Self::Dismissed];

    /// The resolution's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Outdated => "outdated",
            Self::Dismissed => "dismissed",
            Self::Recovered => "recovered",
        }
    }
}

impl FromStr for Resolution {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        Unknown::find("resolution", &Self::ALL, text, Self::as_str)
    }
}

/// A review, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// Identity.
    pub id: ReviewId,
    /// The evidence.
    pub evidence: EvidenceId,
    /// The look that it is about: the newest while it is open.
    pub attempt: AttemptId,
    /// What that look found.
    pub outcome: Outcome,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// How it was closed; none while it is open.
    pub closed: Option<Closed>,
}

/// How a review was closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// What was made of it.
    pub resolution: Resolution,
    /// In which words.
    pub note: String,
    /// By whom; none where it was the server.
    pub member: Option<MemberId>,
    /// When.
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_read_back_and_cadences_have_bounds() {
        for outcome in Outcome::ALL {
            assert_eq!(outcome.as_str().parse(), Ok(outcome));
        }
        for state in TargetState::ALL {
            assert_eq!(state.as_str().parse(), Ok(state));
        }
        for resolution in Resolution::ALL {
            assert_eq!(resolution.as_str().parse(), Ok(resolution));
        }
        for wrong in [i64::MIN, -1, 0, 366] {
            assert_eq!(Cadence::new(wrong), Err(InvalidCadence));
        }
        let at = Timestamp::from_micros(0);
        assert_eq!(
            Cadence::new(365).map(|cadence| cadence.after(at)),
            Ok(at.plus(days(365)))
        );
        assert!(backoff(1) < backoff(2) && backoff(2) < backoff(3) && backoff(9) == backoff(3));
    }
}
