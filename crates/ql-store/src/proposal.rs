//! Proposals and the decisions on them.

use ql_core::access::{ActAsServer, Authorized, MayDecide, MayPropose};
use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::{ContentId, ProposalId, RunId, SiteId};
use ql_core::page::{Cursor, Page, PageRequest};
use ql_core::proposal::{Decision, Payload, Proposal, ProposalKind, ProposalState, Risk};
use ql_core::time::Timestamp;

use crate::run::AFTER_ALL;
use crate::{Arg, Result, Row, StoreError, Tx};

statements! {
    INSERT = "INSERT INTO proposals (id, organization_id, site_id, kind, title, rationale, payload, payload_sha256, \
        resolved, risk, proposer, let_in_by, run_id, state, created_at, expires_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'pending', $14, $15)";
    INSERT_ITEM = "INSERT INTO proposal_items (proposal_id, position, content_id, revision_id) VALUES ($1, $2, $3, $4)";
    FIND = "SELECT id, organization_id, site_id, kind, title, rationale, payload, resolved, risk, proposer, \
        let_in_by, run_id, created_at, expires_at, state, due_at, settled_at, reason, superseded_by \
        FROM proposals WHERE id = $1 AND site_id = $2";
    SITE_OF = "SELECT site_id FROM proposals WHERE id = $1";
    LIST = "SELECT id, organization_id, site_id, kind, title, rationale, payload, resolved, risk, proposer, \
        let_in_by, run_id, created_at, expires_at, state, due_at, settled_at, reason, superseded_by \
        FROM proposals WHERE site_id = $1 AND id < $2 AND (CAST($3 AS TEXT) IS NULL OR state = $3) \
        AND (CAST($4 AS TEXT) IS NULL OR kind = $4) AND (CAST($5 AS TEXT) IS NULL OR run_id = $5) \
        AND (CAST($6 AS TEXT) IS NULL OR risk = $6) AND (CAST($7 AS TEXT) IS NULL OR substr(proposer, 1, length($7)) = $7) \
        ORDER BY id DESC LIMIT $8";
    LIST_BY_STATE = "SELECT id, organization_id, site_id, kind, title, rationale, payload, resolved, risk, proposer, \
        let_in_by, run_id, created_at, expires_at, state, due_at, settled_at, reason, superseded_by \
        FROM proposals WHERE site_id = $1 AND state = $3 AND id < $2 \
        AND (CAST($4 AS TEXT) IS NULL OR kind = $4) AND (CAST($5 AS TEXT) IS NULL OR run_id = $5) \
        AND (CAST($6 AS TEXT) IS NULL OR risk = $6) AND (CAST($7 AS TEXT) IS NULL OR substr(proposer, 1, length($7)) = $7) \
        ORDER BY id DESC LIMIT $8";
    LIST_BY_RUN = "SELECT id, organization_id, site_id, kind, title, rationale, payload, resolved, risk, proposer, \
        let_in_by, run_id, created_at, expires_at, state, due_at, settled_at, reason, superseded_by \
        FROM proposals WHERE run_id = $1 AND site_id = $2 ORDER BY id";
    LIST_BY_CONTENT = "SELECT p.id, p.organization_id, p.site_id, p.kind, p.title, p.rationale, p.payload, p.resolved, \
        p.risk, p.proposer, p.let_in_by, p.run_id, p.created_at, p.expires_at, p.state, p.due_at, p.settled_at, p.reason, \
        p.superseded_by FROM proposals p WHERE p.site_id = $2 AND p.id IN \
        (SELECT i.proposal_id FROM proposal_items i WHERE i.content_id = $1) ORDER BY p.id DESC LIMIT 50";
    COUNT = "SELECT risk, COUNT(*) FROM proposals WHERE site_id = $1 AND state = $2 GROUP BY risk";
    COUNT_PENDING = "SELECT COUNT(*) FROM proposals WHERE state = 'pending'";
    SAME_PENDING = "SELECT id FROM proposals WHERE site_id = $1 AND state = 'pending' AND payload_sha256 = $2 \
        AND substr(proposer, 1, length($3)) = $3 AND kind = $4 ORDER BY id DESC LIMIT 1";
    PENDING_FOR = "SELECT DISTINCT p.id FROM proposals p JOIN proposal_items i ON i.proposal_id = p.id \
        WHERE p.site_id = $1 AND p.state = 'pending' AND p.kind = $2 AND substr(p.proposer, 1, length($3)) = $3 AND i.content_id = $4";
    EXPIRED = "SELECT id FROM proposals WHERE site_id = $1 AND state = 'pending' AND expires_at <= $2 ORDER BY id LIMIT 100";
    SET_STATE = "UPDATE proposals SET state = $4, due_at = $5, settled_at = $6, reason = $7, superseded_by = $8 \
        WHERE id = $1 AND site_id = $2 AND state = $3";
    INSERT_DECISION = "INSERT INTO decisions (id, proposal_id, member_id, verdict, digest, comment, own_proposal, at, \
        let_in_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    DECISIONS = "SELECT id, proposal_id, member_id, verdict, digest, comment, own_proposal, at, let_in_by FROM decisions \
        WHERE proposal_id = $1 ORDER BY id";
}

fn read(row: &mut Row) -> Result<Proposal> {
    let id = row.parse()?;
    let organization = row.parse()?;
    let site = row.parse()?;
    let kind: ProposalKind = row.parse()?;
    let title = row.text()?;
    let rationale = row.text()?;
    let payload = Payload::from_json(kind, row.json()?).map_err(|error| row.corrupt(error))?;
    let resolved = row.from_json()?;
    let risk = row.parse()?;
    let proposer = Actor::from_text(&row.text()?).ok_or_else(|| row.corrupt("an actor"))?;
    let let_in_by = row.opt_actor()?;
    let run = row.opt_parse()?;
    let created_at = row.time()?;
    let expires_at = row.time()?;
    let state = read_state(row)?;
    Ok(Proposal {
        id,
        organization,
        site,
        title,
        rationale,
        payload,
        resolved,
        risk,
        proposer,
        let_in_by,
        run,
        state,
        created_at,
        expires_at,
    })
}

fn read_state(row: &mut Row) -> Result<ProposalState> {
    let name = row.text()?;
    let due_at = row.opt_time()?;
    let settled_at = row.opt_time()?;
    let reason = row.opt_text()?.unwrap_or_default();
    let by = row.opt_parse()?;
    let state = match (name.as_str(), due_at, settled_at, by) {
        ("pending", _, _, _) => ProposalState::Pending,
        ("approved", Some(due_at), _, _) => ProposalState::Approved { due_at },
        ("executed", _, Some(at), _) => ProposalState::Executed { at },
        ("stale", _, Some(at), _) => ProposalState::Stale { at, reason },
        ("execution_failed", _, Some(at), _) => ProposalState::ExecutionFailed { at, reason },
        ("rejected", _, Some(at), _) => ProposalState::Rejected { at },
        ("changes_requested", _, Some(at), _) => ProposalState::ChangesRequested { at },
        ("withdrawn", _, Some(at), _) => ProposalState::Withdrawn { at },
        ("expired", _, Some(at), _) => ProposalState::Expired { at },
        ("superseded", _, Some(at), Some(by)) => ProposalState::Superseded { at, by },
        ("cancelled", _, Some(at), _) => ProposalState::Cancelled { at },
        _ => return Err(row.corrupt("a proposal's state with its times")),
    };
    Ok(state)
}

fn bug(error: &serde_json::Error) -> StoreError {
    StoreError::Bug(error.to_string())
}

/// Adds a pending proposal of the authorized proposer.
pub fn insert(tx: &mut Tx<'_>, may: &MayPropose, proposal: &Proposal) -> Result<()> {
    let payload = ql_core::canon::to_string(&proposal.payload.to_json());
    let resolved = serde_json::to_string(&proposal.resolved).map_err(|error| bug(&error))?;
    tx.execute_one(
        INSERT,
        &[
            Arg::text(proposal.id),
            Arg::text(may.place().organization),
            Arg::text(may.place().site),
            may.kind().as_str().into(),
            (&proposal.title).into(),
            (&proposal.rationale).into(),
            (&payload).into(),
            (&Digest::of(payload.as_bytes())).into(),
            resolved.into(),
            proposal.risk.as_str().into(),
            may.actor().to_text().into(),
            Arg::opt_text(may.let_in_by().map(Actor::to_text)),
            Arg::opt_text(proposal.run),
            proposal.created_at.into(),
            proposal.expires_at.into(),
        ],
    )?;
    for (position, item) in (0_i64..).zip(&proposal.resolved) {
        if let Some(content) = item.content_id {
            let args = [
                Arg::text(proposal.id),
                position.into(),
                Arg::text(content),
                Arg::opt_text(item.revision_id),
            ];
            tx.execute_one(INSERT_ITEM, &args)?;
        }
    }
    Ok(())
}

/// The proposal with this id, where it is one of the site's.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: ProposalId) -> Result<Option<Proposal>> {
    tx.find(FIND, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The site that a proposal belongs to.
pub fn site_of(tx: &mut Tx<'_>, id: ProposalId) -> Result<Option<SiteId>> {
    tx.find(SITE_OF, &[Arg::text(id)])?
        .map(|mut row| row.parse())
        .transpose()
}

/// Which proposals to list; what is `None` doesn't narrow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The name of their state.
    pub state: Option<&'static str>,
    /// Their kind.
    pub kind: Option<ProposalKind>,
    /// The run they were made in.
    pub run: Option<RunId>,
    /// Their risk.
    pub risk: Option<Risk>,
    /// The beginning of their proposer's text, such as `agent:agt_…`.
    pub proposer: Option<String>,
}

/// The site's proposals, newest first.
pub fn list(
    tx: &mut Tx<'_>,
    site: SiteId,
    filter: &Filter,
    page: &PageRequest,
) -> Result<Page<Proposal>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let args = [
        Arg::text(site),
        before.into(),
        filter.state.into(),
        filter.kind.map(ProposalKind::as_str).into(),
        Arg::opt_text(filter.run),
        filter.risk.map(Risk::as_str).into(),
        filter.proposer.as_deref().into(),
        (page.limit() + 1).into(),
    ];
    let statement = if filter.state.is_some() {
        LIST_BY_STATE
    } else {
        LIST
    };
    let rows = tx.list(statement, &args, read)?;
    Ok(Page::cut(rows, page, |proposal| Cursor {
        key: proposal.created_at.as_micros(),
        id: proposal.id.to_string(),
    }))
}

/// The proposals made in a run, oldest first.
pub fn list_by_run(tx: &mut Tx<'_>, site: SiteId, run: RunId) -> Result<Vec<Proposal>> {
    tx.list(LIST_BY_RUN, &[Arg::text(run), Arg::text(site)], read)
}

/// The fifty newest proposals about an item.
pub fn list_by_content(tx: &mut Tx<'_>, site: SiteId, content: ContentId) -> Result<Vec<Proposal>> {
    tx.list(
        LIST_BY_CONTENT,
        &[Arg::text(content), Arg::text(site)],
        read,
    )
}

/// How many proposals wait for people on the whole server.
pub fn count_pending(tx: &mut Tx<'_>) -> Result<i64> {
    tx.one(COUNT_PENDING, &[])?.int()
}

/// How many proposals of the site are in a state, risk by risk.
pub fn count(tx: &mut Tx<'_>, site: SiteId, state: &'static str) -> Result<Vec<(Risk, i64)>> {
    tx.list(COUNT, &[Arg::text(site), state.into()], |row| {
        Ok((row.parse()?, row.int()?))
    })
}

/// The newest pending proposal of the same proposer that asks for exactly the same.
pub fn find_same_pending(
    tx: &mut Tx<'_>,
    may: &MayPropose,
    payload: &Payload,
) -> Result<Option<ProposalId>> {
    let digest = ql_core::canon::digest(&payload.to_json());
    let args = [
        Arg::text(may.place().site),
        (&digest).into(),
        may.actor().identity().into(),
        may.kind().as_str().into(),
    ];
    tx.find(SAME_PENDING, &args)?
        .map(|mut row| row.parse())
        .transpose()
}

/// The pending proposals of the same kind and proposer that are about an item.
pub fn pending_for(
    tx: &mut Tx<'_>,
    may: &MayPropose,
    content: ContentId,
) -> Result<Vec<ProposalId>> {
    let args = [
        Arg::text(may.place().site),
        may.kind().as_str().into(),
        may.actor().identity().into(),
        Arg::text(content),
    ];
    tx.list(PENDING_FOR, &args, Row::parse)
}

/// Pending proposals of the site whose time ran out by `now`; at most a hundred at once.
pub fn expired(tx: &mut Tx<'_>, site: SiteId, now: Timestamp) -> Result<Vec<ProposalId>> {
    tx.list(EXPIRED, &[Arg::text(site), now.into()], Row::parse)
}

/// Who may change a proposal's state.
#[derive(Debug)]
pub enum Mover<'a> {
    /// A member who decides.
    Decider(&'a MayDecide),
    /// The proposer.
    Proposer(&'a MayPropose),
    /// The server.
    Server(&'a Authorized<ActAsServer>),
}

impl Mover<'_> {
    fn site(&self) -> SiteId {
        match self {
            Self::Decider(may) => may.place().site,
            Self::Proposer(may) => may.place().site,
            Self::Server(authorized) => authorized.site(),
        }
    }
}

/// Moves a proposal from the state that was read to the next; a proposal that moved meanwhile is a
/// conflict.
pub fn set_state(
    tx: &mut Tx<'_>,
    by: &Mover<'_>,
    id: ProposalId,
    (from, to): (&ProposalState, &ProposalState),
) -> Result<()> {
    let due_at = match to {
        ProposalState::Approved { due_at } => Some(*due_at),
        _ => match from {
            ProposalState::Approved { due_at } => Some(*due_at),
            _ => None,
        },
    };
    let superseded_by = match to {
        ProposalState::Superseded { by, .. } => Some(*by),
        _ => None,
    };
    tx.execute_one(
        SET_STATE,
        &[
            Arg::text(id),
            Arg::text(by.site()),
            from.as_str().into(),
            to.as_str().into(),
            due_at.into(),
            to.settled_at().into(),
            to.reason().into(),
            Arg::opt_text(superseded_by),
        ],
    )
}

fn read_decision(row: &mut Row) -> Result<Decision> {
    Ok(Decision {
        id: row.parse()?,
        proposal: row.parse()?,
        member: row.parse()?,
        verdict: row.parse()?,
        digest: row.digest()?,
        comment: row.text()?,
        own_proposal: row.flag()?,
        at: row.time()?,
        let_in_by: row.opt_actor()?,
    })
}

/// Adds a decision of the authorized member.
pub fn insert_decision(tx: &mut Tx<'_>, may: &MayDecide, decision: &Decision) -> Result<()> {
    tx.execute_one(
        INSERT_DECISION,
        &[
            Arg::text(decision.id),
            Arg::text(decision.proposal),
            Arg::text(may.member().member),
            decision.verdict.as_str().into(),
            (&decision.digest).into(),
            (&decision.comment).into(),
            decision.own_proposal.into(),
            decision.at.into(),
            Arg::opt_text(decision.let_in_by.map(Actor::to_text)),
        ],
    )
}

/// Every decision on a proposal, oldest first.
pub fn decisions(tx: &mut Tx<'_>, proposal: ProposalId) -> Result<Vec<Decision>> {
    tx.list(DECISIONS, &[Arg::text(proposal)], read_decision)
}
