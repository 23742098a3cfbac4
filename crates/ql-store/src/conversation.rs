//! Conversations with agents, and the sessions they are bound to.

use ql_core::access::{ActAsServer, Authorized, UseConsole, WriteRuns};
use ql_core::conversation::{Binding, Conversation, Known};
use ql_core::id::{AgentId, ConversationId, SiteId};
use ql_core::page::{Cursor, Page, PageRequest};
use ql_core::time::Timestamp;

use crate::run::AFTER_ALL;
use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO conversations (id, organization_id, site_id, agent_id, started_by, claimable_at, turns, \
        version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, 0, 1, $6, $6)";
    FIND = "SELECT id, organization_id, site_id, agent_id, started_by, session_root, session_tip, next_turn, \
        claimable_at, turns, version, created_at, updated_at FROM conversations WHERE id = $1 AND site_id = $2";
    SITE_OF = "SELECT site_id FROM conversations WHERE id = $1";
    VERSION_OF = "SELECT version FROM conversations WHERE id = $1 AND site_id = $2";
    LIST = "SELECT id, organization_id, site_id, agent_id, started_by, session_root, session_tip, next_turn, \
        claimable_at, turns, version, created_at, updated_at FROM conversations \
        WHERE site_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    SESSION = "SELECT s.conversation_id, CASE WHEN c.session_tip = s.session_id THEN 1 ELSE 0 END \
        FROM conversation_sessions s JOIN conversations c ON c.id = s.conversation_id \
        WHERE s.agent_id = $1 AND s.session_id = $2";
    SESSIONS_OF = "SELECT session_tip FROM conversations WHERE agent_id = $1 AND site_id = $2 \
        AND session_tip IS NOT NULL ORDER BY updated_at DESC, id LIMIT $3";
    BOUND = "SELECT COUNT(*) FROM conversation_sessions WHERE conversation_id = $1";
    REMEMBER = "INSERT INTO conversation_sessions (agent_id, session_id, conversation_id, seq, bound_at) \
        VALUES ($1, $2, $3, $4, $5)";
    BIND = "UPDATE conversations SET session_root = COALESCE(session_root, $3), session_tip = $3, \
        version = version + 1, updated_at = $4 WHERE id = $1 AND site_id = $2";
    REFRESH = "UPDATE conversations SET next_turn = (SELECT t.id FROM turns t WHERE t.conversation_id = $1 \
        AND t.ended_at IS NULL ORDER BY t.number LIMIT 1), claimable_at = COALESCE((SELECT t.lease_until FROM turns t \
        WHERE t.conversation_id = $1 AND t.ended_at IS NULL ORDER BY t.number LIMIT 1), $3), \
        version = version + 1, updated_at = $3 WHERE id = $1 AND site_id = $2";
    COUNT_TURN = "UPDATE conversations SET turns = turns + 1 WHERE id = $1 AND site_id = $2 RETURNING turns";
    // The sum keeps the engine from seeking by the instant, which holds for every conversation that waits.
    UNBOUND = "SELECT id FROM conversations WHERE site_id = $1 AND agent_id = $2 AND session_tip IS NULL \
        AND next_turn IS NOT NULL AND claimable_at + 0 <= $3 ORDER BY next_turn LIMIT 1";
    WAITS = "SELECT COUNT(*) FROM (SELECT id FROM conversations WHERE site_id = $1 AND agent_id = $2 \
        AND next_turn IS NOT NULL AND claimable_at <= $3 LIMIT 100) waiting";
    OPEN = "SELECT id, organization_id, site_id, agent_id, started_by, session_root, session_tip, next_turn, \
        claimable_at, turns, version, created_at, updated_at FROM conversations WHERE site_id = $1 AND agent_id = $2 \
        AND next_turn IS NOT NULL AND claimable_at <= $3 ORDER BY claimable_at, id LIMIT 100";
    CLAIMABLE = "SELECT site_id, agent_id, session_tip FROM conversations WHERE next_turn IS NOT NULL \
        AND claimable_at > $1 AND claimable_at <= $2 ORDER BY claimable_at, id LIMIT 10000";
}

/// Who changes something in the console.
#[derive(Debug, Clone, Copy)]
pub enum Hand<'a> {
    /// An agent that works.
    Agent(&'a Authorized<WriteRuns>),
    /// A member that writes or decides.
    Member(&'a Authorized<UseConsole>),
    /// The server, which offers steps and ends what ran out.
    Server(&'a Authorized<ActAsServer>),
}

impl Hand<'_> {
    /// The site that the authorization is for.
    pub fn site(&self) -> SiteId {
        match self {
            Self::Agent(authorized) => authorized.site(),
            Self::Member(authorized) => authorized.site(),
            Self::Server(authorized) => authorized.site(),
        }
    }
}

fn read(row: &mut Row) -> Result<Conversation> {
    Ok(Conversation {
        id: row.parse()?,
        organization: row.parse()?,
        site: row.parse()?,
        agent: row.parse()?,
        started_by: row.parse()?,
        binding: read_binding(row)?,
        next_turn: row.opt_parse()?,
        claimable_at: row.time()?,
        turns: row.int()?,
        version: row.int()?,
        created_at: row.time()?,
        updated_at: row.time()?,
    })
}

fn read_binding(row: &mut Row) -> Result<Option<Binding>> {
    match (row.opt_text()?, row.opt_text()?) {
        (Some(root), Some(tip)) => Ok(Some(Binding { root, tip })),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => Err(row.corrupt("a root and a tip, or neither")),
    }
}

/// Adds a conversation of the authorized member.
pub fn insert(
    tx: &mut Tx<'_>,
    authorized: &Authorized<UseConsole>,
    new: &Conversation,
) -> Result<()> {
    tx.execute_one(
        INSERT,
        &[
            Arg::text(new.id),
            Arg::text(authorized.organization()),
            Arg::text(authorized.site()),
            Arg::text(new.agent),
            Arg::text(new.started_by),
            new.created_at.into(),
        ],
    )
}

/// The conversation with this id, where it is one of the site's.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: ConversationId) -> Result<Option<Conversation>> {
    tx.find(FIND, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The site that a conversation belongs to.
pub fn site_of(tx: &mut Tx<'_>, id: ConversationId) -> Result<Option<SiteId>> {
    tx.find(SITE_OF, &[Arg::text(id)])?
        .map(|mut row| row.parse())
        .transpose()
}

/// How often a conversation changed.
pub fn version_of(tx: &mut Tx<'_>, site: SiteId, id: ConversationId) -> Result<Option<i64>> {
    tx.find(VERSION_OF, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| row.int())
        .transpose()
}

/// The site's conversations, newest first.
pub fn list(tx: &mut Tx<'_>, site: SiteId, page: &PageRequest) -> Result<Page<Conversation>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let rows = tx.list(
        LIST,
        &[Arg::text(site), before.into(), (page.limit() + 1).into()],
        read,
    )?;
    Ok(Page::cut(rows, page, |conversation| Cursor {
        key: conversation.created_at.as_micros(),
        id: conversation.id.to_string(),
    }))
}

/// What is known about a session of an agent.
pub fn find_session(tx: &mut Tx<'_>, agent: AgentId, session: &str) -> Result<Option<Known>> {
    let row = tx.find(SESSION, &[Arg::text(agent), session.into()])?;
    row.map(|mut row| {
        Ok(Known {
            conversation: row.parse()?,
            is_tip: row.flag()?,
        })
    })
    .transpose()
}

/// The newest sessions that an agent's conversations on a site are bound to, at most `limit`.
pub fn sessions_of(
    tx: &mut Tx<'_>,
    (agent, site): (AgentId, SiteId),
    limit: u32,
) -> Result<Vec<String>> {
    let args = [Arg::text(agent), Arg::text(site), limit.into()];
    tx.list(SESSIONS_OF, &args, Row::text)
}

/// Binds a conversation to a session: its first one, or the one that goes on from its tip. A session
/// that belongs to a conversation already is a conflict.
pub fn bind(
    tx: &mut Tx<'_>,
    authorized: &Authorized<WriteRuns>,
    (conversation, agent): (ConversationId, AgentId),
    session: &str,
    at: Timestamp,
) -> Result<()> {
    let before = tx.one(BOUND, &[Arg::text(conversation)])?.int()?;
    let remembered = [
        Arg::text(agent),
        session.into(),
        Arg::text(conversation),
        (before + 1).into(),
        at.into(),
    ];
    let bound = [
        Arg::text(conversation),
        Arg::text(authorized.site()),
        session.into(),
        at.into(),
    ];
    tx.execute_each(&[(REMEMBER, &remembered), (BIND, &bound)])
}

/// Counts one more turn, which is its number; whoever else adds one waits for it.
pub fn count_turn(tx: &mut Tx<'_>, by: Hand<'_>, id: ConversationId) -> Result<Option<i64>> {
    tx.find(COUNT_TURN, &[Arg::text(id), Arg::text(by.site())])?
        .map(|mut row| row.int())
        .transpose()
}

/// Notes what became of a conversation's turns: which one is next, and from when on it can be
/// claimed.
pub fn refresh(tx: &mut Tx<'_>, by: Hand<'_>, id: ConversationId, at: Timestamp) -> Result<()> {
    let args = [Arg::text(id), Arg::text(by.site()), at.into()];
    tx.execute_one(REFRESH, &args)
}

/// The conversation of the agent that isn't bound to a session and whose turn waits longest.
pub fn find_unbound(
    tx: &mut Tx<'_>,
    (site, agent): (SiteId, AgentId),
    now: Timestamp,
) -> Result<Option<ConversationId>> {
    tx.find(UNBOUND, &[Arg::text(site), Arg::text(agent), now.into()])?
        .map(|mut row| row.parse())
        .transpose()
}

/// How many conversations of the agent have a turn that could be claimed; counted up to a hundred.
pub fn count_waiting(
    tx: &mut Tx<'_>,
    (site, agent): (SiteId, AgentId),
    now: Timestamp,
) -> Result<i64> {
    tx.one(WAITS, &[Arg::text(site), Arg::text(agent), now.into()])?
        .int()
}

/// The conversations of the agent with a turn that could be claimed, longest first, at most a
/// hundred.
pub fn list_waiting(
    tx: &mut Tx<'_>,
    (site, agent): (SiteId, AgentId),
    now: Timestamp,
) -> Result<Vec<Conversation>> {
    tx.list(OPEN, &[Arg::text(site), Arg::text(agent), now.into()], read)
}

/// Whose turns became claimable after `since`: site, agent and the session that may claim it.
pub fn claimable(
    tx: &mut Tx<'_>,
    (since, now): (Timestamp, Timestamp),
) -> Result<Vec<(SiteId, AgentId, Option<String>)>> {
    tx.list(CLAIMABLE, &[since.into(), now.into()], |row| {
        Ok((row.parse()?, row.parse()?, row.opt_text()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::sqlite::plan;

    /// However many conversations wait for sessions of their own, a claim without one passes them by.
    #[test]
    fn a_claim_looks_among_unbound_conversations_alone() {
        insta::assert_snapshot!(plan(UNBOUND).join("\n"), @"SEARCH conversations USING INDEX conversations_unbound (site_id=? AND agent_id=? AND next_turn>?)");
        // The control: by its instant the engine goes through everything that waits.
        let by_instant = UNBOUND.replace(" + 0", "");
        insta::assert_snapshot!(plan(&by_instant)[0], @"SEARCH conversations USING INDEX conversations_open (site_id=? AND agent_id=? AND claimable_at<?)");
    }
}
