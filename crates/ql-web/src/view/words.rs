//! States, kinds and quantities in words.

use std::time::Duration;

use ql_core::connection::{Connection, Standing};
use ql_core::content::ContentStatus;
use ql_core::proposal::{ProposalKind, ProposalState};
use ql_core::reverification::{self, Resolution, TargetState};
use ql_core::run::{Outcome, Run, RunState};
use ql_core::source::{Disposition, Verdict};
use ql_core::time::Timestamp;

use crate::part::{Pill, Tone};

/// What was decided about sources.
pub(crate) fn disposition(disposition: Disposition) -> Pill {
    match disposition {
        Disposition::Pending => Pill::new(Tone::Needs, "Needs you"),
        Disposition::Accepted => Pill::new(Tone::Live, "Accepted"),
        Disposition::Rejected => Pill::new(Tone::Stopped, "Rejected"),
        Disposition::Superseded => Pill::new(Tone::Quiet, "Superseded"),
    }
}

/// What the checks say of a record.
pub(crate) fn verdict(verdict: Verdict) -> Pill {
    match verdict {
        Verdict::Valid => Pill::new(Tone::Live, "Valid"),
        Verdict::Warning => Pill::new(Tone::Needs, "Warning"),
        Verdict::Invalid => Pill::new(Tone::Stopped, "Invalid"),
    }
}

/// How evidence stands.
pub(crate) fn looked(outcome: reverification::Outcome) -> Pill {
    use reverification::Outcome;
    match outcome {
        Outcome::Unchanged => Pill::new(Tone::Live, "Unchanged"),
        Outcome::Changed => Pill::new(Tone::Needs, "Changed"),
        Outcome::ExcerptMissing => Pill::new(Tone::Needs, "Excerpt missing"),
        Outcome::Moved => Pill::new(Tone::Needs, "Moved"),
        Outcome::Gone => Pill::new(Tone::Stopped, "Gone"),
        Outcome::Unreachable => Pill::new(Tone::Stopped, "Unreachable"),
        Outcome::Blocked => Pill::new(Tone::Stopped, "Blocked"),
        Outcome::Inconclusive => Pill::new(Tone::Quiet, "Inconclusive"),
    }
}

/// What a look found, where no passage tells.
pub(crate) const fn found(outcome: reverification::Outcome) -> &'static str {
    use reverification::Outcome;
    match outcome {
        Outcome::Unchanged => "The very words.",
        Outcome::Moved => "The very words, at another address.",
        Outcome::Changed | Outcome::ExcerptMissing => "Nothing like it stands there.",
        Outcome::Gone => "The source says that it is gone.",
        Outcome::Unreachable => "Nobody answered.",
        Outcome::Blocked => "The source refuses, or the rules of fetching forbid it.",
        Outcome::Inconclusive => "What came doesn't tell.",
    }
}

/// Where evidence that is looked at again stands.
pub(crate) fn target(state: TargetState) -> Pill {
    match state {
        TargetState::Scheduled => Pill::new(Tone::Quiet, "Scheduled"),
        TargetState::Due => Pill::new(Tone::Proposed, "Due"),
        TargetState::Running => Pill::new(Tone::Proposed, "Running"),
        TargetState::NeedsReview => Pill::new(Tone::Needs, "Needs you"),
        TargetState::Stopped => Pill::new(Tone::Quiet, "Stopped"),
    }
}

/// What was made of a review.
pub(crate) fn resolution(resolution: Resolution) -> Pill {
    match resolution {
        Resolution::Holds => Pill::new(Tone::Live, "Holds"),
        Resolution::Outdated => Pill::new(Tone::Stopped, "Outdated"),
        Resolution::Dismissed => Pill::new(Tone::Quiet, "Dismissed"),
        Resolution::Recovered => Pill::new(Tone::Live, "Recovered"),
    }
}

/// A kind of proposal.
pub(crate) const fn kind(kind: ProposalKind) -> &'static str {
    match kind {
        ProposalKind::CreateContent => "New page",
        ProposalKind::ContentRevision => "New draft",
        ProposalKind::PublishLifecycle => "Publication",
        ProposalKind::ContentLifecycle => "Archiving",
        ProposalKind::TopicalMapChange => "Topical map",
        ProposalKind::InternalLink => "Internal links",
        ProposalKind::TopicalStrategy => "Strategy",
        ProposalKind::ContentBriefDraft => "Brief draft",
        ProposalKind::ContentSourceDraft => "Page from sources",
    }
}

/// Where a proposal stands.
pub(crate) fn proposal(state: &ProposalState, kind: ProposalKind) -> Pill {
    match state {
        ProposalState::Pending => Pill::new(Tone::Needs, "Needs you"),
        ProposalState::Approved { .. } => Pill::new(Tone::Proposed, "Scheduled"),
        ProposalState::Executed { .. } => Pill::new(
            Tone::Live,
            match kind {
                ProposalKind::CreateContent
                | ProposalKind::ContentRevision
                | ProposalKind::ContentBriefDraft
                | ProposalKind::ContentSourceDraft => "Draft made",
                ProposalKind::InternalLink => "Drafts made",
                ProposalKind::TopicalMapChange | ProposalKind::TopicalStrategy => "Map changed",
                ProposalKind::PublishLifecycle => "Carried out",
                ProposalKind::ContentLifecycle => "Done",
            },
        ),
        ProposalState::Stale { .. } => Pill::new(Tone::Stopped, "Stale"),
        ProposalState::ExecutionFailed { .. } => Pill::new(Tone::Stopped, "Failed"),
        ProposalState::Rejected { .. } => Pill::new(Tone::Stopped, "Rejected"),
        ProposalState::ChangesRequested { .. } => Pill::new(Tone::Proposed, "Changes asked for"),
        ProposalState::Withdrawn { .. } => Pill::new(Tone::Quiet, "Withdrawn"),
        ProposalState::Expired { .. } => Pill::new(Tone::Stopped, "Expired"),
        ProposalState::Superseded { .. } => Pill::new(Tone::Quiet, "Superseded"),
        ProposalState::Cancelled { .. } => Pill::new(Tone::Quiet, "Cancelled"),
    }
}

/// The name of a proposal's state, for a choice of states.
pub(crate) fn state(name: &str) -> String {
    match name {
        "pending" => "Needs you".to_owned(),
        "approved" => "Scheduled".to_owned(),
        "executed" => "Carried out".to_owned(),
        other => capital(&other.replace('_', " ")),
    }
}

/// Where a content item stands.
pub(crate) fn content(status: ContentStatus) -> Vec<Pill> {
    let live = Pill::new(Tone::Live, "Live");
    match status {
        ContentStatus::Draft => vec![Pill::new(Tone::Quiet, "Draft")],
        ContentStatus::Published => vec![live],
        ContentStatus::PublishedWithDraft => vec![live, Pill::new(Tone::Quiet, "Draft ahead")],
        ContentStatus::Archived => vec![Pill::new(Tone::Quiet, "Archived")],
    }
}

/// Where a run stands.
pub(crate) fn run(run: &Run) -> Pill {
    match &run.state {
        RunState::Open => Pill::new(Tone::Proposed, "Open"),
        RunState::Finished(finish) => outcome(finish.outcome),
    }
}

fn outcome(outcome: Outcome) -> Pill {
    match outcome {
        Outcome::Completed => Pill::new(Tone::Live, "Completed"),
        Outcome::CompletedWithWarnings => Pill::new(Tone::Needs, "Completed with warnings"),
        Outcome::NeedsHumanInput => Pill::new(Tone::Needs, "Needs human input"),
        Outcome::Blocked => Pill::new(Tone::Stopped, "Blocked"),
        Outcome::Failed => Pill::new(Tone::Stopped, "Failed"),
        Outcome::Cancelled => Pill::new(Tone::Quiet, "Cancelled"),
    }
}

/// Whether a connection works.
pub(crate) fn connection(connection: &Connection, now: Timestamp) -> Pill {
    match connection.standing(now) {
        Standing::Revoked => Pill::new(Tone::Stopped, "Revoked"),
        Standing::Expired => Pill::new(Tone::Stopped, "Expired"),
        Standing::Active if connection.last_used_at.is_none() => {
            Pill::new(Tone::Needs, "Waiting for first call")
        }
        Standing::Active => Pill::new(Tone::Live, "Active"),
    }
}

/// A number of bytes.
pub(crate) fn bytes(count: usize) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{}.{} kB", count / 1_000, count % 1_000 / 100),
        _ => format!("{}.{} MB", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

/// A length of time, in the largest whole unit.
pub(crate) fn took(span: Duration) -> String {
    match span.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..86_400 => format!("{} h", seconds / 3_600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

/// A day, as a fact.
pub(crate) fn day(at: Timestamp) -> String {
    let text = at.to_string();
    text.get(..10).unwrap_or(&text).to_owned()
}

/// An instant to the minute, as a fact.
pub(crate) fn minute(at: Timestamp) -> String {
    let text = at.to_string();
    text.get(..16).map_or_else(
        || text.clone(),
        |text| format!("{} UTC", text.replace('T', " ")),
    )
}

/// A sentence's beginning.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// A number with its noun.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_as_people_say_them() {
        let sizes: Vec<String> = [0, 999, 1_000, 1_249, 16_777_216].map(bytes).into();
        insta::assert_snapshot!(sizes.join(", "), @"0 B, 999 B, 1.0 kB, 1.2 kB, 16.7 MB");
        let spans: Vec<String> = [0, 59, 60, 7_199, 200_000]
            .map(|s| took(Duration::from_secs(s)))
            .into();
        insta::assert_snapshot!(spans.join(", "), @"0 s, 59 s, 1 min, 1 h, 2 d");
    }
}
