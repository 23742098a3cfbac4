//! Runs: the list, one run's timeline, and what it recorded.

use axum::extract::State;
use http::HeaderMap;
use ql_app::Error;
use ql_app::audit::Entry;
use ql_app::run::RunRecord;
use ql_app::session::Owned;
use ql_core::actor::Actor;
use ql_core::artifact::Artifact;
use ql_core::id::{ArtifactId, RunId};
use ql_core::ledger::Subject;
use ql_core::run::{MAX_EVENTS, MAX_INLINE_BYTES, Run, RunState};
use serde_json::Value;

use crate::config::Web;
use crate::edge::desk::{Desk, signed_in};
use crate::edge::error::{Answer, WebError, go, page};
use crate::edge::form::Action;
use crate::edge::params::{Id, Part};
use crate::page::{ArtifactPage, ArtifactRow, Output, RunPage, RunRow, Runs, Section};
use crate::part::{Digest, Event, Fact, Link, Pill, Timeline, Tone};
use crate::view::event::event;
use crate::view::names::Names;
use crate::view::proposal::effect;
use crate::view::words;

/// The most events that one page shows.
const EVENTS: usize = 200;

/// The most characters of an artifact that its page shows.
const SHOWN: usize = 200_000;

pub(super) async fn find(State(web): State<Web>, headers: HeaderMap, Id(id): Id<RunId>) -> Answer {
    let signed_in = signed_in(&headers, &format!("/runs/{id}"), &web).await?;
    let (_, site) = web
        .app
        .member_context_of(&signed_in, Owned::Run(id))
        .await?;
    Ok(go(&format!("/sites/{}/runs/{id}", site.slug)))
}

pub(super) async fn list(desk: Desk) -> Answer {
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let found = desk
        .web
        .app
        .list_runs(&desk.ctx, desk.params.page(50))
        .await?;
    let row = |run: &Run| RunRow {
        link: Link::new(desk.at(&format!("runs/{}", run.id)), run.run_type.as_str()),
        summary: match &run.state {
            RunState::Open => String::new(),
            RunState::Finished(finish) => finish.summary.clone(),
        },
        state: words::run(run),
        by: names.agent(run.agent),
        at: desk.when(run.begun_at),
        took: took(&desk, run),
    };
    page(&Runs {
        shell: desk.shell(Section::Runs).await?,
        rows: found.items.iter().map(row).collect(),
        next: desk.params.next(&desk.at("runs"), found.next.as_ref()),
    })
}

fn took(desk: &Desk, run: &Run) -> String {
    let end = match &run.state {
        RunState::Open => desk.now,
        RunState::Finished(finish) => finish.at,
    };
    words::took(end.since(run.begun_at))
}

/// The run with its proposals, as a file that proves itself.
pub(super) async fn export(Id(id): Id<RunId>, Action { desk, .. }: Action) -> Answer {
    super::audit::bundle(&desk, Subject::Run(id), &id.to_string()).await
}

pub(super) async fn show(Id(id): Id<RunId>, desk: Desk) -> Answer {
    let record = desk.web.app.get_run(&desk.ctx, id).await?;
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let run = &record.run;
    let from: usize = desk.params.parse("from").unwrap_or_default();
    let shown = record.events.iter().skip(from).take(EVENTS);
    let later = from + EVENTS;
    let (summary, reasons) = match &run.state {
        RunState::Open => (None, Vec::new()),
        RunState::Finished(finish) => (
            Some(finish.summary.clone()).filter(|summary| !summary.is_empty()),
            finish.reasons.iter().map(reason).collect(),
        ),
    };
    page(&RunPage {
        shell: desk.shell(Section::Runs).await?,
        id: id.to_string(),
        run_type: run.run_type.clone(),
        state: words::run(run),
        by: names.agent(run.agent),
        via: names.connection(run.connection),
        at: desk.when(run.begun_at),
        summary,
        reasons,
        outputs: outputs(&record),
        conditions: run.completion_conditions.clone(),
        artifacts: record
            .artifacts
            .iter()
            .map(|artifact| artifact_row(&desk, artifact))
            .collect(),
        timeline: Timeline {
            events: shown
                .map(|entry| own_event(&desk, &names, (run, entry)))
                .collect(),
        },
        more: (record.events.len() > later).then(|| desk.at(&format!("runs/{id}?from={later}"))),
        input: format!("{:#}", run.input),
        facts: facts(&desk, &record),
        proposals: proposals(&desk, id).await?,
        is_open: run.state == RunState::Open,
    })
}

/// An event of the run's own agent needs no name before it.
fn own_event(desk: &Desk, names: &Names, (run, entry): (&Run, &Entry)) -> Event {
    let event = event(desk, names, entry);
    match entry.actor {
        Actor::Agent { agent, .. } if agent == run.agent => Event {
            who: None,
            text: words::capital(&event.text),
            ..event
        },
        _ => event,
    }
}

/// A reason as one line: its code, and whatever else it says.
fn reason(reason: &Value) -> String {
    let code = reason["code"].as_str().unwrap_or("reason");
    let rest = reason
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| *key != "code");
    let rest: Vec<String> = rest
        .map(|(key, value)| match value {
            Value::String(text) => text.clone(),
            Value::Array(items) => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                format!("{key}: {}", items.join(", "))
            }
            other => format!("{key}: {other}"),
        })
        .collect();
    if rest.is_empty() {
        code.to_owned()
    } else {
        format!("{code} · {}", rest.join(" · "))
    }
}

/// Each promised output. While the run is open, one that isn't there yet is no fault.
fn outputs(record: &RunRecord) -> Vec<Output> {
    let is_open = record.run.state == RunState::Open;
    let state = |key: &String| match (record.missing.contains(key), is_open) {
        (false, _) => Pill::new(Tone::Live, "Recorded"),
        (true, true) => Pill::new(Tone::Quiet, "Not yet"),
        (true, false) => Pill::new(Tone::Stopped, "Missing"),
    };
    let keys = record.run.required_outputs.iter();
    keys.map(|key| Output {
        key: key.clone(),
        state: state(key),
    })
    .collect()
}

fn facts(desk: &Desk, record: &RunRecord) -> Vec<Fact> {
    let stored: usize = record
        .artifacts
        .iter()
        .map(|artifact| artifact.body.len())
        .sum();
    let most = usize::try_from(MAX_INLINE_BYTES).unwrap_or(usize::MAX);
    vec![
        Fact::new("Took", took(desk, &record.run)),
        Fact::new(
            "Events",
            format!("{} of at most {MAX_EVENTS}", record.events.len()),
        ),
        Fact::new(
            "Artifacts",
            format!("{} of at most {}", words::bytes(stored), words::bytes(most)),
        ),
        Fact::new("Program", record.run.harness.as_str()),
        Fact::new("Began", words::minute(record.run.begun_at)),
    ]
}

async fn proposals(desk: &Desk, id: RunId) -> Result<Vec<Link>, WebError> {
    let mut links = Vec::new();
    for proposal in desk.web.app.list_run_proposals(&desk.ctx, id).await? {
        let href = desk.at(&format!("proposals/{}", proposal.id));
        links.push(Link::new(href, effect(desk, &proposal).await?));
    }
    Ok(links)
}

/// One artifact in a table.
pub(super) fn artifact_row(desk: &Desk, artifact: &Artifact) -> ArtifactRow {
    let href = desk.at(&format!("runs/{}/artifacts/{}", artifact.run, artifact.id));
    ArtifactRow {
        link: Link::new(href, artifact.key.as_str()),
        version: artifact.version,
        media_type: artifact.media_type.clone(),
        size: words::bytes(artifact.body.len()),
        sha256: Digest::new("hash", artifact.sha256.to_string()),
        at: desk.when(artifact.recorded_at),
    }
}

pub(super) async fn artifact(
    Id(id): Id<RunId>,
    Part(part): Part<ArtifactId>,
    desk: Desk,
) -> Answer {
    let record = desk.web.app.get_run(&desk.ctx, id).await?;
    let mut artifacts = record.artifacts.iter();
    let artifact = artifacts
        .find(|a| a.id == part)
        .ok_or(Error::NotFound("artifact"))?;
    let body: String = artifact.body.chars().take(SHOWN).collect();
    page(&ArtifactPage {
        shell: desk.shell(Section::Runs).await?,
        run: Link::new(desk.at(&format!("runs/{id}")), record.run.run_type.as_str()),
        row: artifact_row(&desk, artifact),
        is_cut: body.len() < artifact.body.len(),
        body,
    })
}
