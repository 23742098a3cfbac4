//! A database in which every append-only table has rows, and ways into it past the product.

use std::path::{Path, PathBuf};

use ql_testkit::TestApp;
use rusqlite::Connection;

/// The tables whose rows stay as they were written.
pub(crate) const APPEND_ONLY: [&str; 37] = [
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

/// Those of productions, which no story here fills: making one needs a policy pack.
const PRODUCTIONS: [&str; 9] = [
    "audits",
    "production_attestations",
    "production_exits",
    "productions",
    "provider_calls",
    "releases",
    "stage_answers",
    "stage_tasks",
    "waivers",
];

/// A connection with the product's own settings for writing.
pub(crate) fn product_connection(path: &Path) -> Connection {
    let raw = Connection::open(path).expect("the file");
    raw.execute_batch(
        "PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON; PRAGMA trusted_schema = OFF;",
    )
    .expect("the settings");
    raw
}

/// Puts two rows of anything into each table of productions.
pub(crate) fn plant_productions(path: &Path) {
    let raw = Connection::open(path).expect("the file");
    raw.execute_batch("PRAGMA foreign_keys = OFF")
        .expect("the setting");
    for table in PRODUCTIONS {
        let kinds: Vec<String> = raw
            .prepare(&format!("SELECT type FROM pragma_table_info('{table}')"))
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .expect("columns");
        for number in 1..=2 {
            let values: Vec<String> = kinds
                .iter()
                .map(|kind| match kind.as_str() {
                    "INTEGER" => number.to_string(),
                    "BLOB" => "randomblob(32)".to_owned(),
                    _ => format!("'{number}'"),
                })
                .collect();
            let insert = format!("INSERT INTO {table} VALUES ({})", values.join(", "));
            raw.execute_batch(&insert).expect("a row");
        }
    }
}

/// A table's columns and, of those, the ones that its primary key is made of.
pub(crate) fn columns(raw: &Connection, table: &str) -> (Vec<String>, Vec<String>) {
    let mut statement = raw
        .prepare(&format!("PRAGMA table_info({table})"))
        .expect("a table");
    let rows = statement.query_map([], |row| {
        Ok((row.get::<_, String>(1)?, row.get::<_, i64>(5)?))
    });
    let all: Vec<_> = rows
        .expect("columns")
        .collect::<rusqlite::Result<_>>()
        .expect("columns");
    let key = all
        .iter()
        .filter(|(_, place)| *place > 0)
        .map(|(name, _)| name.clone());
    (
        all.iter().map(|(name, _)| name.clone()).collect(),
        key.collect(),
    )
}

/// A copy of a database that may be harmed.
pub(crate) async fn copy(test: &TestApp, name: &str) -> PathBuf {
    let target = test.database().with_file_name(name);
    test.app.store().backup(&target).await.expect("a copy");
    target
}
