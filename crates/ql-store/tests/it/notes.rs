//! A table of notes, to see what a transaction keeps.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc};

use ql_store::{Arg, SqliteOptions, Store, StoreError, Tx};
use ql_testkit::TempDir;

/// A store with an empty table of notes.
pub(crate) struct Notes {
    pub(crate) store: Store,
    pub(crate) path: PathBuf,
    pub(crate) folder: TempDir,
}

impl Notes {
    pub(crate) async fn new() -> Self {
        let folder = TempDir::new();
        let path = folder.path().join("notes.db");
        let store = Store::open(SqliteOptions::new(&path)).expect("a fresh database");
        let create = |tx: &mut Tx<'_>| {
            tx.execute(
                "CREATE TABLE notes (text TEXT NOT NULL PRIMARY KEY) STRICT",
                &[],
            )
        };
        store.write(create).await.expect("the table");
        Self {
            store,
            path,
            folder,
        }
    }

    /// Writes a note in a transaction of its own.
    pub(crate) async fn write(&self, text: &'static str) -> Result<(), StoreError> {
        self.store.write(move |tx| note(tx, text)).await
    }

    /// What stands in the file, seen by somebody else.
    pub(crate) fn committed(&self) -> Vec<String> {
        let raw = rusqlite::Connection::open(&self.path).expect("the file");
        let mut statement = raw
            .prepare("SELECT text FROM notes ORDER BY text")
            .expect("a table");
        let rows = statement.query_map([], |row| row.get(0)).expect("rows");
        rows.collect::<rusqlite::Result<_>>().expect("texts")
    }

    /// Waits until that many transactions wait for the writer.
    pub(crate) async fn wait_until_queued(&self, count: usize) {
        while self.store.waiting() < count {
            tokio::task::yield_now().await;
        }
    }

    /// Keeps the writer busy until the answer is used, so that what comes meanwhile is one batch.
    pub(crate) async fn hold_the_writer(&self) -> mpsc::Sender<()> {
        let (started, begins) = tokio::sync::oneshot::channel();
        let (release, held) = mpsc::channel();
        let held = Arc::new(Mutex::new((Some(started), held)));
        let store = self.store.clone();
        tokio::spawn(async move {
            let wait = move |_: &mut Tx<'_>| {
                let mut held = held.lock().expect("no panic");
                if let Some(started) = held.0.take() {
                    started.send(()).expect("somebody waits");
                }
                held.1
                    .recv()
                    .map_err(|error| StoreError::Bug(error.to_string()))
            };
            store.write(wait).await
        });
        begins.await.expect("the writer runs");
        release
    }
}

/// Adds a note.
pub(crate) fn note(tx: &mut Tx<'_>, text: &'static str) -> Result<(), StoreError> {
    tx.execute_one("INSERT INTO notes (text) VALUES ($1)", &[Arg::from(text)])
}
