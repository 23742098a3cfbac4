//! Evidence that is looked at again: targets, looks and reviews.

use ql_core::access::{ActAsServer, Authorized, ReviewEvidence};
use ql_core::id::{AttemptId, EvidenceId, JobId, ReviewId, SiteId};
use ql_core::page::{Cursor, Page, PageRequest};
use ql_core::reverification::{
    Attempt, AttemptStatus, Cadence, Closed, DueJob, OpenReview, Outcome, Resolution, Review,
    Target, TargetState,
};
use ql_core::time::Timestamp;

use crate::run::AFTER_ALL;
use crate::{Arg, Result, Row, StoreError, Tx};

statements! {
    SITE_OF_EVIDENCE = "SELECT c.site_id FROM evidence e JOIN claims c ON c.id = e.claim_id WHERE e.id = $1";
    SITE_OF_REVIEW = "SELECT site_id FROM reverification_reviews WHERE id = $1";
    SOURCE = "SELECT e.source_url, e.excerpt, e.retrieved_at FROM evidence e JOIN claims c ON c.id = e.claim_id \
        WHERE e.id = $1 AND c.site_id = $2";
    PUT = "INSERT INTO reverification_targets (evidence_id, site_id, cadence_days, active, job_id, failures, attempt_id, \
        created_at, updated_at) VALUES ($1, $2, $3, 1, $4, 0, NULL, $5, $5) ON CONFLICT (evidence_id) DO UPDATE \
        SET cadence_days = excluded.cadence_days, active = 1, job_id = excluded.job_id, failures = 0, \
        updated_at = excluded.updated_at";
    STOP = "UPDATE reverification_targets SET active = 0, job_id = NULL, updated_at = $3 \
        WHERE evidence_id = $1 AND site_id = $2 AND active = 1";
    NEXT = "UPDATE reverification_targets SET job_id = $3, failures = $4, attempt_id = COALESCE($5, attempt_id), \
        updated_at = $6 WHERE evidence_id = $1 AND site_id = $2 AND active = 1";
    STANDING = "SELECT cadence_days, failures, job_id FROM reverification_targets \
        WHERE evidence_id = $1 AND site_id = $2 AND active = 1";
    TARGETS = "SELECT evidence_id, claim_id, content_id, revision_id, cadence_days, state, job_id, due_at, attempts, \
        attempt_id, number, at, outcome, reason, review_id, review_outcome, opened_at FROM \
        (SELECT t.evidence_id, e.claim_id, c.content_id, c.revision_id, t.cadence_days, t.site_id, \
        CASE WHEN t.active = 0 THEN 'stopped' WHEN v.id IS NOT NULL THEN 'needs_review' \
        WHEN j.state = 'leased' AND j.lease_until > $4 THEN 'running' \
        WHEN j.due_at <= $4 THEN 'due' ELSE 'scheduled' END AS state, \
        j.id AS job_id, j.due_at, j.attempts, a.id AS attempt_id, a.number, a.at, a.outcome, a.reason, \
        v.id AS review_id, v.outcome AS review_outcome, v.opened_at \
        FROM reverification_targets t JOIN evidence e ON e.id = t.evidence_id JOIN claims c ON c.id = e.claim_id \
        LEFT JOIN jobs j ON j.id = t.job_id AND j.finished_at IS NULL \
        LEFT JOIN reverification_attempts a ON a.id = t.attempt_id \
        LEFT JOIN reverification_reviews v ON v.evidence_id = t.evidence_id AND v.resolved_at IS NULL) AS targets \
        WHERE site_id = $1 AND evidence_id < $2 AND (CAST($3 AS TEXT) IS NULL OR evidence_id = $3) \
        AND (CAST($5 AS TEXT) IS NULL OR state = $5) AND (CAST($6 AS BIGINT) IS NULL OR due_at < $6) \
        ORDER BY evidence_id DESC LIMIT $7";
    INSERT_ATTEMPT = "INSERT INTO reverification_attempts (id, site_id, evidence_id, job_id, number, at, outcome, reason, \
        observation) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    ATTEMPTS = "SELECT id, number, at, outcome, reason, evidence_id, job_id, observation FROM reverification_attempts \
        WHERE evidence_id = $1 AND site_id = $2 AND id < $3 ORDER BY id DESC LIMIT $4";
    FIND_ATTEMPT = "SELECT id, number, at, outcome, reason, evidence_id, job_id, observation FROM reverification_attempts \
        WHERE id = $1 AND site_id = $2";
    OPEN_REVIEW = "INSERT INTO reverification_reviews (id, site_id, evidence_id, attempt_id, outcome, opened_at) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    RENEW_REVIEW = "UPDATE reverification_reviews SET attempt_id = $3, outcome = $4 \
        WHERE evidence_id = $1 AND site_id = $2 AND resolved_at IS NULL";
    CLOSE_REVIEW = "UPDATE reverification_reviews SET resolution = $3, note = $4, member_id = $5, resolved_at = $6 \
        WHERE id = $1 AND site_id = $2 AND resolved_at IS NULL";
    STANDING_REVIEW = "SELECT id, outcome FROM reverification_reviews WHERE evidence_id = $1 AND site_id = $2 \
        AND resolved_at IS NULL";
    FIND_REVIEW = "SELECT id, evidence_id, attempt_id, outcome, opened_at, resolution, note, member_id, resolved_at \
        FROM reverification_reviews WHERE id = $1 AND site_id = $2";
    REVIEWS = "SELECT id, evidence_id, attempt_id, outcome, opened_at, resolution, note, member_id, resolved_at \
        FROM reverification_reviews WHERE site_id = $1 AND id < $2 \
        AND (CAST($3 AS BIGINT) IS NULL OR $3 = CASE WHEN resolved_at IS NULL THEN 1 ELSE 0 END) \
        ORDER BY id DESC LIMIT $4";
    ADRIFT = "SELECT COUNT(*) FROM reverification_targets t LEFT JOIN jobs j ON j.id = t.job_id AND j.finished_at IS NULL \
        WHERE t.active = 1 AND j.id IS NULL";
}

/// What is looked at: the source of a piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it is.
    pub url: String,
    /// The words that were taken from it.
    pub excerpt: String,
    /// When.
    pub retrieved_at: Timestamp,
}

/// What a look needs to know of its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// How often.
    pub cadence: Cadence,
    /// How many looks in a row failed in a way that may pass.
    pub failures: i64,
    /// The job that looks next.
    pub job: Option<JobId>,
}

/// Which targets to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filter {
    /// Those of this evidence.
    pub evidence: Option<EvidenceId>,
    /// Those that stand so.
    pub state: Option<TargetState>,
    /// Those that are due before this instant.
    pub due_before: Option<Timestamp>,
}

/// The site that evidence belongs to.
pub fn site_of(tx: &mut Tx<'_>, id: EvidenceId) -> Result<Option<SiteId>> {
    tx.find(SITE_OF_EVIDENCE, &[Arg::text(id)])?
        .map(|mut row| row.parse())
        .transpose()
}

/// The site that a review belongs to.
pub fn site_of_review(tx: &mut Tx<'_>, id: ReviewId) -> Result<Option<SiteId>> {
    tx.find(SITE_OF_REVIEW, &[Arg::text(id)])?
        .map(|mut row| row.parse())
        .transpose()
}

/// The source of a piece of the site's evidence.
pub fn find_source(tx: &mut Tx<'_>, site: SiteId, id: EvidenceId) -> Result<Option<Source>> {
    let found = tx.find(SOURCE, &[Arg::text(id), Arg::text(site)])?;
    found
        .map(|mut row| {
            Ok(Source {
                url: row.text()?,
                excerpt: row.text()?,
                retrieved_at: row.time()?,
            })
        })
        .transpose()
}

/// What a look needs to know of a target of the site that isn't stopped.
pub fn find_standing(tx: &mut Tx<'_>, site: SiteId, id: EvidenceId) -> Result<Option<Standing>> {
    let found = tx.find(STANDING, &[Arg::text(id), Arg::text(site)])?;
    found
        .map(|mut row| {
            let days = row.int()?;
            Ok(Standing {
                cadence: Cadence::new(days).map_err(|error| row.corrupt(error))?,
                failures: row.int()?,
                job: row.opt_parse()?,
            })
        })
        .transpose()
}

/// Has evidence of the site looked at again, at this cadence from this job on.
pub fn put(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ReviewEvidence>,
    evidence: EvidenceId,
    (cadence, job): (Cadence, JobId),
    now: Timestamp,
) -> Result<()> {
    let args = [
        Arg::text(evidence),
        Arg::text(authorized.site()),
        cadence.days().into(),
        Arg::text(job),
        now.into(),
    ];
    tx.execute_one(PUT, &args)
}

/// Has evidence looked at no more; false when it wasn't.
pub fn stop(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ReviewEvidence>,
    evidence: EvidenceId,
    now: Timestamp,
) -> Result<bool> {
    let args = [
        Arg::text(evidence),
        Arg::text(authorized.site()),
        now.into(),
    ];
    Ok(tx.execute(STOP, &args)? == 1)
}

/// What follows for a target.
#[derive(Debug, Clone, Copy)]
pub struct Next {
    /// The job that looks next.
    pub job: JobId,
    /// How many looks in a row failed in a way that may pass.
    pub failures: i64,
    /// The look that has just ended, where one has.
    pub attempt: Option<AttemptId>,
}

/// Moves a target on to its next job.
pub fn advance(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ActAsServer>,
    evidence: EvidenceId,
    next: &Next,
    now: Timestamp,
) -> Result<()> {
    let args = [
        Arg::text(evidence),
        Arg::text(authorized.site()),
        Arg::text(next.job),
        next.failures.into(),
        Arg::opt_text(next.attempt),
        now.into(),
    ];
    tx.execute_one(NEXT, &args)
}

fn read_target(row: &mut Row) -> Result<Target> {
    let (evidence, claim) = (row.parse()?, row.parse()?);
    let (content, revision) = (row.parse()?, row.parse()?);
    let cadence_days = row.int()?;
    let state = row.parse()?;
    Ok(Target {
        evidence,
        claim,
        content,
        revision,
        cadence_days,
        state,
        job: read_job(row)?,
        attempt: read_status(row)?,
        review: read_open_review(row)?,
    })
}

fn read_job(row: &mut Row) -> Result<Option<DueJob>> {
    let (id, due_at, attempts) = (row.opt_parse()?, row.opt_time()?, row.opt_int()?);
    let job = id.zip(due_at).zip(attempts);
    Ok(job.map(|((id, due_at), attempts)| DueJob {
        id,
        due_at,
        attempts,
    }))
}

fn read_status(row: &mut Row) -> Result<Option<AttemptStatus>> {
    let (id, number, at) = (row.opt_parse()?, row.opt_int()?, row.opt_time()?);
    let (outcome, reason) = (row.opt_parse()?, row.opt_text()?);
    let status = id.zip(number).zip(at).zip(outcome);
    Ok(status.map(|(((id, number), at), outcome)| AttemptStatus {
        id,
        number,
        at,
        outcome,
        reason,
    }))
}

fn read_open_review(row: &mut Row) -> Result<Option<OpenReview>> {
    let (id, outcome, opened_at) = (row.opt_parse()?, row.opt_parse()?, row.opt_time()?);
    let review = id.zip(outcome).zip(opened_at);
    Ok(review.map(|((id, outcome), opened_at)| OpenReview {
        id,
        outcome,
        opened_at,
    }))
}

/// The site's targets as they stand at `now`, the newest evidence first.
pub fn list(
    tx: &mut Tx<'_>,
    site: SiteId,
    (filter, now): (&Filter, Timestamp),
    page: &PageRequest,
) -> Result<Page<Target>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let args = [
        Arg::text(site),
        before.into(),
        Arg::opt_text(filter.evidence),
        now.into(),
        filter.state.map(TargetState::as_str).into(),
        filter.due_before.into(),
        (page.limit() + 1).into(),
    ];
    let targets = tx.list(TARGETS, &args, read_target)?;
    Ok(Page::cut(targets, page, |target| Cursor {
        key: 0,
        id: target.evidence.to_string(),
    }))
}

/// Keeps a look of the server's.
pub fn insert_attempt(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ActAsServer>,
    attempt: &Attempt,
) -> Result<()> {
    let observation = serde_json::to_string(&attempt.observation)
        .map_err(|error| StoreError::Bug(error.to_string()))?;
    let status = &attempt.status;
    tx.execute_one(
        INSERT_ATTEMPT,
        &[
            Arg::text(status.id),
            Arg::text(authorized.site()),
            Arg::text(attempt.evidence),
            Arg::text(attempt.job),
            status.number.into(),
            status.at.into(),
            status.outcome.as_str().into(),
            status.reason.as_deref().into(),
            observation.into(),
        ],
    )
}

fn read_attempt(row: &mut Row) -> Result<Attempt> {
    Ok(Attempt {
        status: AttemptStatus {
            id: row.parse()?,
            number: row.int()?,
            at: row.time()?,
            outcome: row.parse()?,
            reason: row.opt_text()?,
        },
        evidence: row.parse()?,
        job: row.parse()?,
        observation: row.from_json()?,
    })
}

/// One look of the site's.
pub fn find_attempt(tx: &mut Tx<'_>, site: SiteId, id: AttemptId) -> Result<Option<Attempt>> {
    tx.find(FIND_ATTEMPT, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| read_attempt(&mut row))
        .transpose()
}

/// The looks at a piece of the site's evidence, newest first.
pub fn list_attempts(
    tx: &mut Tx<'_>,
    site: SiteId,
    evidence: EvidenceId,
    page: &PageRequest,
) -> Result<Page<Attempt>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let args = [
        Arg::text(evidence),
        Arg::text(site),
        before.into(),
        (page.limit() + 1).into(),
    ];
    let attempts = tx.list(ATTEMPTS, &args, read_attempt)?;
    Ok(Page::cut(attempts, page, |attempt| Cursor {
        key: attempt.status.at.as_micros(),
        id: attempt.status.id.to_string(),
    }))
}

/// The open review of a piece of evidence, with what it is about.
pub fn find_open_review(
    tx: &mut Tx<'_>,
    site: SiteId,
    evidence: EvidenceId,
) -> Result<Option<(ReviewId, Outcome)>> {
    tx.find(STANDING_REVIEW, &[Arg::text(evidence), Arg::text(site)])?
        .map(|mut row| Ok((row.parse()?, row.parse()?)))
        .transpose()
}

/// Opens a review.
pub fn open_review(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ActAsServer>,
    review: &Review,
) -> Result<()> {
    let args = [
        Arg::text(review.id),
        Arg::text(authorized.site()),
        Arg::text(review.evidence),
        Arg::text(review.attempt),
        review.outcome.as_str().into(),
        review.opened_at.into(),
    ];
    tx.execute_one(OPEN_REVIEW, &args)
}

/// Makes the open review of a piece of evidence one about a newer look.
pub fn renew_review(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ActAsServer>,
    attempt: &Attempt,
) -> Result<()> {
    let args = [
        Arg::text(attempt.evidence),
        Arg::text(authorized.site()),
        Arg::text(attempt.status.id),
        attempt.status.outcome.as_str().into(),
    ];
    tx.execute_one(RENEW_REVIEW, &args)
}

/// Who closes a review.
#[derive(Debug)]
pub enum Closer<'a> {
    /// A member.
    Member(&'a Authorized<ReviewEvidence>),
    /// The server.
    Server(&'a Authorized<ActAsServer>),
}

/// Closes an open review; false when it is closed already.
pub fn close_review(
    tx: &mut Tx<'_>,
    by: &Closer<'_>,
    id: ReviewId,
    closed: &Closed,
) -> Result<bool> {
    let site = match by {
        Closer::Member(authorized) => authorized.site(),
        Closer::Server(authorized) => authorized.site(),
    };
    let args = [
        Arg::text(id),
        Arg::text(site),
        closed.resolution.as_str().into(),
        (&closed.note).into(),
        Arg::opt_text(closed.member),
        closed.at.into(),
    ];
    Ok(tx.execute(CLOSE_REVIEW, &args)? == 1)
}

fn read_review(row: &mut Row) -> Result<Review> {
    let (id, evidence, attempt) = (row.parse()?, row.parse()?, row.parse()?);
    let (outcome, opened_at) = (row.parse()?, row.time()?);
    let (resolution, note): (Option<Resolution>, _) = (row.opt_parse()?, row.opt_text()?);
    let (member, at) = (row.opt_parse()?, row.opt_time()?);
    let closed = resolution.zip(at).map(|(resolution, at)| Closed {
        resolution,
        note: note.unwrap_or_default(),
        member,
        at,
    });
    Ok(Review {
        id,
        evidence,
        attempt,
        outcome,
        opened_at,
        closed,
    })
}

/// The review with this id, where it is one of the site's.
pub fn find_review(tx: &mut Tx<'_>, site: SiteId, id: ReviewId) -> Result<Option<Review>> {
    tx.find(FIND_REVIEW, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| read_review(&mut row))
        .transpose()
}

/// The site's reviews, newest first; open or closed ones alone where `open` says so.
pub fn list_reviews(
    tx: &mut Tx<'_>,
    site: SiteId,
    open: Option<bool>,
    page: &PageRequest,
) -> Result<Page<Review>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let args = [
        Arg::text(site),
        before.into(),
        open.map_or(Arg::Null, Arg::from),
        (page.limit() + 1).into(),
    ];
    let reviews = tx.list(REVIEWS, &args, read_review)?;
    Ok(Page::cut(reviews, page, |review| Cursor {
        key: review.opened_at.as_micros(),
        id: review.id.to_string(),
    }))
}

/// How many targets are to be looked at and have no job that does: zero on a server that works.
pub fn adrift(tx: &mut Tx<'_>) -> Result<i64> {
    tx.one(ADRIFT, &[])?.int()
}
