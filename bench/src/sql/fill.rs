//! Rows by the hundred thousand, made by the database itself in the dialect that both engines speak.
//!
//! They are older than what the product writes, and valid wherever it lists or looks up: an item with
//! its address, its revision and the key of the call; an entry in a chain of a hundred, waiting for
//! its place in the tree. The hashes are the sample's, so the ledger of a filled store doesn't verify.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

use super::cluster::Database;

/// Rows in one transaction.
const STEP: u64 = 50_000;
/// How long a chain of filled entries is.
const CHAIN: u64 = 100;
const LOOK: Duration = Duration::from_millis(500);
/// How often nothing may have moved before nobody is thought to give entries their places: for longer
/// than the lease of a server that was killed keeps the next one from it.
const PATIENCE: u32 = 14;

/// A store to fill, past the product.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// The embedded database in this file.
    Sqlite(PathBuf),
    /// A server's.
    Postgres(Database),
}

impl Target {
    /// Adds the revisions numbered `from` to `to`, like the sample of the run `like`.
    pub(crate) async fn add_revisions(&self, like: &str, from: u64, to: u64) -> Result<()> {
        self.add((from, to), |first, last| revisions(like, first, last))
            .await
    }

    /// Adds the ledger entries numbered `from` to `to`, like the sample's.
    pub(crate) async fn add_events(&self, like: &str, from: u64, to: u64) -> Result<()> {
        let whole = (from.div_ceil(CHAIN) * CHAIN, to.div_ceil(CHAIN) * CHAIN);
        self.add(whole, |first, last| events(like, first, last))
            .await
    }

    async fn add(
        &self,
        (from, to): (u64, u64),
        statements: impl Fn(u64, u64) -> String,
    ) -> Result<()> {
        let steps = (from..to)
            .step_by(usize::try_from(STEP)?)
            .map(|first| statements(first, (first + STEP).min(to) - 1));
        match self {
            Self::Sqlite(file) => {
                let connection = rusqlite::Connection::open(file)?;
                connection.execute_batch("PRAGMA synchronous = OFF")?;
                for step in steps {
                    connection.execute_batch(&format!("BEGIN; {step} COMMIT;"))?;
                }
                connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
                // What the load finds is on the disk, as it would be of a store that grew slowly.
                std::fs::File::open(file)?.sync_all()?;
            }
            Self::Postgres(database) => {
                let client = database.connect().await?;
                for step in steps {
                    client.batch_execute(&step).await?;
                }
                // What its own housekeeping does within minutes.
                client.batch_execute("VACUUM (ANALYZE)").await?;
                client.batch_execute("CHECKPOINT").await?;
            }
        }
        Ok(())
    }

    /// Waits until a running server has given the waiting entries their places; gives how many wait
    /// still, when their number has stopped falling.
    pub(crate) async fn settle(&self) -> Result<u64> {
        let (mut before, mut still) = (u64::MAX, 0);
        loop {
            let waiting = self.number(WAITING).await?;
            still = if waiting < before { 0 } else { still + 1 };
            if waiting == 0 || still == PATIENCE {
                return Ok(waiting);
            }
            before = waiting;
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The bytes that the store takes.
    pub(crate) async fn size(&self) -> Result<u64> {
        match self {
            Self::Sqlite(file) => {
                let log = file.with_extension("db-wal");
                let log = std::fs::metadata(log).map_or(0, |found| found.len());
                Ok(std::fs::metadata(file)?.len() + log)
            }
            Self::Postgres(_) => self.number(SIZE).await,
        }
    }

    async fn number(&self, statement: &str) -> Result<u64> {
        let number: i64 = match self {
            Self::Sqlite(file) => {
                let connection = rusqlite::Connection::open(file)?;
                connection.query_row(statement, [], |row| row.get(0))?
            }
            Self::Postgres(database) => {
                let client = database.connect().await?;
                client.query_one(statement, &[]).await?.try_get(0)?
            }
        };
        u64::try_from(number).context("a number below zero")
    }
}

const WAITING: &str = "SELECT COUNT(*) FROM ledger_pending";
const SIZE: &str = "SELECT pg_database_size(current_database())";

/// The numbers `first` to `last` as the table `n`, each with its digits as the end of an identifier.
fn numbered(first: u64, last: u64) -> String {
    format!(
        "WITH RECURSIVE n (i) AS (SELECT CAST({first} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < {last}), \
         d (i, digits) AS (SELECT i, '0000000000000000' || substr(CAST(10000000000 + i AS TEXT), 2) FROM n)"
    )
}

fn revisions(like: &str, first: u64, last: u64) -> String {
    let numbered = numbered(first, last);
    format!(
        "{numbered} INSERT INTO content_items (id, site_id, template_id, template_key, locale, \
         translation_group, title, search, draft_id, draft_number, draft_slug, created_at, updated_at) \
         SELECT 'cnt_' || d.digits, s.site_id, s.template_id, s.template_key, s.locale, 'trg_' || d.digits, \
         s.title || ' ' || d.i, s.search || ' ' || d.i, 'rev_' || d.digits, 1, 'filled-' || d.i, s.created_at, \
         s.updated_at FROM d, content_items s JOIN content_revisions r ON r.content_id = s.id \
         WHERE r.run_id = '{like}'; \
         {numbered} INSERT INTO content_slugs (site_id, locale, slug, content_id) \
         SELECT r.site_id, 'en', 'filled-' || d.i, 'cnt_' || d.digits FROM d, content_revisions r \
         WHERE r.run_id = '{like}'; \
         {numbered} INSERT INTO content_revisions (id, site_id, content_id, number, slug, fields, sha256, \
         template_version, author, note, created_at) \
         SELECT 'rev_' || d.digits, r.site_id, 'cnt_' || d.digits, 1, 'filled-' || d.i, r.fields, r.sha256, \
         r.template_version, r.author, r.note, r.created_at FROM d, content_revisions r WHERE r.run_id = '{like}'; \
         {numbered} INSERT INTO idempotency_keys (agent_id, site_id, tool, key, request, response, created_at) \
         SELECT u.agent_id, r.site_id, 'querylayer_create_draft', 'filled-' || d.i, r.sha256, '{{}}', r.created_at \
         FROM d, content_revisions r JOIN runs u ON u.id = r.run_id WHERE r.run_id = '{like}';"
    )
}

fn events(like: &str, first: u64, last: u64) -> String {
    let numbered = numbered(first, last);
    let chain =
        format!("'run_0000000000000000' || substr(CAST(10000000000 + d.i / {CHAIN} AS TEXT), 2)");
    let seq = format!("d.i % {CHAIN} + 1");
    let sample =
        format!("ledger_entries e WHERE e.subject = '{like}' AND e.kind = 'draft.created'");
    format!(
        "{numbered} INSERT INTO ledger_entries (id, subject, seq, organization_id, site_id, kind, actor, at, canon, \
         prev, leaf) SELECT 'led_' || d.digits, {chain}, {seq}, e.organization_id, e.site_id, e.kind, e.actor, e.at, \
         '{{\"detail\":{{}}}}', e.prev, e.leaf FROM d, {sample}; \
         {numbered} INSERT INTO ledger_pending (subject, seq, leaf) SELECT {chain}, {seq}, e.leaf FROM d, {sample}; \
         {numbered} INSERT INTO ledger_heads (subject, seq, hash, bytes, updated_at) \
         SELECT {chain}, {seq}, e.leaf, 0, e.at FROM d, {sample} AND {seq} = {CHAIN};"
    )
}
