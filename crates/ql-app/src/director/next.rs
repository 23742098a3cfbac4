//! What follows from the calls for a task so far: a table, and nothing else.

use std::time::Duration;

use ql_core::problem::Problem;
use ql_core::production::{CallOutcome, ProviderCall};
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::{Output, TaskResult, Unfit, mend, read};

/// How often a call that fails in passing is tried again.
pub(super) const RETRIES: usize = 3;
/// How many calls of which nobody knows whether they are paid for a task may have.
const UNCERTAIN: usize = 2;

/// What comes next for a task.
pub(super) enum Next {
    /// Ask; to mend what was wrong, where something was.
    Ask(Option<Vec<Problem>>),
    /// The answer fits.
    Settle(Box<(TaskResult, Output)>),
    /// Nothing more can be done without a person.
    Hold(&'static str, Vec<Problem>),
}

/// Full jitter over 2, 4, 8 … seconds.
pub(super) fn backoff(failures: usize, ids: &dyn ql_core::id::IdGen) -> Duration {
    let mut random = [0_u8; 2];
    ids.fill(&mut random);
    let most = 1_u64 << failures.min(6);
    Duration::from_millis(most * 1000 * u64::from(u16::from_be_bytes(random)) / 65_536)
}

/// How many calls failed in passing since the last answer.
pub(super) fn failures(calls: &[ProviderCall]) -> usize {
    calls
        .iter()
        .rev()
        .take_while(|call| call.outcome == CallOutcome::Transient)
        .count()
}

/// How many calls may have been paid for without an answer.
fn uncertain(calls: &[ProviderCall]) -> usize {
    let is_uncertain = |call: &&ProviderCall| call.outcome == CallOutcome::Uncertain;
    calls.iter().filter(is_uncertain).count()
}

/// Whether another call may follow later.
pub(super) fn may_go_on(calls: &[ProviderCall]) -> bool {
    failures(calls) <= RETRIES && uncertain(calls) < UNCERTAIN
}

/// What comes next after these calls.
pub(super) fn next(calls: &[ProviderCall], kind: DocKind) -> Next {
    let Some(last) = calls.last() else {
        return Next::Ask(None);
    };
    if last.outcome == CallOutcome::Failed {
        return Next::Hold("provider_failed", Vec::new());
    }
    if failures(calls) > RETRIES {
        return Next::Hold("provider_unavailable", Vec::new());
    }
    if uncertain(calls) >= UNCERTAIN {
        return Next::Hold("provider_uncertain", Vec::new());
    }
    let answered = calls
        .iter()
        .rev()
        .find(|call| call.outcome == CallOutcome::Answered);
    let Some(answered) = answered else {
        return Next::Ask(None);
    };
    match read::result(mend::object(&answered.raw).as_bytes(), kind) {
        Ok(answer) => Next::Settle(Box::new(answer)),
        Err(unfit) if answered.is_repair => Next::Hold("schema_violation", problems(unfit)),
        Err(unfit) => Next::Ask(Some(problems(unfit))),
    }
}

fn problems(unfit: Unfit) -> Vec<Problem> {
    match unfit {
        Unfit::Problems(problems) => problems,
        other @ (Unfit::TooLarge | Unfit::Malformed(_)) => {
            vec![Problem::new("", "unfit", other.to_string())]
        }
    }
}

#[cfg(test)]
mod tests {
    use ql_core::time::Timestamp;

    use super::*;

    fn call(number: i64, outcome: CallOutcome, raw: &str, is_repair: bool) -> ProviderCall {
        let at = Timestamp::from_micros(number);
        ProviderCall {
            number,
            by: ql_core::production::PlayedBy::Provider,
            model: String::new(),
            usage: None,
            is_repair,
            outcome,
            raw: raw.to_owned(),
            cost: Some(0),
            at,
        }
    }

    fn told(calls: &[ProviderCall]) -> String {
        match next(calls, DocKind::Script) {
            Next::Ask(None) => "ask".to_owned(),
            Next::Ask(Some(problems)) => format!("ask to mend {} problem(s)", problems.len()),
            Next::Settle(_) => "settle".to_owned(),
            Next::Hold(reason, problems) => {
                format!("hold: {reason}, {} problem(s)", problems.len())
            }
        }
    }

    #[test]
    fn three_retries_one_repair_and_one_uncertain_call_then_a_person() {
        use CallOutcome::{Answered, Failed, Transient, Uncertain};
        let failed = |count: i64| -> Vec<ProviderCall> {
            (1..=count)
                .map(|number| call(number, Transient, "429", false))
                .collect()
        };
        let lines = [
            told(&[]),
            told(&failed(1)),
            told(&failed(3)),
            told(&failed(4)),
            told(&[call(1, Failed, "400", false)]),
            told(&[call(1, Answered, "{}", false)]),
            told(&[
                call(1, Answered, "no json", false),
                call(2, Transient, "503", true),
            ]),
            told(&[
                call(1, Answered, "{}", false),
                call(2, Answered, "{}", true),
            ]),
            told(&[call(1, Uncertain, "time-out", false)]),
            told(&[
                call(1, Answered, "{}", false),
                call(2, Uncertain, "time-out", true),
            ]),
            told(&[
                call(1, Uncertain, "time-out", false),
                call(2, Transient, "429", false),
                call(3, Uncertain, "time-out", false),
            ]),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        ask
        ask
        ask
        hold: provider_unavailable, 0 problem(s)
        hold: provider_failed, 0 problem(s)
        ask to mend 12 problem(s)
        ask to mend 1 problem(s)
        hold: schema_violation, 12 problem(s)
        ask
        ask to mend 12 problem(s)
        hold: provider_uncertain, 0 problem(s)
        ");
    }
}
