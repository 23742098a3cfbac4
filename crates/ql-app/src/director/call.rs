//! From a task to an answer that fits: issue, ask, keep, read, ask once more.

use std::time::Duration;

use ql_core::access::WriteRuns;
use ql_core::canon;
use ql_core::id::{JobId, RunId, TaskId};
use ql_core::production::{ProductionStage, ProviderCall, StageTask, StageTransition};
use ql_core::run::{Run, RunState};
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::Task;
use ql_pipeline::pack::Role;
use ql_store::{run, stage_task};
use serde_json::json;

use super::made::Made;
use super::money::Asked;
use super::next::{Next, may_go_on, next};
use super::worker::Work;
use super::{Director, ask};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::job::finish;

/// A task that was put to a role.
pub(super) struct Issued {
    pub(super) task: StageTask,
    pub(super) envelope: Task,
    pub(super) calls: Vec<ProviderCall>,
    /// The stage as it stands now.
    pub(super) standing: ProductionStage,
}

impl Director {
    /// Makes the document of a stage.
    pub(super) async fn make(&self, work: Work, role: &Role) -> Result<()> {
        let kind = work
            .stage
            .doc_kind
            .ok_or(Error::NotFound("kind of document"))?;
        let player = match self.player(work.place.site, &role.id).await {
            Ok(player) => player,
            Err(Error::NotFound(_)) => return self.hold(work, "role_not_cast").await,
            Err(other) => return Err(other),
        };
        let mut issued = self.issue(&work, (role, kind), &player).await?;
        if let Some(made) = answered(&work, &issued) {
            return self.settle_again(work, role, (issued, made)).await;
        }
        if self.pack().publishes(&work.stage) {
            return Box::pin(self.publish(work, role, (issued, player))).await;
        }
        loop {
            let problems = match next(&issued.calls, kind) {
                Next::Ask(problems) => problems,
                Next::Settle(answer) => {
                    return self.settle(work, role, (issued, player), *answer).await;
                }
                Next::Hold(reason, problems) => {
                    return self
                        .hold_unfit(work, (issued, player), (reason, problems))
                        .await;
                }
            };
            let asked = self.ask(&work, &mut issued, role, problems.as_deref());
            match asked.await? {
                Asked::Later(wait) if may_go_on(&issued.calls) => {
                    let wait = self.wait_for(&issued, wait);
                    return self.try_later(work, wait).await;
                }
                Asked::Kept | Asked::Later(_) => {}
                Asked::Refused(reason, problem) => {
                    let why = (reason, vec![problem]);
                    return self.hold_unfit(work, (issued, player), why).await;
                }
            }
        }
    }

    /// Puts the task to the role: the newest one again where nothing changed, a new attempt
    /// otherwise.
    pub(super) async fn issue(
        &self,
        work: &Work,
        (role, kind): (&Role, DocKind),
        player: &OpContext,
    ) -> Result<Issued> {
        let asks = (&work.stage, role, kind);
        let before = work.standing()?.clone();
        let scribe = Scribe::on_site(&self.app, player.principal().actor(), work.place);
        let mut running = ProductionStage {
            state: before.state.apply(StageTransition::Begin)?,
            updated_at: scribe.at,
            ..before.clone()
        };
        if let Some((task, calls)) = &work.situation.current {
            let envelope = ask::task(self.pack(), &work.situation, asks, (task.id, task.attempt))?;
            if envelope.body_digest() == task.body_sha256 {
                let (task, calls) = (task.clone(), calls.clone());
                return Ok(Issued {
                    task,
                    envelope,
                    calls,
                    standing: before,
                });
            }
        }
        let (id, attempt) = (TaskId::mint(scribe.ids(), scribe.at), before.attempts + 1);
        let envelope = ask::task(self.pack(), &work.situation, asks, (id, attempt))?;
        let task = StageTask {
            id,
            production: work.id,
            stage: work.stage.id.clone(),
            attempt,
            body_sha256: envelope.body_digest(),
            run: RunId::mint(scribe.ids(), scribe.at),
            envelope: json!(envelope),
            asked_at: scribe.at,
        };
        running.attempts = attempt;
        running.task = Some(id);
        running.verdict = None;
        self.keep_task(work, (player, &scribe), &task, (before, running.clone()))
            .await?;
        Ok(Issued {
            task,
            envelope,
            calls: Vec::new(),
            standing: running,
        })
    }

    async fn keep_task(
        &self,
        work: &Work,
        (player, scribe): (&OpContext, &Scribe),
        task: &StageTask,
        (before, running): (ProductionStage, ProductionStage),
    ) -> Result<()> {
        let authorized = player.authorize::<WriteRuns>()?;
        let agent = player.agent()?;
        let run = Run {
            id: task.run,
            organization: work.place.organization,
            site: work.place.site,
            agent: agent.agent,
            connection: agent.connection,
            harness: agent.harness,
            run_type: "stage-task".to_owned(),
            input: json!({"production": work.id, "stage": task.stage, "task": task.id}),
            required_outputs: vec![super::settle::RESULT.to_owned()],
            completion_conditions: Vec::new(),
            state: RunState::Open,
            begun_at: scribe.at,
        };
        let (task, scribe) = (task.clone(), scribe.clone());
        let board = work.situation.board.clone();
        let server = Self::server(work.place)?;
        let configuration = self.provider.configuration();
        self.app
            .store()
            .write(move |tx| {
                Self::replace_stage(tx, &board, (&before, &running))?;
                run::insert(tx, &authorized, &run)?;
                stage_task::insert(tx, &server, &task)?;
                let detail = json!({
                    "run_type": run.run_type, "input_sha256": canon::digest(&run.input),
                    "required_outputs": run.required_outputs,
                    "completion_conditions": run.completion_conditions,
                });
                scribe.run(
                    tx,
                    run.id,
                    ("run.begun", detail),
                    run.input.to_string().len(),
                )?;
                let detail = json!({
                    "production": task.production, "stage": task.stage, "task": task.id,
                    "attempt": task.attempt, "body_sha256": task.body_sha256,
                    "constitution_sha256": board.production.policy.constitution_sha256,
                    "policy_pack_sha256": board.production.policy.sha256,
                    "providers_sha256": configuration,
                });
                scribe.run(tx, run.id, ("stage.asked", detail), 0)?;
                Ok(())
            })
            .await
    }

    /// Ends the job and has another one begin later.
    pub(super) async fn try_later(&self, work: Work, wait: Duration) -> Result<()> {
        let scribe = Scribe::on_site(&self.app, ql_core::actor::Actor::System, work.place);
        let due = scribe.at.plus(wait);
        let job = JobId::mint(scribe.ids(), scribe.at);
        self.app
            .store()
            .write(move |tx| {
                let stage = (work.stage.id.as_str(), job);
                Self::schedule(tx, (work.id, work.place.site), stage, due)?;
                finish(tx, &work.lease, &scribe, None)
            })
            .await
    }
}

/// The answer to the very task, where it has one already.
fn answered(work: &Work, issued: &Issued) -> Option<Made> {
    let made = work.situation.made(&work.stage.id);
    made.filter(|made| made.task.id == issued.task.id).cloned()
}
