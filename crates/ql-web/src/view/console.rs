//! Turns, steps and plans in words.

use ql_core::plan::PlanState;
use ql_core::step::{Reason, Step, StepState};
use ql_core::time::Timestamp;
use ql_core::turn::{Ended, Turn, TurnOutcome, TurnState};

use super::event::readable;
use crate::part::{Pill, Tone};

/// Where a turn stands.
pub(crate) fn turn(turn: &Turn, now: Timestamp) -> Pill {
    match &turn.state {
        TurnState::Leased(lease) if lease.until > now => {
            Pill::new(Tone::Proposed, "Being worked on")
        }
        TurnState::Queued | TurnState::Leased(_) => Pill::new(Tone::Quiet, "Waits for the agent"),
        TurnState::Ended(ended) => outcome(ended.outcome),
    }
}

/// Where the newest turn of a conversation stands.
pub(crate) fn last(last: Option<&Turn>) -> Pill {
    match last.map(|turn| &turn.state) {
        None => Pill::new(Tone::Quiet, "Nothing asked yet"),
        Some(TurnState::Queued) => Pill::new(Tone::Quiet, "Waits for the agent"),
        Some(TurnState::Leased(_)) => Pill::new(Tone::Proposed, "Being worked on"),
        Some(TurnState::Ended(ended)) => outcome(ended.outcome),
    }
}

fn outcome(outcome: TurnOutcome) -> Pill {
    match outcome {
        TurnOutcome::Completed => Pill::new(Tone::Live, "Completed"),
        TurnOutcome::Failed => Pill::new(Tone::Stopped, "Failed"),
        TurnOutcome::NeedsHumanInput => Pill::new(Tone::Needs, "Needs your answer"),
        TurnOutcome::Blocked => Pill::new(Tone::Stopped, "Blocked"),
        TurnOutcome::Cancelled => Pill::new(Tone::Quiet, "Stopped"),
    }
}

/// How a turn ended, where it did.
pub(crate) const fn ended(turn: &Turn) -> Option<&Ended> {
    match &turn.state {
        TurnState::Ended(ended) => Some(ended),
        TurnState::Queued | TurnState::Leased(_) => None,
    }
}

/// Why a turn last came back or stopped, with the words of who gave it back, and how often it was
/// tried.
pub(crate) fn note(turn: &Turn) -> Option<String> {
    let reason = turn.reason.as_deref().map(readable);
    let reason = match (reason, turn.returned_with.as_deref()) {
        (Some(reason), Some(words)) => Some(format!("{reason}: {words}")),
        (reason, _) => reason,
    };
    let tried = (turn.attempts > 1).then(|| format!("tried {} times", turn.attempts));
    let parts: Vec<String> = tried.into_iter().chain(reason).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// Where a step stands.
pub(crate) fn step(state: &StepState) -> Pill {
    match state {
        StepState::Waiting => Pill::new(Tone::Quiet, "Waiting"),
        StepState::Ready => Pill::new(Tone::Quiet, "Ready"),
        StepState::Offered => Pill::new(Tone::Proposed, "Offered"),
        StepState::Running => Pill::new(Tone::Proposed, "Running"),
        StepState::AwaitingApproval => Pill::new(Tone::Needs, "Needs approval"),
        StepState::Succeeded { .. } => Pill::new(Tone::Live, "Succeeded"),
        StepState::Failed { .. } => Pill::new(Tone::Stopped, "Failed"),
        StepState::Blocked { .. } => Pill::new(Tone::Stopped, "Blocked"),
        StepState::Cancelled { .. } => Pill::new(Tone::Quiet, "Given up"),
    }
}

/// Where a plan stands, as far as people are concerned.
pub(crate) fn plan(state: &PlanState, steps: &[Step]) -> Pill {
    let needs_somebody = |step: &Step| {
        matches!(
            step.state,
            StepState::AwaitingApproval | StepState::Failed { .. } | StepState::Blocked { .. }
        )
    };
    match state {
        PlanState::Finished { .. } => Pill::new(Tone::Live, "Finished"),
        PlanState::Superseded { .. } => Pill::new(Tone::Quiet, "Superseded"),
        PlanState::Active if steps.iter().any(needs_somebody) => {
            Pill::new(Tone::Needs, "Needs you")
        }
        PlanState::Active => Pill::new(Tone::Proposed, "Under way"),
    }
}

/// Why a step stopped, in one line.
pub(crate) fn reason(reason: &Reason) -> String {
    let code = readable(&reason.code);
    match reason.explanation.as_str() {
        "" => code,
        explanation => format!("{code}: {explanation}"),
    }
}
