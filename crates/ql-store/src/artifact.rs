//! Immutable artifacts of runs.

use std::collections::BTreeSet;

use ql_core::access::{Authorized, WriteRuns};
use ql_core::artifact::Artifact;
use ql_core::id::RunId;

use crate::{Arg, Result, Row, StoreError, Tx};

statements! {
    INSERT = "INSERT INTO artifacts (id, run_id, key, version, media_type, body, sha256, affected, recorded_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    LATEST = "SELECT id, run_id, key, version, media_type, body, sha256, affected, recorded_at \
        FROM artifacts WHERE run_id = $1 AND key = $2 ORDER BY version DESC LIMIT 1";
    LIST = "SELECT id, run_id, key, version, media_type, body, sha256, affected, recorded_at \
        FROM artifacts WHERE run_id = $1 ORDER BY id";
    KEYS = "SELECT DISTINCT key FROM artifacts WHERE run_id = $1";
}

fn read(row: &mut Row) -> Result<Artifact> {
    Ok(Artifact {
        id: row.parse()?,
        run: row.parse()?,
        key: row.text()?,
        version: row.int()?,
        media_type: row.text()?,
        body: row.text()?,
        sha256: row.digest()?,
        affected: row.from_json()?,
        recorded_at: row.time()?,
    })
}

/// Adds a version of an artifact.
pub fn insert(
    tx: &mut Tx<'_>,
    _authorized: &Authorized<WriteRuns>,
    artifact: &Artifact,
) -> Result<()> {
    let affected = serde_json::to_string(&artifact.affected)
        .map_err(|error| StoreError::Bug(error.to_string()))?;
    tx.execute_one(
        INSERT,
        &[
            Arg::text(artifact.id),
            Arg::text(artifact.run),
            (&artifact.key).into(),
            artifact.version.into(),
            (&artifact.media_type).into(),
            (&artifact.body).into(),
            (&artifact.sha256).into(),
            affected.into(),
            artifact.recorded_at.into(),
        ],
    )
}

/// The newest version under a key.
pub fn find_latest(tx: &mut Tx<'_>, run: RunId, key: &str) -> Result<Option<Artifact>> {
    tx.find(LATEST, &[Arg::text(run), key.into()])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// Every artifact of a run, in the order they were recorded.
pub fn list(tx: &mut Tx<'_>, run: RunId) -> Result<Vec<Artifact>> {
    tx.list(LIST, &[Arg::text(run)], read)
}

/// The keys under which a run has artifacts.
pub fn keys(tx: &mut Tx<'_>, run: RunId) -> Result<BTreeSet<String>> {
    Ok(tx
        .list(KEYS, &[Arg::text(run)], Row::text)?
        .into_iter()
        .collect())
}
