//! Proofs by trying: what the schema promises, attempted against a copy in memory.

use std::path::Path;

use ql_core::hash::Digest;
use rusqlite::{Connection, OpenFlags};

use crate::engine::sqlite::translate;
use crate::error::Result;
use crate::migrate;

/// The tables that are written once.
pub const APPEND_ONLY: [&str; 37] = [
    "artifacts",
    "audits",
    "brief_drafts",
    "claims",
    "content_briefs",
    "content_revisions",
    "conversation_sessions",
    "decisions",
    "evidence",
    "form_versions",
    "idempotency_keys",
    "internal_links",
    "ledger_checkpoints",
    "ledger_entries",
    "ledger_keys",
    "ledger_leaves",
    "ledger_nodes",
    "policies",
    "production_attestations",
    "production_exits",
    "productions",
    "proposal_items",
    "provider_calls",
    "publications",
    "releases",
    "reverification_attempts",
    "revision_sources",
    "source_dispositions",
    "source_packages",
    "source_records",
    "stage_answers",
    "stage_tasks",
    "strategy_notes",
    "template_versions",
    "topical_versions",
    "turn_runs",
    "waivers",
];

/// What the schema of this version is known by: a digest of its steps on both engines.
pub fn schema_digest() -> Digest {
    let steps = migrate::SQLITE.iter().chain(migrate::POSTGRES);
    let all: Vec<&str> = steps.map(|step| step.sql).collect();
    Digest::of(all.concat().as_bytes())
}

/// Tries to change and to delete a row of each append-only table, in a copy of the database's schema
/// with a row of its own; answers the tables where that succeeded.
///
/// # Errors
/// The database can't be read.
pub fn append_only(database: &Path) -> Result<Vec<String>> {
    let source = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_err(translate)?;
    let copy = Connection::open_in_memory().map_err(translate)?;
    let mut statement = source
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'trigger', rowid")
        .map_err(translate)?;
    let schema: Vec<String> = statement
        .query_map([], |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(translate)?;
    copy.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA recursive_triggers = ON;")
        .map_err(translate)?;
    for sql in schema {
        copy.execute_batch(&sql).map_err(translate)?;
    }
    let mut open = Vec::new();
    for table in APPEND_ONLY {
        if can_change(&copy, table)? {
            open.push(table.to_owned());
        }
    }
    Ok(open)
}

fn can_change(connection: &Connection, table: &str) -> Result<bool> {
    let mut statement = connection
        .prepare(&format!(
            "SELECT name, type FROM pragma_table_info('{table}')"
        ))
        .map_err(translate)?;
    let columns: Vec<(String, String)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .and_then(Iterator::collect)
        .map_err(translate)?;
    let values: Vec<&str> = columns
        .iter()
        .map(|(_, kind)| match kind.as_str() {
            "INTEGER" => "1",
            "BLOB" => "zeroblob(32)",
            _ => "'x'",
        })
        .collect();
    let first = &columns[0].0;
    connection
        .execute_batch(&format!(
            "INSERT INTO {table} VALUES ({})",
            values.join(", ")
        ))
        .map_err(translate)?;
    let attempts = [
        format!("UPDATE {table} SET {first} = {first}"),
        format!("DELETE FROM {table}"),
        format!("REPLACE INTO {table} VALUES ({})", values.join(", ")),
    ];
    Ok(attempts
        .iter()
        .any(|attempt| connection.execute_batch(attempt).is_ok()))
}
