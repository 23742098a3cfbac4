//! The schema on a database server, who may do what with it, and proofs by trying.

use tokio_postgres::error::SqlState;

use super::session::{Dial, Session};
use super::tx::{Failure, describe, translate};
use crate::check::APPEND_ONLY;
use crate::error::{Result, StoreError};
use crate::migrate::{Applied, Migration, POSTGRES, missing};

const REGISTER: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    number BIGINT PRIMARY KEY, name TEXT NOT NULL, sha256 BYTEA NOT NULL)";

/// How often servers that start at once are tried again when one was faster; each step can be raced
/// for once more.
const ATTEMPTS: usize = 20;

/// What the working role may do, found by trying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privileges {
    /// The role.
    pub role: String,
    /// Whether it passes every check of rights.
    pub superuser: bool,
    /// The append-only tables whose rows it holds a right to change, so that only triggers stand in
    /// the way.
    pub granted: Vec<String>,
    /// The append-only tables where a change of a row was let through.
    pub open: Vec<String>,
    /// The settings of the server that let it lose what it acknowledged.
    pub not_durable: Vec<String>,
}

/// Brings the schema up to date as the owner, or as the working role where that may, and makes sure
/// that the working role finds what this program needs.
pub(super) fn prepare(dial: &Dial, owner: Option<&Dial>) -> Result<()> {
    if let Some(owner) = owner {
        if owner.user() == dial.user() {
            return Err(StoreError::Unsupported(
                "the owner of the tables and the role that the server works as are the same; the working role must own nothing, so create one for it".into(),
            ));
        }
        let mut session = Session::open(owner)?;
        migrate(&mut session)?;
        let role = dial.user().unwrap_or_default();
        return again_while_raced(&mut session, |session| grant(session, role));
    }
    let mut session = Session::open(dial)?;
    if missing(POSTGRES, &applied(&session)?)?.is_empty() {
        return Ok(());
    }
    let may: bool = one(
        &session,
        "SELECT COALESCE(has_schema_privilege(current_user, current_schema(), 'CREATE'), false)",
    )?;
    if may {
        return migrate(&mut session);
    }
    Err(StoreError::Unsupported(
        "the database lacks tables of this version and this role may not make them; give the address of the role that owns them with --database-owner once".into(),
    ))
}

fn migrate(session: &mut Session) -> Result<()> {
    again_while_raced(session, try_migrate)
}

/// Does what servers that start together do at the same moment, until nobody is in the way.
fn again_while_raced(session: &mut Session, work: impl Fn(&Session) -> Result<()>) -> Result<()> {
    let mut outcome = Ok(());
    // Each step of the schema may be one that another server makes first.
    for _ in 0..ATTEMPTS + POSTGRES.len() {
        outcome = work(session);
        match &outcome {
            Err(StoreError::Conflict(_)) => session.batch("ROLLBACK").map_err(|e| translate(&e))?,
            Ok(()) | Err(_) => break,
        }
    }
    outcome
}

fn try_migrate(session: &Session) -> Result<()> {
    session.batch(REGISTER).map_err(|error| raced(&error))?;
    for step in missing(POSTGRES, &applied(session)?)? {
        apply(session, step)?;
    }
    Ok(())
}

fn apply(session: &Session, step: &Migration) -> Result<()> {
    let done = session.wait(async {
        session.client.batch_execute("BEGIN").await?;
        session.client.batch_execute(step.sql).await?;
        let remembered = "INSERT INTO schema_migrations (number, name, sha256) VALUES ($1, $2, $3)";
        let sha256 = step.sha256();
        let hash = &sha256.as_bytes()[..];
        session
            .client
            .execute(remembered, &[&step.number, &step.name, &hash])
            .await?;
        session.client.batch_execute("COMMIT").await
    });
    done.map_err(|error| raced(&error))
}

/// Another server that makes the same table at the same moment shows as a conflict of names or
/// keys; the step is then looked for again.
fn raced(error: &tokio_postgres::Error) -> StoreError {
    match error.code() {
        Some(
            &SqlState::DUPLICATE_TABLE
            | &SqlState::DUPLICATE_COLUMN
            | &SqlState::DUPLICATE_OBJECT
            | &SqlState::DUPLICATE_FUNCTION,
        ) => StoreError::Conflict(describe(error)),
        // Two that grant on the same table: the server has no code of its own for it.
        Some(&SqlState::INTERNAL_ERROR) if describe(error).contains("concurrently updated") => {
            StoreError::Conflict(describe(error))
        }
        _ if Failure::of(error) == Failure::Contention => StoreError::Conflict(describe(error)),
        _ => translate(error),
    }
}

fn applied(session: &Session) -> Result<Vec<Applied>> {
    let known: bool = one(
        session,
        "SELECT to_regclass('schema_migrations') IS NOT NULL",
    )?;
    if !known {
        return Ok(Vec::new());
    }
    let sql = "SELECT number, name, sha256 FROM schema_migrations ORDER BY number";
    let rows = session
        .wait(session.client.query(sql, &[]))
        .map_err(|error| translate(&error))?;
    Ok(rows
        .iter()
        .map(|row| Applied {
            number: row.get(0),
            name: row.get(1),
            sha256: row.get(2),
        })
        .collect())
}

fn one<T: for<'a> tokio_postgres::types::FromSql<'a>>(session: &Session, sql: &str) -> Result<T> {
    session
        .wait(session.client.query_one(sql, &[]))
        .and_then(|row| row.try_get(0))
        .map_err(|error| translate(&error))
}

fn texts(session: &Session, sql: &str) -> Result<Vec<String>> {
    let rows = session
        .wait(session.client.query(sql, &[]))
        .map_err(|error| translate(&error))?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Gives the working role what it needs and takes everything else from it.
fn grant(session: &Session, role: &str) -> Result<()> {
    let quoted = format!("\"{}\"", role.replace('"', "\"\""));
    let schema: String = one(session, "SELECT quote_ident(current_schema())")?;
    let mut sql = format!("GRANT USAGE ON SCHEMA {schema} TO {quoted};");
    let tables = "SELECT tablename::TEXT FROM pg_tables WHERE schemaname = current_schema() AND tableowner = current_user";
    for table in texts(session, tables)? {
        let rights = match table.as_str() {
            "schema_migrations" => "SELECT",
            table if APPEND_ONLY.contains(&table) => "SELECT, INSERT",
            _ => "SELECT, INSERT, UPDATE, DELETE",
        };
        let table = format!("{schema}.\"{table}\"");
        sql.extend([
            format!("REVOKE ALL ON {table} FROM PUBLIC, {quoted};"),
            format!("GRANT {rights} ON {table} TO {quoted};"),
        ]);
    }
    session.batch(&sql).map_err(|error| raced(&error))
}

/// Tries, as the working role, to change what is written once. Nothing of it is kept.
pub(super) fn privileges(dial: &Dial) -> Result<Privileges> {
    let session = Session::open(dial)?;
    let (mut granted, mut open) = (Vec::new(), Vec::new());
    for table in APPEND_ONLY {
        let tried = attacks(&session, table)?;
        let outcomes: Result<Vec<_>> = tried.iter().map(|sql| attempt(&session, sql)).collect();
        let outcomes = outcomes?;
        if outcomes.iter().any(|outcome| *outcome != Attempt::NoRight) {
            granted.push(table.to_owned());
        }
        if outcomes.contains(&Attempt::Done) {
            open.push(table.to_owned());
        }
    }
    let settings = "SELECT name::TEXT FROM pg_settings WHERE setting = 'off' \
        AND name IN ('fsync', 'full_page_writes') ORDER BY name";
    Ok(Privileges {
        role: one(&session, "SELECT current_user::TEXT")?,
        superuser: one(
            &session,
            "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user",
        )?,
        granted,
        open,
        not_durable: texts(&session, settings)?,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    NoRight,
    RefusedByTrigger,
    Done,
}

/// Ways to change a table: of all its rows, where it has some, and of the table as a whole.
fn attacks(session: &Session, table: &str) -> Result<[String; 3]> {
    let column = format!(
        "SELECT quote_ident(attname::TEXT) FROM pg_attribute \
         WHERE attrelid = to_regclass('{table}') AND attnum > 0 ORDER BY attnum LIMIT 1"
    );
    let column: String = one(session, &column)?;
    Ok([
        format!("UPDATE {table} SET {column} = {column}"),
        format!("DELETE FROM {table}"),
        format!("TRUNCATE {table} CASCADE"),
    ])
}

fn attempt(session: &Session, sql: &str) -> Result<Attempt> {
    let tried = session.wait(async {
        session.client.batch_execute("BEGIN").await?;
        Ok(session.client.execute(sql, &[]).await)
    });
    let tried = tried.map_err(|error: tokio_postgres::Error| translate(&error))?;
    session
        .batch("ROLLBACK")
        .map_err(|error| translate(&error))?;
    match tried {
        // Without a row nothing was changed, and no trigger was asked.
        Ok(0) if !sql.starts_with("TRUNCATE") => Ok(Attempt::RefusedByTrigger),
        Ok(_) => Ok(Attempt::Done),
        Err(error) => match error.code() {
            Some(&SqlState::INSUFFICIENT_PRIVILEGE) => Ok(Attempt::NoRight),
            Some(&SqlState::RAISE_EXCEPTION) => Ok(Attempt::RefusedByTrigger),
            _ => Err(translate(&error)),
        },
    }
}

/// Prepares every statement; the first that the server doesn't take is the error.
pub(super) fn prepare_all(dial: &Dial) -> Result<usize> {
    let mut session = Session::open(dial)?;
    let mut count = 0;
    for sql in crate::statements::all() {
        session
            .statement(sql)
            .map_err(|error| StoreError::Bug(format!("{}: {sql}", describe(&error))))?;
        count += 1;
    }
    Ok(count)
}
