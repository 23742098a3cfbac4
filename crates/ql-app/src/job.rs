//! The server's own work: scheduled publications, and what runs out.

use ql_core::access::{ActAsServer, Principal};
use ql_core::id::ProposalId;
use ql_core::lifecycle::Moment;
use ql_core::proposal::{ProposalState, Transition};
use ql_core::time::minutes;
use ql_store::job::{self, Lane, Lease};
use ql_store::proposal::{self, Mover};
use ql_store::{Tx, site};
use serde_json::json;

use crate::app::App;
use crate::decision::{PUBLISH_JOB, settle_executed, settle_stale};
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::execution::Executor;
use crate::proposal::move_to;

pub(crate) const LEASE: std::time::Duration = minutes(1);
pub(crate) const MAX_ATTEMPTS: i64 = 3;

/// What the server did in one round of its own work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Round {
    /// Jobs that were carried out.
    pub jobs: usize,
    /// Runs that were closed.
    pub runs_closed: usize,
    /// Proposals whose time ran out.
    pub proposals_expired: usize,
    /// Rejected form posts that were removed.
    pub submissions_removed: u64,
    /// Strategy imports that received nothing for long.
    pub imports_ended: usize,
    /// Turns whose lease ran out.
    pub turns_returned: usize,
}

impl App {
    /// Does what is due: jobs first, then what ran out.
    pub async fn run_due_work(&self) -> Result<Round> {
        let mut round = Round {
            jobs: self.run_due_jobs().await?,
            turns_returned: self.return_lapsed_turns().await?,
            ..Round::default()
        };
        let sites = self
            .store()
            .read(move |tx| Ok::<_, Error>(site::list_all(tx)?))
            .await?;
        for site in sites {
            round.runs_closed += self.close_ended_runs(&site).await?;
            round.proposals_expired += self.expire_proposals(&site).await?;
            round.submissions_removed += self.sweep_submissions(&site).await?;
            round.imports_ended += self.end_left_imports(&site).await?;
        }
        Ok(round)
    }

    /// Carries out every job that is due; answers how many.
    pub async fn run_due_jobs(&self) -> Result<usize> {
        let mut done = 0;
        loop {
            let now = self.now();
            let idle = self
                .store()
                .read(move |tx| Ok::<_, Error>(job::count_due(tx, Lane::Own, now)? == 0))
                .await?;
            if idle {
                return Ok(done);
            }
            let Some(lease) = self
                .store()
                .write(move |tx| {
                    let now = tx.lease_clock(now)?;
                    Ok::<_, Error>(job::claim(tx, now, LEASE)?)
                })
                .await?
            else {
                return Ok(done);
            };
            self.run_job(lease).await?;
            done += 1;
        }
    }

    /// Gives back what the workers of a server held that isn't there any more, so that nothing waits
    /// for leases of the dead. Only for a server that has its database to itself.
    pub async fn take_back_jobs(&self) -> Result<u64> {
        self.store()
            .write(|tx| Ok::<_, Error>(job::let_go(tx)?))
            .await
    }

    async fn run_job(&self, lease: Lease) -> Result<()> {
        let outcome = match lease.kind.as_str() {
            PUBLISH_JOB => self.publish_scheduled(lease.clone()).await,
            other => Err(Error::Fault(format!("no such kind of job: {other}"))),
        };
        let Err(error) = outcome else { return Ok(()) };
        tracing::error!(job = %lease.id, ?error, attempts = lease.attempts, "a job failed");
        if lease.attempts < MAX_ATTEMPTS {
            // The lease runs out and the job is claimed again.
            return Ok(());
        }
        self.fail_scheduled(lease, error).await
    }

    /// Publishes at its instant what was approved for it. The instant is the fence: a proposal that
    /// is no longer approved for exactly this one isn't carried out.
    async fn publish_scheduled(&self, lease: Lease) -> Result<()> {
        let place = self.place_of(&lease).await?;
        let scribe = Scribe::on_site(self, Principal::System.actor(), place);
        let app = self.clone();
        self.store()
            .write(move |tx| {
                let executor = Executor::new(&app, place, &scribe)?;
                let id: ProposalId = lease.subject.parse().map_err(|_| Error::NotFound("proposal"))?;
                let found = proposal::find(tx, place.site, id)?.ok_or(Error::NotFound("proposal"))?;
                let due = matches!(found.state, ProposalState::Approved { due_at } if due_at == lease.due_at);
                if due {
                    match executor.execute(tx, &found, Moment::Instant)? {
                        Ok(done) => settle_executed(tx, &executor, (id, &found.state), done)?,
                        Err(reason) => settle_stale(tx, &executor, (id, &found.state), reason.code())?,
                    }
                }
                finish(tx, &lease, &scribe, None)
            })
            .await
    }

    async fn fail_scheduled(&self, lease: Lease, error: Error) -> Result<()> {
        let place = self.place_of(&lease).await?;
        let scribe = Scribe::on_site(self, Principal::System.actor(), place);
        let app = self.clone();
        self.store()
            .write(move |tx| {
                let executor = Executor::new(&app, place, &scribe)?;
                let id: ProposalId = lease
                    .subject
                    .parse()
                    .map_err(|_| Error::NotFound("proposal"))?;
                if let Some(found) = proposal::find(tx, place.site, id)?
                    && let Ok(next) = found
                        .state
                        .apply(Transition::Fail(error.code().to_owned()), scribe.at)
                {
                    let by = Mover::Server(executor.server());
                    move_to(tx, (&by, &scribe), id, (&found.state, &next))?;
                    scribe.proposal(
                        tx,
                        id,
                        "proposal.execution_failed",
                        json!({"reason": error.code()}),
                    )?;
                }
                finish(tx, &lease, &scribe, Some(error.code()))
            })
            .await
    }

    pub(crate) async fn place_of(&self, lease: &Lease) -> Result<ql_core::access::OnSite> {
        let id = lease.site;
        let found = self
            .store()
            .read(move |tx| Ok::<_, Error>(site::find(tx, id)?))
            .await?;
        Ok(found.ok_or(Error::NotFound("site"))?.place())
    }

    async fn expire_proposals(&self, site: &site::Site) -> Result<usize> {
        let authorized = Principal::System.authorize::<ActAsServer>(site.place())?;
        let scribe = Scribe::on_site(self, authorized.actor(), site.place());
        let site = site.id;
        let expired = self
            .store()
            .read(move |tx| Ok::<_, Error>(proposal::expired(tx, site, scribe.at)?))
            .await?;
        if expired.is_empty() {
            return Ok(0);
        }
        self.store()
            .write(move |tx| {
                let expired = proposal::expired(tx, site, scribe.at)?;
                for id in &expired {
                    let found =
                        proposal::find(tx, site, *id)?.ok_or(Error::NotFound("proposal"))?;
                    let next = found.state.apply(Transition::Expire, scribe.at)?;
                    let by = Mover::Server(&authorized);
                    move_to(tx, (&by, &scribe), *id, (&found.state, &next))?;
                    scribe.proposal(tx, *id, "proposal.expired", json!({}))?;
                }
                Ok(expired.len())
            })
            .await
    }
}

/// Ends the job in the transaction of its effect; a lease that was lost keeps nothing of it.
pub(crate) fn finish(
    tx: &mut Tx<'_>,
    lease: &Lease,
    scribe: &Scribe,
    error: Option<&str>,
) -> Result<()> {
    let now = tx.lease_clock(scribe.at)?;
    if job::finish(tx, lease, now, error)? {
        return Ok(());
    }
    Err(lost(lease))
}

/// The error of whoever works on under a lease that somebody else has by now.
pub(crate) fn lost(lease: &Lease) -> Error {
    Error::Fault(format!("the lease of job {} was lost", lease.id))
}
