//! SQLite: one writer thread that commits in groups, and a pool of read-only connections.
//!
//! The writer drains what is waiting, runs each closure in a savepoint of its own, commits once and
//! only then answers, so an answer means that the change is on the disk and one flush serves many.
//! A flush that fails is the end of writing: what the disk holds then is unknown, and a later flush
//! that succeeds would say nothing about it.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, Value as SqlValue, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql};
use tokio::sync::mpsc;

mod writer;

use self::writer::Writer;
use super::{Job, SqlTx, closed};
use crate::error::{Result, StoreError};
use crate::migrate::{Applied, Migration, SQLITE, missing};
use crate::row::{Arg, Cell, Row};

/// The oldest SQLite that is safe here: versions before it can corrupt a write-ahead log when two
/// connections checkpoint at once.
pub const MINIMUM_VERSION: i32 = 3_051_003;

const QUEUE: usize = 4096;
const IDLE_READERS: usize = 8;
const CACHED_STATEMENTS: usize = 256;

/// How to open a database file.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// The database file; its folder holds the lock file too.
    pub path: PathBuf,
    /// Whether every commit reaches the disk before it is answered. Only measurements turn it off.
    pub durable: bool,
}

impl SqliteOptions {
    /// The product's options for a file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            durable: true,
        }
    }
}

/// An open SQLite database.
#[derive(Debug)]
pub(crate) struct Sqlite {
    options: SqliteOptions,
    jobs: Mutex<Option<mpsc::Sender<Box<dyn Job>>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
    // None once the database is closed.
    readers: Mutex<Option<Vec<Connection>>>,
    // Set when a flush has failed.
    stopped: Arc<AtomicBool>,
    // Held for as long as the database is open; the lock goes with the file.
    _lock: File,
}

impl Sqlite {
    /// Opens or creates the database, alone: a second server on the same folder is refused.
    pub(crate) fn open(options: SqliteOptions) -> Result<Arc<Self>> {
        if rusqlite::version_number() < MINIMUM_VERSION {
            return Err(StoreError::Unsupported(format!(
                "SQLite {} is too old: versions before 3.51.3 can corrupt a write-ahead log",
                rusqlite::version()
            )));
        }
        let lock = lock(&options.path)?;
        let mut connection = open_writer(&options)?;
        migrate(&mut connection)?;
        let (sender, receiver) = mpsc::channel(QUEUE);
        let stopped = Arc::new(AtomicBool::new(false));
        let writer = Writer::new(connection, Arc::clone(&stopped));
        let writer = std::thread::Builder::new()
            .name("sqlite-writer".into())
            .spawn(move || writer.work(receiver))
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(Arc::new(Self {
            options,
            jobs: Mutex::new(Some(sender)),
            writer: Mutex::new(Some(writer)),
            readers: Mutex::new(Some(Vec::new())),
            stopped,
            _lock: lock,
        }))
    }

    /// Hands a job to the writer, waiting for room in its queue.
    pub(crate) async fn submit(&self, job: Box<dyn Job>) -> Result<()> {
        let sender = guard(&self.jobs).clone();
        sender
            .ok_or_else(closed)?
            .send(job)
            .await
            .map_err(|_| closed())
    }

    /// How many jobs wait in the writer's queue.
    pub(crate) fn waiting(&self) -> usize {
        guard(&self.jobs)
            .as_ref()
            .map_or(0, |sender| sender.max_capacity() - sender.capacity())
    }

    /// Whether a flush has failed, so that nothing is written until the database is opened again.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Runs a reading closure on a connection of the pool.
    pub(crate) fn read<T>(&self, run: impl FnOnce(&mut dyn SqlTx) -> T) -> Result<T> {
        let pooled = guard(&self.readers).as_mut().ok_or_else(closed)?.pop();
        let connection = pooled.map_or_else(|| open_reader(&self.options), Ok)?;
        statement(&connection, "BEGIN")?;
        let answer = run(&mut SqliteTx {
            connection: &connection,
        });
        statement(&connection, "COMMIT")?;
        if let Some(readers) = guard(&self.readers).as_mut()
            && readers.len() < IDLE_READERS
        {
            readers.push(connection);
        }
        Ok(answer)
    }

    /// Copies the whole database, consistently and while it is used, into a new file.
    pub(crate) fn backup(&self, target: &Path) -> Result<()> {
        let source = open_reader(&self.options)?;
        let mut copy = Connection::open(target).map_err(translate)?;
        let backup = rusqlite::backup::Backup::new(&source, &mut copy).map_err(translate)?;
        backup
            .run_to_completion(1024, std::time::Duration::ZERO, None)
            .map_err(translate)?;
        drop(backup);
        copy.execute_batch("PRAGMA journal_mode = DELETE")
            .map_err(translate)
    }

    /// Prepares every statement of the crate; answers how many there are.
    pub(crate) fn prepare_all(&self) -> Result<usize> {
        let connection = open_reader(&self.options)?;
        let mut count = 0;
        for sql in crate::statements::all() {
            connection.prepare(&positional(sql)).map_err(translate)?;
            count += 1;
        }
        Ok(count)
    }

    /// Finishes what was accepted and closes. The writer is the last to leave: it moves what is in
    /// the log into the database file, which a reader can't.
    pub(crate) fn close(&self) {
        drop(guard(&self.readers).take());
        drop(guard(&self.jobs).take());
        let writer = guard(&self.writer).take();
        if let Some(writer) = writer
            && writer.join().is_err()
        {
            tracing::error!("the writer thread panicked");
        }
    }
}

fn guard<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn lock(path: &Path) -> Result<File> {
    let unavailable = |error: &dyn std::fmt::Display| {
        StoreError::Unavailable(format!("{} can't be locked: {error}", path.display()))
    };
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path.with_extension("lock"))
        .map_err(|error| unavailable(&error))?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| unavailable(&"another server works on this data folder"))?;
    Ok(file)
}

fn open_writer(options: &SqliteOptions) -> Result<Connection> {
    let connection = Connection::open(&options.path).map_err(translate)?;
    let synchronous = if options.durable { "FULL" } else { "OFF" };
    connection
        .execute_batch(&format!(
            "PRAGMA synchronous = {synchronous};
             PRAGMA journal_mode = WAL;
             PRAGMA foreign_keys = ON;
             PRAGMA recursive_triggers = ON;
             PRAGMA trusted_schema = OFF;
             PRAGMA cache_size = -16000;
             PRAGMA temp_store = MEMORY;
             PRAGMA wal_autocheckpoint = 4000;
             PRAGMA journal_size_limit = 67108864;"
        ))
        .map_err(translate)?;
    keep_plans(&connection)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    Ok(connection)
}

/// Applies the steps of the schema that are missing, in order, each in its own transaction.
fn migrate(connection: &mut Connection) -> Result<()> {
    const REGISTER: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 BLOB NOT NULL) STRICT";
    connection.execute_batch(REGISTER).map_err(translate)?;
    let applied = applied(connection).map_err(translate)?;
    for step in missing(SQLITE, &applied)? {
        apply(connection, step).map_err(translate)?;
    }
    Ok(())
}

fn applied(connection: &Connection) -> rusqlite::Result<Vec<Applied>> {
    let mut statement =
        connection.prepare("SELECT number, name, sha256 FROM schema_migrations ORDER BY number")?;
    let rows = statement.query_map([], |row| {
        Ok(Applied {
            number: row.get(0)?,
            name: row.get(1)?,
            sha256: row.get(2)?,
        })
    })?;
    rows.collect()
}

fn apply(connection: &mut Connection, step: &Migration) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(step.sql)?;
    transaction.execute(
        "INSERT INTO schema_migrations (number, name, sha256) VALUES (?1, ?2, ?3)",
        (step.number, step.name, step.sha256().as_bytes()),
    )?;
    transaction.commit()
}

/// Lets plans depend on statements alone. Otherwise a plan that looked at a bound value is thrown
/// away when the value is cleared, so that most joins would be parsed and planned at every use.
fn keep_plans(connection: &Connection) -> Result<()> {
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map(drop)
        .map_err(translate)
}

fn open_reader(options: &SqliteOptions) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&options.path, flags).map_err(translate)?;
    connection
        .execute_batch(
            "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -8000;",
        )
        .map_err(translate)?;
    keep_plans(&connection)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    Ok(connection)
}

/// Runs a statement without rows, prepared once per connection.
fn statement(connection: &Connection, sql: &str) -> Result<()> {
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute([]))
        .map(drop)
        .map_err(translate)
}

/// A transaction of one connection.
struct SqliteTx<'c> {
    connection: &'c Connection,
}

impl SqliteTx<'_> {
    fn prepare(&self, sql: &'static str) -> Result<rusqlite::CachedStatement<'_>> {
        self.connection
            .prepare_cached(&positional(sql))
            .map_err(translate)
    }
}

impl SqlTx for SqliteTx<'_> {
    fn query(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<Vec<Row>> {
        let mut statement = self.prepare(sql)?;
        let columns = statement.column_count();
        let mut rows = statement
            .query(rusqlite::params_from_iter(args))
            .map_err(translate)?;
        let mut answer = Vec::new();
        while let Some(row) = rows.next().map_err(translate)? {
            let cells: Result<Vec<Cell>> = (0..columns)
                .map(|index| row.get_ref(index).map_err(translate).and_then(cell))
                .collect();
            answer.push(Row::new(cells?));
        }
        Ok(answer)
    }

    fn execute(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<u64> {
        let changed = self
            .prepare(sql)?
            .execute(rusqlite::params_from_iter(args))
            .map_err(translate)?;
        Ok(changed as u64)
    }
}

/// Rewrites `$1` to `?1`: to SQLite the first is a *named* parameter, numbered by where it occurs.
pub(crate) fn positional(sql: &str) -> String {
    sql.replace('$', "?")
}

fn cell(value: ValueRef<'_>) -> Result<Cell> {
    match value {
        ValueRef::Null => Ok(Cell::Null),
        ValueRef::Integer(number) => Ok(Cell::Int(number)),
        ValueRef::Text(bytes) => String::from_utf8(bytes.to_vec())
            .map(Cell::Text)
            .map_err(|_| StoreError::Corrupt {
                column: 0,
                reason: "expected UTF-8".into(),
            }),
        ValueRef::Blob(bytes) => Ok(Cell::Blob(bytes.to_vec())),
        ValueRef::Real(_) => Err(StoreError::Corrupt {
            column: 0,
            reason: "found a float".into(),
        }),
    }
}

impl ToSql for Arg<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(SqlValue::Null),
            Self::Int(number) => ToSqlOutput::Owned(SqlValue::Integer(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Blob(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

/// Reads an error of the library as one of ours.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it is what map_err hands over"
)]
pub(crate) fn translate(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => StoreError::Conflict(error.to_string()),
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::OutOfMemory
            | ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied,
        ) => StoreError::Unavailable(error.to_string()),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Unsupported(format!("the database file is damaged: {error}"))
        }
        _ => StoreError::Bug(error.to_string()),
    }
}

/// How an empty database would go about a statement, a line for each table that it reads.
#[cfg(test)]
pub(crate) fn plan(sql: &str) -> Vec<String> {
    let mut connection = Connection::open_in_memory().expect("a database");
    keep_plans(&connection).expect("a setting");
    migrate(&mut connection).expect("the schema");
    let explained = format!("EXPLAIN QUERY PLAN {}", positional(sql));
    let mut statement = connection.prepare(&explained).expect("a statement");
    let lines = statement.raw_query().mapped(|row| row.get(3));
    lines.map(|line| line.expect("a line")).collect()
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    const JOIN: &str = "SELECT a.id FROM a JOIN b ON b.id = a.id WHERE a.id = ?1";

    /// How often a join is planned again when it is used ten times.
    fn planned_again(connection: &Connection) -> i32 {
        for _ in 0..10 {
            let mut join = connection.prepare_cached(JOIN).expect("a statement");
            let mut rows = join.query(["x"]).expect("rows");
            assert!(rows.next().expect("an answer").is_none());
        }
        let join = connection.prepare_cached(JOIN).expect("a statement");
        join.get_status(StatementStatus::RePrepare)
    }

    /// Whether a line of a plan goes through everything of a table or of a site.
    fn reads_all(line: &str) -> bool {
        line.starts_with("SCAN ") || line.contains("(site_id=?)")
    }

    /// What changes something is called again and again, so it must cost the same in a large site.
    #[test]
    fn no_change_reads_a_whole_site() {
        let changes = crate::statements::all()
            .filter(|sql| sql.starts_with("UPDATE") || sql.starts_with("DELETE"));
        let slow: Vec<&str> = changes
            .filter(|sql| plan(sql).iter().any(|line| reads_all(line)))
            .collect();
        // A server that starts lets go of jobs that aren't finished; a password that is changed ends
        // sessions. Neither happens often, and there are few of both.
        insta::assert_snapshot!(slow.join("\n"), @"
        UPDATE jobs SET state = 'waiting', lease_until = NULL WHERE state = 'leased' AND holder IS NULL AND finished_at IS NULL
        UPDATE member_sessions SET ended_at = $2 WHERE member_id = $1 AND ended_at IS NULL
        UPDATE member_sessions SET ended_at = $3 WHERE member_id = $1 AND id <> $2 AND ended_at IS NULL
        ");
        let by_the_site = "UPDATE turns SET fence = 1 WHERE id = $1 AND conversation_id IN \
            (SELECT c.id FROM conversations c WHERE c.site_id = $2)";
        assert!(
            plan(by_the_site).iter().any(|line| reads_all(line)),
            "the control"
        );
    }

    #[test]
    fn joins_are_planned_once() {
        let schema = "CREATE TABLE a (id TEXT PRIMARY KEY) STRICT; CREATE TABLE b (id TEXT PRIMARY KEY) STRICT;";
        let connection = Connection::open_in_memory().expect("a database");
        connection.execute_batch(schema).expect("tables");
        // The negative control: left alone, every use but the first plans again.
        assert_eq!(planned_again(&connection), 9);
        let connection = Connection::open_in_memory().expect("a database");
        connection.execute_batch(schema).expect("tables");
        keep_plans(&connection).expect("a setting");
        assert_eq!(planned_again(&connection), 0);
    }
}
