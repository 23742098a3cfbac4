//! The engine over the network: what meets another transaction is run again, what breaks is said,
//! and the working role can't change what is written once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ql_core::time::Timestamp;
use ql_store::{Arg, PostgresOptions, Store, StoreError, Tx};
use ql_testkit::{END_CONNECTIONS, TestDatabase};

/// A database with a table of counters that the working role may change.
fn counters() -> Option<TestDatabase> {
    let database = TestDatabase::new()?;
    database.administer(&[
        "CREATE TABLE counters (name TEXT PRIMARY KEY, n BIGINT NOT NULL)",
        "GRANT SELECT, INSERT, UPDATE ON counters TO ql_test_worker",
        "INSERT INTO counters VALUES ('a', 0), ('b', 0)",
    ]);
    Some(database)
}

fn count(tx: &mut Tx<'_>, name: &'static str) -> Result<i64, StoreError> {
    tx.one("SELECT n FROM counters WHERE name = $1", &[name.into()])?
        .int()
}

/// Reads a counter and writes one more: what two can't do at once without one seeing the other.
fn increment(tx: &mut Tx<'_>, name: &'static str) -> Result<i64, StoreError> {
    let next = count(tx, name)? + 1;
    tx.execute_one(
        "UPDATE counters SET n = $2 WHERE name = $1",
        &[name.into(), next.into()],
    )?;
    Ok(next)
}

#[tokio::test]
async fn what_meets_another_transaction_is_run_again_and_nothing_is_counted_twice() {
    let Some(database) = counters() else { return };
    let store = database.store();
    let runs = Arc::new(AtomicU32::new(0));
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let (store, runs) = (store.clone(), Arc::clone(&runs));
        callers.spawn(async move {
            store
                .write(move |tx| {
                    runs.fetch_add(1, Ordering::SeqCst);
                    increment(tx, "a")
                })
                .await
        });
    }
    let mut answered = Vec::new();
    while let Some(answer) = callers.join_next().await {
        match answer.expect("no panic") {
            Ok(number) => answered.push(number),
            // Given up after five runs: said so, and nothing kept.
            Err(StoreError::Unavailable(_)) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    answered.sort_unstable();
    let expected: Vec<i64> = (1..=i64::try_from(answered.len()).expect("few")).collect();
    assert_eq!(answered, expected, "each number was given once");
    let kept = store.read(|tx| count(tx, "a")).await.expect("a number");
    assert_eq!(Some(&kept), answered.last());
    let runs = usize::try_from(runs.load(Ordering::SeqCst)).expect("few");
    assert!(runs >= answered.len());
}

/// Two transactions that each read what the other writes: under a weaker isolation both would be
/// kept, each having seen a state that the other ended.
#[tokio::test]
async fn neither_of_two_transactions_misses_what_the_other_wrote() {
    let Some(database) = counters() else { return };
    let store = database.store();
    let meet = Arc::new(std::sync::Barrier::new(2));
    let mut callers = tokio::task::JoinSet::new();
    for (mine, other) in [("a", "b"), ("b", "a")] {
        let (store, meet, first) = (store.clone(), Arc::clone(&meet), AtomicU32::new(0));
        callers.spawn(async move {
            store
                .write(move |tx| {
                    let seen = count(tx, other)?;
                    // Both look before either writes; a second run goes on alone.
                    if first.fetch_add(1, Ordering::SeqCst) == 0 {
                        meet.wait();
                    }
                    tx.execute_one(
                        "UPDATE counters SET n = $2 WHERE name = $1",
                        &[mine.into(), (seen + 1).into()],
                    )
                })
                .await
        });
    }
    while let Some(answer) = callers.join_next().await {
        answer
            .expect("no panic")
            .expect("kept, perhaps after another run");
    }
    let both = store.read(|tx| Ok::<_, StoreError>((count(tx, "a")?, count(tx, "b")?)));
    let (a, b) = both.await.expect("numbers");
    assert_eq!((a.min(b), a.max(b)), (1, 2), "one came after the other");
}

#[tokio::test]
async fn a_key_that_another_caller_wrote_meanwhile_is_found_and_not_refused() {
    let Some(database) = counters() else { return };
    let store = database.store();
    let meet = Arc::new(std::sync::Barrier::new(2));
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..2 {
        let (store, meet, first) = (store.clone(), Arc::clone(&meet), AtomicU32::new(0));
        callers.spawn(async move {
            store
                .write(move |tx| {
                    let sql = "SELECT n FROM counters WHERE name = $1";
                    let known = tx.find(sql, &["key".into()])?;
                    if first.fetch_add(1, Ordering::SeqCst) == 0 {
                        meet.wait();
                    }
                    if known.is_some() {
                        return Ok::<_, StoreError>("found");
                    }
                    tx.execute_one("INSERT INTO counters VALUES ($1, 1)", &["key".into()])?;
                    Ok("made")
                })
                .await
        });
    }
    let mut answers = Vec::new();
    while let Some(answer) = callers.join_next().await {
        answers.push(answer.expect("no panic").expect("an answer"));
    }
    answers.sort_unstable();
    assert_eq!(answers, ["found", "made"]);
    let again = store
        .write(|tx| tx.execute_one("INSERT INTO counters VALUES ($1, 1)", &["key".into()]))
        .await;
    assert!(matches!(again, Err(StoreError::Conflict(_))), "{again:?}");
}

#[tokio::test]
async fn a_failed_statement_spoils_the_whole_transaction_and_no_other() {
    let Some(database) = counters() else { return };
    let store = database.store();
    let swallowed = store
        .write(|tx| {
            increment(tx, "a")?;
            let refused = tx.execute("INSERT INTO counters VALUES ('a', 1)", &[]);
            assert!(refused.is_err());
            Ok::<_, StoreError>(())
        })
        .await;
    assert!(matches!(swallowed, Err(StoreError::Conflict(_))));
    let panicked = store.write(|tx| -> Result<(), StoreError> {
        increment(tx, "a")?;
        panic!("a defect in a use case")
    });
    let panicked = panicked.await;
    assert!(matches!(&panicked, Err(StoreError::Bug(why)) if why == "the transaction panicked"));
    assert_eq!(store.read(|tx| count(tx, "a")).await.expect("a number"), 0);
    assert_eq!(store.write(|tx| increment(tx, "a")).await.expect("one"), 1);
}

#[tokio::test]
async fn statements_that_travel_together_are_each_counted() {
    let Some(database) = counters() else { return };
    let store = database.store();
    let both = |second: &'static str| {
        store.write(move |tx| {
            let sql = "UPDATE counters SET n = n + 1 WHERE name = $1";
            let (a, b) = (["a".into()], [Arg::from(second)]);
            tx.execute_each(&[(sql, &a), (sql, &b)])
        })
    };
    both("b").await.expect("both");
    let missed = both("nobody").await;
    assert!(matches!(missed, Err(StoreError::Conflict(_))), "{missed:?}");
    let seen = store.read(|tx| Ok::<_, StoreError>((count(tx, "a")?, count(tx, "b")?)));
    assert_eq!(seen.await.expect("numbers"), (1, 1));
}

#[tokio::test]
async fn a_read_changes_nothing() {
    let Some(database) = counters() else { return };
    let store = database.store();
    let tried = store.read(|tx| increment(tx, "a")).await;
    assert!(tried.is_err());
    assert_eq!(store.read(|tx| count(tx, "a")).await.expect("a number"), 0);
}

#[tokio::test]
async fn connections_that_were_ended_are_replaced_without_an_error() {
    let Some(database) = counters() else { return };
    let store = database.store();
    for expected in 1..=5 {
        let answer = store.write(|tx| increment(tx, "a")).await;
        assert_eq!(answer.expect("kept"), expected);
        database.administer(&[END_CONNECTIONS]);
    }
}

#[tokio::test]
async fn a_transaction_whose_connection_ends_before_the_commit_is_run_again() {
    let Some(database) = counters() else { return };
    let (store, database) = (database.store(), Arc::new(database));
    let (first, ends) = (AtomicU32::new(0), Arc::clone(&database));
    let answer = store
        .write(move |tx| {
            let next = increment(tx, "a")?;
            if first.fetch_add(1, Ordering::SeqCst) == 0 {
                ends.administer(&[END_CONNECTIONS]);
            }
            increment(tx, "b")?;
            Ok::<_, StoreError>(next)
        })
        .await;
    assert_eq!(answer.expect("kept"), 1);
    let seen = store.read(|tx| Ok::<_, StoreError>((count(tx, "a")?, count(tx, "b")?)));
    assert_eq!(seen.await.expect("numbers"), (1, 1));
    drop(database);
}

#[tokio::test]
async fn leases_are_judged_by_the_servers_clock() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let options = PostgresOptions {
        connections: 1,
        ..PostgresOptions::new(database.url())
    };
    let store = Store::connect(options).expect("a database");
    let wrong = Timestamp::from_micros(0);
    let judged = store.write(move |tx| tx.lease_clock(wrong)).await;
    let server = database.number("SELECT (EXTRACT(EPOCH FROM now()) * 1000000)::BIGINT");
    let apart = judged.expect("a time").as_micros().abs_diff(server);
    assert!(u128::from(apart) < Duration::from_mins(1).as_micros());
    let own = database.store();
    let judged = own.write(move |tx| tx.lease_clock(wrong)).await;
    assert_eq!(judged.expect("a time"), wrong, "where a test says so");
}

#[tokio::test]
async fn the_working_role_can_change_nothing_that_is_written_once() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let found = database.store().privileges().await.expect("tried");
    let found = found.expect("a server");
    assert_eq!(found.role, "ql_test_worker");
    assert!(!found.superuser);
    assert_eq!(found.granted, [""; 0]);
    assert_eq!(found.open, [""; 0]);
    // The server of the tests doesn't wait for its disk, and that is found too.
    let named = std::env::var_os("QL_TEST_POSTGRES_URL").is_some();
    assert!(named || found.not_durable == ["fsync"], "{found:?}");
}

/// The negative control: rights that were given by mistake are found, and so are triggers that are
/// gone.
#[tokio::test]
async fn rights_too_many_and_triggers_too_few_are_found() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    database.administer(&["GRANT UPDATE ON policies, ledger_entries TO ql_test_worker"]);
    let store = database.store();
    let found = store.privileges().await.expect("tried").expect("a server");
    assert_eq!(found.granted, ["ledger_entries", "policies"]);
    assert_eq!(found.open, [""; 0]);
    database.administer(&[
        "DROP TRIGGER policies_no_truncate ON policies",
        "GRANT TRUNCATE ON policies TO ql_test_worker",
    ]);
    let found = store.privileges().await.expect("tried").expect("a server");
    assert_eq!(found.open, ["policies"]);
    let as_owner = PostgresOptions {
        connections: 1,
        ..PostgresOptions::new(database.owner_url())
    };
    let owner = Store::connect(as_owner).expect("the owner may work");
    let found = owner.privileges().await.expect("tried").expect("a server");
    assert_eq!(found.granted.len(), ql_store::check::APPEND_ONLY.len());
}

/// Servers that start at the same moment on an empty database make its tables once.
#[tokio::test]
async fn the_schema_is_made_once_however_many_start_at_once() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    database.administer(&[
        "DROP SCHEMA public CASCADE",
        "CREATE SCHEMA public AUTHORIZATION ql_test_owner",
    ]);
    let lacking = Store::connect(PostgresOptions::new(database.url()));
    let said = lacking
        .expect_err("no tables, no right to make them")
        .to_string();
    assert!(said.contains("--database-owner"), "{said}");
    let starts: Vec<_> = (0..4)
        .map(|_| {
            let options = PostgresOptions {
                owner_url: Some(database.owner_url()),
                connections: 1,
                ..PostgresOptions::new(database.url())
            };
            std::thread::spawn(move || Store::connect(options).map(|store| store.close()))
        })
        .collect();
    for start in starts {
        start.join().expect("no panic").expect("it starts");
    }
    assert!(database.number("SELECT COUNT(*) FROM schema_migrations") >= 1);
    database.administer(&["INSERT INTO schema_migrations VALUES (999, 'tomorrow', '\\x00')"]);
    let newer = Store::connect(PostgresOptions::new(database.url()));
    let said = newer.expect_err("a newer schema").to_string();
    assert!(said.contains("999 (tomorrow)"), "{said}");
}
