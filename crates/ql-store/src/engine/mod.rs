//! What an engine must do, and the transaction that the rest of the crate works with.

pub(crate) mod postgres;
pub(crate) mod sqlite;

use std::any::Any;

use ql_core::time::Timestamp;

use crate::error::{Result, StoreError};
use crate::row::{Arg, Row};

/// Whether a closure may change anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It looks at what is committed.
    Read,
    /// It changes what is stored.
    Write,
}

/// One unit of work for an engine: run in a transaction of its own, perhaps more than once, and
/// answered when what it wrote is durable.
pub(crate) trait Job: Send {
    /// Runs the closure; true when what it wrote shall be kept.
    fn run(&mut self, tx: &mut dyn SqlTx) -> bool;
    /// Answers the caller: with the closure's result, or with why nothing was kept.
    fn answer(self: Box<Self>, committed: Result<()>);
}

/// The answer of an engine that was closed.
pub(crate) fn closed() -> StoreError {
    StoreError::Unavailable("the database is closed".into())
}

/// What a panic said.
pub(crate) fn describe(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}

/// Runs a closure over a transaction; a statement that failed makes the whole fail.
pub(crate) fn run_poisonable<T, E: From<StoreError>>(
    tx: &mut dyn SqlTx,
    run: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let mut tx = Tx::new(tx);
    let result = run(&mut tx);
    match (result, tx.poison()) {
        (Ok(_), Some(error)) => Err(error.into()),
        (result, _) => result,
    }
}

/// One open transaction of an engine.
pub trait SqlTx {
    /// Runs a statement and gives its rows.
    fn query(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<Vec<Row>>;

    /// Runs a statement and gives the number of rows it changed.
    fn execute(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<u64>;

    /// Runs statements in order and gives how many rows each changed. An engine over the network
    /// sends them together.
    fn execute_all(&mut self, statements: &[(&'static str, &[Arg<'_>])]) -> Result<Vec<u64>> {
        statements
            .iter()
            .map(|(sql, args)| self.execute(sql, args))
            .collect()
    }

    /// Whether this run of the closure may guess: a guess that is wrong makes it run again, looking.
    fn guesses(&self) -> bool {
        false
    }

    /// Gives this run of the closure up, because a guess was wrong.
    fn guess_failed(&mut self) {}

    /// The clock that every server of this database shares, in microseconds since 1970; none where
    /// the database lives in one process, whose own clock it is.
    fn clock(&mut self) -> Result<Option<i64>> {
        Ok(None)
    }
}

/// A transaction. Once a statement has failed, no further one is run and nothing is kept: engines
/// differ in what a transaction is worth after an error, and this makes them agree.
pub struct Tx<'c> {
    inner: &'c mut dyn SqlTx,
    poisoned: Option<StoreError>,
}

impl std::fmt::Debug for Tx<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tx")
            .field("poisoned", &self.poisoned)
            .finish_non_exhaustive()
    }
}

impl<'c> Tx<'c> {
    pub(crate) fn new(inner: &'c mut dyn SqlTx) -> Self {
        Self {
            inner,
            poisoned: None,
        }
    }

    /// The first error of a statement, if there was one.
    pub(crate) fn poison(self) -> Option<StoreError> {
        self.poisoned
    }

    fn guard<T>(&mut self, run: impl FnOnce(&mut dyn SqlTx) -> Result<T>) -> Result<T> {
        if let Some(error) = &self.poisoned {
            return Err(error.clone());
        }
        run(&mut *self.inner).inspect_err(|error| self.poisoned = Some(error.clone()))
    }

    /// All rows of a statement.
    pub fn query(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<Vec<Row>> {
        self.guard(|tx| tx.query(sql, args))
    }

    /// The first row of a statement, where it has one.
    pub fn find(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<Option<Row>> {
        Ok(self.query(sql, args)?.into_iter().next())
    }

    /// The only row of a statement that always has one.
    pub fn one(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<Row> {
        self.find(sql, args)?
            .ok_or_else(|| StoreError::Bug(format!("no row from: {sql}")))
    }

    /// All rows of a statement, each read by `read`.
    pub fn list<T>(
        &mut self,
        sql: &'static str,
        args: &[Arg<'_>],
        read: impl Fn(&mut Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.query(sql, args)?.iter_mut().map(read).collect()
    }

    /// Runs a statement and gives the number of rows it changed.
    pub fn execute(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<u64> {
        self.guard(|tx| tx.execute(sql, args))
    }

    /// Runs a statement that must change exactly one row.
    pub fn execute_one(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<()> {
        match self.execute(sql, args)? {
            1 => Ok(()),
            changed => Err(self.not_one(changed, sql)),
        }
    }

    /// Runs statements in order and gives how many rows each changed; they may travel together.
    pub fn execute_all(&mut self, statements: &[(&'static str, &[Arg<'_>])]) -> Result<Vec<u64>> {
        self.guard(|tx| tx.execute_all(statements))
    }

    /// Runs statements in order, each of which must change exactly one row. Their results can't
    /// depend on each other's rows being read in between, so they may travel together.
    pub fn execute_each(&mut self, statements: &[(&'static str, &[Arg<'_>])]) -> Result<()> {
        let changed = self.execute_all(statements)?;
        for (changed, (sql, _)) in changed.into_iter().zip(statements) {
            if changed != 1 {
                return Err(self.not_one(changed, sql));
            }
        }
        Ok(())
    }

    fn not_one(&mut self, changed: u64, sql: &'static str) -> StoreError {
        let error =
            StoreError::Conflict(format!("{changed} rows changed instead of one by: {sql}"));
        self.poisoned = Some(error.clone());
        error
    }

    /// Whether this run of the closure may leave out a look for what is hardly ever there, because a
    /// unique key finds it all the same and makes the closure run again. Over the network every look
    /// is a chance to meet another transaction; the embedded engine never guesses.
    pub fn guesses(&self) -> bool {
        self.inner.guesses()
    }

    /// Gives this run up, since a guess was wrong or may have been: nothing of it is kept, and the
    /// closure is run again without guesses.
    pub fn guess_failed(&mut self) -> StoreError {
        let error = StoreError::Conflict("a guess was wrong".into());
        self.inner.guess_failed();
        self.poisoned.get_or_insert_with(|| error.clone());
        error
    }

    /// The instant by which leases are judged: `own` where the database belongs to one process, the
    /// database server's where several processes share it and their clocks may differ.
    pub fn lease_clock(&mut self, own: Timestamp) -> Result<Timestamp> {
        let shared = self.guard(|tx| tx.clock())?;
        Ok(shared.map_or(own, Timestamp::from_micros))
    }
}
