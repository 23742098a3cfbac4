//! A transaction of one connection, and what its failures mean.

use bytes::BytesMut;
use futures_util::future::join_all;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Error, Row as PgRow, Statement};

use super::session::Session;
use crate::engine::{Mode, SqlTx};
use crate::error::{Result, StoreError};
use crate::row::{Arg, Cell, Row};

/// What a failed statement means for the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// Another transaction was met; the same closure can succeed when it is run again.
    Contention,
    /// A row with this key stands. Where another transaction wrote it meanwhile, the closure finds
    /// it when it is run again; otherwise it meets the same refusal.
    Duplicate,
    /// The closure guessed, and isn't sure that it guessed right.
    Guess,
    /// The connection is gone.
    Lost,
    /// The statement or a constraint is at fault.
    Refused,
}

impl Failure {
    /// What an error means.
    pub(super) fn of(error: &Error) -> Self {
        match error.code() {
            Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED) => {
                Self::Contention
            }
            Some(&SqlState::UNIQUE_VIOLATION) => Self::Duplicate,
            // 57P01 to 57P03: the server stops, crashed or starts; class 08: the connection.
            Some(code) if code.code().starts_with("57P") || code.code().starts_with("08") => {
                Self::Lost
            }
            // A newer version changed a table under a statement that is prepared here.
            Some(&SqlState::FEATURE_NOT_SUPPORTED) => Self::Lost,
            None if error.is_closed() || is_io(error) => Self::Lost,
            Some(_) | None => Self::Refused,
        }
    }
}

fn is_io(error: &Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if cause.is::<std::io::Error>() {
            return true;
        }
        source = cause.source();
    }
    false
}

/// What an error says, the server's own words where there are some.
pub(super) fn describe(error: &Error) -> String {
    match error.as_db_error() {
        Some(said) => format!("{} ({})", said.message(), said.code().code()),
        None => std::error::Error::source(error)
            .map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}")),
    }
}

/// Reads an error of the library as one of ours.
pub(super) fn translate(error: &Error) -> StoreError {
    match Failure::of(error) {
        Failure::Contention | Failure::Lost => StoreError::Unavailable(describe(error)),
        Failure::Duplicate | Failure::Guess => StoreError::Conflict(describe(error)),
        Failure::Refused => match error.code().map(|code| &code.code()[..2]) {
            // Constraints, and what a trigger raises.
            Some("23" | "P0") => StoreError::Conflict(describe(error)),
            // Resources, time-outs, cancellation, and rights that were taken away.
            Some("53" | "55" | "57" | "58" | "28") => StoreError::Unavailable(describe(error)),
            _ => StoreError::Bug(describe(error)),
        },
    }
}

/// A transaction, opened together with its first statement.
pub(super) struct PgTx<'s> {
    session: &'s mut Session,
    begin: &'static str,
    guesses: bool,
    pub(super) begun: bool,
    pub(super) failure: Option<Failure>,
}

impl<'s> PgTx<'s> {
    pub(super) fn new(session: &'s mut Session, mode: Mode, guesses: bool) -> Self {
        Self {
            session,
            guesses,
            begin: match mode {
                Mode::Write => "BEGIN ISOLATION LEVEL SERIALIZABLE",
                Mode::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            },
            begun: false,
            failure: None,
        }
    }

    fn note(&mut self, error: &Error) -> StoreError {
        self.failure = Some(Failure::of(error));
        translate(error)
    }

    fn prepare(&mut self, sql: &'static str) -> Result<Statement> {
        self.session
            .statement(sql)
            .map_err(|error| self.note(&error))
    }

    /// Runs requests in one round trip, the first of the transaction together with its BEGIN.
    fn run<T>(
        &mut self,
        requests: impl AsyncFnOnce(&Client) -> std::result::Result<T, Error>,
    ) -> Result<T> {
        let client = &self.session.client;
        let answer = if self.begun {
            self.session.wait(requests(client))
        } else {
            self.session.wait(async {
                let begin = client.batch_execute(self.begin);
                let (begun, answer) = tokio::join!(begin, requests(client));
                begun.and(answer)
            })
        };
        self.begun = true;
        answer.map_err(|error| self.note(&error))
    }
}

impl SqlTx for PgTx<'_> {
    fn query(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<Vec<Row>> {
        let statement = self.prepare(sql)?;
        let parameters = parameters(args);
        let rows = self.run(async |client| client.query(&statement, &parameters).await)?;
        rows.iter().map(read).collect()
    }

    fn execute(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<u64> {
        let statement = self.prepare(sql)?;
        let parameters = parameters(args);
        self.run(async |client| client.execute(&statement, &parameters).await)
    }

    fn execute_all(&mut self, statements: &[(&'static str, &[Arg<'_>])]) -> Result<Vec<u64>> {
        let mut prepared = Vec::with_capacity(statements.len());
        for (sql, args) in statements {
            prepared.push((self.prepare(sql)?, parameters(args)));
        }
        self.run(async |client| {
            let sent = prepared
                .iter()
                .map(|(statement, args)| client.execute(statement, args));
            join_all(sent).await.into_iter().collect()
        })
    }

    fn guesses(&self) -> bool {
        self.guesses
    }

    fn guess_failed(&mut self) {
        self.failure.get_or_insert(Failure::Guess);
    }

    fn clock(&mut self) -> Result<Option<i64>> {
        const NOW: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
        if !self.session.server_clock {
            return Ok(None);
        }
        let mut rows = self.query(NOW, &[])?;
        let row = rows
            .first_mut()
            .ok_or_else(|| StoreError::Bug("the server has no clock".into()))?;
        row.int().map(Some)
    }
}

fn parameters<'a>(args: &'a [Arg<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    args.iter().map(|arg| arg as &(dyn ToSql + Sync)).collect()
}

impl ToSql for Arg<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        let unfit = || format!("a parameter of the type {kind} was given {self:?}").into();
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => match *kind {
                Type::INT8 => number.to_sql(kind, out),
                Type::INT4 => i32::try_from(*number)?.to_sql(kind, out),
                Type::BOOL => (*number != 0).to_sql(kind, out),
                _ => Err(unfit()),
            },
            Self::Text(text) if *kind == Type::TEXT => text.as_ref().to_sql(kind, out),
            Self::Blob(bytes) if *kind == Type::BYTEA => bytes.as_ref().to_sql(kind, out),
            Self::Text(_) | Self::Blob(_) => Err(unfit()),
        }
    }

    fn accepts(kind: &Type) -> bool {
        matches!(
            *kind,
            Type::INT8 | Type::INT4 | Type::BOOL | Type::TEXT | Type::BYTEA
        )
    }

    to_sql_checked!();
}

fn read(row: &PgRow) -> Result<Row> {
    let cells: Result<Vec<Cell>> = (0..row.len()).map(|index| cell(row, index)).collect();
    cells.map(Row::new)
}

fn cell(row: &PgRow, index: usize) -> Result<Cell> {
    let corrupt = |error: Error| StoreError::Corrupt {
        column: index,
        reason: error.to_string(),
    };
    let kind = row.columns()[index].type_();
    let cell = match *kind {
        Type::INT8 => row
            .try_get::<_, Option<i64>>(index)
            .map(|v| v.map(Cell::Int)),
        Type::INT4 => row
            .try_get::<_, Option<i32>>(index)
            .map(|v| v.map(|n| Cell::Int(n.into()))),
        Type::BOOL => row
            .try_get::<_, Option<bool>>(index)
            .map(|v| v.map(|n| Cell::Int(n.into()))),
        Type::TEXT | Type::VARCHAR | Type::NAME => row
            .try_get::<_, Option<String>>(index)
            .map(|v| v.map(Cell::Text)),
        Type::BYTEA => row
            .try_get::<_, Option<Vec<u8>>>(index)
            .map(|v| v.map(Cell::Blob)),
        _ => {
            return Err(StoreError::Bug(format!(
                "a column of the type {kind}, which no statement may answer"
            )));
        }
    };
    Ok(cell.map_err(corrupt)?.unwrap_or(Cell::Null))
}
