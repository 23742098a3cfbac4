//! What kinds of steps were met, and how they went.

use std::collections::BTreeMap;

use super::facts::Answer;
use super::step::{Call, Console, Step};

/// How often each kind of step was answered in each way.
pub(super) type Coverage = BTreeMap<String, usize>;

/// What kind of step it was and how it went.
pub(super) fn kind(step: &Step, answer: &Answer) -> String {
    let name = match step {
        Step::Pass(_) => "pass",
        Step::Work => "work",
        Step::Call(request) => match &request.call {
            Call::Begin(_) => "begin",
            Call::Record(_) => "record",
            Call::Finish(_) => "finish",
            Call::Draft(..) => "draft",
            Call::Claim(_) => "claim",
            Call::Propose(_) => "propose",
            Call::Decide(_) => "decide",
            Call::Cancel(_) => "cancel",
            Call::Withdraw(_) => "withdraw",
            Call::RollBack(_) => "roll_back",
            Call::Read(_) => "read",
            Call::Administer(_) => "administer",
            Call::Console(Console::Converse(_)) => "converse",
            Call::Console(Console::Say(..)) => "say",
            Call::Console(Console::Take(_)) => "take",
            Call::Console(Console::Renew(..)) => "renew",
            Call::Console(Console::Complete(_)) => "complete",
            Call::Console(Console::Reopen(_)) => "reopen",
            Call::Console(Console::Stop(_)) => "stop",
        },
    };
    match (step, answer) {
        (Step::Work, Ok(facts)) => {
            let done = facts.split(' ').collect::<Vec<_>>();
            let done = done.chunks(2).filter(|pair| pair.last() != Some(&"0"));
            let done: Vec<_> = done.map(|pair| pair[0]).collect();
            format!("work {}", done.join(" and "))
        }
        (Step::Call(request), Ok(facts)) if matches!(request.call, Call::Decide(_)) => {
            // "proposal 3 stale because draft_moved risk medium …": where it stands then.
            let words = facts.split(' ').skip(2);
            let state: Vec<_> = words.take_while(|word| *word != "risk").collect();
            let state = state.join(" ");
            format!(
                "decide ok {}",
                state.split(" for ").next().unwrap_or(&state)
            )
        }
        (_, Ok(_)) => format!("{name} ok"),
        (_, Err(code)) => format!("{name} {code}"),
    }
}
