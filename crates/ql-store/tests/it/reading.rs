//! Reading: one consistent picture, and nothing else.

use ql_store::{StoreError, Tx};

use crate::notes::{Notes, note};

fn count(tx: &mut Tx<'_>) -> Result<i64, StoreError> {
    tx.one("SELECT COUNT(*) FROM notes", &[])?.int()
}

#[tokio::test]
async fn a_reader_sees_one_moment_however_long_it_looks() {
    let notes = Notes::new().await;
    notes.write("before").await.expect("kept");
    let path = notes.path.clone();
    let seen = notes.store.read(move |tx| {
        let first = count(tx)?;
        let somebody = rusqlite::Connection::open(&path).expect("the file");
        somebody
            .execute("INSERT INTO notes VALUES ('meanwhile')", [])
            .expect("committed meanwhile");
        Ok::<_, StoreError>((first, count(tx)?))
    });

    assert_eq!(seen.await.expect("read"), (1, 1));
    assert_eq!(
        notes.store.read(count).await.expect("read"),
        2,
        "the next look sees it"
    );
}

#[tokio::test]
async fn a_reader_sees_what_was_answered_before_it_looked() {
    let notes = Notes::new().await;
    for (before, text) in (0_i64..).zip(["a", "b", "c"]) {
        assert_eq!(notes.store.read(count).await.expect("read"), before);
        notes.write(text).await.expect("kept");
        assert_eq!(notes.store.read(count).await.expect("read"), before + 1);
    }
}

#[tokio::test]
async fn a_reader_can_not_write() {
    let notes = Notes::new().await;
    let refused = notes.store.read(move |tx| note(tx, "sneaked in")).await;
    assert!(
        matches!(refused, Err(StoreError::Unavailable(_))),
        "{refused:?}"
    );
    assert_eq!(notes.committed(), [""; 0]);
}

#[tokio::test]
async fn a_panic_while_reading_ends_nobody_elses_reading() {
    let notes = Notes::new().await;
    let store = notes.store.clone();
    let panicked = tokio::spawn(async move {
        let read = store.read(|_| -> Result<(), StoreError> { panic!("a defect") });
        read.await
    });
    assert!(panicked.await.is_err());
    assert_eq!(notes.store.read(count).await.expect("read"), 0);
    assert_eq!(
        notes
            .store
            .scan(count)
            .await
            .expect("read on a thread of its own"),
        0
    );
}

#[tokio::test]
async fn a_backup_is_a_whole_database_of_one_moment() {
    let notes = Notes::new().await;
    notes.write("saved").await.expect("kept");
    let target = notes.path.with_file_name("backup.db");
    notes.store.backup(&target).await.expect("a copy");
    notes.write("too late").await.expect("kept");

    let copy = rusqlite::Connection::open(&target).expect("the copy");
    let check: String = copy
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("checked");
    let texts: Vec<String> = copy
        .prepare("SELECT text FROM notes")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .expect("notes");
    assert_eq!((check.as_str(), texts), ("ok", vec!["saved".to_owned()]));
    assert!(
        !target.with_extension("db-wal").exists(),
        "one file is the whole backup"
    );
}
