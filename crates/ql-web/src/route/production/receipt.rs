//! The receipt of what was published.

use ql_app::Error;
use ql_app::audit::{Entry, Filter};
use ql_app::director::{ProductionView, Release};
use ql_app::proposal::ProposalView;
use ql_core::actor::Actor;
use ql_core::id::ProductionId;
use ql_core::page::PageRequest;
use ql_core::proposal::{ProposalState, Verdict};
use serde_json::Value;

use super::{address, director};
use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, page};
use crate::edge::params::Id;
use crate::page::{Receipt, Section};
use crate::part::{Digest, Link, Pill, Tone};
use crate::view::names::Names;
use crate::view::production as words;

/// The kind of the ledger's entries about gates.
const GATE: &str = "production.gate_passed";

pub(in crate::route) async fn receipt(Id(id): Id<ProductionId>, desk: Desk) -> Answer {
    let director = director(&desk)?;
    let view = director.get_production(&desk.ctx, id).await?;
    let release = view.release.clone().ok_or(Error::NotFound("receipt"))?;
    let proposal = desk
        .web
        .app
        .get_proposal(&desk.ctx, release.proposal)
        .await?;
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let published = director.find_publication(&desk.ctx, id).await?;
    let (state, said) = became(&proposal, published.is_some());
    let here = address(&desk, id);
    let manifest = &release.manifest;
    let text = |pointer: &str| text(manifest, pointer);
    page(&Receipt {
        shell: desk.shell(Section::Productions).await?,
        production: Link::new(here.as_str(), view.production.title.as_str()),
        state,
        said: said.to_owned(),
        at: desk.when(release.at),
        verdict: words::verdict(&text("/verdict")),
        manifest: Digest::new("the manifest's hash", release.manifest_sha256.to_string()),
        text: format!("{manifest:#}"),
        documents: documents(&view, manifest, &here),
        page: sealed_page(&desk, &release),
        proposal: Link::new(
            desk.at(&format!("proposals/{}", release.proposal)),
            "The proposal to publish it",
        ),
        approved: approved(&desk, &names, &proposal),
        ledger: entry(&desk, &release).await?,
        run: published.map(|run| run.to_string()),
        hashes: vec![
            (
                "Constitution",
                Digest::new("the constitution's hash", text("/constitution_sha256")),
            ),
            (
                "Pack",
                Digest::new("the policy pack's hash", text("/policy_pack_sha256")),
            ),
        ],
    })
}

fn text(value: &Value, pointer: &str) -> String {
    let text = value.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// What became of what was sealed.
fn became(proposal: &ProposalView, is_compared: bool) -> (Pill, &'static str) {
    match &proposal.proposal.state {
        ProposalState::Executed { .. } if is_compared => (
            Pill::new(Tone::Live, "Published"),
            "What is live was compared with what was sealed, hash by hash, and is the same.",
        ),
        ProposalState::Executed { .. } => (
            Pill::new(Tone::Proposed, "Live"),
            "The revision is live. The role that publishes hasn't compared it yet.",
        ),
        ProposalState::Pending | ProposalState::Approved { .. } => (
            Pill::new(Tone::Needs, "Sealed"),
            "It's sealed and not live: the proposal to publish it waits.",
        ),
        _ => (
            Pill::new(Tone::Stopped, "Not published"),
            "It was sealed, and its proposal came to nothing. Seal it again by having a stage done again.",
        ),
    }
}

fn documents(view: &ProductionView, manifest: &Value, here: &str) -> Vec<(Link, String, Digest)> {
    let sealed = manifest["documents"].as_array().into_iter().flatten();
    let row = |of: &Value| {
        let id = text(of, "/stage");
        let stage = view.stages.iter().find(|stage| stage.stage.stage == id);
        let name = stage.map_or_else(|| id.clone(), |stage| stage.name.clone());
        let hash = Digest::new("the document's hash", text(of, "/sha256"));
        (
            Link::new(format!("{here}/stages/{id}"), name),
            words::words(&text(of, "/kind")),
            hash,
        )
    };
    sealed.map(row).collect()
}

fn sealed_page(desk: &Desk, release: &Release) -> (Link, Link, Digest) {
    let content = desk.at(&format!("content/{}", release.content));
    let revision = format!("{content}/revisions/{}", release.revision);
    let hash = text(&release.manifest, "/page/sha256");
    (
        Link::new(content, "The page"),
        Link::new(revision, "the revision that was sealed"),
        Digest::new("the page's hash", hash),
    )
}

fn approved(
    desk: &Desk,
    names: &Names,
    proposal: &ProposalView,
) -> Vec<(crate::part::Who, crate::part::When)> {
    let by = proposal
        .decisions
        .iter()
        .filter(|of| of.verdict == Verdict::Approve);
    by.map(|of| (names.who(Actor::Member(of.member)), desk.when(of.at)))
        .collect()
}

/// The ledger's entry about the seal.
async fn entry(desk: &Desk, release: &Release) -> Result<Option<(String, Digest)>, WebError> {
    let filter = Filter {
        kind: Some(GATE.to_owned()),
        actor: None,
    };
    let newest = PageRequest::new(Some(100), None);
    let found = desk.web.app.list_audit(&desk.ctx, &filter, &newest).await?;
    let hash = release.manifest_sha256.to_string();
    let is_it = |entry: &&Entry| entry.detail["manifest_sha256"] == hash.as_str();
    Ok(found.items.iter().find(is_it).map(|entry| {
        let words = format!("entry {} of {}", entry.seq, entry.subject);
        (words, Digest::new("the entry's id", entry.id.to_string()))
    }))
}
