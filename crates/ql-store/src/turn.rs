//! Turns of conversations and the leases on them.

use ql_core::access::{Authorized, WriteRuns};
use ql_core::actor::Actor;
use ql_core::id::{ConnectionId, ConversationId, LeaseToken, RunId, SiteId, StepId, TurnId};
use ql_core::time::Timestamp;
use ql_core::turn::{Ended, Lease, Turn, TurnOutcome, TurnState};

use crate::conversation::Hand;
use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO turns (id, conversation_id, number, author, step_id, message, state, attempts, fence, \
        created_at) VALUES ($1, $2, $8, $3, $4, $5, 'queued', $6, $6, $7)";
    FIND = "SELECT t.id, t.conversation_id, t.number, t.author, t.step_id, t.message, t.attempts, t.fence, t.reason, \
        t.created_at, t.state, t.lease_token, t.lease_connection, t.lease_until, t.reply, t.run_id, t.proposal_id, \
        t.ended_lease, t.ended_at FROM turns t JOIN conversations c ON c.id = t.conversation_id WHERE t.id = $1 AND c.site_id = $2";
    NEXT = "SELECT id, conversation_id, number, author, step_id, message, attempts, fence, reason, created_at, state, \
        lease_token, lease_connection, lease_until, reply, run_id, proposal_id, ended_lease, ended_at FROM turns \
        WHERE conversation_id = $1 AND ended_at IS NULL ORDER BY number LIMIT 1";
    HELD = "SELECT id, conversation_id, number, author, step_id, message, attempts, fence, reason, created_at, state, \
        lease_token, lease_connection, lease_until, reply, run_id, proposal_id, ended_lease, ended_at FROM turns \
        WHERE lease_connection = $1 AND lease_until > $2 ORDER BY id";
    BY_LEASE = "SELECT id FROM turns WHERE lease_token = $1 AND lease_until IS NOT NULL";
    OPEN = "SELECT id, conversation_id, number, author, step_id, message, attempts, fence, reason, created_at, state, \
        lease_token, lease_connection, lease_until, reply, run_id, proposal_id, ended_lease, ended_at FROM turns \
        WHERE conversation_id = $1 AND ended_at IS NULL ORDER BY number";
    FIRST = "SELECT id, conversation_id, number, author, step_id, message, attempts, fence, reason, created_at, state, \
        lease_token, lease_connection, lease_until, reply, run_id, proposal_id, ended_lease, ended_at FROM turns \
        WHERE conversation_id = $1 AND number = 1";
    LIST = "SELECT id, conversation_id, number, author, step_id, message, attempts, fence, reason, created_at, state, \
        lease_token, lease_connection, lease_until, reply, run_id, proposal_id, ended_lease, ended_at FROM turns \
        WHERE conversation_id = $1 ORDER BY number DESC LIMIT $2";
    LAPSED = "SELECT t.id, c.site_id FROM turns t JOIN conversations c ON c.id = t.conversation_id \
        WHERE t.lease_until <= $1 ORDER BY t.lease_until, t.id LIMIT 100";
    SITE_OF = "SELECT c.site_id FROM turns t JOIN conversations c ON c.id = t.conversation_id WHERE t.id = $1";
    SAVE = "UPDATE turns SET state = $5, attempts = $6, fence = $7, lease_token = $8, lease_connection = $9, \
        lease_until = $10, reason = $11, reply = $12, run_id = $13, proposal_id = $14, ended_lease = $15, \
        ended_at = $16 \
        WHERE id = $1 AND state = $3 AND fence = $4 \
        AND EXISTS (SELECT 1 FROM conversations c WHERE c.id = turns.conversation_id AND c.site_id = $2)";
    RENEW = "UPDATE turns SET lease_until = $4 WHERE id = $1 AND lease_token = $2 AND lease_until > $3";
    HOLD = "UPDATE conversations SET claimable_at = $3 WHERE site_id = $2 AND next_turn = $1 \
        AND id = (SELECT t.conversation_id FROM turns t WHERE t.id = $1)";
    INSERT_RUN = "INSERT INTO turn_runs (run_id, turn_id, lease_token) VALUES ($1, $2, $3)";
    RUN_TURN = "SELECT r.turn_id, t.step_id FROM turn_runs r JOIN turns t ON t.id = r.turn_id WHERE r.run_id = $1";
}

fn read(row: &mut Row) -> Result<Turn> {
    let id = row.parse()?;
    let conversation = row.parse()?;
    let number = row.int()?;
    let author = Actor::from_text(&row.text()?).ok_or_else(|| row.corrupt("an actor"))?;
    let mut turn = Turn {
        id,
        conversation,
        number,
        author,
        step: row.opt_parse()?,
        message: row.text()?,
        attempts: row.int()?,
        fence: row.int()?,
        reason: row.opt_text()?,
        returned_with: None,
        created_at: row.time()?,
        state: TurnState::Queued,
    };
    (turn.state, turn.returned_with) = read_state(row)?;
    Ok(turn)
}

/// The state, and what the worker said that gave the turn back.
fn read_state(row: &mut Row) -> Result<(TurnState, Option<String>)> {
    let name = row.text()?;
    let lease = (row.opt_parse()?, row.opt_parse()?, row.opt_time()?);
    let words = row.opt_text()?;
    let run = row.opt_parse()?;
    let proposal = row.opt_parse()?;
    let ended_lease = row.opt_parse()?;
    let ended_at = row.opt_time()?;
    match (name.as_str(), lease, ended_at) {
        ("queued", (None, None, None), None) => Ok((TurnState::Queued, words)),
        ("leased", (Some(token), Some(connection), Some(until)), None) => {
            let lease = Lease {
                token,
                connection,
                until,
            };
            Ok((TurnState::Leased(lease), words))
        }
        (outcome, (None, None, None), Some(at)) => {
            let outcome = outcome.parse::<TurnOutcome>();
            let ended = Ended {
                outcome: outcome.map_err(|error| row.corrupt(error))?,
                reply: words.unwrap_or_default(),
                run,
                proposal,
                lease: ended_lease,
                at,
            };
            Ok((TurnState::Ended(ended), None))
        }
        _ => Err(row.corrupt("a turn's state with its lease and its end")),
    }
}

/// Adds a turn at the end of its conversation; a plan's step begins with the attempts it had.
pub fn insert(tx: &mut Tx<'_>, _by: Hand<'_>, turn: &Turn) -> Result<()> {
    tx.execute_one(
        INSERT,
        &[
            Arg::text(turn.id),
            Arg::text(turn.conversation),
            turn.author.to_text().into(),
            Arg::opt_text(turn.step),
            (&turn.message).into(),
            turn.attempts.into(),
            turn.created_at.into(),
            turn.number.into(),
        ],
    )
}

/// The turn with this id, where it is one of the site's.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: TurnId) -> Result<Option<Turn>> {
    tx.find(FIND, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The site that a turn belongs to.
pub fn site_of(tx: &mut Tx<'_>, id: TurnId) -> Result<Option<SiteId>> {
    tx.find(SITE_OF, &[Arg::text(id)])?
        .map(|mut row| row.parse())
        .transpose()
}

/// The first turn of a conversation that isn't over.
pub fn find_next(tx: &mut Tx<'_>, conversation: ConversationId) -> Result<Option<Turn>> {
    tx.find(NEXT, &[Arg::text(conversation)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The turn that a lease holds, or held until its time ran out.
pub fn find_by_lease(tx: &mut Tx<'_>, token: LeaseToken) -> Result<Option<TurnId>> {
    tx.find(BY_LEASE, &[Arg::text(token)])?
        .map(|mut row| row.parse())
        .transpose()
}

/// The turns that a connection holds by living leases.
pub fn list_held(tx: &mut Tx<'_>, connection: ConnectionId, now: Timestamp) -> Result<Vec<Turn>> {
    tx.list(HELD, &[Arg::text(connection), now.into()], read)
}

/// The turns of a conversation that aren't over, in order.
pub fn list_open(tx: &mut Tx<'_>, conversation: ConversationId) -> Result<Vec<Turn>> {
    tx.list(OPEN, &[Arg::text(conversation)], read)
}

/// The first turn of a conversation.
pub fn find_first(tx: &mut Tx<'_>, conversation: ConversationId) -> Result<Option<Turn>> {
    tx.find(FIRST, &[Arg::text(conversation)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The newest turns of a conversation, oldest first, at most `limit`.
pub fn list(tx: &mut Tx<'_>, conversation: ConversationId, limit: u32) -> Result<Vec<Turn>> {
    let mut turns = tx.list(LIST, &[Arg::text(conversation), limit.into()], read)?;
    turns.reverse();
    Ok(turns)
}

/// Turns whose lease ran out by `now`, each with its site; at most a hundred at once.
pub fn lapsed(tx: &mut Tx<'_>, now: Timestamp) -> Result<Vec<(TurnId, SiteId)>> {
    tx.list(LAPSED, &[now.into()], |row| {
        Ok((row.parse()?, row.parse()?))
    })
}

/// Moves a turn from the state that was read to the next; one that moved meanwhile is a conflict.
pub fn save(tx: &mut Tx<'_>, by: Hand<'_>, (from, to): (&Turn, &Turn)) -> Result<()> {
    let words = match &to.state {
        TurnState::Queued | TurnState::Leased(_) => to.returned_with.as_deref(),
        TurnState::Ended(ended) => Some(ended.reply.as_str()),
    };
    let (lease, ended) = match &to.state {
        TurnState::Queued => (None, None),
        TurnState::Leased(lease) => (Some(lease), None),
        TurnState::Ended(ended) => (None, Some(ended)),
    };
    tx.execute_one(
        SAVE,
        &[
            Arg::text(to.id),
            Arg::text(by.site()),
            from.state.as_str().into(),
            from.fence.into(),
            to.state.as_str().into(),
            to.attempts.into(),
            to.fence.into(),
            Arg::opt_text(lease.map(|lease| lease.token)),
            Arg::opt_text(lease.map(|lease| lease.connection)),
            lease.map(|lease| lease.until).into(),
            to.reason.as_deref().into(),
            words.into(),
            Arg::opt_text(ended.and_then(|ended| ended.run)),
            Arg::opt_text(ended.and_then(|ended| ended.proposal)),
            Arg::opt_text(ended.and_then(|ended| ended.lease)),
            ended.map(|ended| ended.at).into(),
        ],
    )
}

/// Lets a living lease last until `until`; false when it doesn't hold the turn any more.
pub fn renew(
    tx: &mut Tx<'_>,
    by: Hand<'_>,
    (turn, token): (TurnId, LeaseToken),
    (now, until): (Timestamp, Timestamp),
) -> Result<bool> {
    let args = [Arg::text(turn), Arg::text(token), now.into(), until.into()];
    if tx.execute(RENEW, &args)? != 1 {
        return Ok(false);
    }
    let args = [Arg::text(turn), Arg::text(by.site()), until.into()];
    tx.execute(HOLD, &args)?;
    Ok(true)
}

/// Notes that a run was begun under a lease.
pub fn insert_run(
    tx: &mut Tx<'_>,
    _authorized: &Authorized<WriteRuns>,
    run: RunId,
    (turn, token): (TurnId, LeaseToken),
) -> Result<()> {
    let args = [Arg::text(run), Arg::text(turn), Arg::text(token)];
    tx.execute_one(INSERT_RUN, &args)
}

/// The turn, and the plan's step, that a run was begun for.
pub fn find_by_run(tx: &mut Tx<'_>, run: RunId) -> Result<Option<(TurnId, Option<StepId>)>> {
    tx.find(RUN_TURN, &[Arg::text(run)])?
        .map(|mut row| Ok((row.parse()?, row.opt_parse()?)))
        .transpose()
}
