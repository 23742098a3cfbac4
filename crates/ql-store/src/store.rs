//! The store: transactions as closures, whatever the engine.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::oneshot;

use crate::engine::postgres::{Postgres, PostgresOptions, Privileges};
use crate::engine::sqlite::{Sqlite, SqliteOptions};
use crate::engine::{Job, Mode, SqlTx, Tx, run_poisonable};
use crate::error::{Result, StoreError};

/// A handle to the database, cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    engine: Engine,
    writes: Arc<AtomicU64>,
}

/// The two engines. This is the one place that tells them apart.
#[derive(Debug, Clone)]
enum Engine {
    Sqlite(Arc<Sqlite>),
    Postgres(Arc<Postgres>),
}

impl Store {
    /// Opens or creates an embedded database and brings its schema up to date.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when another server works on the same file,
    /// [`StoreError::Unsupported`] when the schema is newer than this program or the file is damaged.
    pub fn open(options: SqliteOptions) -> Result<Self> {
        Ok(Self::over(Engine::Sqlite(Sqlite::open(options)?)))
    }

    /// Connects to a database server and brings its schema up to date where the role may. Blocks
    /// until the server has answered.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the server can't be reached, [`StoreError::Unsupported`] when
    /// the address can't be read, or the schema is newer than this program, or older and the role
    /// may not change it.
    pub fn connect(options: PostgresOptions) -> Result<Self> {
        Ok(Self::over(Engine::Postgres(Postgres::open(options)?)))
    }

    fn over(engine: Engine) -> Self {
        Self {
            engine,
            writes: Arc::default(),
        }
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
        let answered = self.submit(work, Mode::Write).await;
        if answered.is_ok() {
            self.writes.fetch_add(1, Ordering::Relaxed);
        }
        answered
    }

    async fn submit<T, E, F>(&self, work: F, mode: Mode) -> std::result::Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Closure {
            work,
            result: None,
            reply,
        });
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.submit(job).await?,
            Engine::Postgres(postgres) => postgres.submit(job, mode).await?,
        }
        answer.await.unwrap_or_else(|_| {
            Err(StoreError::Unavailable("the database closed before it answered".into()).into())
        })
    }

    /// Whether changes are taken. The embedded engine takes none after its disk failed to keep a
    /// commit, until it is opened again.
    pub fn takes_writes(&self) -> bool {
        match &self.engine {
            Engine::Sqlite(sqlite) => !sqlite.is_stopped(),
            Engine::Postgres(_) => true,
        }
    }

    /// How many writing transactions were committed and answered since the store was opened.
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// Runs `work` over a consistent picture of what is committed. It must be short: on the embedded
    /// engine it runs on the caller's thread.
    pub async fn read<T, E, F>(&self, work: F) -> std::result::Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.read(|tx| run_poisonable(tx, work))?,
            Engine::Postgres(_) => self.submit(work, Mode::Read).await,
        }
    }

    /// As [`Store::read`] for work that takes long: it runs on a thread of its own.
    pub async fn scan<T, E, F>(&self, work: F) -> std::result::Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let sqlite = match &self.engine {
            Engine::Sqlite(sqlite) => Arc::clone(sqlite),
            Engine::Postgres(_) => return self.submit(work, Mode::Read).await,
        };
        tokio::task::spawn_blocking(move || sqlite.read(|tx| run_poisonable(tx, work)))
            .await
            .map_err(|error| StoreError::Bug(error.to_string()))??
    }

    /// Copies the database, consistently and while it is used, into a new file.
    ///
    /// # Errors
    /// [`StoreError::Unsupported`] where the database has a server, which has its own ways.
    pub async fn backup(&self, target: &Path) -> Result<()> {
        let (sqlite, target) = match &self.engine {
            Engine::Sqlite(sqlite) => (Arc::clone(sqlite), target.to_owned()),
            Engine::Postgres(_) => {
                return Err(StoreError::Unsupported(
                    "a database server is backed up with its own tools, such as `pg_dump --format=custom`; this command copies the embedded database alone".into(),
                ));
            }
        };
        tokio::task::spawn_blocking(move || sqlite.backup(&target))
            .await
            .map_err(|error| StoreError::Bug(error.to_string()))?
    }

    /// What the role of the database server may do that it should not; none on the embedded engine.
    pub async fn privileges(&self) -> Result<Option<Privileges>> {
        let postgres = match &self.engine {
            Engine::Sqlite(_) => return Ok(None),
            Engine::Postgres(postgres) => Arc::clone(postgres),
        };
        tokio::task::spawn_blocking(move || postgres.privileges().map(Some))
            .await
            .map_err(|error| StoreError::Bug(error.to_string()))?
    }

    /// Prepares every statement of this crate; answers how many there are.
    ///
    /// # Errors
    /// The first statement that the engine doesn't accept.
    pub fn prepare_all(&self) -> Result<usize> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.prepare_all(),
            Engine::Postgres(postgres) => postgres.prepare_all(),
        }
    }

    /// How often a closure was run again because it met another one; never on the embedded engine.
    pub fn reruns(&self) -> u64 {
        match &self.engine {
            Engine::Sqlite(_) => 0,
            Engine::Postgres(postgres) => postgres.reruns(),
        }
    }

    /// How many transactions wait for the engine now.
    pub fn waiting(&self) -> usize {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.waiting(),
            Engine::Postgres(postgres) => postgres.waiting(),
        }
    }

    /// Finishes what was accepted and closes; later calls answer [`StoreError::Unavailable`].
    pub fn close(&self) {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.close(),
            Engine::Postgres(postgres) => postgres.close(),
        }
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
        // A run that panics must not be answered with what an earlier one came to.
        self.result = None;
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
