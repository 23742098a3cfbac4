//! A thread of the pool: takes a closure, runs it until it stands or must be given up, answers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ql_core::id::{IdGen as _, SystemIdGen};
use tokio::runtime::{Builder, Runtime};

use super::session::{Dial, Session};
use super::tx::{Failure, PgTx, describe, translate};
use super::{Task, Tasks};
use crate::engine::Mode;
use crate::error::{Result, StoreError};

/// How often a closure is run before its caller is told to try later. Twenty callers who want one
/// address at the same moment need more than five runs.
const ATTEMPTS: u32 = 10;

/// How often a connection is asked for before the caller is told that there is none.
const CALLS: u32 = 3;

/// The longest pause before the second run; each later one may be twice as long, up to the fifth.
const PAUSE: Duration = Duration::from_millis(4);

/// What one run of a closure came to.
enum Outcome {
    /// The caller can be answered: with the closure's result, or with why nothing was kept.
    Done(Result<()>),
    /// It met another transaction or a dead connection and can be run again.
    Again(StoreError),
    /// There is no connection to be had.
    Unreachable(StoreError),
    /// It met a row that stands, or guessed: it is run once more without guesses, and then its own
    /// refusal holds.
    Look,
}

/// Takes tasks until the pool is closed.
pub(super) fn work(dial: Arc<Dial>, tasks: &Tasks, reruns: Arc<AtomicU64>) {
    let runtime = match Builder::new_current_thread().enable_time().build() {
        Ok(runtime) => runtime,
        Err(error) => return tracing::error!(%error, "a thread of the database pool can't run"),
    };
    let mut worker = Worker {
        dial,
        session: None,
        runtime,
        reruns,
    };
    while let Some(task) = worker.next(tasks) {
        worker.carry_out(task);
    }
}

struct Worker {
    dial: Arc<Dial>,
    session: Option<Session>,
    runtime: Runtime,
    reruns: Arc<AtomicU64>,
}

impl Worker {
    /// Waits for a task; an open connection is served meanwhile, so that its end is noticed.
    fn next(&self, tasks: &Tasks) -> Option<Task> {
        let wait = async { tasks.lock().await.recv().await };
        match &self.session {
            Some(session) => session.wait(wait),
            None => self.runtime.block_on(wait),
        }
    }

    fn carry_out(&mut self, mut task: Task) {
        let mut guesses = self.dial.guesses;
        let mut run = 1;
        let outcome = loop {
            match self.attempt(&mut task, guesses) {
                Outcome::Done(outcome) => break outcome,
                Outcome::Look if guesses => {
                    guesses = false;
                    continue;
                }
                Outcome::Look => break Ok(()),
                Outcome::Unreachable(error) if run >= CALLS => break Err(error),
                Outcome::Again(error) if run >= ATTEMPTS => break Err(error),
                Outcome::Unreachable(_) | Outcome::Again(_) => {}
            }
            self.reruns.fetch_add(1, Ordering::Relaxed);
            self.runtime
                .block_on(async { tokio::time::sleep(pause(run)).await });
            run += 1;
        };
        task.job.answer(outcome);
        // What only looked is answered before its transaction is left.
        if let Some(session) = self.session.as_mut().filter(|session| session.looking) {
            session.looking = false;
            roll_back(session);
        }
    }

    fn attempt(&mut self, task: &mut Task, guesses: bool) -> Outcome {
        if self.session.as_ref().is_none_or(Session::is_closed) {
            self.session = match Session::open(&self.dial) {
                Ok(session) => Some(session),
                Err(error) => return Outcome::Unreachable(error),
            };
        }
        let Some(session) = self.session.as_mut() else {
            return Outcome::Unreachable(crate::engine::closed());
        };
        attempt(session, task, guesses)
    }
}

fn attempt(session: &mut Session, task: &mut Task, guesses: bool) -> Outcome {
    let mut tx = PgTx::new(session, task.mode, guesses);
    let keep = catch_unwind(AssertUnwindSafe(|| task.job.run(&mut tx))).unwrap_or_else(|panic| {
        tracing::error!(
            panic = crate::engine::describe(&*panic),
            "a transaction panicked"
        );
        false
    });
    let (begun, failure) = (tx.begun, tx.failure);
    match failure {
        Some(Failure::Lost) => {
            session.broken = true;
            return Outcome::Again(StoreError::Unavailable(
                "the connection to the database broke; nothing was kept".into(),
            ));
        }
        Some(Failure::Contention) => {
            roll_back(session);
            return Outcome::Again(StoreError::Unavailable(
                "too many callers change the same thing at once; nothing was kept".into(),
            ));
        }
        Some(Failure::Duplicate | Failure::Guess) => {
            roll_back(session);
            return Outcome::Look;
        }
        Some(Failure::Refused) | None => {}
    }
    if !begun {
        return Outcome::Done(Ok(()));
    }
    match (task.mode, keep) {
        (Mode::Write, true) => return commit(session),
        (Mode::Write, false) => roll_back(session),
        (Mode::Read, _) => session.looking = true,
    }
    Outcome::Done(Ok(()))
}

fn commit(session: &mut Session) -> Outcome {
    let Err(error) = session.batch("COMMIT") else {
        return Outcome::Done(Ok(()));
    };
    match Failure::of(&error) {
        Failure::Contention => {
            roll_back(session);
            Outcome::Again(translate(&error))
        }
        Failure::Lost => {
            session.broken = true;
            Outcome::Done(Err(StoreError::Unavailable(format!(
                "the connection broke while the change was being committed, so whether it was kept is unknown; repeat the call with the same idempotency key, or look ({})",
                describe(&error)
            ))))
        }
        Failure::Duplicate | Failure::Guess | Failure::Refused => {
            roll_back(session);
            Outcome::Done(Err(translate(&error)))
        }
    }
}

/// Leaves the transaction. Where that fails the connection is dead, which the next use finds.
fn roll_back(session: &Session) {
    if let Err(error) = session.batch("ROLLBACK") {
        tracing::debug!(%error, "a transaction ended with its connection");
    }
}

/// A random pause, longer with each run, so that those who met don't meet again.
fn pause(run: u32) -> Duration {
    let most = PAUSE * 2u32.pow((run - 1).min(4));
    let mut share = [0; 1];
    SystemIdGen::default().fill(&mut share);
    most * u32::from(share[0]) / u32::from(u8::MAX)
}
