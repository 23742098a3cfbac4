//! Looking: one due job at a time, the source fetched outside of any transaction, what was seen kept
//! in the one that ends the job.

use ql_core::access::{ActAsServer, Authorized, Principal};
use ql_core::id::{AttemptId, EvidenceId, JobId, ReviewId};
use ql_core::reverification::{
    Attempt, AttemptStatus, Closed, Judgement, MAX_RETRIES, Outcome, Resolution, Review, backoff,
    judge,
};
use ql_core::time::Timestamp;
use ql_store::Tx;
use ql_store::job::{self, Lane, Lease};
use ql_store::reverification::{self, Closer, Next, Source, Standing};
use serde_json::json;

use super::{REVERIFY_JOB, is_meant_for, replace_job};
use crate::app::App;
use crate::director::RETRIEVE_JOB;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::fetch::Fetcher;
use crate::job::{LEASE, MAX_ATTEMPTS, finish};

/// The identifiers that keeping a look may need, minted before its transaction.
#[derive(Clone, Copy)]
struct Ids {
    attempt: AttemptId,
    review: ReviewId,
    next: JobId,
}

/// A look on its way into the database.
struct Looked<'a> {
    lease: &'a Lease,
    evidence: EvidenceId,
    judgement: &'a Judgement,
    scribe: &'a Scribe,
    server: &'a Authorized<ActAsServer>,
    ids: Ids,
}

impl App {
    /// Carries out the fetching job that has been due longest; answers whether there was one.
    pub async fn run_due_fetch(&self, fetcher: &dyn Fetcher) -> Result<bool> {
        let now = self.now();
        let idle = self
            .store()
            .read(move |tx| Ok::<_, Error>(job::count_due(tx, Lane::Fetch, now)? == 0))
            .await?;
        if idle {
            return Ok(false);
        }
        let claimed = self
            .store()
            .write(move |tx| {
                let now = tx.lease_clock(now)?;
                Ok::<_, Error>(job::claim_in(tx, Lane::Fetch, now, LEASE)?)
            })
            .await?;
        let Some(lease) = claimed else {
            return Ok(false);
        };
        let (id, attempts) = (lease.id, lease.attempts);
        if let Err(error) = self.run_fetch(lease, fetcher).await {
            // The lease runs out and the job is claimed again.
            tracing::error!(job = %id, ?error, attempts, "a fetching job failed");
        }
        Ok(true)
    }

    async fn run_fetch(&self, lease: Lease, fetcher: &dyn Fetcher) -> Result<()> {
        if lease.kind == RETRIEVE_JOB {
            return self.retrieve(lease, fetcher).await;
        }
        if lease.kind != REVERIFY_JOB {
            return Err(Error::Fault(format!("no such kind of job: {}", lease.kind)));
        }
        let evidence: EvidenceId = (lease.subject.parse())
            .map_err(|_| Error::Fault(format!("no evidence: {}", lease.subject)))?;
        let Some(source) = self.source_of(&lease, evidence).await? else {
            return self.leave(lease).await;
        };
        // A job that was claimed more often ended its workers each time; nobody tries it again.
        let judgement = if lease.attempts > MAX_ATTEMPTS {
            Judgement::interrupted()
        } else {
            judge(&source.excerpt, fetcher.fetch(&source.url).await)
        };
        self.keep_look(lease, evidence, judgement).await
    }

    /// The source, where the target still waits for this very job.
    async fn source_of(&self, lease: &Lease, evidence: EvidenceId) -> Result<Option<Source>> {
        let (site, job) = (lease.site, lease.id);
        self.store()
            .read(move |tx| {
                let standing = reverification::find_standing(tx, site, evidence)?;
                if !is_meant_for(standing.as_ref(), job) {
                    return Ok(None);
                }
                Ok(reverification::find_source(tx, site, evidence)?)
            })
            .await
    }

    /// Ends a job whose target was stopped or given another one.
    async fn leave(&self, lease: Lease) -> Result<()> {
        let scribe = Scribe::on_site(
            self,
            Principal::System.actor(),
            self.place_of(&lease).await?,
        );
        self.store()
            .write(move |tx| finish(tx, &lease, &scribe, None))
            .await
    }

    async fn keep_look(
        &self,
        lease: Lease,
        evidence: EvidenceId,
        judgement: Judgement,
    ) -> Result<()> {
        let place = self.place_of(&lease).await?;
        let server = Principal::System.authorize::<ActAsServer>(place)?;
        let scribe = Scribe::on_site(self, server.actor(), place);
        let ids = Ids {
            attempt: AttemptId::mint(scribe.ids(), scribe.at),
            review: ReviewId::mint(scribe.ids(), scribe.at),
            next: JobId::mint(scribe.ids(), scribe.at),
        };
        self.store()
            .write(move |tx| {
                let looked = Looked {
                    lease: &lease,
                    evidence,
                    judgement: &judgement,
                    scribe: &scribe,
                    server: &server,
                    ids,
                };
                finish(tx, &lease, &scribe, None)?;
                let standing = reverification::find_standing(tx, lease.site, evidence)?;
                match standing {
                    Some(standing) if standing.job == Some(lease.id) => looked.keep(tx, standing),
                    // It was stopped, or asked for anew, while somebody looked.
                    Some(_) | None => Ok(()),
                }
            })
            .await
    }
}

impl Looked<'_> {
    fn keep(&self, tx: &mut Tx<'_>, standing: Standing) -> Result<()> {
        let attempt = self.attempt();
        reverification::insert_attempt(tx, self.server, &attempt)?;
        let detail = json!({
            "evidence": self.evidence, "attempt": attempt.status.id, "job": self.lease.id,
            "number": attempt.status.number, "outcome": attempt.status.outcome,
            "reason": attempt.status.reason,
        });
        self.scribe
            .administration(tx, "reverification.attempted", detail)?;
        self.review(tx, &attempt)?;
        self.schedule(tx, standing)
    }

    fn attempt(&self) -> Attempt {
        Attempt {
            status: AttemptStatus {
                id: self.ids.attempt,
                number: self.lease.attempts,
                at: self.scribe.at,
                outcome: self.judgement.outcome,
                reason: self.judgement.reason.map(str::to_owned),
            },
            evidence: self.evidence,
            job: self.lease.id,
            observation: self.judgement.observation.clone(),
        }
    }

    /// Whatever isn't as it was waits for a person, once. What was merely out of reach and is as it
    /// was now waits no longer.
    fn review(&self, tx: &mut Tx<'_>, attempt: &Attempt) -> Result<()> {
        let site = self.server.site();
        let open = reverification::find_open_review(tx, site, self.evidence)?;
        match (attempt.status.outcome, open) {
            (Outcome::Unchanged, Some((id, Outcome::Unreachable))) => self.recover(tx, id),
            (Outcome::Unchanged, _) => Ok(()),
            (_, Some(_)) => Ok(reverification::renew_review(tx, self.server, attempt)?),
            (outcome, None) => {
                let review = Review {
                    id: self.ids.review,
                    evidence: self.evidence,
                    attempt: attempt.status.id,
                    outcome,
                    opened_at: self.scribe.at,
                    closed: None,
                };
                reverification::open_review(tx, self.server, &review)?;
                let detail = json!({
                    "review": review.id, "evidence": self.evidence, "attempt": review.attempt,
                    "outcome": outcome,
                });
                self.scribe
                    .administration(tx, "evidence_review.opened", detail)
            }
        }
    }

    fn recover(&self, tx: &mut Tx<'_>, review: ReviewId) -> Result<()> {
        let closed = Closed {
            resolution: Resolution::Recovered,
            note: String::new(),
            member: None,
            at: self.scribe.at,
        };
        reverification::close_review(tx, &Closer::Server(self.server), review, &closed)?;
        let detail = json!({"review": review, "resolution": closed.resolution});
        self.scribe
            .administration(tx, "evidence_review.resolved", detail)
    }

    fn schedule(&self, tx: &mut Tx<'_>, standing: Standing) -> Result<()> {
        let (due_at, failures) = self.next(standing);
        let site = self.server.site();
        let next = (self.ids.next, due_at);
        replace_job(tx, (site, self.evidence), next, self.scribe.at)?;
        let next = Next {
            job: self.ids.next,
            failures,
            attempt: Some(self.ids.attempt),
        };
        let now = self.scribe.at;
        Ok(reverification::advance(
            tx,
            self.server,
            self.evidence,
            &next,
            now,
        )?)
    }

    /// When it is looked at again, and how many failures in a row there were.
    fn next(&self, standing: Standing) -> (Timestamp, i64) {
        let now = self.scribe.at;
        let failures = standing.failures + 1;
        let soon = now.plus(backoff(failures));
        let regular = standing.cadence.after(now);
        if self.judgement.transient && failures <= MAX_RETRIES {
            (soon.min(regular), failures)
        } else {
            (regular, 0)
        }
    }
}
