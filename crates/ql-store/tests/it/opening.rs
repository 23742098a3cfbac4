//! Opening: alone, and only what this version knows.

use std::path::Path;

use ql_store::{MINIMUM_VERSION, SqliteOptions, Store, StoreError};
use ql_testkit::TempDir;

fn open(folder: &Path) -> Result<Store, StoreError> {
    Store::open(SqliteOptions::new(folder.join("querylayer.db")))
}

/// What opening is refused with, without the folder's name.
fn refusal(folder: &Path) -> String {
    let error = open(folder).expect_err("refused").to_string();
    error.replace(&folder.display().to_string(), "DATA")
}

fn tamper(folder: &Path, sql: &str) {
    let raw = rusqlite::Connection::open(folder.join("querylayer.db")).expect("the file");
    raw.execute_batch(sql).expect("a change");
}

#[test]
fn a_second_server_on_the_same_folder_is_refused() {
    let folder = TempDir::new();
    let first = open(folder.path()).expect("the first");
    insta::assert_snapshot!(refusal(folder.path()), @"the database is unavailable: DATA/querylayer.db can't be locked: another server works on this data folder");
    first.close();
    drop(first);
    open(folder.path()).expect("the folder is free again");
}

#[test]
fn the_bundled_engine_is_new_enough() {
    assert!(rusqlite::version_number() >= MINIMUM_VERSION);
}

#[test]
fn a_schema_from_the_future_is_refused() {
    let folder = TempDir::new();
    drop(open(folder.path()).expect("fresh"));
    tamper(
        folder.path(),
        "INSERT INTO schema_migrations VALUES (99, 'time_travel', zeroblob(32))",
    );
    insta::assert_snapshot!(refusal(folder.path()), @"the database has the schema step 99 (time_travel), which this version of querylayer doesn't know; use the version that made it, or a newer one");
}

#[test]
fn a_schema_step_that_was_another_one_is_refused() {
    let folder = TempDir::new();
    drop(open(folder.path()).expect("fresh"));
    tamper(
        folder.path(),
        "UPDATE schema_migrations SET sha256 = zeroblob(32) WHERE number = 1",
    );
    insta::assert_snapshot!(refusal(folder.path()), @"the database has the schema step 1 (0001_foundation), which this version of querylayer doesn't know; use the version that made it, or a newer one");
}

#[test]
fn opening_twice_applies_each_step_once() {
    let folder = TempDir::new();
    for _ in 0..2 {
        let store = open(folder.path()).expect("opens");
        store.close();
    }
    let raw = rusqlite::Connection::open(folder.path().join("querylayer.db")).expect("the file");
    let steps: Vec<i64> = raw
        .prepare("SELECT number FROM schema_migrations ORDER BY number")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .expect("the register");
    assert_eq!(steps, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let folder = TempDir::new();
    std::fs::write(
        folder.path().join("querylayer.db"),
        "dear diary".repeat(1000),
    )
    .expect("a file");
    insta::assert_snapshot!(refusal(folder.path()), @"the database file is damaged: file is not a database");
}

#[test]
fn a_folder_that_is_not_there_is_refused() {
    let folder = TempDir::new();
    insta::assert_snapshot!(refusal(&folder.path().join("nowhere")), @"the database is unavailable: DATA/querylayer.db can't be locked: No such file or directory (os error 2)");
}
