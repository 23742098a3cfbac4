//! What an engine must do, and the transaction that the rest of the crate works with.

pub(crate) mod sqlite;

use crate::error::{Result, StoreError};
use crate::row::{Arg, Row};

/// One open transaction of an engine.
pub trait SqlTx {
    /// Runs a statement and gives its rows.
    fn query(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<Vec<Row>>;

    /// Runs a statement and gives the number of rows it changed.
    fn execute(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<u64>;
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
            changed => {
                let error = StoreError::Conflict(format!(
                    "{changed} rows changed instead of one by: {sql}"
                ));
                self.poisoned = Some(error.clone());
                Err(error)
            }
        }
    }
}
