//! What is written once stays as it was written: proved by trying to break it.

use ql_testkit::TestApp;
use rusqlite::Connection;

use crate::story::{APPEND_ONLY, columns, copy, plant_productions, product_connection};

/// Every way that SQL has to change or remove a row that stands.
fn attacks(raw: &Connection, table: &str) -> Vec<String> {
    let (all, key) = columns(raw, table);
    let key = key.join(", ");
    let mut attacks = vec![
        format!("DELETE FROM {table}"),
        format!("DELETE FROM {table} WHERE {} IS NOT NULL", all[0]),
        format!("REPLACE INTO {table} SELECT * FROM {table} LIMIT 1"),
        format!("INSERT OR REPLACE INTO {table} SELECT * FROM {table} LIMIT 1"),
    ];
    for column in all {
        attacks.push(format!("UPDATE {table} SET {column} = {column}"));
        attacks.push(format!("UPDATE OR REPLACE {table} SET {column} = {column}"));
        attacks.push(format!("UPDATE OR IGNORE {table} SET {column} = {column}"));
        attacks.push(format!(
            "INSERT INTO {table} SELECT * FROM {table} WHERE true LIMIT 1 \
            ON CONFLICT ({key}) DO UPDATE SET {column} = excluded.{column}"
        ));
    }
    attacks
}

/// Everything that a table holds, as text.
fn dump(raw: &Connection, table: &str) -> Vec<String> {
    let (all, _) = columns(raw, table);
    let quoted: Vec<String> = all
        .iter()
        .map(|column| format!("quote({column})"))
        .collect();
    let sql = format!(
        "SELECT {} FROM {table} ORDER BY 1",
        quoted.join(" || ',' || ")
    );
    let mut statement = raw.prepare(&sql).expect("a table");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.collect::<rusqlite::Result<_>>().expect("texts")
}

#[tokio::test]
async fn no_statement_changes_or_removes_a_row_that_stands() {
    let test = TestApp::embedded_with_a_story().await;
    plant_productions(&test.database());
    let raw = product_connection(&test.database());
    for table in APPEND_ONLY {
        let before = dump(&raw, table);
        assert!(before.len() > 1, "{table} has rows");
        for attack in attacks(&raw, table) {
            let refused = raw
                .execute(&attack, [])
                .err()
                .unwrap_or_else(|| panic!("{attack} was let through"));
            assert_eq!(
                refused.to_string(),
                format!("{table} is append-only"),
                "{attack}"
            );
        }
        assert_eq!(dump(&raw, table), before, "{table}");
    }
}

/// The trap that `recursive_triggers` closes: without it `REPLACE` overwrites a protected row, and no
/// trigger says a word.
#[tokio::test]
async fn without_recursive_triggers_replace_would_overwrite() {
    let test = TestApp::embedded_with_a_story().await;
    for table in ["decisions", "ledger_entries", "content_revisions"] {
        let raw = Connection::open(copy(&test, &format!("{table}.db")).await).expect("the copy");
        raw.execute_batch("PRAGMA recursive_triggers = OFF; PRAGMA foreign_keys = OFF")
            .expect("settings");
        let (all, key) = columns(&raw, table);
        let victim = all
            .iter()
            .find(|column| ["comment", "canon", "fields"].contains(&column.as_str()));
        let victim = victim.expect("a text to overwrite");
        let forged: Vec<&str> = all
            .iter()
            .map(|c| if c == victim { "'forged'" } else { c.as_str() })
            .collect();
        let attack = format!(
            "REPLACE INTO {table} SELECT {} FROM {table} ORDER BY {} LIMIT 1",
            forged.join(", "),
            key.join(", ")
        );
        raw.execute(&attack, [])
            .unwrap_or_else(|error| panic!("{attack}: {error}"));
        assert!(
            dump(&raw, table).iter().any(|row| row.contains("'forged'")),
            "{table}"
        );
    }
}

#[tokio::test]
async fn the_products_own_writer_is_held_to_it_too() {
    let test = TestApp::embedded_with_a_story().await;
    let attacks = [
        "REPLACE INTO decisions SELECT * FROM decisions LIMIT 1",
        "UPDATE content_revisions SET fields = '{}'",
        "DELETE FROM ledger_entries",
    ];
    for attack in attacks {
        let refused = test
            .app
            .store()
            .write(move |tx| tx.execute(attack, &[]))
            .await;
        assert!(
            matches!(refused, Err(ql_store::StoreError::Conflict(_))),
            "{attack}: {refused:?}"
        );
    }
    test.verify_ledger().await;
}

/// A new table must be put on one side or the other.
#[tokio::test]
async fn the_tables_that_may_change_are_known_by_name() {
    let test = TestApp::embedded_with_a_story().await;
    let raw = product_connection(&test.database());
    let mut statement = raw
        .prepare(
            "SELECT t.name, (SELECT COUNT(*) FROM sqlite_master g WHERE g.type = 'trigger' AND g.tbl_name = t.name) \
            FROM sqlite_master t WHERE t.type = 'table' ORDER BY t.name",
        )
        .expect("the schema");
    let rows = statement.query_map([], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
    });
    let tables: Vec<_> = rows
        .expect("tables")
        .collect::<rusqlite::Result<_>>()
        .expect("tables");
    let guarded: Vec<&str> = tables
        .iter()
        .filter(|(_, triggers)| *triggers == 2)
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(guarded, APPEND_ONLY);
    let open: Vec<&str> = tables
        .iter()
        .filter(|(_, triggers)| *triggers == 0)
        .map(|(name, _)| name.as_str())
        .collect();
    insta::assert_snapshot!(open.join(" "), @"agent_permissions agents connections content_items content_slugs conversations form_day_keys form_submissions forms jobs leases ledger_heads ledger_pending member_sessions member_tokens members opportunities organizations parcels production_budgets production_roles production_sources production_stages proposals reservations reverification_reviews reverification_targets runs runtime_reports schema_migrations sign_in_links sites strategy_imports task_plans task_steps templates topical_nodes turns");
}
