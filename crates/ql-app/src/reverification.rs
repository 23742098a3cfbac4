//! Evidence that is looked at again: scheduled and reviewed by members, followed by agents.

use ql_core::access::{ReadAdministration, ReadContent, ReviewEvidence};
use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::{EvidenceId, JobId, ReviewId, SiteId};
use ql_core::page::{Page, PageRequest};
use ql_core::reverification::{Attempt, Cadence, Closed, Resolution, Review, Target};
use ql_core::time::Timestamp;
use ql_store::job::{self, NewJob};
pub use ql_store::reverification::Filter;
use ql_store::reverification::{self, Closer, Source};
use ql_store::{Tx, evidence};
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::text::Checks;

mod worker;

/// The kind of job that looks at evidence again.
pub(crate) const REVERIFY_JOB: &str = "fetch.reverify";

const NO_TARGET: Error = Error::NotFound("re-verification of this evidence");

/// What a member makes of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewResolution {
    /// The review.
    pub review: ReviewId,
    /// What is made of it.
    pub resolution: Resolution,
    /// In which words.
    pub note: String,
}

/// A review with what was expected and what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewView {
    /// The review.
    pub review: Review,
    /// The claim, with the evidence among its own.
    pub claim: ql_core::evidence::Claim,
    /// The look that it is about.
    pub attempt: Attempt,
}

impl ReviewView {
    /// The evidence that is reviewed.
    pub fn evidence(&self) -> Option<&ql_core::evidence::Evidence> {
        let all = &self.claim.evidence;
        all.iter()
            .find(|evidence| evidence.id == self.review.evidence)
    }
}

impl App {
    /// Has evidence looked at again every so many days. It is due at once where the last look, or
    /// its retrieval, is longer ago.
    pub async fn set_reverification(
        &self,
        ctx: &OpContext,
        id: EvidenceId,
        cadence_days: i64,
    ) -> Result<Target> {
        let authorized = ctx.authorize::<ReviewEvidence>()?;
        let cadence = Cadence::new(cadence_days)
            .map_err(|error| Error::invalid("/cadence_days", "range", error.to_string()))?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let job = JobId::mint(scribe.ids(), scribe.at);
        self.store()
            .write(move |tx| {
                let site = authorized.site();
                let source = require_source(tx, site, id)?;
                let since = last_look(tx, site, id)?.unwrap_or(source.retrieved_at);
                let due_at = cadence.after(since).max(scribe.at);
                let due_at = replace_job(tx, (site, id), (job, due_at), scribe.at)?;
                reverification::put(tx, &authorized, id, (cadence, job), scribe.at)?;
                let detail = json!({
                    "evidence": id, "cadence_days": cadence.days(), "job": job, "due_at": due_at,
                });
                scribe.administration(tx, "reverification.scheduled", detail)?;
                view_target(tx, site, id, scribe.at)
            })
            .await
    }

    /// Has evidence looked at now, and from now on at its cadence.
    pub async fn run_reverification_now(&self, ctx: &OpContext, id: EvidenceId) -> Result<Target> {
        let authorized = ctx.authorize::<ReviewEvidence>()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let job = JobId::mint(scribe.ids(), scribe.at);
        self.store()
            .write(move |tx| {
                let site = authorized.site();
                require_source(tx, site, id)?;
                let standing = reverification::find_standing(tx, site, id)?.ok_or(NO_TARGET)?;
                let shown = view_target(tx, site, id, scribe.at)?;
                let under_way = shown.job.is_some_and(|job| job.due_at <= scribe.at);
                if under_way {
                    return Ok(shown);
                }
                let due_at = replace_job(tx, (site, id), (job, scribe.at), scribe.at)?;
                reverification::put(tx, &authorized, id, (standing.cadence, job), scribe.at)?;
                let detail = json!({"evidence": id, "job": job, "due_at": due_at});
                scribe.administration(tx, "reverification.asked_for", detail)?;
                view_target(tx, site, id, scribe.at)
            })
            .await
    }

    /// Has evidence looked at no more. What was seen and what waits for a person stays.
    pub async fn stop_reverification(&self, ctx: &OpContext, id: EvidenceId) -> Result<Target> {
        let authorized = ctx.authorize::<ReviewEvidence>()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        self.store()
            .write(move |tx| {
                let site = authorized.site();
                require_source(tx, site, id)?;
                if !reverification::stop(tx, &authorized, id, scribe.at)? {
                    return Err(NO_TARGET);
                }
                job::cancel(tx, REVERIFY_JOB, &id.to_string(), site, scribe.at)?;
                let detail = json!({"evidence": id});
                scribe.administration(tx, "reverification.stopped", detail)?;
                view_target(tx, site, id, scribe.at)
            })
            .await
    }

    /// The site's targets with their due job, newest look and open review: nothing of what a source
    /// says.
    pub async fn list_reverification(
        &self,
        ctx: &OpContext,
        filter: Filter,
        page: &PageRequest,
    ) -> Result<Page<Target>> {
        let site = ctx.authorize::<ReadContent>()?.site();
        let (page, now) = (page.clone(), self.now());
        self.store()
            .read(move |tx| {
                let now = tx.lease_clock(now)?;
                Ok(reverification::list(tx, site, (&filter, now), &page)?)
            })
            .await
    }

    /// The looks at a piece of evidence with everything that was seen, newest first; for members.
    pub async fn list_reverification_attempts(
        &self,
        ctx: &OpContext,
        id: EvidenceId,
        page: &PageRequest,
    ) -> Result<Page<Attempt>> {
        let site = ctx.authorize::<ReadAdministration>()?.site();
        let page = page.clone();
        self.store()
            .read(move |tx| {
                require_source(tx, site, id)?;
                Ok(reverification::list_attempts(tx, site, id, &page)?)
            })
            .await
    }

    /// The site's reviews, newest first; open or closed ones alone where `open` says so. For members.
    pub async fn list_evidence_reviews(
        &self,
        ctx: &OpContext,
        open: Option<bool>,
        page: &PageRequest,
    ) -> Result<Page<Review>> {
        let site = ctx.authorize::<ReadAdministration>()?.site();
        let page = page.clone();
        self.store()
            .read(move |tx| Ok(reverification::list_reviews(tx, site, open, &page)?))
            .await
    }

    /// One review with what was expected and what was found; for members.
    pub async fn get_evidence_review(&self, ctx: &OpContext, id: ReviewId) -> Result<ReviewView> {
        let site = ctx.authorize::<ReadAdministration>()?.site();
        self.store().read(move |tx| view_review(tx, site, id)).await
    }

    /// Closes a review with what a member makes of it.
    pub async fn resolve_evidence_review(
        &self,
        ctx: &OpContext,
        new: NewResolution,
    ) -> Result<ReviewView> {
        let authorized = ctx.authorize::<ReviewEvidence>()?;
        let Actor::Member(member) = authorized.actor() else {
            return Err(Error::Denied(ql_core::access::Denied::MembersOnly));
        };
        let mut checks = Checks::default();
        checks.text("/note", &new.note, 4000);
        let by_members = Resolution::BY_MEMBERS.contains(&new.resolution);
        let message = "expected holds, outdated or dismissed";
        checks.that(by_members, "/resolution", "choice", message);
        checks.finish()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        self.store()
            .write(move |tx| {
                let site = authorized.site();
                require_review(tx, site, new.review)?;
                let closed = Closed {
                    resolution: new.resolution,
                    note: new.note.clone(),
                    member: Some(member),
                    at: scribe.at,
                };
                let by = Closer::Member(&authorized);
                if !reverification::close_review(tx, &by, new.review, &closed)? {
                    let message = "this review is closed already";
                    return Err(Error::invalid("", "closed", message));
                }
                let detail = json!({
                    "review": new.review, "resolution": new.resolution,
                    "note_sha256": Digest::of(new.note.as_bytes()),
                });
                scribe.administration(tx, "evidence_review.resolved", detail)?;
                view_review(tx, site, new.review)
            })
            .await
    }
}

fn require_source(tx: &mut Tx<'_>, site: SiteId, id: EvidenceId) -> Result<Source> {
    reverification::find_source(tx, site, id)?.ok_or(Error::NotFound("evidence"))
}

fn require_review(tx: &mut Tx<'_>, site: SiteId, id: ReviewId) -> Result<Review> {
    reverification::find_review(tx, site, id)?.ok_or(Error::NotFound("evidence review"))
}

fn view_target(tx: &mut Tx<'_>, site: SiteId, id: EvidenceId, now: Timestamp) -> Result<Target> {
    let filter = Filter {
        evidence: Some(id),
        ..Filter::default()
    };
    let now = tx.lease_clock(now)?;
    let found = reverification::list(tx, site, (&filter, now), &PageRequest::default())?;
    found.items.into_iter().next().ok_or(NO_TARGET)
}

fn view_review(tx: &mut Tx<'_>, site: SiteId, id: ReviewId) -> Result<ReviewView> {
    let review = require_review(tx, site, id)?;
    let missing = |what| Error::Fault(format!("review {id} has no {what}"));
    let claim = evidence::find_claim_of(tx, site, review.evidence)?;
    Ok(ReviewView {
        claim: claim.ok_or_else(|| missing("claim"))?,
        attempt: reverification::find_attempt(tx, site, review.attempt)?
            .ok_or_else(|| missing("attempt"))?,
        review,
    })
}

fn last_look(tx: &mut Tx<'_>, site: SiteId, id: EvidenceId) -> Result<Option<Timestamp>> {
    let newest = PageRequest::new(Some(1), None);
    let attempts = reverification::list_attempts(tx, site, id, &newest)?;
    Ok(attempts.items.first().map(|attempt| attempt.status.at))
}

/// Puts a job in the place of whatever was to look before; answers when it is due. An instant is
/// used once for each piece of evidence, so it may be a moment later than was asked for.
pub(crate) fn replace_job(
    tx: &mut Tx<'_>,
    (site, evidence): (SiteId, EvidenceId),
    (id, due_at): (JobId, Timestamp),
    now: Timestamp,
) -> Result<Timestamp> {
    let subject = evidence.to_string();
    job::cancel(tx, REVERIFY_JOB, &subject, site, now)?;
    let mut due_at = due_at;
    while job::is_used(tx, REVERIFY_JOB, &subject, due_at)? {
        due_at = due_at.plus(std::time::Duration::from_micros(1));
    }
    let new = NewJob {
        id,
        kind: REVERIFY_JOB,
        subject: &subject,
        site,
        due_at,
    };
    job::insert(tx, new, now)?;
    Ok(due_at)
}

/// Whether a target stands where a look found it: not stopped, and still meant for this job.
pub(crate) fn is_meant_for(standing: Option<&reverification::Standing>, job: JobId) -> bool {
    standing.is_some_and(|standing| standing.job == Some(job))
}
