//! Budgets of productions, and what is set aside for calls of providers.

use ql_core::access::{ActAsServer, Authorized, DirectProductions};
use ql_core::id::{ProductionId, TaskId};
use ql_core::spending::{Budget, Reservation, ReservationState};
use ql_core::time::Timestamp;

use crate::{Arg, Result, Row, Tx};

statements! {
    OPEN = "INSERT INTO production_budgets (production_id, budget, task_budget, committed) VALUES ($1, $2, $3, 0)";
    FIND = "SELECT production_id, budget, task_budget, committed FROM production_budgets WHERE production_id = $1";
    SET = "UPDATE production_budgets SET budget = $2, task_budget = $3 WHERE production_id = $1 AND committed <= $2";
    TAKE = "UPDATE production_budgets SET committed = committed + CAST($2 AS BIGINT) \
        WHERE production_id = $1 AND committed + CAST($2 AS BIGINT) <= budget";
    CHANGE = "UPDATE production_budgets SET committed = committed + CAST($2 AS BIGINT) WHERE production_id = $1";
    RESERVE = "INSERT INTO reservations (task_id, number, amount, state, charged, reserved_at, ended_at) \
        VALUES ($1, $2, $3, 'held', NULL, $4, NULL)";
    END = "UPDATE reservations SET state = $3, charged = $4, ended_at = $5 WHERE task_id = $1 AND number = $2 AND state = 'held'";
    OF_TASK = "SELECT task_id, number, amount, state, charged, reserved_at FROM reservations WHERE task_id = $1 ORDER BY number";
    OF_PRODUCTION = "SELECT r.task_id, r.number, r.amount, r.state, r.charged, r.reserved_at FROM reservations r \
        JOIN stage_tasks t ON t.id = r.task_id WHERE t.production_id = $1 ORDER BY r.reserved_at, r.task_id, r.number";
    HELD = "SELECT r.task_id, r.number, r.amount, r.state, r.charged, r.reserved_at FROM reservations r \
        JOIN stage_tasks t ON t.id = r.task_id WHERE t.production_id = $1 AND t.stage = $2 AND r.state = 'held' \
        ORDER BY r.task_id, r.number";
}

fn read(row: &mut Row) -> Result<Reservation> {
    Ok(Reservation {
        task: row.parse()?,
        number: row.int()?,
        amount: row.int()?,
        state: {
            let (name, charged) = (row.text()?, row.opt_int()?);
            match (name.as_str(), charged) {
                ("held", None) => ReservationState::Held,
                ("settled", Some(charged)) => ReservationState::Settled { charged },
                ("released", None) => ReservationState::Released,
                ("uncertain", None) => ReservationState::Uncertain,
                _ => return Err(row.corrupt("a reservation's state with its charge")),
            }
        },
        reserved_at: row.time()?,
    })
}

/// Gives a production its budget.
pub fn open(
    tx: &mut Tx<'_>,
    _: &Authorized<DirectProductions>,
    production: ProductionId,
    (limit, task_limit): (i64, i64),
) -> Result<()> {
    let args = [Arg::text(production), limit.into(), task_limit.into()];
    tx.execute_one(OPEN, &args)
}

/// What a production may cost, and how far that is used.
pub fn find(tx: &mut Tx<'_>, production: ProductionId) -> Result<Option<Budget>> {
    let read = |mut row: Row| {
        Ok(Budget {
            production: row.parse()?,
            limit: row.int()?,
            task_limit: row.int()?,
            committed: row.int()?,
        })
    };
    tx.find(FIND, &[Arg::text(production)])?
        .map(read)
        .transpose()
}

/// Changes what a production may cost; false where more than that is committed already.
pub fn set(
    tx: &mut Tx<'_>,
    _: &Authorized<DirectProductions>,
    production: ProductionId,
    (limit, task_limit): (i64, i64),
) -> Result<bool> {
    let args = [Arg::text(production), limit.into(), task_limit.into()];
    Ok(tx.execute(SET, &args)? == 1)
}

/// Sets money of a production aside for a call; false where that would go beyond its budget.
pub fn reserve(
    tx: &mut Tx<'_>,
    _: &Authorized<ActAsServer>,
    production: ProductionId,
    (task, number, amount): (TaskId, i64, i64),
    at: Timestamp,
) -> Result<bool> {
    if tx.execute(TAKE, &[Arg::text(production), amount.into()])? == 0 {
        return Ok(false);
    }
    let args = [Arg::text(task), number.into(), amount.into(), at.into()];
    tx.execute_one(RESERVE, &args)?;
    Ok(true)
}

/// Ends a reservation that is held, and gives the production back what wasn't needed of it; false
/// where it isn't held any more.
pub fn end(
    tx: &mut Tx<'_>,
    _: &Authorized<ActAsServer>,
    production: ProductionId,
    (held, state): (&Reservation, ReservationState),
    at: Timestamp,
) -> Result<bool> {
    let charged = match state {
        ReservationState::Settled { charged } => Some(charged),
        ReservationState::Held | ReservationState::Released | ReservationState::Uncertain => None,
    };
    let args = [
        Arg::text(held.task),
        held.number.into(),
        state.as_str().into(),
        charged.into(),
        at.into(),
    ];
    if tx.execute(END, &args)? == 0 {
        return Ok(false);
    }
    let after = Reservation { state, ..*held };
    let change = after.committed() - held.committed();
    tx.execute_one(CHANGE, &[Arg::text(production), change.into()])?;
    Ok(true)
}

/// What was set aside for the calls of a task, in their order.
pub fn of_task(tx: &mut Tx<'_>, task: TaskId) -> Result<Vec<Reservation>> {
    tx.list(OF_TASK, &[Arg::text(task)], read)
}

/// What was set aside for a production, in order.
pub fn of_production(tx: &mut Tx<'_>, production: ProductionId) -> Result<Vec<Reservation>> {
    tx.list(OF_PRODUCTION, &[Arg::text(production)], read)
}

/// What is still set aside for calls of a stage.
pub fn held(tx: &mut Tx<'_>, production: ProductionId, stage: &str) -> Result<Vec<Reservation>> {
    tx.list(HELD, &[Arg::text(production), stage.into()], read)
}
