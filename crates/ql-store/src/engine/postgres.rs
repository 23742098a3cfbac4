//! PostgreSQL and what speaks its protocol: the same closures on a pool of dedicated threads.
//!
//! Each thread owns one connection. A writing closure runs in a SERIALIZABLE transaction and is run
//! again, whole, when the server says that it met another one; correctness rests on that isolation,
//! on constraints and on conditional updates, and on nothing that only one vendor has.

mod attempt;
mod schema;
mod session;
mod tls;
mod tx;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::mpsc;

use super::{Job, Mode};
use crate::error::{Result, StoreError};
use session::Dial;

pub use schema::Privileges;

const QUEUE: usize = 4096;

/// How to reach a database server.
#[derive(Clone)]
pub struct PostgresOptions {
    /// Where it is and as whom to work: `postgres://user:password@host:port/database`, with
    /// `sslmode=require` for an encrypted connection whose certificate is checked.
    pub url: String,
    /// The same place as the role that owns the tables; it brings the schema up to date, grants the
    /// working role what it needs, and is used for nothing else.
    pub owner_url: Option<String>,
    /// Certificates in PEM to trust beside those that the machine trusts.
    pub ca: Option<PathBuf>,
    /// How many connections to keep; 0 means four per core.
    pub connections: usize,
    /// Whether closures guess, which changes no answer. Only tests that compare with the embedded
    /// engine say no: a closure that is run again takes more identifiers.
    pub guesses: bool,
    /// Whether leases are judged by the server's clock, which all replicas share. Only tests whose
    /// own clock stands still say no.
    pub server_clock: bool,
}

impl PostgresOptions {
    /// The product's options for a database.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            owner_url: None,
            ca: None,
            connections: 0,
            guesses: true,
            server_clock: true,
        }
    }
}

// The addresses hold passwords.
impl std::fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresOptions")
            .field("ca", &self.ca)
            .field("connections", &self.connections)
            .finish_non_exhaustive()
    }
}

/// A closure on its way to a thread.
struct Task {
    job: Box<dyn Job>,
    mode: Mode,
}

type Tasks = Arc<tokio::sync::Mutex<mpsc::Receiver<Task>>>;

/// An open pool.
#[derive(Debug)]
pub(crate) struct Postgres {
    tasks: Mutex<Option<mpsc::Sender<Task>>>,
    workers: Mutex<Vec<JoinHandle<()>>>,
    options: PostgresOptions,
    reruns: Arc<AtomicU64>,
}

impl Postgres {
    /// Brings the schema up to date where the role may, and starts the pool.
    pub(crate) fn open(options: PostgresOptions) -> Result<Arc<Self>> {
        let dial = Arc::new(Dial::new(&options.url, &options)?);
        let owner = options
            .owner_url
            .as_deref()
            .map(|url| Dial::new(url, &options))
            .transpose()?;
        apart(|| schema::prepare(&dial, owner.as_ref()))?;
        let (sender, receiver) = mpsc::channel(QUEUE);
        let tasks: Tasks = Arc::new(tokio::sync::Mutex::new(receiver));
        let reruns = Arc::new(AtomicU64::new(0));
        let workers: Result<Vec<_>> = (0..connections(&options))
            .map(|_| {
                let (dial, tasks) = (Arc::clone(&dial), Arc::clone(&tasks));
                let reruns = Arc::clone(&reruns);
                std::thread::Builder::new()
                    .name("postgres".into())
                    .spawn(move || attempt::work(dial, &tasks, reruns))
                    .map_err(|error| StoreError::Unavailable(error.to_string()))
            })
            .collect();
        Ok(Arc::new(Self {
            tasks: Mutex::new(Some(sender)),
            workers: Mutex::new(workers?),
            options,
            reruns,
        }))
    }

    /// Hands a job to the pool, waiting for room in its queue.
    pub(crate) async fn submit(&self, job: Box<dyn Job>, mode: Mode) -> Result<()> {
        let sender = guard(&self.tasks).clone();
        sender
            .ok_or_else(super::closed)?
            .send(Task { job, mode })
            .await
            .map_err(|_| super::closed())
    }

    /// How many jobs wait for a connection.
    pub(crate) fn waiting(&self) -> usize {
        guard(&self.tasks)
            .as_ref()
            .map_or(0, |sender| sender.max_capacity() - sender.capacity())
    }

    /// How often a closure was run again since the pool was opened.
    pub(crate) fn reruns(&self) -> u64 {
        self.reruns.load(Ordering::Relaxed)
    }

    /// What the working role may do, found by trying.
    pub(crate) fn privileges(&self) -> Result<Privileges> {
        let dial = Dial::new(&self.options.url, &self.options)?;
        apart(|| schema::privileges(&dial))
    }

    /// Prepares every statement of the crate; answers how many there are.
    pub(crate) fn prepare_all(&self) -> Result<usize> {
        let dial = Dial::new(&self.options.url, &self.options)?;
        apart(|| schema::prepare_all(&dial))
    }

    /// Finishes what was accepted and closes.
    pub(crate) fn close(&self) {
        drop(guard(&self.tasks).take());
        for worker in std::mem::take(&mut *guard(&self.workers)) {
            if worker.join().is_err() {
                tracing::error!("a thread of the database pool panicked");
            }
        }
    }
}

fn connections(options: &PostgresOptions) -> usize {
    match options.connections {
        0 => 4 * std::thread::available_parallelism().map_or(1, usize::from),
        chosen => chosen,
    }
}

fn guard<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` on a thread of its own: it blocks on a runtime, which a thread of the caller's
/// runtime may not.
fn apart<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| {
        scope
            .spawn(work)
            .join()
            .unwrap_or_else(|_| Err(StoreError::Bug("a thread of the database panicked".into())))
    })
}
