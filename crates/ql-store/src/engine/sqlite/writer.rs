//! The thread that writes: it commits in groups, and stops when the disk doesn't keep a commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{Connection, ffi};
use tokio::sync::mpsc;

use super::{SqliteTx, statement, translate};
use crate::engine::{Job, describe};
use crate::error::{Result, StoreError};

/// The most jobs that are committed together.
const GROUP: usize = 256;

const STOPPED: &str =
    "the disk failed to keep a commit, so nothing is written until the server is started again";

/// Why a batch was lost.
enum Lost {
    /// The next one may fare better.
    Once(StoreError),
    /// None will, before the database is opened again.
    ForGood(StoreError),
}

impl From<StoreError> for Lost {
    fn from(error: StoreError) -> Self {
        Self::Once(error)
    }
}

/// The thread that writes.
pub(super) struct Writer {
    connection: Connection,
    stopped: Arc<AtomicBool>,
}

impl Writer {
    /// A writer that says in `stopped` when it stops.
    pub(super) fn new(connection: Connection, stopped: Arc<AtomicBool>) -> Self {
        Self {
            connection,
            stopped,
        }
    }

    /// Carries jobs out, group by group, until there are no more.
    pub(super) fn work(&self, mut jobs: mpsc::Receiver<Box<dyn Job>>) {
        while let Some(first) = jobs.blocking_recv() {
            let mut batch = vec![first];
            while batch.len() < GROUP
                && let Ok(job) = jobs.try_recv()
            {
                batch.push(job);
            }
            let outcome = self.carry_out(&mut batch);
            for job in batch {
                job.answer(outcome.clone());
            }
        }
    }

    fn carry_out(&self, batch: &mut [Box<dyn Job>]) -> Result<()> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(StoreError::Unavailable(STOPPED.into()));
        }
        let Err(lost) = run_batch(&self.connection, batch) else {
            return Ok(());
        };
        let left = self.leave();
        match (lost, left) {
            (Lost::Once(error), Ok(())) => Err(error),
            (Lost::ForGood(error), _) | (Lost::Once(_), Err(error)) => {
                tracing::error!(%error, "{STOPPED}");
                self.stopped.store(true, Ordering::Relaxed);
                Err(error)
            }
        }
    }

    /// Leaves what is left of a transaction whose batch is lost.
    fn leave(&self) -> Result<()> {
        if self.connection.is_autocommit() {
            return Ok(());
        }
        self.connection.execute_batch("ROLLBACK").map_err(translate)
    }
}

fn run_batch(connection: &Connection, batch: &mut [Box<dyn Job>]) -> std::result::Result<(), Lost> {
    statement(connection, "BEGIN IMMEDIATE")?;
    for job in batch {
        statement(connection, "SAVEPOINT job")?;
        let mut tx = SqliteTx { connection };
        let keep = catch_unwind(AssertUnwindSafe(|| job.run(&mut tx))).unwrap_or_else(|panic| {
            tracing::error!(panic = describe(&*panic), "a transaction panicked");
            false
        });
        // A full disk or a trigger can end the whole transaction, released savepoints included.
        if connection.is_autocommit() {
            let ended = "the database ended the transaction; nothing was kept";
            return Err(StoreError::Unavailable(ended.into()).into());
        }
        if !keep {
            statement(connection, "ROLLBACK TO job")?;
        }
        statement(connection, "RELEASE job")?;
    }
    commit(connection)
}

/// Commits, which is where a flush can fail.
fn commit(connection: &Connection) -> std::result::Result<(), Lost> {
    let committed = connection
        .prepare_cached("COMMIT")
        .and_then(|mut statement| statement.execute([]));
    let Err(error) = committed else {
        return Ok(());
    };
    let code = error.sqlite_error().map(|found| found.extended_code);
    let unflushed = matches!(
        code,
        Some(ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC)
    );
    let error = translate(error);
    Err(if unflushed {
        Lost::ForGood(error)
    } else {
        Lost::Once(error)
    })
}
