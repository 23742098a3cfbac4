//! The proposal's page, from what the use cases answer.

use ql_app::evidence::Filter;
use ql_app::proposal::{ProposalView, who_may_approve};
use ql_core::evidence::{Claim, Stance};
use ql_core::id::{ProposalId, RunId};
use ql_core::page::PageRequest;
use ql_core::proposal::{Payload, Proposal, ProposalState, Risk};

use super::super::run::artifact_row;
use super::{items, topical, verdict};
use crate::edge::desk::Desk;
use crate::edge::error::WebError;
use crate::page::{Check, ClaimRow, ProposalPage, Section, SourceRow, View};
use crate::part::{self, Digest, Fact, Link, Pill, Timeline, Tone};
use crate::view::event::event;
use crate::view::names::Names;
use crate::view::proposal::{effect, effects, moment, path};
use crate::view::words;

/// Everything about one proposal.
pub(super) async fn page(desk: &Desk, id: ProposalId) -> Result<ProposalPage, WebError> {
    let view = desk.web.app.get_proposal(&desk.ctx, id).await?;
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let proposal = &view.proposal;
    let effect = effect(desk, proposal).await?;
    let effects = effects(desk, proposal).await?;
    let items = items::of(desk, proposal).await?;
    let map = topical::map_rows(desk, proposal).await?;
    let links = topical::link_rows(desk, proposal).await?;
    let run = run_parts(desk, proposal.run).await?;
    let shown = match desk.params.get("view") {
        Some("preview") => View::Preview,
        _ => View::Changes,
    };
    Ok(ProposalPage {
        shell: desk.shell(Section::Inbox).await?,
        id: id.to_string(),
        state: words::proposal(&proposal.state, proposal.kind()),
        risk: part::Risk(proposal.risk),
        by: names.who(proposal.proposer),
        via: names.via(proposal.proposer),
        at: desk.when(proposal.created_at),
        title: proposal.title.clone(),
        rationale: proposal.rationale.clone(),
        verdict: verdict::of(desk, &names, &view, &effect),
        takes_effect: takes_effect(desk, proposal),
        view: shown,
        checks: checks(&view),
        policy: rules(&view),
        digest: Digest::new("digest", view.digest.to_string()),
        facts: facts(&view),
        run: run.link,
        run_facts: run.facts,
        run_input: run.input,
        artifacts: run.artifacts,
        claims: claims(desk, proposal).await?,
        history: history(desk, &names, &view).await?,
        effect,
        effects,
        items,
        map,
        links,
        brief: topical::brief_link(desk, proposal).await?,
    })
}

fn takes_effect(desk: &Desk, proposal: &Proposal) -> String {
    match &proposal.payload {
        Payload::CreateContent(_)
        | Payload::ContentRevision(_)
        | Payload::ContentBriefDraft(_)
        | Payload::ContentSourceDraft(_) => {
            "A draft is made at once. Nothing goes live by it.".into()
        }
        Payload::InternalLink(_) => {
            "One draft for each page is made at once. Nothing goes live by it.".into()
        }
        Payload::TopicalMapChange(_) | Payload::TopicalStrategy(_) => {
            "The map changes at once, and each new page gets one brief. Nothing goes live by it."
                .into()
        }
        Payload::PublishLifecycle(list) => match moment(desk, &list.items) {
            Some(moment) => format!("At {moment}, once approved"),
            None => "At once, with the approval that suffices".into(),
        },
        Payload::ContentLifecycle(_) => "At once. No page that is live is touched.".into(),
    }
}

fn checks(view: &ProposalView) -> Vec<Check> {
    let path_of = |content| {
        if !view.proposal.operations().is_empty() {
            return "The topical map".into();
        }
        let mut resolved = view.proposal.resolved.iter();
        resolved
            .find(|item| item.content_id == content)
            .map_or_else(|| "The page".into(), path)
    };
    let check = |condition: &ql_app::execution::Precondition| match condition.stale {
        None => Check {
            holds: true,
            text: format!("{} stands as it was seen", path_of(condition.content)),
        },
        Some(reason) => Check {
            holds: false,
            text: format!("{}: {reason}", path_of(condition.content)),
        },
    };
    view.preconditions.iter().map(check).collect()
}

fn rules(view: &ProposalView) -> Vec<String> {
    let mut lines = vec![format!("It needs {}.", who_may_approve(&view.rule))];
    if view.proposal.risk == Risk::High {
        lines.push("High risk: the password is asked for again.".into());
    }
    lines
}

fn facts(view: &ProposalView) -> Vec<Fact> {
    let proposal = &view.proposal;
    let mut facts = vec![Fact::new("Kind", words::kind(proposal.kind()))];
    match &proposal.state {
        ProposalState::Pending => {
            facts.push(Fact::new("Expires", words::minute(proposal.expires_at)));
        }
        state => {
            if let Some(at) = state.settled_at() {
                facts.push(Fact::new("Settled", words::minute(at)));
            }
        }
    }
    facts.push(Fact::new("Proposed", words::minute(proposal.created_at)));
    facts
}

/// What the page shows of the run.
#[derive(Default)]
struct RunParts {
    link: Option<Link>,
    facts: Vec<Fact>,
    input: Option<String>,
    artifacts: Vec<crate::page::ArtifactRow>,
}

async fn run_parts(desk: &Desk, id: Option<RunId>) -> Result<RunParts, WebError> {
    let Some(id) = id else {
        return Ok(RunParts::default());
    };
    let record = desk.web.app.get_run(&desk.ctx, id).await?;
    let mut facts = vec![Fact::new(
        "Outcome",
        words::run(&record.run).word.into_owned(),
    )];
    if !record.missing.is_empty() {
        facts.push(Fact::new("Missing", record.missing.join(", ")));
    }
    Ok(RunParts {
        link: Some(Link::new(
            desk.at(&format!("runs/{id}")),
            record.run.run_type.as_str(),
        )),
        facts,
        input: Some(format!("{:#}", record.run.input)),
        artifacts: record
            .artifacts
            .iter()
            .map(|artifact| artifact_row(desk, artifact))
            .collect(),
    })
}

async fn claims(desk: &Desk, proposal: &Proposal) -> Result<Vec<ClaimRow>, WebError> {
    let mut rows = Vec::new();
    for revision in proposal.resolved.iter().filter_map(|item| item.revision_id) {
        let page = PageRequest::new(Some(PageRequest::MAX), None);
        let found = desk
            .web
            .app
            .list_evidence(&desk.ctx, Filter::Revision(revision), &page)
            .await?;
        rows.extend(found.items.iter().rev().map(|claim| claim_row(desk, claim)));
    }
    Ok(rows)
}

fn claim_row(desk: &Desk, claim: &Claim) -> ClaimRow {
    let stance = |stance| match stance {
        Stance::Supports => Pill::new(Tone::Live, "supports"),
        Stance::Contradicts => Pill::new(Tone::Stopped, "contradicts"),
        Stance::Context => Pill::new(Tone::Quiet, "context"),
    };
    let source = |evidence: &ql_core::evidence::Evidence| SourceRow {
        stance: stance(evidence.stance),
        link: Link::new(evidence.source_url.as_str(), evidence.title.as_str()),
        excerpt: evidence.excerpt.clone(),
        retrieved: desk.when(evidence.retrieved_at),
    };
    ClaimRow {
        text: claim.text.clone(),
        pointer: claim.pointer.clone().unwrap_or_default(),
        sources: claim.evidence.iter().map(source).collect(),
    }
}

/// The proposal's own chain, with the words of those who decided.
async fn history(desk: &Desk, names: &Names, view: &ProposalView) -> Result<Timeline, WebError> {
    let entries = desk
        .web
        .app
        .list_proposal_events(&desk.ctx, view.proposal.id)
        .await?;
    let said = |entry: &ql_app::audit::Entry| {
        let id = entry.detail["decision"].as_str()?;
        let mut decisions = view.decisions.iter();
        let decision = decisions.find(|decision| decision.id.to_string() == id)?;
        Some(decision.comment.clone()).filter(|comment| !comment.is_empty())
    };
    let events = entries.iter().map(|entry| part::Event {
        link: None,
        said: said(entry),
        ..event(desk, names, entry)
    });
    Ok(Timeline {
        events: events.collect(),
    })
}
