//! How the server is, for the people who run it.

use ql_core::time::minutes;
use ql_store::{job, proposal, reverification, run, tree};

use crate::app::App;
use crate::error::Result;

/// How long a due job may wait for its turn before it counts as stuck.
const PATIENCE: std::time::Duration = minutes(1);

/// What is open on the whole server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vitals {
    /// Runs that were begun and not finished.
    pub open_runs: i64,
    /// Proposals that wait for people.
    pub pending_proposals: i64,
    /// Jobs that have been due for a minute and that nobody holds: zero on a server that works.
    pub stuck_jobs: i64,
    /// Evidence that is to be looked at again and has no job that does: zero on a server that works.
    pub adrift_targets: i64,
    /// Entries of the ledger that wait to be signed.
    pub waiting_entries: u64,
    /// Whether changes are taken: not after the disk failed to keep one.
    pub takes_writes: bool,
}

impl App {
    /// What is open on the whole server; it shows numbers alone, so nobody is asked who they are.
    pub async fn vitals(&self) -> Result<Vitals> {
        let due = self.now().minus(PATIENCE);
        let takes_writes = self.store().takes_writes();
        self.store()
            .read(move |tx| {
                Ok(Vitals {
                    open_runs: run::count_open(tx)?,
                    pending_proposals: proposal::count_pending(tx)?,
                    stuck_jobs: job::stuck(tx, due)?,
                    adrift_targets: reverification::adrift(tx)?,
                    waiting_entries: tree::count_waiting(tx)?,
                    takes_writes,
                })
            })
            .await
    }

    /// How many changes were committed since the server began.
    pub fn writes(&self) -> u64 {
        self.store().writes()
    }
}
