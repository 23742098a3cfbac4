//! Where a proposal stands, and what can happen to it.

use crate::id::ProposalId;
use crate::time::Timestamp;

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
