//! Ledger entries as lines of a timeline.

use ql_app::audit::Entry;
use ql_core::actor::Actor;
use ql_core::proposal::ProposalKind;
use serde_json::Value;

use super::names::Names;
use crate::edge::desk::Desk;
use crate::part::{Event, Link, Tone};

/// What an entry of a run or a proposal says.
pub(crate) fn event(desk: &Desk, names: &Names, entry: &Entry) -> Event {
    let (tone, icon, mut text) = says(&entry.kind, &entry.detail);
    if let Some(maker) = link_maker(names, &entry.detail["let_in_by"]) {
        text = format!("{text}, signed in by a link that {maker} made");
    }
    Event {
        tone,
        icon,
        who: Some(names.who(entry.actor)),
        text,
        link: link(desk, entry),
        said: None,
        at: desk.when(entry.at),
    }
}

/// The member who made the sign-in link that the session of an event was opened by.
fn link_maker(names: &Names, actor: &Value) -> Option<String> {
    let id = actor["member"].as_str()?.parse().ok()?;
    Some(names.who(Actor::Member(id)).name)
}

fn says(kind: &str, detail: &Value) -> (Tone, &'static str, String) {
    let text = |name: &str| detail[name].as_str().unwrap_or_default().to_owned();
    let quiet = |icon, words: String| (Tone::Quiet, icon, words);
    match kind {
        "run.begun" => (Tone::Proposed, "run", "began the run".into()),
        "run.finished" | "run.closed" => finished(detail),
        "draft.created" => quiet("edit", "wrote".into()),
        "artifact.recorded" => quiet(
            "artifact",
            format!("recorded {}, version {}", text("key"), detail["version"]),
        ),
        "claim.recorded" => quiet("evidence", "recorded a claim with its evidence".into()),
        "proposal.created" => (Tone::Proposed, "proposed", "proposed".into()),
        "proposal.approved" => (Tone::Live, "live", approved(detail)),
        "proposal.executed" => (Tone::Live, "live", "carried it out".into()),
        "proposal.rejected" => (Tone::Stopped, "stopped", "rejected it".into()),
        "proposal.changes_requested" => (Tone::Proposed, "say", "asked for changes".into()),
        "proposal.stale" => (
            Tone::Stopped,
            "stopped",
            format!("found it stale: {}", readable(&text("reason"))),
        ),
        "proposal.execution_failed" => (
            Tone::Stopped,
            "stopped",
            format!("couldn't carry it out: {}", readable(&text("reason"))),
        ),
        "proposal.withdrawn" => quiet("back", "withdrew it".into()),
        "proposal.expired" => (Tone::Stopped, "clock", "let it expire".into()),
        "proposal.superseded" => quiet("back", "replaced it by a newer proposal".into()),
        "proposal.cancelled" => quiet("back", "cancelled it before its time".into()),
        other => quiet("quiet", readable(other)),
    }
}

fn approved(detail: &Value) -> String {
    match (
        detail["roll_back"].as_bool(),
        detail["own_proposal"].as_bool(),
    ) {
        (Some(true), _) => "rolled back".into(),
        (_, Some(true)) => "approved their own proposal, being the only one who could".into(),
        _ => "approved it".into(),
    }
}

fn finished(detail: &Value) -> (Tone, &'static str, String) {
    let outcome = detail["outcome"].as_str().unwrap_or_default();
    let tone = match outcome {
        "completed" => Tone::Live,
        "completed_with_warnings" | "needs_human_input" => Tone::Needs,
        "cancelled" => Tone::Quiet,
        _ => Tone::Stopped,
    };
    let requested = detail["requested"]
        .as_str()
        .or_else(|| detail["requested_outcome"].as_str());
    let text = match requested {
        Some(requested) if requested != outcome => {
            format!(
                "asked for {}, stored as {}",
                readable(requested),
                readable(outcome)
            )
        }
        _ => format!("finished: {}", readable(outcome)),
    };
    (tone, "stopped", text)
}

/// A code as words.
pub(crate) fn readable(code: &str) -> String {
    code.replace(['_', '.'], " ")
}

fn link(desk: &Desk, entry: &Entry) -> Option<Link> {
    let detail = &entry.detail;
    let id = |name: &str| detail[name].as_str();
    match (entry.kind.as_str(), id("content"), id("revision")) {
        ("draft.created", Some(content), Some(revision)) => Some(Link::new(
            desk.at(&format!("content/{content}/revisions/{revision}")),
            format!(
                "#{} of /{}",
                detail["number"],
                id("slug").unwrap_or_default()
            ),
        )),
        ("proposal.created" | "proposal.superseded", _, _) => {
            let proposal = id("proposal").or_else(|| id("by"))?;
            let kind = id("kind").and_then(|kind| kind.parse().ok());
            let text = match kind {
                None => "the newer one",
                Some(ProposalKind::CreateContent) => "a new page",
                Some(ProposalKind::ContentRevision) => "a new draft",
                Some(ProposalKind::PublishLifecycle) => "a publication",
                Some(ProposalKind::ContentLifecycle) => "archiving",
                Some(ProposalKind::TopicalMapChange) => "a change of the map",
                Some(ProposalKind::InternalLink) => "internal links",
                Some(ProposalKind::TopicalStrategy) => "opportunities for the map",
                Some(ProposalKind::ContentBriefDraft) => "a draft for a brief",
                Some(ProposalKind::ContentSourceDraft) => "a new page from sources",
            };
            Some(Link::new(desk.at(&format!("proposals/{proposal}")), text))
        }
        _ => None,
    }
}
