//! Steps of task plans.

use ql_core::access::{Authorized, WriteRuns};
use ql_core::id::{PlanId, ProposalId, SiteId, StepId};
use ql_core::step::{Reason, Step, StepState};

use crate::conversation::Hand;
use crate::{Arg, Result, Row, StoreError, Tx};

statements! {
    INSERT = "INSERT INTO task_steps (id, plan_id, key, position, title, operation, risk, depends_on, input, digest, \
        state, attempts, turn_id, proposal_id, run_id, summary, answer, carried_from, settled_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";
    FIND = "SELECT s.id, s.plan_id, s.key, s.position, s.title, s.operation, s.risk, s.depends_on, s.input, s.digest, \
        s.attempts, s.turn_id, s.proposal_id, s.run_id, s.summary, s.answer, s.carried_from, s.state, s.settled_at, \
        s.reason, s.explanation FROM task_steps s JOIN task_plans p ON p.id = s.plan_id \
        WHERE s.id = $1 AND p.site_id = $2";
    SITE_OF = "SELECT p.site_id FROM task_steps s JOIN task_plans p ON p.id = s.plan_id WHERE s.id = $1";
    LIST = "SELECT id, plan_id, key, position, title, operation, risk, depends_on, input, digest, attempts, turn_id, \
        proposal_id, run_id, summary, answer, carried_from, state, settled_at, reason, explanation FROM task_steps \
        WHERE plan_id = $1 ORDER BY position";
    BY_PROPOSAL = "SELECT s.id, s.plan_id, s.key, s.position, s.title, s.operation, s.risk, s.depends_on, s.input, \
        s.digest, s.attempts, s.turn_id, s.proposal_id, s.run_id, s.summary, s.answer, s.carried_from, s.state, \
        s.settled_at, s.reason, s.explanation FROM task_steps s JOIN task_plans p ON p.id = s.plan_id \
        WHERE s.proposal_id = $1 AND p.site_id = $2 AND s.state = 'awaiting_approval'";
    SAVE = "UPDATE task_steps SET state = $4, attempts = $5, turn_id = $6, proposal_id = $7, run_id = $8, summary = $9, \
        answer = $10, settled_at = $11, reason = $12, explanation = $13 WHERE id = $1 AND state = $3 \
        AND EXISTS (SELECT 1 FROM task_plans p WHERE p.id = task_steps.plan_id AND p.site_id = $2)";
}

fn read(row: &mut Row) -> Result<Step> {
    Ok(Step {
        id: row.parse()?,
        plan: row.parse()?,
        key: row.text()?,
        position: row.int()?,
        title: row.text()?,
        operation: row.parse()?,
        risk: row.parse()?,
        depends_on: row.from_json()?,
        input: row.json()?,
        digest: row.digest()?,
        attempts: row.int()?,
        turn: row.opt_parse()?,
        proposal: row.opt_parse()?,
        run: row.opt_parse()?,
        summary: row.text()?,
        answer: row.text()?,
        carried_from: row.opt_parse()?,
        state: read_state(row)?,
    })
}

fn read_state(row: &mut Row) -> Result<StepState> {
    let (name, at) = (row.text()?, row.opt_time()?);
    let reason = Reason::new(
        row.opt_text()?.unwrap_or_default(),
        row.opt_text()?.unwrap_or_default(),
    );
    match (name.as_str(), at) {
        ("waiting", None) => Ok(StepState::Waiting),
        ("ready", None) => Ok(StepState::Ready),
        ("offered", None) => Ok(StepState::Offered),
        ("running", None) => Ok(StepState::Running),
        ("awaiting_approval", None) => Ok(StepState::AwaitingApproval),
        ("succeeded", Some(at)) => Ok(StepState::Succeeded { at }),
        ("failed", Some(at)) => Ok(StepState::Failed { at, reason }),
        ("blocked", Some(at)) => Ok(StepState::Blocked { at, reason }),
        ("cancelled", Some(at)) => Ok(StepState::Cancelled { at, reason }),
        _ => Err(row.corrupt("a step's state with its time")),
    }
}

/// Adds a step of a plan that the authorized agent made.
pub fn insert(tx: &mut Tx<'_>, _authorized: &Authorized<WriteRuns>, step: &Step) -> Result<()> {
    let depends_on = serde_json::to_string(&step.depends_on)
        .map_err(|error| StoreError::Bug(error.to_string()))?;
    tx.execute_one(
        INSERT,
        &[
            Arg::text(step.id),
            Arg::text(step.plan),
            (&step.key).into(),
            step.position.into(),
            (&step.title).into(),
            step.operation.as_str().into(),
            step.risk.as_str().into(),
            depends_on.into(),
            step.input.to_string().into(),
            (&step.digest).into(),
            step.state.as_str().into(),
            step.attempts.into(),
            Arg::opt_text(step.turn),
            Arg::opt_text(step.proposal),
            Arg::opt_text(step.run),
            (&step.summary).into(),
            (&step.answer).into(),
            Arg::opt_text(step.carried_from),
            step.state.settled_at().into(),
        ],
    )
}

/// The step with this id, where it is one of the site's.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: StepId) -> Result<Option<Step>> {
    tx.find(FIND, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The site that a step belongs to.
pub fn site_of(tx: &mut Tx<'_>, id: StepId) -> Result<Option<SiteId>> {
    tx.find(SITE_OF, &[Arg::text(id)])?
        .map(|mut row| row.parse())
        .transpose()
}

/// The steps of a plan, in order.
pub fn list(tx: &mut Tx<'_>, plan: PlanId) -> Result<Vec<Step>> {
    tx.list(LIST, &[Arg::text(plan)], read)
}

/// The step that waits for a proposal.
pub fn find_waiting_for(
    tx: &mut Tx<'_>,
    site: SiteId,
    proposal: ProposalId,
) -> Result<Option<Step>> {
    tx.find(BY_PROPOSAL, &[Arg::text(proposal), Arg::text(site)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// Moves a step from the state that was read to the next; one that moved meanwhile is a conflict.
pub fn save(tx: &mut Tx<'_>, by: Hand<'_>, from: &StepState, to: &Step) -> Result<()> {
    let reason = to.state.reason();
    tx.execute_one(
        SAVE,
        &[
            Arg::text(to.id),
            Arg::text(by.site()),
            from.as_str().into(),
            to.state.as_str().into(),
            to.attempts.into(),
            Arg::opt_text(to.turn),
            Arg::opt_text(to.proposal),
            Arg::opt_text(to.run),
            (&to.summary).into(),
            (&to.answer).into(),
            to.state.settled_at().into(),
            reason.map(|reason| reason.code.as_str()).into(),
            reason.map(|reason| reason.explanation.as_str()).into(),
        ],
    )
}
