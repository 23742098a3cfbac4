//! Agents that play roles themselves: they claim a stage's task and submit its result.
//!
//! The role is bound to the connection by a member, never by what an agent says. A task is held under
//! the same lease as a worker's, with a fence that every submission must carry.

use std::time::Duration;

use ql_core::access::WriteRuns;
use ql_core::hash::Digest;
use ql_core::id::TaskId;
use ql_core::problem::Problem;
use ql_core::production::{CallOutcome, PlayedBy, ProviderCall, StageTask};
use ql_core::time::{Timestamp, minutes};
use ql_core::turn::LeaseLost;
use ql_pipeline::pack::{Actor, PackFile, Role, Stage};
use ql_store::job::{self, Lease};
use ql_store::stage_task::AuditRecord;
use ql_store::{production, stage_task};
use serde_json::Value;

use super::call::Issued;
use super::money::bounded;
use super::next::{Next, next};
use super::worker::{Taken, Work, about};
use super::{Director, STAGE_JOB, subject};
use crate::context::OpContext;
use crate::error::{Error, Result};

/// How long a task is held where the agent doesn't say.
pub const DEFAULT_HOLD: Duration = minutes(30);
/// The longest that a task is held.
pub const LONGEST_HOLD: Duration = minutes(240);

/// A task that an agent holds.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedTask {
    /// The task.
    pub id: TaskId,
    /// The stage, for people.
    pub stage: String,
    /// The number that the submission must carry.
    pub fence: i64,
    /// When the task is given to somebody else.
    pub held_until: Timestamp,
    /// The envelope, as it was hashed.
    pub envelope: Value,
    /// The policy's files, so that its hash proves what was seen.
    pub policy: Vec<PackFile>,
    /// The schema of the document that is asked for.
    pub schema: Value,
    /// What was wrong with what was submitted before, where something was.
    pub problems: Vec<Problem>,
}

/// What a submitted result is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Submitted {
    /// The task.
    pub id: TaskId,
    /// The verdict's name.
    pub verdict: String,
    /// What was found.
    pub findings: Value,
    /// Where the stage stands now.
    pub state: &'static str,
    /// Whether the very same result was there already.
    pub is_replay: bool,
}

impl Director {
    /// Gives the calling agent the task of a role that it plays, where one waits; it holds it for
    /// `hold`.
    ///
    /// # Errors
    /// [`Error::NotFound`] where the agent plays no role.
    pub async fn claim_stage_task(
        &self,
        ctx: &OpContext,
        hold: Duration,
    ) -> Result<Option<ClaimedTask>> {
        ctx.authorize::<WriteRuns>()?;
        let roles = self.roles_of(ctx).await?;
        if roles.is_empty() {
            return Err(Error::NotFound("role that this agent plays"));
        }
        let hold = hold.clamp(minutes(1), LONGEST_HOLD);
        for (job, is_held) in self.jobs_of(ctx, &roles).await? {
            let leased = if is_held {
                self.hold_longer(job, hold).await?
            } else {
                self.accept(ctx, job, hold).await?
            };
            let Some((lease, until)) = leased else {
                continue;
            };
            if let Some(claimed) = self.issue_claimed(ctx, lease, until).await? {
                return Ok(Some(claimed));
            }
        }
        Ok(None)
    }

    /// Takes a result of a task that the calling agent holds: it's kept, audited, and moves the
    /// production. The same result again is answered as it was before.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a task that isn't this agent's, [`Error::LeaseLost`] where it doesn't
    /// hold it any more, [`Error::IdempotencyConflict`] where another result stands, and
    /// [`Error::Invalid`] with everything that is wrong, the first time; after that a person looks
    /// at it.
    pub async fn submit_stage_result(
        &self,
        ctx: &OpContext,
        (id, fence): (TaskId, i64),
        result: &Value,
    ) -> Result<Submitted> {
        ctx.authorize::<WriteRuns>()?;
        let task = self.task_of(ctx, id).await?;
        if let Some(before) = self.submitted(&task, result).await? {
            return Ok(before);
        }
        let work = self.held(ctx, &task, fence).await?;
        let role = self.role_of(&work.stage).ok_or(Error::NotFound("role"))?;
        let kind = work.stage.doc_kind.ok_or(Error::NotFound("task"))?;
        let calls = match &work.situation.current {
            Some((current, calls)) if current.id == id => calls.clone(),
            Some(_) | None => return Err(LeaseLost.into()),
        };
        let mut issued = Issued {
            envelope: super::made::stored(task.envelope.clone())?,
            standing: work.standing()?.clone(),
            task: task.clone(),
            calls,
        };
        self.keep_submission(&work, &mut issued, result).await?;
        match next(&issued.calls, kind) {
            Next::Settle(answer) => {
                self.settle(work, &role, (issued, ctx.clone()), *answer)
                    .await?;
            }
            Next::Hold(reason, problems) => {
                let why = (reason, problems);
                self.hold_unfit(work, (issued, ctx.clone()), why).await?;
            }
            Next::Ask(problems) => return Err(Error::Invalid(problems.unwrap_or_default())),
        }
        let done = self.outcome(&task).await?;
        done.ok_or_else(|| Error::Fault("a submission left no audit".to_owned()))
    }

    /// The roles that the caller's connection plays itself.
    async fn roles_of(&self, ctx: &OpContext) -> Result<Vec<String>> {
        let connection = ctx.agent()?.connection;
        let cast = self
            .app
            .store()
            .read(move |tx| Ok::<_, Error>(production::roles_of(tx, connection)?))
            .await?;
        let own = cast
            .into_iter()
            .filter(|cast| cast.played_by == PlayedBy::Agent);
        Ok(own.map(|cast| cast.role).collect())
    }

    fn role_of(&self, stage: &Stage) -> Option<Role> {
        match &stage.by {
            Actor::Role(role) => self.pack().role(role).cloned(),
            Actor::Human | Actor::Server => None,
        }
    }

    fn is_offered_to(&self, offer: &Lease, roles: &[String]) -> bool {
        let stage = about(offer).ok().and_then(|(_, stage)| {
            let stage = self.pack().stage(&stage)?;
            self.role_of(stage)
        });
        stage.is_some_and(|role| roles.contains(&role.id))
    }

    /// What the caller may hold: what it does hold, and then what is offered to it.
    async fn jobs_of(&self, ctx: &OpContext, roles: &[String]) -> Result<Vec<(Lease, bool)>> {
        let (site, connection) = (ctx.site()?, ctx.agent()?.connection);
        let at = self.app.now();
        let (held, offered) = self
            .app
            .store()
            .read(move |tx| {
                let held = job::held(tx, (site, connection), STAGE_JOB, at)?;
                Ok::<_, Error>((held, job::offered(tx, site, STAGE_JOB)?))
            })
            .await?;
        let held = held.into_iter().map(|job| (job, true));
        let jobs = held.chain(offered.into_iter().map(|job| (job, false)));
        Ok(jobs
            .filter(|(job, _)| self.is_offered_to(job, roles))
            .collect())
    }

    async fn hold_longer(
        &self,
        lease: Lease,
        hold: Duration,
    ) -> Result<Option<(Lease, Timestamp)>> {
        let at = self.app.now();
        self.app
            .store()
            .write(move |tx| {
                let now = tx.lease_clock(at)?;
                let until = now.plus(hold);
                let is_held = job::renew(tx, &lease, (now, until))?;
                Ok::<_, Error>(is_held.then(|| (lease.clone(), until)))
            })
            .await
    }

    async fn accept(
        &self,
        ctx: &OpContext,
        offer: Lease,
        hold: Duration,
    ) -> Result<Option<(Lease, Timestamp)>> {
        let (holder, at) = (ctx.agent()?.connection, self.app.now());
        self.app
            .store()
            .write(move |tx| {
                let until = tx.lease_clock(at)?.plus(hold);
                let lease = job::accept(tx, &offer, holder, until)?;
                Ok::<_, Error>(lease.map(|lease| (lease, until)))
            })
            .await
    }

    async fn issue_claimed(
        &self,
        ctx: &OpContext,
        lease: Lease,
        held_until: Timestamp,
    ) -> Result<Option<ClaimedTask>> {
        let fence = lease.fence;
        let Some(work) = self.take_on(lease).await? else {
            return Ok(None);
        };
        let role = self.role_of(&work.stage).ok_or(Error::NotFound("role"))?;
        let kind = work.stage.doc_kind.ok_or(Error::NotFound("task"))?;
        let issued = self.issue(&work, (&role, kind), ctx).await?;
        let problems = match next(&issued.calls, kind) {
            Next::Ask(Some(problems)) => problems,
            Next::Ask(None) | Next::Settle(_) | Next::Hold(..) => Vec::new(),
        };
        Ok(Some(ClaimedTask {
            id: issued.task.id,
            stage: work.stage.name.clone(),
            fence,
            held_until,
            envelope: issued.task.envelope,
            policy: self.pack().files.clone(),
            schema: ql_pipeline::envelope::schema::document(kind),
            problems,
        }))
    }

    /// A task of a production on the caller's site whose role the caller's connection plays.
    async fn task_of(&self, ctx: &OpContext, id: TaskId) -> Result<StageTask> {
        let (site, roles) = (ctx.site()?, self.roles_of(ctx).await?);
        let task = self
            .app
            .store()
            .read(move |tx| {
                let Some(task) = stage_task::find(tx, id)? else {
                    return Ok::<_, Error>(None);
                };
                let own = production::find(tx, site, task.production)?;
                Ok(own.map(|_| task))
            })
            .await?;
        let role = |task: &StageTask| {
            self.pack()
                .stage(&task.stage)
                .and_then(|of| self.role_of(of))
        };
        task.filter(|task| role(task).is_some_and(|role| roles.contains(&role.id)))
            .ok_or(Error::NotFound("task"))
    }

    /// What the same result was answered before; nothing where the task has none.
    async fn submitted(&self, task: &StageTask, result: &Value) -> Result<Option<Submitted>> {
        let id = task.id;
        let before = self
            .app
            .store()
            .read(move |tx| Ok::<_, Error>(stage_task::calls(tx, id)?))
            .await?;
        let digest = ql_core::canon::digest(result);
        let kept = |call: &ProviderCall| Digest::of(call.raw.as_bytes()) == digest;
        let Some(done) = self.outcome(task).await? else {
            return Ok(None);
        };
        if before.iter().any(kept) {
            let is_replay = true;
            return Ok(Some(Submitted { is_replay, ..done }));
        }
        Err(Error::IdempotencyConflict)
    }

    /// What a task's answer was found to be worth.
    async fn outcome(&self, task: &StageTask) -> Result<Option<Submitted>> {
        let task = task.clone();
        self.app
            .store()
            .read(move |tx| {
                let audits = stage_task::audits(tx, task.id)?;
                let own = |audit: &AuditRecord| audit.stage == task.stage;
                let Some(audit) = audits.into_iter().rfind(own) else {
                    return Ok(None);
                };
                let stages = production::stages(tx, task.production)?;
                let stage = stages.iter().find(|stage| stage.stage == task.stage);
                Ok::<_, Error>(Some(Submitted {
                    id: task.id,
                    verdict: audit.verdict,
                    findings: audit.findings,
                    state: stage.map_or("waiting", |stage| stage.state.as_str()),
                    is_replay: false,
                }))
            })
            .await
    }

    /// The work on a task, under a lease with this fence.
    async fn held(&self, ctx: &OpContext, task: &StageTask, fence: i64) -> Result<Work> {
        let (holder, at) = ((ctx.site()?, ctx.agent()?.connection), self.app.now());
        let subject = subject(task.production, &task.stage);
        let lease = self
            .app
            .store()
            .write(move |tx| {
                let now = tx.lease_clock(at)?;
                let mut held = job::held(tx, holder, STAGE_JOB, now)?.into_iter();
                Ok::<_, Error>(held.find(|job| job.subject == subject && job.fence == fence))
            })
            .await?;
        match self.take_up(lease.ok_or(LeaseLost)?).await? {
            Taken::Open(work) => Ok(*work),
            Taken::OtherPolicy(_) | Taken::Over => Err(LeaseLost.into()),
        }
    }

    /// Keeps what was submitted, before it is read.
    async fn keep_submission(
        &self,
        work: &Work,
        issued: &mut Issued,
        result: &Value,
    ) -> Result<()> {
        let call = ProviderCall {
            number: i64::try_from(issued.calls.len()).unwrap_or(i64::MAX) + 1,
            by: PlayedBy::Agent,
            is_repair: !issued.calls.is_empty(),
            outcome: CallOutcome::Answered,
            raw: bounded(ql_core::canon::to_string(result)),
            model: String::new(),
            usage: None,
            cost: None,
            at: self.app.now(),
        };
        let (server, task, kept) = (Self::server(work.place)?, issued.task.id, call.clone());
        let lease = work.lease.clone();
        self.app
            .store()
            .write(move |tx| {
                super::money::hold_on(tx, &lease, kept.at)?;
                Ok::<_, Error>(stage_task::insert_call(tx, &server, task, &kept)?)
            })
            .await?;
        issued.calls.push(call);
        Ok(())
    }
}
