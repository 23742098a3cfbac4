//! Versions of task plans.

use ql_core::access::{Authorized, WriteRuns};
use ql_core::id::{ConversationId, PlanId, SiteId};
use ql_core::plan::{Plan, PlanState};

use crate::conversation::Hand;
use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO task_plans (id, conversation_id, site_id, agent_id, turn_id, profile_id, session_root, goal, \
        version, previous_id, state, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'active', $11)";
    FIND = "SELECT id, conversation_id, site_id, agent_id, turn_id, profile_id, session_root, goal, version, previous_id, \
        state, settled_at, superseded_by, created_at FROM task_plans WHERE id = $1 AND site_id = $2";
    SITE_OF = "SELECT site_id FROM task_plans WHERE id = $1";
    ACTIVE = "SELECT id, conversation_id, site_id, agent_id, turn_id, profile_id, session_root, goal, version, previous_id, \
        state, settled_at, superseded_by, created_at FROM task_plans WHERE conversation_id = $1 AND state = 'active'";
    LIST = "SELECT id, conversation_id, site_id, agent_id, turn_id, profile_id, session_root, goal, version, previous_id, \
        state, settled_at, superseded_by, created_at FROM task_plans WHERE conversation_id = $1 ORDER BY id";
    SETTLE = "UPDATE task_plans SET state = $3, settled_at = $4, superseded_by = $5 \
        WHERE id = $1 AND site_id = $2 AND state = 'active'";
}

fn read(row: &mut Row) -> Result<Plan> {
    Ok(Plan {
        id: row.parse()?,
        conversation: row.parse()?,
        site: row.parse()?,
        agent: row.parse()?,
        turn: row.parse()?,
        profile_id: row.opt_text()?,
        session_root: row.text()?,
        goal: row.text()?,
        version: row.int()?,
        replaces: row.opt_parse()?,
        state: read_state(row)?,
        created_at: row.time()?,
    })
}

fn read_state(row: &mut Row) -> Result<PlanState> {
    let (name, at, by) = (row.text()?, row.opt_time()?, row.opt_parse()?);
    match (name.as_str(), at, by) {
        ("active", None, None) => Ok(PlanState::Active),
        ("finished", Some(at), None) => Ok(PlanState::Finished { at }),
        ("superseded", Some(at), Some(by)) => Ok(PlanState::Superseded { at, by }),
        _ => Err(row.corrupt("a plan's state with its times")),
    }
}

/// Adds a version of a plan, the one active one of its conversation.
pub fn insert(tx: &mut Tx<'_>, authorized: &Authorized<WriteRuns>, plan: &Plan) -> Result<()> {
    tx.execute_one(
        INSERT,
        &[
            Arg::text(plan.id),
            Arg::text(plan.conversation),
            Arg::text(authorized.site()),
            Arg::text(plan.agent),
            Arg::text(plan.turn),
            plan.profile_id.as_deref().into(),
            (&plan.session_root).into(),
            (&plan.goal).into(),
            plan.version.into(),
            Arg::opt_text(plan.replaces),
            plan.created_at.into(),
        ],
    )
}

/// The version with this id, where it is one of the site's.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: PlanId) -> Result<Option<Plan>> {
    tx.find(FIND, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The site that a plan belongs to.
pub fn site_of(tx: &mut Tx<'_>, id: PlanId) -> Result<Option<SiteId>> {
    tx.find(SITE_OF, &[Arg::text(id)])?
        .map(|mut row| row.parse())
        .transpose()
}

/// The version that a conversation works on.
pub fn find_active(tx: &mut Tx<'_>, conversation: ConversationId) -> Result<Option<Plan>> {
    tx.find(ACTIVE, &[Arg::text(conversation)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// Every version of a conversation's plans, oldest first.
pub fn list(tx: &mut Tx<'_>, conversation: ConversationId) -> Result<Vec<Plan>> {
    tx.list(LIST, &[Arg::text(conversation)], read)
}

/// Brings an active version to rest.
pub fn settle(tx: &mut Tx<'_>, by: Hand<'_>, id: PlanId, to: &PlanState) -> Result<()> {
    let superseded_by = match to {
        PlanState::Superseded { by, .. } => Some(*by),
        PlanState::Active | PlanState::Finished { .. } => None,
    };
    tx.execute_one(
        SETTLE,
        &[
            Arg::text(id),
            Arg::text(by.site()),
            to.as_str().into(),
            to.settled_at().into(),
            Arg::opt_text(superseded_by),
        ],
    )
}
