//! The store: transactions as closures, whatever the engine.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::oneshot;

use crate::engine::sqlite::{Job, Sqlite, SqliteOptions, run_poisonable};
use crate::engine::{SqlTx, Tx};
use crate::error::{Result, StoreError};

/// A handle to the database, cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    engine: Arc<Sqlite>,
    writes: Arc<AtomicU64>,
}

impl Store {
    /// Opens or creates an embedded database and brings its schema up to date.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when another server works on the same file,
    /// [`StoreError::Unsupported`] when the schema is newer than this program or the file is damaged.
    pub fn open(options: SqliteOptions) -> Result<Self> {
        Ok(Self {
            engine: Sqlite::open(options)?,
            writes: Arc::default(),
        })
    }

    /// Runs `work` in a writing transaction; an error of it keeps nothing.
    ///
    /// The answer comes after the commit is durable. `work` may be run again, so it takes
    /// identifiers and times from outside.
    pub async fn write<T, E, F>(&self, work: F) -> std::result::Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        self.engine
            .submit(Box::new(Closure {
                work,
                result: None,
                reply,
            }))
            .await?;
        let answered = answer.await.unwrap_or_else(|_| {
            Err(StoreError::Unavailable("the database closed before it answered".into()).into())
        });
        if answered.is_ok() {
            self.writes.fetch_add(1, Ordering::Relaxed);
        }
        answered
    }

    /// How many writing transactions were committed and answered since the store was opened.
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// Runs `work` over a consistent picture of what is committed. It must be short: it runs on the
    /// caller's thread.
    #[expect(clippy::unused_async, reason = "an engine over the network waits here")]
    pub async fn read<T, E, F>(&self, work: F) -> std::result::Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.engine.read(move |tx| run_poisonable(tx, work))?
    }

    /// As [`Store::read`] for work that takes long: it runs on a thread of its own.
    pub async fn scan<T, E, F>(&self, work: F) -> std::result::Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let engine = Arc::clone(&self.engine);
        tokio::task::spawn_blocking(move || engine.read(move |tx| run_poisonable(tx, work)))
            .await
            .map_err(|error| StoreError::Bug(error.to_string()))??
    }

    /// Copies the database, consistently and while it is used, into a new file.
    pub async fn backup(&self, target: &Path) -> Result<()> {
        let (engine, target) = (Arc::clone(&self.engine), target.to_owned());
        tokio::task::spawn_blocking(move || engine.backup(&target))
            .await
            .map_err(|error| StoreError::Bug(error.to_string()))?
    }

    /// How many transactions wait for the writer now.
    pub fn waiting(&self) -> usize {
        self.engine.waiting()
    }

    /// Finishes what was accepted and closes; later calls answer [`StoreError::Unavailable`].
    pub fn close(&self) {
        self.engine.close();
    }
}

struct Closure<F, T, E> {
    work: F,
    result: Option<std::result::Result<T, E>>,
    reply: oneshot::Sender<std::result::Result<T, E>>,
}

impl<F, T, E> Job for Closure<F, T, E>
where
    F: Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, tx: &mut dyn SqlTx) -> bool {
        let result = run_poisonable(tx, &self.work);
        let keep = result.is_ok();
        self.result = Some(result);
        keep
    }

    fn answer(self: Box<Self>, committed: Result<()>) {
        let result = match (committed, self.result) {
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(StoreError::Bug("the transaction panicked".into()).into()),
            (Err(error), _) => Err(error.into()),
        };
        // A caller that went away needs no answer.
        drop(self.reply.send(result));
    }
}
