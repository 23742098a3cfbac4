//! Many transactions, one commit: each is kept or not on its own, and all are answered after it.

use ql_store::{StoreError, Tx};

use crate::notes::{Notes, note};

type Outcome = Result<(), StoreError>;
type Work = fn(&mut Tx<'_>) -> Outcome;

/// Runs everything in one batch and gives the answers in order.
async fn in_one_batch(notes: &Notes, works: &[Work]) -> Vec<Outcome> {
    let release = notes.hold_the_writer().await;
    let mut answers = Vec::new();
    for (place, work) in works.iter().enumerate() {
        let (store, work) = (notes.store.clone(), *work);
        answers.push(tokio::spawn(async move { store.write(work).await }));
        notes.wait_until_queued(place + 1).await;
    }
    release.send(()).expect("the writer waits");
    let mut outcomes = Vec::new();
    for answer in answers {
        outcomes.push(answer.await.expect("no panic here"));
    }
    outcomes
}

fn good_one(tx: &mut Tx<'_>) -> Outcome {
    note(tx, "one")
}

fn good_two(tx: &mut Tx<'_>) -> Outcome {
    note(tx, "two")
}

#[tokio::test]
async fn one_refused_transaction_keeps_nothing_and_spoils_no_other() {
    let notes = Notes::new().await;
    let refuses: Work = |tx| {
        note(tx, "refused")?;
        Err(StoreError::Conflict("the rule says no".into()))
    };

    let answers = in_one_batch(&notes, &[good_one, refuses, good_two]).await;

    assert!(answers[0].is_ok() && answers[2].is_ok());
    assert!(matches!(&answers[1], Err(StoreError::Conflict(why)) if why == "the rule says no"));
    assert_eq!(notes.committed(), ["one", "two"]);
}

#[tokio::test]
async fn a_panic_keeps_nothing_and_the_writer_goes_on() {
    let notes = Notes::new().await;
    let panics: Work = |tx| {
        note(tx, "lost")?;
        panic!("a defect in a use case")
    };

    let answers = in_one_batch(&notes, &[good_one, panics, good_two]).await;

    assert!(matches!(&answers[1], Err(StoreError::Bug(why)) if why == "the transaction panicked"));
    assert_eq!(notes.committed(), ["one", "two"]);
    notes.write("three").await.expect("the writer lives");
}

#[tokio::test]
async fn a_swallowed_error_of_a_statement_keeps_nothing() {
    let notes = Notes::new().await;
    let swallows: Work = |tx| {
        note(tx, "before")?;
        drop(note(tx, "before"));
        drop(note(tx, "after"));
        Ok(())
    };

    let answers = in_one_batch(&notes, &[good_one, swallows, good_two]).await;

    assert!(
        matches!(answers[1], Err(StoreError::Conflict(_))),
        "{:?}",
        answers[1]
    );
    assert_eq!(notes.committed(), ["one", "two"]);
}

#[tokio::test]
async fn a_statement_that_must_change_one_row_and_changes_none_keeps_nothing() {
    let notes = Notes::new().await;
    let missing = |tx: &mut Tx<'_>| {
        note(tx, "before")?;
        drop(tx.execute_one("DELETE FROM notes WHERE text = 'nobody'", &[]));
        Ok(())
    };

    let answer: Outcome = notes.store.write(missing).await;

    assert!(matches!(answer, Err(StoreError::Conflict(_))));
    assert_eq!(notes.committed(), [""; 0]);
}

/// `RAISE(ROLLBACK)`, like a full disk, ends the transaction with the savepoints that were released
/// in it, so nobody in the batch may be told that anything was kept.
#[tokio::test]
async fn what_ends_the_whole_transaction_fails_the_whole_batch() {
    let notes = Notes::new().await;
    let trigger = |tx: &mut Tx<'_>| {
        tx.execute(
            "CREATE TRIGGER full BEFORE INSERT ON notes WHEN NEW.text = 'too much' \
            BEGIN SELECT RAISE(ROLLBACK, 'full'); END",
            &[],
        )
    };
    notes.store.write(trigger).await.expect("the trigger");
    let too_much: Work = |tx| note(tx, "too much");

    let answers = in_one_batch(&notes, &[good_one, too_much, good_two]).await;

    for answer in answers {
        assert!(
            matches!(answer, Err(StoreError::Unavailable(_))),
            "{answer:?}"
        );
    }
    assert_eq!(notes.committed(), [""; 0]);
    notes.write("three").await.expect("the writer goes on");
    assert_eq!(notes.committed(), ["three"]);
}

#[tokio::test]
async fn the_answer_comes_after_the_commit() {
    let notes = Notes::new().await;
    for text in ["a", "b", "c"] {
        notes.write(text).await.expect("kept");
        assert!(
            notes.committed().contains(&text.to_owned()),
            "{text} is on the disk when it is answered"
        );
    }
}

#[tokio::test]
async fn many_waiting_transactions_are_one_commit() {
    let notes = Notes::new().await;
    let works: [Work; 5] = [
        good_one,
        good_two,
        |tx| note(tx, "three"),
        |tx| note(tx, "four"),
        |tx| note(tx, "five"),
    ];
    let before = commits(&notes);

    let answers = in_one_batch(&notes, &works).await;

    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(notes.committed().len(), 5);
    assert_eq!(commits(&notes) - before, 1);
    notes.write("six").await.expect("kept");
    notes.write("seven").await.expect("kept");
    assert_eq!(
        commits(&notes) - before,
        3,
        "one by one they are commits of their own"
    );
}

/// How many commits the write-ahead log holds: its frames that carry the size of the database after
/// a commit (see the file format of SQLite).
fn commits(notes: &Notes) -> usize {
    const HEADER: usize = 32;
    const FRAME: usize = 24 + 4096;
    let log = std::fs::read(notes.path.with_extension("db-wal")).expect("a write-ahead log");
    let salt = &log[16..24];
    log[HEADER..]
        .chunks_exact(FRAME)
        .filter(|frame| frame[4..8] != [0; 4] && frame[8..16] == *salt)
        .count()
}
