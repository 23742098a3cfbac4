//! The schema: numbered steps, forward only, each remembered by its hash.

use ql_core::hash::Digest;
use rusqlite::Connection;

use crate::engine::sqlite::translate;
use crate::error::{Result, StoreError};

/// One step of the schema.
struct Migration {
    number: i64,
    name: &'static str,
    sql: &'static str,
}

const MIGRATIONS: &[Migration] = &[Migration {
    number: 1,
    name: "foundation",
    sql: include_str!("../../../migrations/0001_foundation.sqlite.sql"),
}];

const REGISTER: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 BLOB NOT NULL) STRICT";

/// Applies what is missing, in order, each step in its own transaction.
///
/// # Errors
/// [`StoreError::Unsupported`] when the database has a step that this program doesn't know, or
/// knows otherwise.
pub(crate) fn run(connection: &mut Connection) -> Result<()> {
    connection.execute_batch(REGISTER).map_err(translate)?;
    let applied = applied(connection)?;
    for (number, name, hash) in &applied {
        let known = MIGRATIONS
            .iter()
            .find(|migration| migration.number == *number);
        if known
            .is_none_or(|migration| Digest::of(migration.sql.as_bytes()).as_bytes()[..] != hash[..])
        {
            return Err(StoreError::Unsupported(format!(
                "the database has the schema step {number} ({name}), which this version of querylayer doesn't know; use the version that made it, or a newer one"
            )));
        }
    }
    for migration in &MIGRATIONS[applied.len()..] {
        apply(connection, migration)?;
    }
    Ok(())
}

fn applied(connection: &Connection) -> Result<Vec<(i64, String, Vec<u8>)>> {
    let mut statement = connection
        .prepare("SELECT number, name, sha256 FROM schema_migrations ORDER BY number")
        .map_err(translate)?;
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .map_err(translate)?;
    rows.collect::<rusqlite::Result<_>>().map_err(translate)
}

fn apply(connection: &mut Connection, migration: &Migration) -> Result<()> {
    let transaction = connection.transaction().map_err(translate)?;
    transaction
        .execute_batch(migration.sql)
        .map_err(translate)?;
    transaction
        .execute(
            "INSERT INTO schema_migrations (number, name, sha256) VALUES (?1, ?2, ?3)",
            (
                migration.number,
                migration.name,
                Digest::of(migration.sql.as_bytes()).as_bytes(),
            ),
        )
        .map_err(translate)?;
    transaction.commit().map_err(translate)
}
