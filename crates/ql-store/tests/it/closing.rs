//! Closing finishes what was accepted.

use ql_store::{SqliteOptions, Store, StoreError, Tx};

use crate::notes::{Notes, note};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_accepted_is_finished_and_what_comes_later_is_refused() {
    let notes = Notes::new().await;
    let release = notes.hold_the_writer().await;
    let texts = ["a", "b", "c", "d"];
    let mut writes = Vec::new();
    for text in texts {
        let store = notes.store.clone();
        writes.push(tokio::spawn(async move {
            store.write(move |tx| note(tx, text)).await
        }));
    }
    notes.wait_until_queued(texts.len()).await;
    let closing = tokio::task::spawn_blocking({
        let store = notes.store.clone();
        move || store.close()
    });
    release.send(()).expect("the writer waits");

    for answer in writes {
        answer
            .await
            .expect("no panic")
            .expect("accepted before the close");
    }
    closing.await.expect("closed");
    assert_eq!(notes.committed(), texts);
    let late = notes.write("late").await;
    assert!(matches!(late, Err(StoreError::Unavailable(_))), "{late:?}");
    let look = |tx: &mut Tx<'_>| tx.one("SELECT 1", &[])?.int();
    let late = notes.store.read(look).await;
    assert!(matches!(late, Err(StoreError::Unavailable(_))), "{late:?}");
}

#[tokio::test]
async fn a_closed_folder_opens_again_with_everything_in_it() {
    let notes = Notes::new().await;
    notes.write("kept").await.expect("kept");
    let Notes {
        store,
        path,
        folder: _folder,
    } = notes;
    store.close();
    drop(store);

    let again = Store::open(SqliteOptions::new(&path)).expect("nobody else has it open");

    let count = |tx: &mut Tx<'_>| tx.one("SELECT COUNT(*) FROM notes", &[])?.int();
    assert_eq!(again.read(count).await.expect("a count"), 1);
}
