//! Governed runs.

use ql_core::access::{ActAsServer, Authorized, WriteRuns};
use ql_core::actor::Actor;
use ql_core::id::{ConnectionId, LeaseToken, RunId, SiteId, TurnId};
use ql_core::page::{Cursor, Page, PageRequest};
use ql_core::run::{Finish, Outcome, Run, RunState};
use ql_core::time::Timestamp;

use crate::{Arg, Result, Row, StoreError, Tx};

statements! {
    INSERT = "INSERT INTO runs (id, organization_id, site_id, agent_id, connection_id, harness, run_type, input, \
        required_outputs, completion_conditions, begun_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    FIND = "SELECT id, organization_id, site_id, agent_id, connection_id, harness, run_type, input, required_outputs, \
        completion_conditions, begun_at, outcome, requested_outcome, reasons, summary, finished_at \
        FROM runs WHERE id = $1 AND site_id = $2";
    STANDING = "SELECT r.connection_id, r.outcome, t.turn_id, t.lease_token FROM runs r \
        LEFT JOIN turn_runs t ON t.run_id = r.id WHERE r.id = $1 AND r.site_id = $2";
    SITE_OF = "SELECT site_id FROM runs WHERE id = $1";
    LIST = "SELECT id, organization_id, site_id, agent_id, connection_id, harness, run_type, input, required_outputs, \
        completion_conditions, begun_at, outcome, requested_outcome, reasons, summary, finished_at \
        FROM runs WHERE site_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    FINISH = "UPDATE runs SET outcome = $3, requested_outcome = $4, reasons = $5, summary = $6, finished_at = $7 \
        WHERE id = $1 AND site_id = $2 AND finished_at IS NULL";
    COUNT_OPEN = "SELECT COUNT(*) FROM runs WHERE finished_at IS NULL";
    ENDED = "SELECT r.id, CASE WHEN c.revoked_at IS NOT NULL THEN 'connection_revoked' \
        WHEN c.expires_at <= $2 THEN 'connection_expired' ELSE 'idle' END \
        FROM runs r JOIN connections c ON c.id = r.connection_id JOIN ledger_heads h ON h.subject = r.id \
        WHERE r.site_id = $1 AND r.finished_at IS NULL \
        AND (c.revoked_at IS NOT NULL OR c.expires_at <= $2 OR h.updated_at <= $3) ORDER BY r.id LIMIT 100";
}

/// The text after every identifier, from which a list that counts down begins.
pub(crate) const AFTER_ALL: &str = "~";

fn read(row: &mut Row) -> Result<Run> {
    Ok(Run {
        id: row.parse()?,
        organization: row.parse()?,
        site: row.parse()?,
        agent: row.parse()?,
        connection: row.parse()?,
        harness: row.parse()?,
        run_type: row.text()?,
        input: row.json()?,
        required_outputs: row.from_json()?,
        completion_conditions: row.from_json()?,
        begun_at: row.time()?,
        state: read_state(row)?,
    })
}

fn read_state(row: &mut Row) -> Result<RunState> {
    let outcome: Option<Outcome> = row.opt_parse()?;
    let requested = row.opt_parse()?;
    let reasons = row.opt_text()?;
    let summary = row.opt_text()?;
    let at = row.opt_time()?;
    match (outcome, at) {
        (None, None) => Ok(RunState::Open),
        (Some(outcome), Some(at)) => Ok(RunState::Finished(Finish {
            requested,
            outcome,
            reasons: serde_json::from_str(&reasons.unwrap_or_default())
                .map_err(|error| row.corrupt(error))?,
            summary: summary.unwrap_or_default(),
            at,
        })),
        (Some(_), None) | (None, Some(_)) => {
            Err(row.corrupt("a finished run to have an outcome and a time"))
        }
    }
}

fn json(value: &impl serde::Serialize) -> Result<Arg<'static>> {
    serde_json::to_string(value)
        .map(Arg::from)
        .map_err(|error| StoreError::Bug(error.to_string()))
}

/// Adds a run of the authorized agent.
pub fn insert(tx: &mut Tx<'_>, authorized: &Authorized<WriteRuns>, run: &Run) -> Result<()> {
    let Actor::Agent {
        agent,
        connection,
        harness,
    } = authorized.actor()
    else {
        return Err(StoreError::Bug("a run belongs to an agent".into()));
    };
    tx.execute_one(
        INSERT,
        &[
            Arg::text(run.id),
            Arg::text(authorized.organization()),
            Arg::text(authorized.site()),
            Arg::text(agent),
            Arg::text(connection),
            harness.as_str().into(),
            (&run.run_type).into(),
            json(&run.input)?,
            json(&run.required_outputs)?,
            json(&run.completion_conditions)?,
            run.begun_at.into(),
        ],
    )
}

/// The run with this id, where it is one of the site's.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: RunId) -> Result<Option<Run>> {
    tx.find(FIND, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// What decides whether a call may work in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The connection that it belongs to.
    pub connection: ConnectionId,
    /// How it ended, where it did.
    pub outcome: Option<Outcome>,
    /// The turn and the lease that it was begun under.
    pub lease: Option<(TurnId, LeaseToken)>,
}

/// What decides whether a call may work in a run.
pub fn find_standing(tx: &mut Tx<'_>, site: SiteId, id: RunId) -> Result<Option<Standing>> {
    tx.find(STANDING, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| {
            Ok(Standing {
                connection: row.parse()?,
                outcome: row.opt_parse()?,
                lease: row.opt_parse()?.zip(row.opt_parse()?),
            })
        })
        .transpose()
}

/// The site that a run belongs to.
pub fn site_of(tx: &mut Tx<'_>, id: RunId) -> Result<Option<SiteId>> {
    tx.find(SITE_OF, &[Arg::text(id)])?
        .map(|mut row| row.parse())
        .transpose()
}

/// The site's runs, newest first.
pub fn list(tx: &mut Tx<'_>, site: SiteId, page: &PageRequest) -> Result<Page<Run>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let rows = tx.list(
        LIST,
        &[Arg::text(site), before.into(), (page.limit() + 1).into()],
        read,
    )?;
    Ok(Page::cut(rows, page, |run| Cursor {
        key: run.begun_at.as_micros(),
        id: run.id.to_string(),
    }))
}

/// How many runs are open on the whole server.
pub fn count_open(tx: &mut Tx<'_>) -> Result<i64> {
    tx.one(COUNT_OPEN, &[])?.int()
}

/// Finishes an open run for the authorized agent.
pub fn finish(
    tx: &mut Tx<'_>,
    authorized: &Authorized<WriteRuns>,
    run: RunId,
    finish: &Finish,
) -> Result<()> {
    store_finish(tx, authorized.site(), run, finish)
}

/// Closes an open run because a rule of the server ends it.
pub fn close(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ActAsServer>,
    run: RunId,
    finish: &Finish,
) -> Result<()> {
    store_finish(tx, authorized.site(), run, finish)
}

fn store_finish(tx: &mut Tx<'_>, site: SiteId, run: RunId, finish: &Finish) -> Result<()> {
    tx.execute_one(
        FINISH,
        &[
            Arg::text(run),
            Arg::text(site),
            finish.outcome.as_str().into(),
            finish.requested.map(Outcome::as_str).into(),
            json(&finish.reasons)?,
            (&finish.summary).into(),
            finish.at.into(),
        ],
    )
}

/// Open runs whose connection ended before `now` or that did nothing since `idle_since`, each with
/// the code of the rule that ends it; at most a hundred at once.
pub fn ended(
    tx: &mut Tx<'_>,
    site: SiteId,
    now: Timestamp,
    idle_since: Timestamp,
) -> Result<Vec<(RunId, String)>> {
    tx.list(
        ENDED,
        &[Arg::text(site), now.into(), idle_since.into()],
        |row| Ok((row.parse()?, row.text()?)),
    )
}
