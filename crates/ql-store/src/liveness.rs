//! Whether anything is stuck: open work without a living lease, a due time or somebody who is asked.

use ql_core::time::Timestamp;

use crate::{Result, Tx};

statements! {
    JOBS = "SELECT 'job', id FROM jobs WHERE finished_at IS NULL AND (state = 'leased' AND lease_until <= $1 \
        OR state = 'waiting' AND due_at <= $1)";
    LAPSED = "SELECT 'turn with a lease that ran out', id FROM turns WHERE lease_until <= $1";
    HIDDEN = "SELECT 'turn that no claim finds', t.id FROM turns t JOIN conversations c ON c.id = t.conversation_id \
        WHERE t.ended_at IS NULL AND (c.next_turn IS NULL OR c.next_turn <> (SELECT n.id FROM turns n \
        WHERE n.conversation_id = t.conversation_id AND n.ended_at IS NULL ORDER BY n.number LIMIT 1))";
    UNDELIVERED = "SELECT 'step without the turn that delivers it', s.id FROM task_steps s \
        LEFT JOIN turns t ON t.id = s.turn_id WHERE s.state IN ('offered', 'running') \
        AND (t.id IS NULL OR t.ended_at IS NOT NULL OR s.state = 'running' AND t.state <> 'leased')";
    UNDECIDED = "SELECT 'step that waits for a proposal that is settled', s.id FROM task_steps s \
        LEFT JOIN proposals p ON p.id = s.proposal_id WHERE s.state = 'awaiting_approval' \
        AND (p.id IS NULL OR p.settled_at IS NOT NULL)";
    IDLE = "SELECT 'plan that nobody goes on with', p.id FROM task_plans p WHERE p.state = 'active' \
        AND NOT EXISTS (SELECT 1 FROM task_steps s WHERE s.plan_id = p.id \
        AND s.state IN ('offered', 'running', 'awaiting_approval', 'failed', 'blocked'))";
    OFFERABLE = "SELECT 'step that could be offered', s.id FROM task_steps s JOIN task_plans p ON p.id = s.plan_id \
        WHERE p.state = 'active' AND s.state = 'ready' AND NOT EXISTS (SELECT 1 FROM task_steps o \
        WHERE o.plan_id = p.id AND o.state IN ('offered', 'running'))";
    ORPHANED = "SELECT 'open step of a plan that is over', s.id FROM task_steps s JOIN task_plans p ON p.id = s.plan_id \
        WHERE p.state <> 'active' AND s.state NOT IN ('succeeded', 'cancelled')";
}

/// Everything that is stuck at `now`, each as what it is and its id: nothing on a server that works.
pub fn stuck(tx: &mut Tx<'_>, now: Timestamp) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for timed in [JOBS, LAPSED] {
        found.extend(tx.list(timed, &[now.into()], |row| Ok((row.text()?, row.text()?)))?);
    }
    for standing in [HIDDEN, UNDELIVERED, UNDECIDED, IDLE, OFFERABLE, ORPHANED] {
        found.extend(tx.list(standing, &[], |row| Ok((row.text()?, row.text()?)))?);
    }
    Ok(found)
}
