//! Governed runs.

use ql_app::run::RunRecord;
use ql_app::session::Owned;
use ql_core::actor::Harness;
use ql_core::artifact::Artifact as Stored;
use ql_core::hash::Digest;
use ql_core::id::{AgentId, ArtifactId, ConnectionId, ContentId, RunId, SiteId};
use ql_core::run::{Outcome, RunState};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer::{Instant, List, Text};
use super::audit::Entry;
use super::route::{Answered, Call, Route, get};
use crate::input::argument::Paging;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_runs",
            "/sites/{site}/runs",
            "Lists the site's runs, newest first",
            list,
        ),
        get(
            "get_run",
            "/runs/{id}",
            "A run with its events and artifacts",
            show,
        ),
    ]
}

/// A run and how it ended.
#[derive(Serialize, JsonSchema)]
struct Overview {
    id: Text<RunId>,
    site: Text<SiteId>,
    agent: Text<AgentId>,
    connection: Text<ConnectionId>,
    harness: Text<Harness>,
    run_type: String,
    input: Value,
    required_outputs: Vec<String>,
    completion_conditions: Vec<String>,
    /// open or finished.
    state: &'static str,
    /// What was stored.
    outcome: Option<Text<Outcome>>,
    /// What the agent asked for; null when the server closed the run.
    requested_outcome: Option<Text<Outcome>>,
    reasons: Vec<Value>,
    summary: String,
    begun_at: Instant,
    finished_at: Option<Instant>,
}

impl From<ql_core::run::Run> for Overview {
    fn from(run: ql_core::run::Run) -> Self {
        let (state, finish) = match run.state {
            RunState::Open => ("open", None),
            RunState::Finished(finish) => ("finished", Some(finish)),
        };
        Self {
            id: Text(run.id),
            site: Text(run.site),
            agent: Text(run.agent),
            connection: Text(run.connection),
            harness: Text(run.harness),
            run_type: run.run_type,
            input: run.input,
            required_outputs: run.required_outputs,
            completion_conditions: run.completion_conditions,
            state,
            outcome: finish.as_ref().map(|finish| Text(finish.outcome)),
            requested_outcome: finish
                .as_ref()
                .and_then(|finish| finish.requested)
                .map(Text),
            finished_at: finish.as_ref().map(|finish| Instant(finish.at)),
            begun_at: Instant(run.begun_at),
            summary: finish
                .as_ref()
                .map(|f| f.summary.clone())
                .unwrap_or_default(),
            reasons: finish.map(|finish| finish.reasons).unwrap_or_default(),
        }
    }
}

/// A run with everything that happened in it.
#[derive(Serialize, JsonSchema)]
struct Record {
    #[serde(flatten)]
    run: Overview,
    /// Its chain of events, oldest first.
    events: Vec<Entry>,
    artifacts: Vec<Artifact>,
    /// The required keys under which nothing was recorded.
    missing_outputs: Vec<String>,
}

/// One version of one keyed result.
#[derive(Serialize, JsonSchema)]
struct Artifact {
    id: Text<ArtifactId>,
    key: String,
    version: i64,
    media_type: String,
    body: String,
    sha256: Text<Digest>,
    affected_content_ids: Vec<Text<ContentId>>,
    recorded_at: Instant,
}

impl From<Stored> for Artifact {
    fn from(artifact: Stored) -> Self {
        Self {
            id: Text(artifact.id),
            key: artifact.key,
            version: artifact.version,
            media_type: artifact.media_type,
            body: artifact.body,
            sha256: Text(artifact.sha256),
            affected_content_ids: artifact.affected.into_iter().map(Text).collect(),
            recorded_at: Instant(artifact.recorded_at),
        }
    }
}

impl From<RunRecord> for Record {
    fn from(record: RunRecord) -> Self {
        Self {
            run: record.run.into(),
            events: record.events.into_iter().map(Into::into).collect(),
            artifacts: record.artifacts.into_iter().map(Into::into).collect(),
            missing_outputs: record.missing,
        }
    }
}

async fn list(call: Call<Paging>) -> Answered<List<Overview>> {
    let page = call.query.request::<RunId>()?;
    let ctx = call.on_site().await?;
    Ok(List::page(
        call.app().list_runs(&ctx, page).await?,
        Overview::from,
    ))
}

async fn show(call: Call) -> Answered<Record> {
    let id = call.id("run")?;
    let ctx = call.on_site_of(Owned::Run(id)).await?;
    Ok(call.app().get_run(&ctx, id).await?.into())
}
