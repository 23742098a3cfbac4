//! Background jobs: leased with a fencing number, attempts counted when they are claimed.

use std::time::Duration;

use ql_core::id::{ConnectionId, JobId, SiteId};
use ql_core::time::Timestamp;

use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO jobs (id, kind, subject, site_id, due_at, state, attempts, fence, lease_until, error, \
        created_at, finished_at) VALUES ($1, $2, $3, $4, $5, 'waiting', 0, 0, NULL, NULL, $6, NULL)";
    CLAIM = "UPDATE jobs SET state = 'leased', fence = fence + 1, attempts = attempts + 1, lease_until = $2, holder = NULL \
        WHERE id = (SELECT id FROM jobs WHERE finished_at IS NULL AND due_at <= $1 AND kind NOT LIKE 'fetch.%' AND kind NOT LIKE 'stage.%' \
        AND (state = 'waiting' OR lease_until <= $1) ORDER BY due_at, id LIMIT 1) \
        AND finished_at IS NULL AND (state = 'waiting' OR lease_until <= $1) \
        RETURNING id, kind, subject, site_id, due_at, attempts, fence";
    CLAIM_FETCH = "UPDATE jobs SET state = 'leased', fence = fence + 1, attempts = attempts + 1, lease_until = $2, holder = NULL \
        WHERE id = (SELECT id FROM jobs WHERE finished_at IS NULL AND due_at <= $1 AND kind LIKE 'fetch.%' \
        AND (state = 'waiting' OR lease_until <= $1) ORDER BY due_at, id LIMIT 1) \
        AND finished_at IS NULL AND (state = 'waiting' OR lease_until <= $1) \
        RETURNING id, kind, subject, site_id, due_at, attempts, fence";
    CLAIM_STAGE = "UPDATE jobs SET state = 'leased', fence = fence + 1, attempts = attempts + 1, lease_until = $2, holder = NULL \
        WHERE id = (SELECT id FROM jobs WHERE finished_at IS NULL AND due_at <= $1 AND kind LIKE 'stage.%' \
        AND (state = 'waiting' OR lease_until <= $1) ORDER BY due_at, id LIMIT 1) \
        AND finished_at IS NULL AND (state = 'waiting' OR lease_until <= $1) \
        RETURNING id, kind, subject, site_id, due_at, attempts, fence";
    DUE = "SELECT COUNT(*) FROM jobs WHERE finished_at IS NULL AND due_at <= $1 AND kind NOT LIKE 'fetch.%' AND kind NOT LIKE 'stage.%' \
        AND (state = 'waiting' OR lease_until <= $1)";
    DUE_FETCH = "SELECT COUNT(*) FROM jobs WHERE finished_at IS NULL AND due_at <= $1 AND kind LIKE 'fetch.%' \
        AND (state = 'waiting' OR lease_until <= $1)";
    DUE_STAGE = "SELECT COUNT(*) FROM jobs WHERE finished_at IS NULL AND due_at <= $1 AND kind LIKE 'stage.%' \
        AND (state = 'waiting' OR lease_until <= $1)";
    FINISH = "UPDATE jobs SET state = $4, error = $5, finished_at = $3, lease_until = NULL \
        WHERE id = $1 AND fence = $2 AND state = 'leased' AND lease_until > $3";
    RENEW = "UPDATE jobs SET lease_until = $4 WHERE id = $1 AND fence = $2 AND state = 'leased' AND lease_until > $3";
    OFFER = "UPDATE jobs SET state = 'offered', attempts = attempts - 1, lease_until = NULL, holder = NULL \
        WHERE id = $1 AND fence = $2 AND state = 'leased' AND lease_until > $3";
    OFFERED = "SELECT id, kind, subject, site_id, due_at, attempts, fence FROM jobs \
        WHERE site_id = $1 AND kind = $2 AND state = 'offered' ORDER BY due_at, id LIMIT 200";
    ACCEPT = "UPDATE jobs SET state = 'leased', fence = fence + 1, attempts = attempts + 1, lease_until = $3, holder = $4 \
        WHERE id = $1 AND fence = $2 AND state = 'offered' RETURNING id, kind, subject, site_id, due_at, attempts, fence";
    HELD = "SELECT id, kind, subject, site_id, due_at, attempts, fence FROM jobs \
        WHERE site_id = $1 AND kind = $2 AND holder = $3 AND state = 'leased' AND lease_until > $4 ORDER BY due_at, id";
    LET_GO = "UPDATE jobs SET state = 'waiting', lease_until = NULL WHERE state = 'leased' AND holder IS NULL AND finished_at IS NULL";
    RECALL = "UPDATE jobs SET state = 'waiting' WHERE site_id = $1 AND kind = $2 AND state = 'offered'";
    IS_USED = "SELECT COUNT(*) FROM jobs WHERE kind = $1 AND subject = $2 AND due_at = $3";
    CANCEL = "UPDATE jobs SET state = 'cancelled', finished_at = $4, fence = fence + 1, lease_until = NULL \
        WHERE kind = $1 AND subject = $2 AND site_id = $3 AND finished_at IS NULL";
    STUCK = "SELECT COUNT(*) FROM jobs WHERE finished_at IS NULL AND state = 'leased' AND lease_until <= $1 \
        OR finished_at IS NULL AND state = 'waiting' AND due_at <= $1";
}

/// A job that somebody holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The job.
    pub id: JobId,
    /// What is to be done, such as `publish`.
    pub kind: String,
    /// To what.
    pub subject: String,
    /// On which site.
    pub site: SiteId,
    /// The instant it was meant for; it fences the effect.
    pub due_at: Timestamp,
    /// How often it was claimed, this time included.
    pub attempts: i64,
    /// The number that a completion must carry.
    pub fence: i64,
}

fn read(row: &mut Row) -> Result<Lease> {
    Ok(Lease {
        id: row.parse()?,
        kind: row.text()?,
        subject: row.text()?,
        site: row.parse()?,
        due_at: row.time()?,
        attempts: row.int()?,
        fence: row.int()?,
    })
}

/// A job to be done.
#[derive(Debug, Clone, Copy)]
pub struct NewJob<'a> {
    /// Identity.
    pub id: JobId,
    /// What is to be done.
    pub kind: &'a str,
    /// To what.
    pub subject: &'a str,
    /// On which site.
    pub site: SiteId,
    /// When.
    pub due_at: Timestamp,
}

/// Adds a job.
pub fn insert(tx: &mut Tx<'_>, job: NewJob<'_>, now: Timestamp) -> Result<()> {
    tx.execute_one(
        INSERT,
        &[
            Arg::text(job.id),
            job.kind.into(),
            job.subject.into(),
            Arg::text(job.site),
            job.due_at.into(),
            now.into(),
        ],
    )
}

/// Kinds of work that don't wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// What the server does by itself, at once.
    Own,
    /// What waits for somebody else's server: the kinds that begin with `fetch.`.
    Fetch,
    /// The stages of productions, which wait for agents: the kinds that begin with `stage.`.
    Stage,
}

/// Leases the job of a lane that has been due longest, where one is due and free; the attempt counts
/// from here.
pub fn claim_in(
    tx: &mut Tx<'_>,
    lane: Lane,
    now: Timestamp,
    lease: Duration,
) -> Result<Option<Lease>> {
    let statement = match lane {
        Lane::Own => CLAIM,
        Lane::Fetch => CLAIM_FETCH,
        Lane::Stage => CLAIM_STAGE,
    };
    tx.find(statement, &[now.into(), now.plus(lease).into()])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// As [`claim_in`], of the server's own work.
pub fn claim(tx: &mut Tx<'_>, now: Timestamp, lease: Duration) -> Result<Option<Lease>> {
    claim_in(tx, Lane::Own, now, lease)
}

/// How many jobs of a lane are due by `now` and free.
pub fn count_due(tx: &mut Tx<'_>, lane: Lane, now: Timestamp) -> Result<i64> {
    let statement = match lane {
        Lane::Own => DUE,
        Lane::Fetch => DUE_FETCH,
        Lane::Stage => DUE_STAGE,
    };
    tx.one(statement, &[now.into()])?.int()
}

/// Ends a leased job, `error` saying why it failed; false when the lease was lost, in which case
/// nothing may be kept of its effect.
pub fn finish(tx: &mut Tx<'_>, lease: &Lease, now: Timestamp, error: Option<&str>) -> Result<bool> {
    let state = if error.is_some() { "failed" } else { "done" };
    let args = [
        Arg::text(lease.id),
        lease.fence.into(),
        now.into(),
        state.into(),
        error.into(),
    ];
    Ok(tx.execute(FINISH, &args)? == 1)
}

/// Has a lease end later; false when it was lost.
pub fn renew(tx: &mut Tx<'_>, lease: &Lease, (now, until): (Timestamp, Timestamp)) -> Result<bool> {
    let args = [
        Arg::text(lease.id),
        lease.fence.into(),
        now.into(),
        until.into(),
    ];
    Ok(tx.execute(RENEW, &args)? == 1)
}

/// Gives a leased job to an agent that comes for it; that it was looked at doesn't count as an
/// attempt. False when the lease was lost.
pub fn offer(tx: &mut Tx<'_>, lease: &Lease, now: Timestamp) -> Result<bool> {
    let args = [Arg::text(lease.id), lease.fence.into(), now.into()];
    Ok(tx.execute(OFFER, &args)? == 1)
}

/// The jobs of a kind that wait for agents of a site, those that have waited longest first.
pub fn offered(tx: &mut Tx<'_>, site: SiteId, kind: &str) -> Result<Vec<Lease>> {
    tx.list(OFFERED, &[Arg::text(site), kind.into()], read)
}

/// Leases a job that was offered to an agent's connection, where nobody else has it.
pub fn accept(
    tx: &mut Tx<'_>,
    offered: &Lease,
    holder: ConnectionId,
    until: Timestamp,
) -> Result<Option<Lease>> {
    let args = [
        Arg::text(offered.id),
        offered.fence.into(),
        until.into(),
        Arg::text(holder),
    ];
    tx.find(ACCEPT, &args)?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The jobs of a kind on a site that an agent's connection holds now.
pub fn held(
    tx: &mut Tx<'_>,
    (site, holder): (SiteId, ConnectionId),
    kind: &str,
    now: Timestamp,
) -> Result<Vec<Lease>> {
    let args = [Arg::text(site), kind.into(), Arg::text(holder), now.into()];
    tx.list(HELD, &args, read)
}

/// Ends the leases of the server's own workers, when it's certain that none of them lives: at the
/// start of a server that has its database to itself. What agents hold they keep.
pub fn let_go(tx: &mut Tx<'_>) -> Result<u64> {
    tx.execute(LET_GO, &[])
}

/// Takes back what was offered to agents of a site.
pub fn recall(tx: &mut Tx<'_>, site: SiteId, kind: &str) -> Result<u64> {
    tx.execute(RECALL, &[Arg::text(site), kind.into()])
}

/// Whether a job of a kind for a subject was ever meant for an instant, which fences one job alone.
pub fn is_used(tx: &mut Tx<'_>, kind: &str, subject: &str, due_at: Timestamp) -> Result<bool> {
    let args = [kind.into(), subject.into(), due_at.into()];
    Ok(tx.one(IS_USED, &args)?.int()? > 0)
}

/// Cancels the open jobs of a kind for a subject, leased ones too.
pub fn cancel(
    tx: &mut Tx<'_>,
    kind: &str,
    subject: &str,
    site: SiteId,
    now: Timestamp,
) -> Result<u64> {
    tx.execute(
        CANCEL,
        &[kind.into(), subject.into(), Arg::text(site), now.into()],
    )
}

/// How many jobs were due by `now` and are neither finished nor held: zero on a server that works.
pub fn stuck(tx: &mut Tx<'_>, now: Timestamp) -> Result<i64> {
    tx.one(STUCK, &[now.into()])?.int()
}
