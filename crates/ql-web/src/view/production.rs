//! Productions in words.

use ql_app::director::{
    Exit, Finding, ProductionCard, Severity, StageActor, StageView, Status, Waiting, Whom,
};
use ql_core::production::{CallOutcome, ProductionStage, StageState};

use super::event::readable;
use super::words::{capital, count};
use crate::part::{Pill, Tone, Who};

/// Where a stage stands.
pub(crate) fn state(state: &StageState, by: Option<&StageActor>) -> Pill {
    match state {
        StageState::Waiting => Pill::new(Tone::Quiet, "Waiting"),
        StageState::Ready if matches!(by, Some(StageActor::Human)) => {
            Pill::new(Tone::Needs, "Needs you")
        }
        StageState::Ready => Pill::new(Tone::Proposed, "Ready"),
        StageState::Running => Pill::new(Tone::Proposed, "Running"),
        StageState::NeedsReview { .. } => Pill::new(Tone::Needs, "Held"),
        StageState::Passed => Pill::new(Tone::Live, "Done"),
    }
}

/// Where a stage stands, as the tone of its place in a strip.
pub(crate) fn tone(state: &StageState) -> Tone {
    match state {
        StageState::Waiting => Tone::Quiet,
        StageState::Ready | StageState::Running => Tone::Proposed,
        StageState::NeedsReview { .. } => Tone::Needs,
        StageState::Passed => Tone::Live,
    }
}

/// What a document is worth.
pub(crate) fn verdict(name: &str) -> Pill {
    let tone = match name {
        "THEOLOGY_VERIFIED" | "THEOLOGY_VERIFIED_WITH_QUALIFICATIONS" => Tone::Live,
        "SCRIPTURE_VERIFIED" => Tone::Proposed,
        "DRAFT_UNVERIFIED" | "NEEDS_REVIEW" => Tone::Needs,
        _ => Tone::Stopped,
    };
    Pill::new(tone, words(name))
}

/// A name in capitals as words.
pub(crate) fn words(name: &str) -> String {
    capital(&readable(&name.to_lowercase()))
}

/// How much a finding weighs.
pub(crate) fn weight(finding: &Finding) -> Pill {
    match finding.code.severity() {
        Severity::Blocking => Pill::new(Tone::Stopped, "Blocking"),
        Severity::Warning => Pill::new(Tone::Needs, "Warning"),
        Severity::Info => Pill::new(Tone::Quiet, "Note"),
    }
}

/// How many findings of each weight there are.
pub(crate) fn weights(findings: &[Finding]) -> Vec<Pill> {
    let of = |severity, tone, one, many| {
        let found = findings.iter().filter(|of| of.code.severity() == severity);
        let found = found.count();
        (found > 0).then(|| Pill::new(tone, count(found, one, many)))
    };
    let all = [
        of(Severity::Blocking, Tone::Stopped, "blocking", "blocking"),
        of(Severity::Warning, Tone::Needs, "warning", "warnings"),
        of(Severity::Info, Tone::Quiet, "note", "notes"),
    ];
    all.into_iter().flatten().collect()
}

/// What a reviewer said of a rule.
pub(crate) fn status(status: Status) -> Pill {
    match status {
        Status::Pass => Pill::new(Tone::Live, "Pass"),
        Status::Qualified => Pill::new(Tone::Needs, "Qualified"),
        Status::NotApplicable => Pill::new(Tone::Quiet, "Not applicable"),
        Status::Fail => Pill::new(Tone::Stopped, "Fail"),
    }
}

/// How a call of a provider ended.
pub(crate) fn call(outcome: CallOutcome) -> Pill {
    match outcome {
        CallOutcome::Answered => Pill::new(Tone::Live, "Answered"),
        CallOutcome::Transient => Pill::new(Tone::Needs, "Failed in passing"),
        CallOutcome::Uncertain => Pill::new(Tone::Needs, "Uncertain"),
        CallOutcome::Failed => Pill::new(Tone::Stopped, "Failed"),
    }
}

/// For whom a stage waits.
pub(crate) fn whom(waiting: &Waiting) -> Pill {
    match &waiting.whom {
        Whom::Review(_) => Pill::new(Tone::Needs, "A review"),
        Whom::Person => Pill::new(Tone::Needs, "A person"),
        Whom::Agent(_) => Pill::new(Tone::Proposed, "An agent"),
        Whom::Server => Pill::new(Tone::Proposed, "The server"),
    }
}

/// Why something waits for a review, where it does.
pub(crate) fn why(whom: &Whom) -> Option<String> {
    match whom {
        Whom::Review(reason) => Some(reasons(reason)),
        Whom::Person | Whom::Agent(_) | Whom::Server => None,
    }
}

/// Who completes a stage.
pub(crate) fn actor(stage: &StageView) -> Who {
    match &stage.by {
        Some(StageActor::Human) | None => Who::person("A person"),
        Some(StageActor::Server) => Who::system("QueryLayer"),
        Some(StageActor::Role(role)) => Who::agent(stage.role.as_deref().unwrap_or(role)),
    }
}

/// Why a stage was held and what helps, where it was.
pub(crate) fn held(state: &StageState) -> Option<String> {
    match state {
        StageState::NeedsReview { reason } => Some(reasons(reason)),
        _ => None,
    }
}

fn reasons(reason: &str) -> String {
    let text = match reason {
        "role_not_cast" => "Nobody plays its role. Cast it, then have the stage done again.",
        "provider_failed" => "The provider refused. See its call, then have the stage done again.",
        "provider_unavailable" => {
            "The provider didn't answer, also not when asked again. Have the stage done again later."
        }
        "provider_uncertain" => {
            "Nobody knows whether the provider's answer is paid for. Have the stage done again."
        }
        "not_priced" => "Nobody knows what the model costs, so it isn't asked.",
        "budget_exhausted" => "What the production may cost is used up. Raise its budget.",
        "task_budget_exhausted" => "What a task may cost is used up. Raise its budget.",
        "schema_violation" => "The answer didn't fit its schema, also not after a repair.",
        "given_up" => "Too many workers stopped in the middle of it.",
        "policy_changed" => "The server's policy isn't the one it began under.",
        "not_sealed" => "The page couldn't be written or its publication asked for.",
        "other_task" | "other_role" => "The answer was one to another task.",
        "blocked" => "A blocking finding is open, or a required attestation is missing.",
        "conflict" => "A reviewer found that a rule isn't kept.",
        "rejected" => "It isn't of this task, policy or constitution.",
        "needs_review" => "Somebody must look at what was found.",
        "draft_unverified" => "A quotation couldn't be verified.",
        other => return words(other),
    };
    text.to_owned()
}

/// An amount in dollars, to the cent or as exact as it is.
pub(crate) fn dollars(micros: i64) -> String {
    let (whole, part) = (micros / 1_000_000, micros % 1_000_000);
    let part = format!("{part:06}");
    let exact = part.trim_end_matches('0');
    format!("${whole}.{exact:0<2}")
}

/// The stage at which a production stands: the first that isn't done; none where all are.
pub(crate) fn standing(card: &ProductionCard) -> Option<&ProductionStage> {
    let mut stages = card.stages.iter();
    stages.find(|of| of.state != StageState::Passed)
}

/// How it ended before its end, where it did.
pub(crate) fn ended(exits: &[Exit]) -> Option<&Exit> {
    exits.iter().find(|exit| exit.reopened.is_none())
}

/// How many of a production's stages are done.
pub(crate) fn done(card: &ProductionCard) -> String {
    let done = card
        .stages
        .iter()
        .filter(|of| of.state == StageState::Passed);
    format!("{} of {} stages done", done.count(), card.stages.len())
}

/// Where a stage stands, in a sentence.
pub(crate) fn said(of: &StageView) -> String {
    if let Some(why) = held(&of.stage.state) {
        return why;
    }
    let text = match (&of.stage.state, &of.by) {
        (StageState::Waiting, _) => "Something before it isn't done.",
        (StageState::Ready | StageState::Running, Some(StageActor::Human) | None) => {
            "A person reads what was made and completes it."
        }
        (StageState::Ready | StageState::Running, Some(StageActor::Server)) => {
            "The server looks at what was made once more."
        }
        (StageState::Ready, Some(StageActor::Role(_))) => "The agent of its role can begin.",
        (StageState::Running, Some(StageActor::Role(_))) => "The agent of its role is at work.",
        (StageState::Passed | StageState::NeedsReview { .. }, _) => "It's done.",
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_to_the_cent_or_as_exact_as_they_are() {
        let amounts = [0, 600_000, 1_234_567, 20_000_000, 10].map(dollars);
        insta::assert_snapshot!(amounts.join(" "), @"$0.00 $0.60 $1.234567 $20.00 $0.00001");
    }
}
