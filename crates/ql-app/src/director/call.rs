//! From a task to an answer that fits: issue, ask, keep, read, ask once more.

use ql_core::access::WriteRuns;
use ql_core::canon;
use ql_core::id::{JobId, RunId, TaskId};
use ql_core::problem::Problem;
use ql_core::production::{CallOutcome, ProductionStage, ProviderCall, StageTask, StageTransition};
use ql_core::run::{Run, RunState};
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::{Output, Task, TaskResult, Unfit, mend, read};
use ql_pipeline::pack::Role;
use ql_store::{run, stage_task};
use serde_json::json;

use super::made::Made;
use super::provider::{Ask, Failure};
use super::worker::Work;
use super::{Director, ask};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::job::finish;

/// How often a call that fails in passing is tried again.
const RETRIES: usize = 3;
/// How many problems a request to mend an answer names.
const NAMED_PROBLEMS: usize = 5;

/// A task that was put to a role.
pub(super) struct Issued {
    pub(super) task: StageTask,
    pub(super) envelope: Task,
    pub(super) calls: Vec<ProviderCall>,
    /// The stage as it stands now.
    pub(super) standing: ProductionStage,
}

/// What comes next for a task.
enum Next {
    /// Ask; to mend what was wrong, where something was.
    Ask(Option<Vec<Problem>>),
    /// The answer fits.
    Settle(Box<(TaskResult, Output)>),
    /// Nothing more can be done without a person.
    Hold(&'static str, Vec<Problem>),
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
            return self.publish(work, role, (issued, player)).await;
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
            let call = self.call(&issued, role, problems.as_deref()).await;
            self.keep(&work, &issued, &call).await?;
            let is_transient = call.outcome == CallOutcome::Transient;
            issued.calls.push(call);
            if is_transient && failures(&issued.calls) <= RETRIES {
                return self.try_later(work, failures(&issued.calls)).await;
            }
        }
    }

    /// Puts the task to the role: the newest one again where nothing changed, a new attempt
    /// otherwise.
    async fn issue(
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
                });
                scribe.run(tx, run.id, ("stage.asked", detail), 0)?;
                Ok(())
            })
            .await
    }

    async fn call(
        &self,
        issued: &Issued,
        role: &Role,
        problems: Option<&[Problem]>,
    ) -> ProviderCall {
        let envelope = canon::to_string(&issued.task.envelope);
        let problems = problems.map(|all| &all[..all.len().min(NAMED_PROBLEMS)]);
        let asked = self.provider.ask(Ask {
            stage: &issued.task.stage,
            tier: role.tier,
            attempt: issued.task.attempt,
            envelope: &envelope,
            policy: &self.pack().files,
            repair: problems,
        });
        let (outcome, raw, cost) = match asked.await {
            Ok(answer) => (CallOutcome::Answered, bounded(answer.text), answer.cost),
            Err(Failure::Transient(why)) => (CallOutcome::Transient, why, Some(0)),
            Err(Failure::Permanent(why)) => (CallOutcome::Failed, why, Some(0)),
        };
        ProviderCall {
            number: i64::try_from(issued.calls.len()).unwrap_or(i64::MAX) + 1,
            is_repair: problems.is_some(),
            outcome,
            raw,
            cost,
            at: self.app.now(),
        }
    }

    /// Keeps what came back, before anything is made of it.
    async fn keep(&self, work: &Work, issued: &Issued, call: &ProviderCall) -> Result<()> {
        let (server, task, call) = (Self::server(work.place)?, issued.task.id, call.clone());
        self.app
            .store()
            .write(move |tx| Ok::<_, Error>(stage_task::insert_call(tx, &server, task, &call)?))
            .await
    }

    /// Ends the job and has another one begin later.
    async fn try_later(&self, work: Work, failures: usize) -> Result<()> {
        let scribe = Scribe::on_site(&self.app, ql_core::actor::Actor::System, work.place);
        let due = scribe.at.plus(backoff(failures, &**self.app.ids()));
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

/// An answer as far as it's kept: of one that's longer than an envelope may be, a little too much.
fn bounded(mut answer: String) -> String {
    // A character has at most four bytes.
    answer.truncate(answer.floor_char_boundary(read::MAX_BYTES + 4));
    answer
}

/// The answer to the very task, where it has one already.
fn answered(work: &Work, issued: &Issued) -> Option<Made> {
    let made = work.situation.made(&work.stage.id);
    made.filter(|made| made.task.id == issued.task.id).cloned()
}

/// Full jitter over 2, 4, 8 … seconds.
fn backoff(failures: usize, ids: &dyn ql_core::id::IdGen) -> std::time::Duration {
    let mut random = [0_u8; 2];
    ids.fill(&mut random);
    let most = 1_u64 << failures.min(6);
    std::time::Duration::from_millis(most * 1000 * u64::from(u16::from_be_bytes(random)) / 65_536)
}

/// How many calls failed in passing since the last answer.
fn failures(calls: &[ProviderCall]) -> usize {
    calls
        .iter()
        .rev()
        .take_while(|call| call.outcome == CallOutcome::Transient)
        .count()
}

/// What comes next after these calls.
fn next(calls: &[ProviderCall], kind: DocKind) -> Next {
    let Some(last) = calls.last() else {
        return Next::Ask(None);
    };
    if last.outcome == CallOutcome::Failed {
        return Next::Hold("provider_failed", Vec::new());
    }
    if failures(calls) > RETRIES {
        return Next::Hold("provider_unavailable", Vec::new());
    }
    let answered = calls
        .iter()
        .rev()
        .find(|call| call.outcome == CallOutcome::Answered);
    let Some(answered) = answered else {
        return Next::Ask(None);
    };
    match read::result(mend::object(&answered.raw).as_bytes(), kind) {
        Ok(answer) => Next::Settle(Box::new(answer)),
        Err(unfit) if answered.is_repair => Next::Hold("schema_violation", problems(unfit)),
        Err(unfit) => Next::Ask(Some(problems(unfit))),
    }
}

fn problems(unfit: Unfit) -> Vec<Problem> {
    match unfit {
        Unfit::Problems(problems) => problems,
        other @ (Unfit::TooLarge | Unfit::Malformed(_)) => {
            vec![Problem::new("", "unfit", other.to_string())]
        }
    }
}

#[cfg(test)]
mod tests {
    use ql_core::time::Timestamp;

    use super::*;

    fn call(number: i64, outcome: CallOutcome, raw: &str, is_repair: bool) -> ProviderCall {
        let at = Timestamp::from_micros(number);
        ProviderCall {
            number,
            is_repair,
            outcome,
            raw: raw.to_owned(),
            cost: Some(0),
            at,
        }
    }

    fn told(calls: &[ProviderCall]) -> String {
        match next(calls, DocKind::Script) {
            Next::Ask(None) => "ask".to_owned(),
            Next::Ask(Some(problems)) => format!("ask to mend {} problem(s)", problems.len()),
            Next::Settle(_) => "settle".to_owned(),
            Next::Hold(reason, problems) => {
                format!("hold: {reason}, {} problem(s)", problems.len())
            }
        }
    }

    #[test]
    fn three_retries_and_one_repair_then_a_person() {
        use CallOutcome::{Answered, Failed, Transient};
        let failed = |count: i64| -> Vec<ProviderCall> {
            (1..=count)
                .map(|number| call(number, Transient, "429", false))
                .collect()
        };
        let lines = [
            told(&[]),
            told(&failed(1)),
            told(&failed(3)),
            told(&failed(4)),
            told(&[call(1, Failed, "400", false)]),
            told(&[call(1, Answered, "{}", false)]),
            told(&[
                call(1, Answered, "no json", false),
                call(2, Transient, "503", true),
            ]),
            told(&[
                call(1, Answered, "{}", false),
                call(2, Answered, "{}", true),
            ]),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        ask
        ask
        ask
        hold: provider_unavailable, 0 problem(s)
        hold: provider_failed, 0 problem(s)
        ask to mend 12 problem(s)
        ask to mend 1 problem(s)
        hold: schema_violation, 12 problem(s)
        ");
    }
}
