//! Every statement of the crate, for the check that each engine accepts each of them.

use crate::engine::sqlite::positional;
use crate::error::Result;
use crate::{
    agent, artifact, connection, content, delivery, evidence, idempotency, job, ledger, member,
    organization, policy, proposal, run, session, site, template,
};

/// Every statement, in the common dialect.
pub fn all() -> impl Iterator<Item = &'static str> {
    [
        agent::STATEMENTS,
        artifact::STATEMENTS,
        connection::STATEMENTS,
        content::STATEMENTS,
        delivery::STATEMENTS,
        evidence::STATEMENTS,
        idempotency::STATEMENTS,
        job::STATEMENTS,
        ledger::STATEMENTS,
        member::STATEMENTS,
        organization::STATEMENTS,
        policy::STATEMENTS,
        proposal::STATEMENTS,
        run::STATEMENTS,
        session::STATEMENTS,
        site::STATEMENTS,
        template::STATEMENTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Prepares every statement on a SQLite database of the current schema.
///
/// # Errors
/// The first statement that SQLite doesn't accept.
pub fn prepare_all_on_sqlite(path: &std::path::Path) -> Result<usize> {
    let connection = rusqlite::Connection::open(path).map_err(crate::engine::sqlite::translate)?;
    let mut count = 0;
    for sql in all() {
        connection
            .prepare(&positional(sql))
            .map_err(crate::engine::sqlite::translate)?;
        count += 1;
    }
    Ok(count)
}
