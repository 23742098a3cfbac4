//! The tree over all entries: who gives the places, what is signed, and what an intruder leaves.

use std::fmt::Write as _;

use ql_core::ledger::{Broken, leaf_hash};
use ql_core::time::minutes;
use ql_core::tree::TreeFault;
use ql_store::ledger::{Verification, verify};
use ql_store::tree::{self, Sequenced, Sequencer};
use ql_store::{SqliteOptions, Store};
use ql_testkit::TestApp;
use rusqlite::Connection;

use crate::story::{columns, copy};

/// Removes the guards, then does what somebody who owns the machine can do.
fn tamper(database: &std::path::Path, script: &str) {
    let raw = Connection::open(database).expect("the file");
    let guards = ["entries", "leaves", "nodes", "checkpoints", "keys"];
    let drop: String = guards
        .map(|table| {
            format!("DROP TRIGGER ledger_{table}_no_update; DROP TRIGGER ledger_{table}_no_delete;")
        })
        .concat();
    raw.execute_batch(&drop).expect("the guards are gone");
    raw.execute_batch(script)
        .unwrap_or_else(|error| panic!("{script}: {error}"));
}

async fn found_after(test: &TestApp, script: &str) -> Verification {
    let path = copy(test, "tampered.db").await;
    tamper(&path, script);
    let store = Store::open(SqliteOptions::new(&path)).expect("it opens");
    let found = store.read(verify).await.expect("it can be followed");
    store.close();
    std::fs::remove_file(path).expect("removed");
    found
}

fn summary(broken: &[Broken]) -> String {
    let lines: Vec<String> = broken.iter().map(ToString::to_string).collect();
    lines.join(" | ")
}

/// The attack that chains and heads alone don't show: a whole chain is removed with its head.
#[tokio::test]
async fn a_chain_that_was_removed_with_its_head_is_missed_by_the_tree() {
    let test = TestApp::embedded_with_a_story().await;
    let script = "DELETE FROM ledger_entries WHERE subject = (SELECT MIN(subject) FROM runs_gone);
        DELETE FROM ledger_heads WHERE subject = (SELECT MIN(subject) FROM runs_gone);";
    let script =
        format!("CREATE TEMP TABLE runs_gone AS SELECT MIN(id) AS subject FROM runs; {script}");
    let found = found_after(&test, &script).await;
    insta::assert_snapshot!(summary(&found.broken), @"run_01m8p570g0e00800000000001r entry 1: it stands in the tree and isn't there; it was removed | run_01m8p570g0e00800000000001r entry 2: it stands in the tree and isn't there; it was removed");
}

/// As before, with the leaves taken out of the tree, every hash computed again and the checkpoints
/// after it removed: what is left is smaller than what was signed, or isn't what was signed.
#[tokio::test]
async fn a_tree_that_was_made_anew_is_not_the_one_that_was_signed() {
    let test = TestApp::embedded_with_a_story().await;
    let last = "(SELECT MAX(leaf_index) FROM ledger_leaves)";
    let cut = format!(
        "CREATE TEMP TABLE gone AS SELECT subject, seq, leaf_index FROM ledger_leaves WHERE leaf_index = {last};
        DELETE FROM ledger_entries WHERE (subject, seq) IN (SELECT subject, seq FROM gone);
        UPDATE ledger_heads SET seq = seq - 1, hash = (SELECT leaf FROM ledger_entries e WHERE e.subject = ledger_heads.subject AND e.seq = ledger_heads.seq - 1)
            WHERE subject IN (SELECT subject FROM gone);
        DELETE FROM ledger_leaves WHERE leaf_index IN (SELECT leaf_index FROM gone);"
    );
    let found = found_after(&test, &cut).await;
    let faults: Vec<&Broken> = found
        .broken
        .iter()
        .filter(|broken| matches!(broken, Broken::Tree(_)))
        .collect();
    assert!(
        matches!(faults[..], [Broken::Tree(TreeFault::Shrunk { found, signed })] if found + 1 == *signed),
        "{faults:?}"
    );
    let unsigned = format!(
        "{cut} DELETE FROM ledger_checkpoints WHERE size > (SELECT COUNT(*) FROM ledger_leaves);"
    );
    let found = found_after(&test, &unsigned).await;
    let faults: Vec<&Broken> = found
        .broken
        .iter()
        .filter(|broken| matches!(broken, Broken::Tree(_)))
        .collect();
    assert!(
        matches!(faults[..], [Broken::Tree(TreeFault::Uncovered { .. })]),
        "{faults:?}"
    );
}

fn another(column: &str) -> String {
    match column {
        "leaf_index" | "seq" | "size" | "signed_at" | "number" | "position" => {
            format!("{column} + 1000")
        }
        "level" => "level + 4".to_owned(),
        "leaf" | "hash" | "root" | "public_key" => "zeroblob(32)".to_owned(),
        "note" => "replace(note, 'querylayer', 'querylayeR')".to_owned(),
        _ => format!("{column} || '0'"),
    }
}

#[tokio::test]
async fn a_change_of_any_column_of_the_tree_is_found() {
    let test = TestApp::embedded_with_a_story().await;
    let mut report = String::new();
    let rows = [
        ("ledger_leaves", "leaf_index = 3"),
        ("ledger_nodes", "level = 4 AND position = 0"),
        (
            "ledger_checkpoints",
            "size = (SELECT MAX(size) FROM ledger_checkpoints)",
        ),
        ("ledger_keys", "number = 2"),
    ];
    for (table, row) in rows {
        let raw = Connection::open(test.database()).expect("the file");
        let (names, _) = columns(&raw, table);
        for name in names {
            // When something was signed or registered is for people; nobody signed it.
            if ["signed_at", "registered_at"].contains(&name.as_str()) {
                continue;
            }
            let script = format!("UPDATE {table} SET {name} = {} WHERE {row}", another(&name));
            let found = found_after(&test, &script).await;
            assert!(!found.broken.is_empty(), "a changed {name} goes unseen");
            writeln!(report, "{table} {name}: {}", summary(&found.broken)).expect("a text");
        }
        let found = found_after(&test, &format!("DELETE FROM {table} WHERE {row}")).await;
        assert!(
            !found.broken.is_empty(),
            "a removed row of {table} goes unseen"
        );
        writeln!(report, "{table} removed: {}", summary(&found.broken)).expect("a text");
    }
    insta::assert_snapshot!(report, @"
    ledger_leaves leaf_index: leaf 3 of the tree is missing | 66 entries were signed and the tree has 3; its end was cut off
    ledger_leaves subject: cnv_01m8p570g0e00800000000002q0 entry 4: it stands in the tree and isn't there; it was removed | cnv_01m8p570g0e00800000000002q entry 4: it neither stands in the tree nor waits for it; it was added past the program
    ledger_leaves seq: cnv_01m8p570g0e00800000000002q entry 1004: it stands in the tree and isn't there; it was removed | cnv_01m8p570g0e00800000000002q entry 4: it neither stands in the tree nor waits for it; it was added past the program
    ledger_leaves leaf: cnv_01m8p570g0e00800000000002q entry 4: it isn't the entry that stands in the tree at its place | the tree's hash 0 of level 4 isn't what lies under it | the tree of the first 66 entries isn't the one that was signed | the tree of the first 68 entries isn't the one that was signed | the tree of the first 103 entries isn't the one that was signed | the tree of the first 105 entries isn't the one that was signed | the tree of the first 147 entries isn't the one that was signed
    ledger_leaves removed: leaf 3 of the tree is missing | 66 entries were signed and the tree has 3; its end was cut off | cnv_01m8p570g0e00800000000002q entry 4: it neither stands in the tree nor waits for it; it was added past the program
    ledger_nodes level: the tree's hash 0 of level 4 isn't what lies under it
    ledger_nodes position: the tree's hash 0 of level 4 isn't what lies under it
    ledger_nodes hash: the tree's hash 0 of level 4 isn't what lies under it
    ledger_nodes removed: the tree's hash 0 of level 4 isn't what lies under it | there are more or fewer inner hashes than the tree has
    ledger_checkpoints size: the checkpoint over 1147 entries isn't one that a key of this ledger signed | 1147 entries were signed and the tree has 147; its end was cut off
    ledger_checkpoints root: the checkpoint over 147 entries isn't one that a key of this ledger signed | the tree of the first 147 entries isn't the one that was signed
    ledger_checkpoints note: the checkpoint over 147 entries isn't one that a key of this ledger signed
    ledger_checkpoints removed: nobody signed the tree beyond its first 105 entries
    ledger_keys number: key 3 of the ledger isn't one that the key before it named
    ledger_keys public_key: key 2 of the ledger isn't one that the key before it named
    ledger_keys note: key 2 of the ledger isn't one that the key before it named
    ledger_keys removed: key 3 of the ledger isn't one that the key before it named
    ");
}

/// What a database was before there was a tree, with the rows that it would have had.
fn before_the_tree(database: &std::path::Path, path: &std::path::Path) {
    let raw = Connection::open(path).expect("a file");
    let remembered: String = Connection::open(database)
        .and_then(|now| {
            let of = "SELECT sql FROM sqlite_master WHERE name = 'schema_migrations'";
            now.query_row(of, [], |row| row.get(0))
        })
        .expect("the steps");
    let foundation = include_str!("../../../../../migrations/0001_foundation.sqlite.sql");
    raw.execute_batch(&format!(
        "PRAGMA foreign_keys = OFF; {foundation}; {remembered};"
    ))
    .expect("as it was");
    raw.execute("ATTACH ?1 AS now", [database.to_str()])
        .expect("both");
    let tables: Vec<String> = raw
        .prepare("SELECT name FROM main.sqlite_master WHERE type = 'table'")
        .and_then(|mut tables| tables.query_map([], |row| row.get(0))?.collect())
        .expect("tables");
    for table in tables {
        let names = columns(&raw, &table).0.join(", ");
        let only = if table == "schema_migrations" {
            "number = 1"
        } else {
            "true"
        };
        let copy = format!(
            "INSERT INTO main.{table} ({names}) SELECT {names} FROM now.{table} WHERE {only}"
        );
        raw.execute(&copy, []).expect("copied");
    }
}

/// A database from before there was a tree.
#[tokio::test]
async fn what_was_written_before_the_tree_waits_for_its_place() {
    let test = TestApp::embedded().await;
    let path = test.database().with_file_name("before.db");
    before_the_tree(&test.database(), &path);
    let store = Store::open(SqliteOptions::new(&path)).expect("it opens");
    let waiting = store.read(tree::count_waiting).await.expect("a count");
    let found = store.read(verify).await.expect("it can be followed");
    assert_eq!((waiting, found.leaves), (found.entries, 0));
    assert_eq!(found.broken, []);
}

/// The tree's leaf is the hash that the entry has.
#[tokio::test]
async fn the_leaf_is_the_hash_of_the_entry() {
    let test = TestApp::embedded_with_a_story().await;
    let raw = Connection::open(test.database()).expect("the file");
    let mut rows = raw
        .prepare("SELECT e.canon, l.leaf FROM ledger_leaves l JOIN ledger_entries e ON e.subject = l.subject AND e.seq = l.seq")
        .expect("a query");
    let rows = rows.query_map([], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?))
    });
    for row in rows.expect("rows") {
        let (canon, leaf) = row.expect("a row");
        assert_eq!(leaf_hash(canon.as_bytes()).as_bytes()[..], leaf[..]);
        assert_eq!(ql_core::plain::check(&canon), Ok(()), "{canon}");
    }
}

/// What guards against signing what an intruder made of the tree. Without the comparison the round
/// would sign it.
#[tokio::test]
async fn nothing_is_signed_on_top_of_a_tree_that_somebody_changed() {
    let test = TestApp::embedded_with_a_story().await;
    let path = copy(&test, "tampered.db").await;
    let last = "(SELECT MAX(leaf_index) FROM ledger_leaves)";
    tamper(
        &path,
        &format!(
            "UPDATE ledger_leaves SET leaf = zeroblob(32) WHERE leaf_index = {last};
            INSERT INTO ledger_pending SELECT subject || 'x', seq, leaf FROM ledger_leaves WHERE leaf_index = 0;"
        ),
    );
    let store = Store::open(SqliteOptions::new(&path)).expect("it opens");
    let (key, now) = (test.vault.key(), test.now().plus(minutes(1)));
    let round = store.write(move |tx| {
        let by = Sequencer {
            key: &key,
            holder: "intruder",
            limit: 10,
        };
        tree::sequence(tx, by, now)
    });
    let round = round.await.expect("a round");
    assert!(matches!(round, Sequenced::Unlike { .. }), "{round:?}");
}
