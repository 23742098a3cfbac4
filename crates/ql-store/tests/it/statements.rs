//! Every statement is in the dialect that both engines take.

use ql_store::{Arg, StoreError, statements};
use ql_testkit::TestDatabase;

use crate::notes::Notes;

#[tokio::test]
async fn every_statement_prepares() {
    let notes = Notes::new().await;
    let prepared = notes.store.prepare_all().expect("all of them");
    assert_eq!(prepared, statements::all().count());
    assert!(prepared > 100, "{prepared}");
    let Some(database) = TestDatabase::new() else {
        return;
    };
    assert_eq!(database.store().prepare_all().expect("all"), prepared);
}

/// To SQLite `$2` is a name that is numbered by where it occurs, so an unchanged statement would
/// swap the two.
#[tokio::test]
async fn parameters_go_by_their_number_and_not_by_their_place() {
    let notes = Notes::new().await;
    let swapped = notes.store.read(move |tx| {
        let args = [Arg::from("first"), Arg::from("second")];
        let mut row = tx.one("SELECT $2, $1, $2", &args)?;
        Ok::<_, StoreError>((row.text()?, row.text()?, row.text()?))
    });
    let (a, b, c) = swapped.await.expect("a row");
    assert_eq!(
        (a.as_str(), b.as_str(), c.as_str()),
        ("second", "first", "second")
    );

    let raw = rusqlite::Connection::open_in_memory().expect("an engine");
    let unchanged: (String, String) = raw
        .query_row("SELECT $2, $1", ["first", "second"], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .expect("a row");
    assert_eq!(
        unchanged.0, "first",
        "without the rewriting the engine swaps them"
    );
}

#[test]
fn parameters_are_numbered_without_a_gap_and_a_dollar_stands_for_nothing_else() {
    for sql in statements::all() {
        let numbers: std::collections::BTreeSet<u32> = sql
            .split('$')
            .skip(1)
            .map(|rest| {
                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                digits
                    .parse()
                    .unwrap_or_else(|_| panic!("a dollar without a number in: {sql}"))
            })
            .collect();
        let expected = (1..=u32::try_from(numbers.len()).expect("few")).collect();
        assert_eq!(numbers, expected, "in: {sql}");
        assert!(!sql.contains('?'), "a question mark in: {sql}");
    }
}

/// Both overwrite a row that stands, and `REPLACE` passes an append-only trigger by on a connection
/// that doesn't run triggers recursively.
#[test]
fn no_statement_replaces_rows() {
    for sql in statements::all() {
        let sql = sql.to_uppercase();
        assert!(!sql.contains("REPLACE"), "{sql}");
    }
}
