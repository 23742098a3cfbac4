//! Ways out of productions that people took, and what goes out beside the site.

use ql_core::access::{ActAsServer, Authorized, Decide};
use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::{ProductionId, ProposalId};
use ql_core::time::Timestamp;

use crate::{Arg, Result, Row, Tx};

statements! {
    TAKE = "INSERT INTO production_exits (production_id, number, stage, reason, reopened, proposal_id, taken_by, taken_at) \
        VALUES ($1, (SELECT COALESCE(MAX(number), 0) + 1 FROM production_exits WHERE production_id = $1), $2, $3, $4, $5, $6, $7)";
    LIST = "SELECT number, stage, reason, reopened, proposal_id, taken_by, taken_at FROM production_exits \
        WHERE production_id = $1 ORDER BY number";
    RELEASED_BY = "SELECT production_id FROM releases WHERE proposal_id = $1";
    LEFT_BY = "SELECT production_id FROM production_exits WHERE proposal_id = $1";
    PLAN = "INSERT INTO parcels (production_id, release, kind, outlet, sha256, planned_at, sent_at) \
        VALUES ($1, $2, $3, $4, $5, $6, NULL) ON CONFLICT (production_id, release, kind, outlet) DO NOTHING";
    SENT = "UPDATE parcels SET sent_at = $5 WHERE production_id = $1 AND release = $2 AND kind = $3 AND outlet = $4 \
        AND sent_at IS NULL";
    PARCELS = "SELECT release, kind, outlet, sha256, planned_at, sent_at FROM parcels WHERE production_id = $1 \
        ORDER BY release, kind, outlet";
}

/// A way out that a person took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// Its number, from 1; set when it's kept.
    pub number: i64,
    /// The way out, a stage of the policy.
    pub stage: String,
    /// Why.
    pub reason: String,
    /// The stage that is done again; none where the production ends.
    pub reopened: Option<String>,
    /// The proposal that takes the page off the site, where it is live.
    pub proposal: Option<ProposalId>,
    /// Who took it.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
}

/// Keeps that a person took a way out.
pub fn take(
    tx: &mut Tx<'_>,
    _: &Authorized<Decide>,
    production: ProductionId,
    exit: &Exit,
) -> Result<()> {
    let args = [
        Arg::text(production),
        (&exit.stage).into(),
        (&exit.reason).into(),
        exit.reopened.as_deref().into(),
        Arg::opt_text(exit.proposal),
        exit.by.to_text().into(),
        exit.at.into(),
    ];
    tx.execute_one(TAKE, &args)
}

/// The ways out that were taken of a production, in order.
pub fn list(tx: &mut Tx<'_>, production: ProductionId) -> Result<Vec<Exit>> {
    tx.list(LIST, &[Arg::text(production)], |row| {
        Ok(Exit {
            number: row.int()?,
            stage: row.text()?,
            reason: row.text()?,
            reopened: row.opt_text()?,
            proposal: row.opt_parse()?,
            by: row.actor()?,
            at: row.time()?,
        })
    })
}

/// The production whose release or withdrawal a proposal is, where it is one's.
pub fn find_by_proposal(tx: &mut Tx<'_>, proposal: ProposalId) -> Result<Option<ProductionId>> {
    for statement in [RELEASED_BY, LEFT_BY] {
        if let Some(mut row) = tx.find(statement, &[Arg::text(proposal)])? {
            return Ok(Some(row.parse()?));
        }
    }
    Ok(None)
}

/// Something that goes out beside the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParcelRecord {
    /// The number of the release that it is about.
    pub release: i64,
    /// `release` or `withdrawal`.
    pub kind: String,
    /// Where to.
    pub outlet: String,
    /// The digest of what is in it.
    pub sha256: Digest,
    /// When it was written down, before its first byte.
    pub planned_at: Timestamp,
    /// When all of it was there.
    pub sent_at: Option<Timestamp>,
}

/// Writes down what is going to be sent.
pub fn plan_parcel(
    tx: &mut Tx<'_>,
    _: &Authorized<ActAsServer>,
    production: ProductionId,
    parcel: &ParcelRecord,
) -> Result<()> {
    let args = [
        Arg::text(production),
        parcel.release.into(),
        (&parcel.kind).into(),
        (&parcel.outlet).into(),
        (&parcel.sha256).into(),
        parcel.planned_at.into(),
    ];
    tx.execute(PLAN, &args)?;
    Ok(())
}

/// Writes down that all of it is there.
pub fn parcel_sent(
    tx: &mut Tx<'_>,
    _: &Authorized<ActAsServer>,
    production: ProductionId,
    parcel: &ParcelRecord,
    at: Timestamp,
) -> Result<()> {
    let args = [
        Arg::text(production),
        parcel.release.into(),
        (&parcel.kind).into(),
        (&parcel.outlet).into(),
        at.into(),
    ];
    tx.execute(SENT, &args)?;
    Ok(())
}

/// What was sent of a production, and what is on its way.
pub fn parcels(tx: &mut Tx<'_>, production: ProductionId) -> Result<Vec<ParcelRecord>> {
    tx.list(PARCELS, &[Arg::text(production)], read_parcel)
}

fn read_parcel(row: &mut Row) -> Result<ParcelRecord> {
    Ok(ParcelRecord {
        release: row.int()?,
        kind: row.text()?,
        outlet: row.text()?,
        sha256: row.digest()?,
        planned_at: row.time()?,
        sent_at: row.opt_time()?,
    })
}
