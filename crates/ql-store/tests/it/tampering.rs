//! Whoever writes into the database file past the product is found by `ledger verify`.

use std::fmt::Write as _;
use std::path::Path;

use ql_store::ledger::{Verification, verify};
use ql_store::{SqliteOptions, Store};
use ql_testkit::TestApp;
use rusqlite::Connection;

use crate::story::{columns, copy};

mod tree;

/// A connection of somebody who owns the machine: no triggers, no keys.
fn intruder(path: &Path) -> Connection {
    let raw = Connection::open(path).expect("the file");
    raw.execute_batch(
        "PRAGMA foreign_keys = OFF; DROP TRIGGER ledger_entries_no_update; DROP TRIGGER ledger_entries_no_delete;",
    )
    .expect("the guards are gone");
    raw
}

/// What `ledger verify` finds on a copy that was tampered with.
async fn found_after(test: &TestApp, tamper: &str) -> Verification {
    let path = copy(test, "tampered.db").await;
    let raw = intruder(&path);
    let changed = raw
        .execute(tamper, [])
        .unwrap_or_else(|error| panic!("{tamper}: {error}"));
    assert!(changed > 0, "{tamper} changed nothing");
    drop(raw);
    let store = Store::open(SqliteOptions::new(&path)).expect("it opens");
    let found = store.read(verify).await.expect("it can be followed");
    store.close();
    std::fs::remove_file(path).expect("removed");
    found
}

fn summary(found: &Verification) -> String {
    let lines: Vec<String> = found.broken.iter().map(ToString::to_string).collect();
    lines.join(" | ")
}

/// The proposal's chain of the first article, in which a person's decision stands.
const CHAIN: &str = "(SELECT MIN(subject) FROM ledger_entries WHERE kind = 'proposal.approved')";

#[tokio::test]
async fn an_untouched_ledger_verifies() {
    let test = TestApp::embedded_with_a_story().await;
    let found = test.app.verify_whole_ledger().await.expect("readable");
    assert_eq!(found.broken, []);
    assert!(found.chains > 5 && found.entries > 20, "{found:?}");
    let rows = "SELECT (SELECT COUNT(*) FROM ledger_heads), (SELECT COUNT(*) FROM ledger_entries)";
    let counted = Connection::open(test.database()).expect("the file");
    let counted: (i64, i64) = counted
        .query_row(rows, [], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("counts");
    let followed = (found.chains.cast_signed(), found.entries.cast_signed());
    assert_eq!(counted, followed, "nothing is passed over");
}

/// Another value of the same type.
fn another(column: &str) -> String {
    match column {
        "seq" | "at" | "bytes" | "updated_at" => format!("{column} + 1000"),
        "prev" | "leaf" | "hash" => "zeroblob(32)".to_owned(),
        "canon" => "replace(canon, 'true', 'false')".to_owned(),
        "site_id" => "NULL".to_owned(),
        "kind" => "'proposal.rejected'".to_owned(),
        "actor" => "'operator:0'".to_owned(),
        _ => format!("{column} || '0'"),
    }
}

#[tokio::test]
async fn a_change_of_any_column_of_an_entry_is_found() {
    let test = TestApp::embedded_with_a_story().await;
    let (names, _) = columns(
        &Connection::open(test.database()).expect("the file"),
        "ledger_entries",
    );
    let mut report = String::new();
    for name in names {
        let set = if name == "canon" {
            "replace(canon, '\"seq\":2', '\"seq\":9')".to_owned()
        } else {
            another(&name)
        };
        let tamper =
            format!("UPDATE ledger_entries SET {name} = {set} WHERE subject = {CHAIN} AND seq = 2");
        let found = found_after(&test, &tamper).await;
        assert!(!found.broken.is_empty(), "a changed {name} goes unseen");
        writeln!(report, "{name}: {}", summary(&found)).expect("a text");
    }
    insta::assert_snapshot!(report, @"
    id: prop_01m8p570g0e008000000000020 entry 2: the row says something else than the bytes that were hashed
    subject: prop_01m8p570g0e008000000000020 entry 3: it doesn't follow the entry before it; one was removed, added or moved | prop_01m8p570g0e0080000000000200: the chain has 1 entries and its head says 0; the end was cut off | prop_01m8p570g0e008000000000020 entry 2: it stands in the tree and isn't there; it was removed | prop_01m8p570g0e0080000000000200 entry 2: it neither stands in the tree nor waits for it; it was added past the program
    seq: prop_01m8p570g0e008000000000020 entry 3: it doesn't follow the entry before it; one was removed, added or moved | prop_01m8p570g0e008000000000020 entry 2: it stands in the tree and isn't there; it was removed | prop_01m8p570g0e008000000000020 entry 1002: it neither stands in the tree nor waits for it; it was added past the program
    organization_id: prop_01m8p570g0e008000000000020 entry 2: the row says something else than the bytes that were hashed
    site_id: prop_01m8p570g0e008000000000020 entry 2: the row says something else than the bytes that were hashed
    kind: prop_01m8p570g0e008000000000020 entry 2: the row says something else than the bytes that were hashed
    actor: prop_01m8p570g0e008000000000020 entry 2: the row says something else than the bytes that were hashed
    at: prop_01m8p570g0e008000000000020 entry 2: the row says something else than the bytes that were hashed
    canon: prop_01m8p570g0e008000000000020 entry 2: the stored bytes don't give the stored hash; they were changed
    prev: prop_01m8p570g0e008000000000020 entry 2: it doesn't follow the entry before it; one was removed, added or moved
    leaf: prop_01m8p570g0e008000000000020 entry 2: the stored bytes don't give the stored hash; they were changed | prop_01m8p570g0e008000000000020 entry 2: it isn't the entry that stands in the tree at its place
    ");
}

#[tokio::test]
async fn a_change_of_any_column_of_a_head_is_found() {
    let test = TestApp::embedded_with_a_story().await;
    let (names, _) = columns(
        &Connection::open(test.database()).expect("the file"),
        "ledger_heads",
    );
    let mut report = String::new();
    for name in names {
        let tamper = format!(
            "UPDATE ledger_heads SET {name} = {} WHERE subject = {CHAIN}",
            another(&name)
        );
        let found = found_after(&test, &tamper).await;
        assert!(!found.broken.is_empty(), "a changed {name} goes unseen");
        writeln!(report, "{name}: {}", summary(&found)).expect("a text");
    }
    insta::assert_snapshot!(report, @"
    subject: prop_01m8p570g0e0080000000000200: the chain has 0 entries and its head says 3; the end was cut off | prop_01m8p570g0e008000000000020: the chain has 3 entries and its head says 0; the end was cut off
    seq: prop_01m8p570g0e008000000000020: the chain has 3 entries and its head says 1003; the end was cut off
    hash: prop_01m8p570g0e008000000000020: the recorded head isn't the one that its last entry gives
    bytes: prop_01m8p570g0e008000000000020: the recorded head isn't the one that its last entry gives
    updated_at: prop_01m8p570g0e008000000000020: the recorded head isn't the one that its last entry gives
    ");
}

#[tokio::test]
async fn entries_that_are_removed_added_swapped_or_orphaned_are_found() {
    let test = TestApp::embedded_with_a_story().await;
    let cases = [
        (
            "the first is removed",
            format!("DELETE FROM ledger_entries WHERE subject = {CHAIN} AND seq = 1"),
        ),
        (
            "the last is removed",
            format!("DELETE FROM ledger_entries WHERE subject = {CHAIN} AND seq = 3"),
        ),
        (
            "a whole chain is removed",
            format!("DELETE FROM ledger_entries WHERE subject = {CHAIN}"),
        ),
        (
            "a head is removed",
            format!("DELETE FROM ledger_heads WHERE subject = {CHAIN}"),
        ),
        (
            "one is added before the first",
            format!(
                "INSERT INTO ledger_entries SELECT id, subject, -7, organization_id, site_id, kind, actor, at, canon, prev, leaf FROM ledger_entries WHERE subject = {CHAIN} AND seq = 1"
            ),
        ),
        (
            "one is added after the last",
            format!(
                "INSERT INTO ledger_entries SELECT id, subject, 4, organization_id, site_id, kind, actor, at, canon, leaf, leaf FROM ledger_entries WHERE subject = {CHAIN} AND seq = 3"
            ),
        ),
        (
            "the order is turned round",
            format!("UPDATE ledger_entries SET seq = -seq WHERE subject = {CHAIN}"),
        ),
        (
            "a digest is cut short",
            format!("UPDATE ledger_entries SET prev = x'00' WHERE subject = {CHAIN} AND seq = 2"),
        ),
        (
            "a head's digest is cut short",
            format!("UPDATE ledger_heads SET hash = x'00' WHERE subject = {CHAIN}"),
        ),
        (
            "the text is no JSON",
            format!(
                "UPDATE ledger_entries SET canon = 'nothing' WHERE subject = {CHAIN} AND seq = 2"
            ),
        ),
    ];
    let mut report = String::new();
    for (what, tamper) in cases {
        let found = found_after(&test, &tamper).await;
        assert!(!found.broken.is_empty(), "unseen: {what}");
        writeln!(report, "{what}: {}", summary(&found)).expect("a text");
    }
    insta::assert_snapshot!(report, @"
    the first is removed: prop_01m8p570g0e008000000000020 entry 2: it doesn't follow the entry before it; one was removed, added or moved | prop_01m8p570g0e008000000000020 entry 1: it stands in the tree and isn't there; it was removed
    the last is removed: prop_01m8p570g0e008000000000020: the chain has 2 entries and its head says 3; the end was cut off | prop_01m8p570g0e008000000000020 entry 3: it stands in the tree and isn't there; it was removed
    a whole chain is removed: prop_01m8p570g0e008000000000020: the chain has 0 entries and its head says 3; the end was cut off | prop_01m8p570g0e008000000000020 entry 1: it stands in the tree and isn't there; it was removed | prop_01m8p570g0e008000000000020 entry 2: it stands in the tree and isn't there; it was removed | prop_01m8p570g0e008000000000020 entry 3: it stands in the tree and isn't there; it was removed
    a head is removed: prop_01m8p570g0e008000000000020: the chain has 3 entries and its head says 0; the end was cut off
    one is added before the first: prop_01m8p570g0e008000000000020 entry -7: it doesn't follow the entry before it; one was removed, added or moved | prop_01m8p570g0e008000000000020 entry -7: it neither stands in the tree nor waits for it; it was added past the program
    one is added after the last: prop_01m8p570g0e008000000000020 entry 4: the row says something else than the bytes that were hashed | prop_01m8p570g0e008000000000020 entry 4: it neither stands in the tree nor waits for it; it was added past the program
    the order is turned round: prop_01m8p570g0e008000000000020 entry -3: it doesn't follow the entry before it; one was removed, added or moved | prop_01m8p570g0e008000000000020 entry 1: it stands in the tree and isn't there; it was removed | prop_01m8p570g0e008000000000020 entry 2: it stands in the tree and isn't there; it was removed | prop_01m8p570g0e008000000000020 entry 3: it stands in the tree and isn't there; it was removed | prop_01m8p570g0e008000000000020 entry -3: it neither stands in the tree nor waits for it; it was added past the program | prop_01m8p570g0e008000000000020 entry -2: it neither stands in the tree nor waits for it; it was added past the program | prop_01m8p570g0e008000000000020 entry -1: it neither stands in the tree nor waits for it; it was added past the program
    a digest is cut short: prop_01m8p570g0e008000000000020: an entry holds what no entry can hold; it was changed
    a head's digest is cut short: prop_01m8p570g0e008000000000020: the recorded head isn't the one that its last entry gives
    the text is no JSON: prop_01m8p570g0e008000000000020 entry 2: the stored bytes don't give the stored hash; they were changed
    ");
}

/// A forger who writes the bytes, the hash and the row alike still breaks the link of the next entry.
#[tokio::test]
async fn a_carefully_forged_entry_breaks_the_link_of_the_next() {
    let test = TestApp::embedded_with_a_story().await;
    let path = copy(&test, "forged.db").await;
    let raw = intruder(&path);
    let sql = format!("SELECT canon FROM ledger_entries WHERE subject = {CHAIN} AND seq = 1");
    let canon: String = raw.query_row(&sql, [], |row| row.get(0)).expect("an entry");
    let forged = canon.replace("\"risk\":\"medium\"", "\"risk\":\"high\"");
    assert_ne!(forged, canon);
    let leaf = ql_core::ledger::leaf_hash(forged.as_bytes());
    let update = format!(
        "UPDATE ledger_entries SET canon = ?1, leaf = ?2 WHERE subject = {CHAIN} AND seq = 1"
    );
    raw.execute(&update, (&forged, leaf.as_bytes()))
        .expect("forged");
    drop(raw);
    let store = Store::open(SqliteOptions::new(&path)).expect("it opens");
    let found = store.read(verify).await.expect("it can be followed");
    assert!(
        summary(&found).contains("entry 2: it doesn't follow"),
        "{}",
        summary(&found)
    );
}
