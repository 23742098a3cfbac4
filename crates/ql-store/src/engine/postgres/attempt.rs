//! A thread of the pool: takes a closure, runs it until it stands or must be given up, answers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use super::session::{Dial, Session};
use super::tx::{Failure, PgTx, describe, translate};
use super::{Task, Tasks};
use crate::engine::Mode;
use crate::error::{Result, StoreError};

/// How often a closure is run before its caller is told to try later.
const ATTEMPTS: u32 = 5;

/// The longest pause before the second run; each later one may be twice as long.
const PAUSE: Duration = Duration::from_millis(4);

/// What one run of a closure came to.
enum Outcome {
    /// The caller can be answered: with the closure's result, or with why nothing was kept.
    Done(Result<()>),
    /// It met another transaction or a dead connection and can be run again.
    Again(StoreError),
    /// It met a row that stands: it is run once more, and then its own refusal holds.
    Duplicate,
}

/// Takes tasks until the pool is closed.
pub(super) fn work(dial: Arc<Dial>, tasks: &Tasks) {
    let runtime = match Builder::new_current_thread().enable_time().build() {
        Ok(runtime) => runtime,
        Err(error) => return tracing::error!(%error, "a thread of the database pool can't run"),
    };
    let mut worker = Worker {
        dial,
        session: None,
        runtime,
    };
    while let Some(task) = worker.next(tasks) {
        worker.carry_out(task);
    }
}

struct Worker {
    dial: Arc<Dial>,
    session: Option<Session>,
    runtime: Runtime,
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
        let mut met_a_duplicate = false;
        let mut run = 1;
        let outcome = loop {
            let error = match self.attempt(&mut task) {
                Outcome::Done(outcome) => break outcome,
                Outcome::Duplicate if met_a_duplicate => break Ok(()),
                Outcome::Duplicate => {
                    met_a_duplicate = true;
                    continue;
                }
                Outcome::Again(error) => error,
            };
            if run == ATTEMPTS {
                break Err(error);
            }
            self.runtime
                .block_on(async { tokio::time::sleep(pause(run)).await });
            run += 1;
        };
        task.job.answer(outcome);
    }

    fn attempt(&mut self, task: &mut Task) -> Outcome {
        if self.session.as_ref().is_none_or(Session::is_closed) {
            self.session = match Session::open(&self.dial) {
                Ok(session) => Some(session),
                Err(error) => return Outcome::Again(error),
            };
        }
        let Some(session) = self.session.as_mut() else {
            return Outcome::Again(crate::engine::closed());
        };
        attempt(session, task)
    }
}

fn attempt(session: &mut Session, task: &mut Task) -> Outcome {
    let mut tx = PgTx::new(session, task.mode);
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
        Some(Failure::Duplicate) => {
            roll_back(session);
            return Outcome::Duplicate;
        }
        Some(Failure::Refused) | None => {}
    }
    if !begun {
        return Outcome::Done(Ok(()));
    }
    if keep && task.mode == Mode::Write {
        return commit(session);
    }
    roll_back(session);
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
        Failure::Duplicate | Failure::Refused => {
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
    let most = PAUSE * 2u32.pow(run);
    let mut byte = [0; 1];
    // Without randomness the full pause is as good.
    let share = getrandom::fill(&mut byte).map_or(u8::MAX, |()| byte[0]);
    most * u32::from(share) / u32::from(u8::MAX)
}
