//! Stages as durable jobs: claimed with a lease, taken one step further, handed on.

use ql_core::access::OnSite;
use ql_core::id::{JobId, ProductionId, SiteId};
use ql_core::production::{ProductionStage, StageState, StageTransition};
use ql_core::time::{Timestamp, minutes};
use ql_pipeline::pack::{Actor, Stage};
use ql_store::job::{self, Lane, Lease, NewJob};
use ql_store::{Tx, production};

use super::follow::has_ended;
use super::situation::{Board, Situation};
use super::{Director, STAGE_JOB, subject};
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::job::{MAX_ATTEMPTS, finish};

/// How long after a worker's last sign of life another one takes its stage over.
pub(super) const LEASE: std::time::Duration = minutes(2);

/// A stage that is being worked on.
pub(super) struct Work {
    pub(super) lease: Lease,
    pub(super) place: OnSite,
    pub(super) id: ProductionId,
    pub(super) stage: Stage,
    pub(super) situation: Situation,
}

/// A stage that is given to people.
pub(super) struct Held {
    pub(super) lease: Lease,
    pub(super) place: OnSite,
    pub(super) id: ProductionId,
    pub(super) stage: String,
}

impl From<Work> for Held {
    fn from(work: Work) -> Self {
        Self {
            lease: work.lease,
            place: work.place,
            id: work.id,
            stage: work.stage.id,
        }
    }
}

/// What a job turned out to be about.
pub(super) enum Taken {
    /// A stage that can be taken further.
    Open(Box<Work>),
    /// A stage of a production under another policy than this director's.
    OtherPolicy(Held),
    /// Nothing that is still to be done.
    Over,
}

impl Work {
    /// The stage as it stood when the work was taken up.
    pub(super) fn standing(&self) -> Result<&ProductionStage> {
        self.situation.stage(&self.stage.id)
    }
}

impl Director {
    /// Takes the stage that has been due longest a step further; answers whether there was one.
    pub async fn run_due_stage(&self) -> Result<bool> {
        let now = self.app.now();
        let idle = self
            .app
            .store()
            .read(move |tx| Ok::<_, Error>(job::count_due(tx, Lane::Stage, now)? == 0))
            .await?;
        if idle {
            return Ok(false);
        }
        let claimed = self
            .app
            .store()
            .write(move |tx| {
                let now = tx.lease_clock(now)?;
                Ok::<_, Error>(job::claim_in(tx, Lane::Stage, now, LEASE)?)
            })
            .await?;
        let Some(lease) = claimed else {
            return Ok(false);
        };
        let (job, attempts) = (lease.id, lease.attempts);
        let done = self.take_further(lease).await;
        if let Err(error) = done {
            // The lease runs out and another worker goes on from what was kept.
            tracing::error!(%job, ?error, attempts, "a stage's job failed");
        }
        Ok(true)
    }

    /// Does everything that is due now; answers how many steps that took.
    pub async fn run_due_stages(&self) -> Result<usize> {
        let mut steps = 0;
        while self.run_due_stage().await? {
            steps += 1;
        }
        Ok(steps)
    }

    async fn take_further(&self, lease: Lease) -> Result<()> {
        match self.take_on(lease).await? {
            // A stage holds much; whoever waits for it needn't hold it too.
            Some(work) => Box::pin(self.run_stage(work)).await,
            None => Ok(()),
        }
    }

    /// The work of a job that was claimed. Where it can't be gone on with, the stage is given to
    /// people or the job is dropped, and there is none.
    pub(super) async fn take_on(&self, lease: Lease) -> Result<Option<Work>> {
        let attempts = lease.attempts;
        match self.take_up(lease.clone()).await? {
            Taken::Open(work) if attempts > MAX_ATTEMPTS => self.hold(*work, "given_up").await?,
            Taken::Open(work) => return Ok(Some(*work)),
            Taken::OtherPolicy(held) => self.hold(held, "policy_changed").await?,
            Taken::Over => self.drop_job(lease).await?,
        }
        Ok(None)
    }

    /// What a job is about, where it's still to be done.
    pub(super) async fn take_up(&self, lease: Lease) -> Result<Taken> {
        let place = self.app.place_of(&lease).await?;
        let (id, name) = about(&lease)?;
        self.account_for_lost((&lease, place), (id, &name)).await?;
        let looked_at = name.clone();
        let situation = self
            .app
            .store()
            .read(move |tx| Situation::read(tx, place.site, id, Some(&looked_at)))
            .await?;
        let state = &situation.stage(&name)?.state;
        if !matches!(state, StageState::Ready | StageState::Running) {
            return Ok(Taken::Over);
        }
        let stage = self.pack().stage(&name);
        let stage = stage.filter(|_| self.is_policy_of(&situation)).cloned();
        Ok(match stage {
            Some(stage) => Taken::Open(Box::new(Work {
                lease,
                place,
                id,
                stage,
                situation,
            })),
            None => Taken::OtherPolicy(Held {
                lease,
                place,
                id,
                stage: name,
            }),
        })
    }

    /// Whether a production is made under this director's policy.
    pub(super) fn is_policy_of(&self, board: &Board) -> bool {
        board.production.policy.sha256 == self.pack().sha256
    }

    /// Refuses what would move a production by another policy than its own.
    pub(super) fn require_policy(&self, board: &Board) -> Result<()> {
        if self.is_policy_of(board) {
            return Ok(());
        }
        let own = board.production.policy.sha256.short();
        let message = format!("the production is made under the policy {own}; serve that one");
        Err(Error::invalid("/production", "policy_changed", message))
    }

    async fn run_stage(&self, work: Work) -> Result<()> {
        match work.stage.by.clone() {
            Actor::Human => self.follow(work).await,
            Actor::Server => self.gate(work).await,
            Actor::Role(role) => {
                let role = self.pack().role(&role);
                let role = role.ok_or(Error::NotFound("role"))?.clone();
                if self.is_for_agent(&work, &role).await? {
                    return self.offer(work).await;
                }
                Box::pin(self.make(work, &role)).await
            }
        }
    }

    pub(super) async fn drop_job(&self, lease: Lease) -> Result<()> {
        let place = self.app.place_of(&lease).await?;
        let scribe = Scribe::on_site(&self.app, ql_core::actor::Actor::System, place);
        self.app
            .store()
            .write(move |tx| finish(tx, &lease, &scribe, None))
            .await
    }

    /// Identifiers for the jobs that a step may add: one for each stage.
    pub(super) fn job_ids(&self, scribe: &Scribe) -> Vec<JobId> {
        self.pack()
            .stages
            .iter()
            .map(|_| JobId::mint(scribe.ids(), scribe.at))
            .collect()
    }

    /// Adds the job that takes a stage further.
    pub(super) fn schedule(
        tx: &mut Tx<'_>,
        (production, site): (ProductionId, SiteId),
        (stage, id): (&str, JobId),
        at: Timestamp,
    ) -> Result<()> {
        let subject = subject(production, stage);
        // A job is known by its instant; one that is taken gives way to the one before it.
        let mut due_at = at;
        while job::is_used(tx, STAGE_JOB, &subject, due_at)? {
            due_at = due_at.minus(std::time::Duration::from_micros(1));
        }
        let job = NewJob {
            id,
            kind: STAGE_JOB,
            subject: &subject,
            site,
            due_at,
        };
        Ok(job::insert(tx, job, at)?)
    }

    /// Frees every stage for which all before it is done now.
    pub(super) fn free(
        &self,
        tx: &mut Tx<'_>,
        (id, place): (ProductionId, OnSite),
        (jobs, scribe): (&[JobId], &Scribe),
    ) -> Result<()> {
        let board = Board::read(tx, place.site, id)?;
        if has_ended(tx, id)? {
            return Ok(());
        }
        for (stage, job) in self.pack().free(&board.passed()).into_iter().zip(jobs) {
            if board.stage(&stage.id)?.state != StageState::Waiting {
                continue;
            }
            Self::move_stage(tx, &board, (&stage.id, StageTransition::Free), scribe.at)?;
            if stage.by != Actor::Human {
                Self::schedule(tx, (id, place.site), (&stage.id, *job), scribe.at)?;
            }
        }
        Ok(())
    }

    /// Stores a stage that moved, if it's still where it was read to be.
    pub(super) fn replace_stage(
        tx: &mut Tx<'_>,
        board: &Board,
        (before, after): (&ProductionStage, &ProductionStage),
    ) -> Result<()> {
        let production = &board.production;
        let server = Self::server(OnSite {
            organization: production.organization,
            site: production.site,
        })?;
        if production::move_stage(tx, &server, production.id, (before, after))? {
            Ok(())
        } else {
            Err(Error::Conflict)
        }
    }
}

/// The production and the stage that a job is about.
pub(super) fn about(lease: &Lease) -> Result<(ProductionId, String)> {
    let (id, stage) = lease
        .subject
        .split_once(':')
        .ok_or(Error::NotFound("stage"))?;
    let id = id.parse().map_err(|_| Error::NotFound("production"))?;
    Ok((id, stage.to_owned()))
}
