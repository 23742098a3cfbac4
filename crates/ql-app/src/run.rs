//! Governed runs: begin, record, finish.

use ql_core::access::{ActAsServer, Principal, ReadRuns, WriteRuns};
use ql_core::artifact::Artifact;
use ql_core::hash::Digest;
use ql_core::id::{ArtifactId, ContentId, LeaseToken, RunId};
use ql_core::ledger::Subject;
use ql_core::page::{Page, PageRequest};
use ql_core::run::{Finish, FinishRequest, Outcome, Run, RunClosed, RunState, is_stable_slug};
use ql_core::time::{Timestamp, hours};
use ql_store::{Tx, artifact, content, ledger, run, site};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::idempotency::IdempotencyKey;
use crate::text::Checks;
use crate::turn::{begin_under_lease, renew_for_run};

/// What a run is begun with.
#[derive(Debug, Clone)]
pub struct BeginRun {
    /// A stable slug such as `refresh-article`.
    pub run_type: String,
    /// The structured input.
    pub input: Value,
    /// The artifact keys that completion needs.
    pub required_outputs: Vec<String>,
    /// What completion means, in sentences.
    pub completion_conditions: Vec<String>,
}

/// A run that was begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BegunRun {
    /// The run.
    pub run_id: RunId,
    /// When it began.
    pub begun_at: Timestamp,
}

/// A result to record.
#[derive(Debug, Clone)]
pub struct RecordArtifact {
    /// The run.
    pub run: RunId,
    /// The key that completion asks for.
    pub key: String,
    /// The body's media type.
    pub media_type: String,
    /// The body.
    pub body: String,
    /// The hash that the caller computed, to be compared.
    pub sha256: Option<Digest>,
    /// The content items that the result is about.
    pub affected: Vec<ContentId>,
}

/// A result that was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedArtifact {
    /// The artifact.
    pub artifact_id: ArtifactId,
    /// Its key.
    pub key: String,
    /// Its version under the key, from 1.
    pub version: i64,
    /// The SHA-256 of its body.
    pub sha256: Digest,
    /// Whether the same bytes stood under the key already.
    pub unchanged: bool,
}

/// How a run was finished.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FinishedRun {
    /// The run.
    pub run_id: RunId,
    /// What was asked for.
    pub requested_outcome: Outcome,
    /// What was stored.
    pub outcome: Outcome,
    /// Why.
    pub reasons: Vec<Value>,
}

/// A run with everything that happened in it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// The run.
    pub run: Run,
    /// Its chain of events.
    pub events: Vec<ledger::Entry>,
    /// Its artifacts.
    pub artifacts: Vec<Artifact>,
    /// The required keys under which nothing was recorded.
    pub missing: Vec<String>,
}

/// Checks that a run is open and this very connection's, for a mutating call. The lease that it was
/// begun under is renewed by it; where that lease was lost, so is the right to work in the run.
pub(crate) fn require_open(tx: &mut Tx<'_>, ctx: &OpContext, id: RunId) -> Result<()> {
    match require_unfinished(tx, ctx, id)?.lease {
        Some(lease) => renew_for_run(tx, ctx, lease),
        None => Ok(()),
    }
}

/// As [`require_open`] for a call that ends the run, which one may whose lease was lost.
fn require_unfinished(tx: &mut Tx<'_>, ctx: &OpContext, id: RunId) -> Result<run::Standing> {
    let standing = run::find_standing(tx, ctx.site()?, id)?;
    let connection = ctx.agent()?.connection;
    let own = standing.filter(|standing| standing.connection == connection);
    let own = own.ok_or(Error::NotFound("run"))?;
    match own.outcome {
        None => Ok(own),
        Some(outcome) => Err(RunClosed { outcome }.into()),
    }
}

impl BeginRun {
    fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        let slug = "expected a stable slug: a-z, 0-9, -, _ and ., beginning with a letter, at most 64 characters";
        checks.that(is_stable_slug(&self.run_type), "/run_type", "format", slug);
        checks.that(
            self.input.is_object(),
            "/input",
            "type",
            "expected an object",
        );
        checks.that(
            self.required_outputs.len() <= 50,
            "/required_outputs",
            "range",
            "expected at most 50 keys",
        );
        for (index, key) in self.required_outputs.iter().enumerate() {
            let pointer = format!("/required_outputs/{index}");
            checks.that(is_stable_slug(key), &pointer, "format", slug);
            let first = self.required_outputs.iter().position(|other| other == key) == Some(index);
            checks.that(
                first,
                &pointer,
                "duplicate",
                format!("`{key}` is listed twice"),
            );
        }
        checks.that(
            self.completion_conditions.len() <= 50,
            "/completion_conditions",
            "range",
            "expected at most 50 sentences",
        );
        for (index, condition) in self.completion_conditions.iter().enumerate() {
            checks.text(&format!("/completion_conditions/{index}"), condition, 1000);
        }
        checks.finish()
    }
}

impl App {
    /// Begins a run of the calling agent, under the lease that its connection holds, where that is
    /// one.
    pub async fn begin_run(
        &self,
        ctx: &OpContext,
        begin: BeginRun,
        key: Option<IdempotencyKey>,
    ) -> Result<BegunRun> {
        self.begin_run_under(ctx, (begin, None), key).await
    }

    /// Begins a run of the calling agent under the lease that is named.
    ///
    /// # Errors
    /// [`Error::LeaseLost`] when that lease holds no turn of the agent any more.
    pub async fn begin_run_under(
        &self,
        ctx: &OpContext,
        (begin, lease): (BeginRun, Option<LeaseToken>),
        key: Option<IdempotencyKey>,
    ) -> Result<BegunRun> {
        let authorized = ctx.authorize::<WriteRuns>()?;
        begin.check()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let agent = ctx.agent()?;
        let begun = Run {
            id: RunId::mint(scribe.ids(), scribe.at),
            organization: authorized.organization(),
            site: authorized.site(),
            agent: agent.agent,
            connection: agent.connection,
            harness: agent.harness,
            run_type: begin.run_type,
            input: begin.input,
            required_outputs: begin.required_outputs,
            completion_conditions: begin.completion_conditions,
            state: RunState::Open,
            begun_at: scribe.at,
        };
        let ctx_inner = ctx.clone();
        self.mutate(ctx, key, scribe.at, move |tx| {
            run::insert(tx, &authorized, &begun)?;
            begin_under_lease(tx, (&authorized, &ctx_inner), (begun.id, lease))?;
            let input = begun.input.to_string();
            let detail = json!({
                "run_type": begun.run_type,
                "input_sha256": ql_core::canon::digest(&begun.input),
                "required_outputs": begun.required_outputs,
                "completion_conditions": begun.completion_conditions,
            });
            scribe.run(tx, begun.id, ("run.begun", detail), input.len())?;
            Ok(BegunRun {
                run_id: begun.id,
                begun_at: begun.begun_at,
            })
        })
        .await
    }

    /// Records an immutable result of a run.
    pub async fn record_artifact(
        &self,
        ctx: &OpContext,
        new: RecordArtifact,
        key: Option<IdempotencyKey>,
    ) -> Result<RecordedArtifact> {
        let authorized = ctx.authorize::<WriteRuns>()?;
        let sha256 = check_artifact(&new)?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let id = ArtifactId::mint(scribe.ids(), scribe.at);
        let ctx_inner = ctx.clone();
        self.mutate(ctx, key, scribe.at, move |tx| {
            require_open(tx, &ctx_inner, new.run)?;
            require_content(tx, &ctx_inner, &new.affected)?;
            let before = artifact::find_latest(tx, new.run, &new.key)?;
            if let Some(same) = before.as_ref().filter(|a| a.sha256 == sha256 && a.media_type == new.media_type) {
                return Ok(recorded(same, true));
            }
            let next = Artifact {
                id,
                run: new.run,
                key: new.key.clone(),
                version: before.map_or(1, |artifact| artifact.version + 1),
                media_type: new.media_type.clone(),
                body: new.body.clone(),
                sha256,
                affected: new.affected.clone(),
                recorded_at: scribe.at,
            };
            artifact::insert(tx, &authorized, &next)?;
            let detail = json!({
                "artifact": next.id, "key": next.key, "version": next.version, "media_type": next.media_type,
                "sha256": next.sha256, "bytes": next.body.len(), "affected": next.affected,
            });
            scribe.run(tx, new.run, ("artifact.recorded", detail), next.body.len())?;
            Ok(recorded(&next, false))
        })
        .await
    }

    /// Finishes a run with one explicit outcome; required outputs that are missing make it
    /// `blocked`.
    pub async fn finish_run(
        &self,
        ctx: &OpContext,
        (run_id, requested): (RunId, Outcome),
        request: FinishRequest,
        key: Option<IdempotencyKey>,
    ) -> Result<FinishedRun> {
        let authorized = ctx.authorize::<WriteRuns>()?;
        let mut checks = Checks::default();
        checks.text("/summary", &request.summary, 4000);
        checks.that(
            request.reasons.len() <= 50,
            "/reasons",
            "range",
            "expected at most 50 reasons",
        );
        checks.finish()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let ctx_inner = ctx.clone();
        self.mutate(ctx, key, scribe.at, move |tx| {
            let standing = require_unfinished(tx, &ctx_inner, run_id)?;
            if let Some(lease) = standing.lease {
                // Whoever lost it may still end the run.
                match renew_for_run(tx, &ctx_inner, lease) {
                    Ok(()) | Err(Error::LeaseLost(_)) => {}
                    Err(other) => return Err(other),
                }
            }
            let open = run::find(tx, authorized.site(), run_id)?.ok_or(Error::NotFound("run"))?;
            let keys = artifact::keys(tx, run_id)?;
            let finish = open.finish(requested, &keys, request.clone(), scribe.at)?;
            run::finish(tx, &authorized, run_id, &finish)?;
            scribe.run_end(tx, run_id, finish_detail(&finish))?;
            Ok(FinishedRun {
                run_id,
                requested_outcome: requested,
                outcome: finish.outcome,
                reasons: finish.reasons,
            })
        })
        .await
    }

    /// The site's runs, newest first.
    pub async fn list_runs(&self, ctx: &OpContext, page: PageRequest) -> Result<Page<Run>> {
        let site = ctx.authorize::<ReadRuns>()?.site();
        self.store()
            .read(move |tx| Ok(run::list(tx, site, &page)?))
            .await
    }

    /// A run with its events and artifacts.
    pub async fn get_run(&self, ctx: &OpContext, id: RunId) -> Result<RunRecord> {
        let site = ctx.authorize::<ReadRuns>()?.site();
        self.store()
            .read(move |tx| {
                let run = run::find(tx, site, id)?.ok_or(Error::NotFound("run"))?;
                let artifacts = artifact::list(tx, id)?;
                let recorded = |key: &String| artifacts.iter().any(|artifact| artifact.key == *key);
                let missing = run
                    .required_outputs
                    .iter()
                    .filter(|key| !recorded(key))
                    .cloned()
                    .collect();
                Ok(RunRecord {
                    events: ledger::chain(tx, Subject::Run(id))?,
                    run,
                    artifacts,
                    missing,
                })
            })
            .await
    }

    /// Closes the runs of a site whose connection ended or that were idle for too long; answers how
    /// many.
    pub(crate) async fn close_ended_runs(&self, site: &site::Site) -> Result<usize> {
        let authorized = Principal::System.authorize::<ActAsServer>(site.place())?;
        let scribe = Scribe::on_site(self, authorized.actor(), site.place());
        let idle_since = scribe.at.minus(hours(site.run_idle_hours.unsigned_abs()));
        let site = site.id;
        let ended = self
            .store()
            .read(move |tx| Ok::<_, Error>(run::ended(tx, site, scribe.at, idle_since)?))
            .await?;
        if ended.is_empty() {
            return Ok(0);
        }
        self.store()
            .write(move |tx| {
                let ended = run::ended(tx, site, scribe.at, idle_since)?;
                for (id, code) in &ended {
                    let finish = Finish {
                        requested: None,
                        outcome: Outcome::Blocked,
                        reasons: vec![json!({"code": code})],
                        summary: String::new(),
                        at: scribe.at,
                    };
                    run::close(tx, &authorized, *id, &finish)?;
                    scribe.run_end(tx, *id, finish_detail(&finish))?;
                }
                Ok(ended.len())
            })
            .await
    }
}

fn check_artifact(new: &RecordArtifact) -> Result<Digest> {
    let sha256 = Digest::of(new.body.as_bytes());
    let mut checks = Checks::default();
    checks.that(is_stable_slug(&new.key), "/key", "format", "expected a stable slug: a-z, 0-9, -, _ and ., beginning with a letter, at most 64 characters");
    let media_type = new
        .media_type
        .split_once('/')
        .is_some_and(|(a, b)| !a.is_empty() && !b.is_empty());
    checks.that(
        media_type && new.media_type.len() <= 120,
        "/media_type",
        "format",
        "expected a media type such as text/markdown",
    );
    let same = new.sha256.is_none_or(|given| given == sha256);
    checks.that(
        same,
        "/sha256",
        "hash_mismatch",
        format!("the body's SHA-256 is {sha256}"),
    );
    checks.that(
        new.affected.len() <= 100,
        "/affected_content_ids",
        "range",
        "expected at most 100 ids",
    );
    checks.finish()?;
    Ok(sha256)
}

fn require_content(tx: &mut Tx<'_>, ctx: &OpContext, ids: &[ContentId]) -> Result<()> {
    for id in ids {
        content::find(tx, ctx.site()?, *id)?.ok_or(Error::NotFound("content item"))?;
    }
    Ok(())
}

fn recorded(artifact: &Artifact, unchanged: bool) -> RecordedArtifact {
    RecordedArtifact {
        artifact_id: artifact.id,
        key: artifact.key.clone(),
        version: artifact.version,
        sha256: artifact.sha256,
        unchanged,
    }
}

pub(crate) fn finish_detail(finish: &Finish) -> Value {
    // What a reason says beyond its code is the agent's own JSON, which the ledger names by digest.
    let codes: Vec<&str> = (finish.reasons.iter())
        .filter_map(|reason| reason["code"].as_str())
        .collect();
    json!({
        "requested_outcome": finish.requested,
        "outcome": finish.outcome,
        "reasons": codes,
        "reasons_sha256": ql_core::canon::digest(&json!(finish.reasons)),
        "summary_sha256": Digest::of(finish.summary.as_bytes()),
    })
}
