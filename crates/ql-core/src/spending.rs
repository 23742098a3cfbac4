//! What calls of providers may cost: set aside before anything is sent, settled when the answer is
//! kept.
//!
//! Amounts are whole micro-dollars. What is set aside counts as spent until it is known not to be,
//! so that a worker that dies at any moment leaves nothing out.

use crate::id::{ProductionId, TaskId};
use crate::time::Timestamp;

/// What a production may cost, and how far that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The production.
    pub production: ProductionId,
    /// The most that it may cost.
    pub limit: i64,
    /// The most that one of its tasks may cost.
    pub task_limit: i64,
    /// What was paid, what may have been, and what is set aside.
    pub committed: i64,
}

/// Money that was set aside for one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reservation {
    /// The task.
    pub task: TaskId,
    /// The call's number, from 1.
    pub number: i64,
    /// The most that the call can cost.
    pub amount: i64,
    /// What became of it.
    pub state: ReservationState,
    /// When it was set aside.
    pub reserved_at: Timestamp,
}

/// What became of money that was set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReservationState {
    /// The call is on its way, or whoever made it died.
    Held,
    /// The call cost so much.
    Settled {
        /// What it cost; all of the reservation where the answer doesn't tell.
        charged: i64,
    },
    /// The call cost nothing.
    Released,
    /// Nobody knows whether the call is paid for; all of it stays charged.
    Uncertain,
}

impl ReservationState {
    /// The name for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Settled { .. } => "settled",
            Self::Released => "released",
            Self::Uncertain => "uncertain",
        }
    }
}

impl Reservation {
    /// How much of the budget it takes now.
    pub const fn committed(&self) -> i64 {
        match self.state {
            ReservationState::Held | ReservationState::Uncertain => self.amount,
            ReservationState::Settled { charged } => charged,
            ReservationState::Released => 0,
        }
    }
}
