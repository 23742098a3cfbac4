//! What was signed of the ledger's tree, and the keys that sign.

use ql_core::checkpoint::{Checkpoint, KeyChain};
use ql_core::hash::Digest;
use ql_core::note::PublicKey;
use ql_core::time::Timestamp;

use crate::{Arg, Result, Row, StoreError, Tx};

statements! {
    LATEST = "SELECT size, root, note, signed_at FROM ledger_checkpoints ORDER BY size DESC LIMIT 1";
    FIND = "SELECT size, root, note, signed_at FROM ledger_checkpoints WHERE size = $1";
    LIST = "SELECT size, root, note, signed_at FROM ledger_checkpoints WHERE size > $1 ORDER BY size LIMIT $2";
    INSERT = "INSERT INTO ledger_checkpoints (size, root, note, signed_at) VALUES ($1, $2, $3, $4)";
    KEYS = "SELECT number, public_key, note FROM ledger_keys ORDER BY number";
    INSERT_KEY = "INSERT INTO ledger_keys (number, public_key, note, registered_at) VALUES ($1, $2, $3, $4)";
}

/// A signed checkpoint as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// What was signed.
    pub checkpoint: Checkpoint,
    /// The note, as verifiers take it.
    pub note: String,
    /// When it was signed.
    pub signed_at: Timestamp,
}

/// A key of the ledger as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    /// Its number, from 1.
    pub number: u64,
    /// Its public half.
    pub key: PublicKey,
    /// The word of the key before; none for the first.
    pub note: Option<String>,
}

/// A count that is never below zero.
pub(crate) fn count(row: &mut Row) -> Result<u64> {
    let number = row.int()?;
    u64::try_from(number).map_err(|_| row.corrupt("a count"))
}

/// A count on its way into a statement.
pub(crate) fn int(count: u64) -> Result<Arg<'static>> {
    i64::try_from(count)
        .map(Arg::Int)
        .map_err(|_| StoreError::Bug(format!("{count} is beyond what a column holds")))
}

fn read(row: &mut Row) -> Result<Signed> {
    Ok(Signed {
        checkpoint: Checkpoint {
            size: count(row)?,
            root: row.digest()?,
        },
        note: row.text()?,
        signed_at: row.time()?,
    })
}

/// The latest checkpoint.
pub fn latest(tx: &mut Tx<'_>) -> Result<Option<Signed>> {
    tx.find(LATEST, &[])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The checkpoint over the first `size` entries, where one was signed.
pub fn find(tx: &mut Tx<'_>, size: u64) -> Result<Option<Signed>> {
    tx.find(FIND, &[int(size)?])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// Checkpoints in order, from the first that covers more than `after` entries on.
pub(crate) fn list(tx: &mut Tx<'_>, after: i64, limit: u32) -> Result<Vec<Row>> {
    tx.query(LIST, &[after.into(), limit.into()])
}

pub(crate) fn read_listed(row: &mut Row) -> Result<Signed> {
    read(row)
}

/// Keeps a signed checkpoint.
pub(crate) fn insert(tx: &mut Tx<'_>, signed: &Signed) -> Result<()> {
    tx.execute_one(
        INSERT,
        &[
            int(signed.checkpoint.size)?,
            (&signed.checkpoint.root).into(),
            (&signed.note).into(),
            signed.signed_at.into(),
        ],
    )
}

/// The keys in order.
pub fn keys(tx: &mut Tx<'_>) -> Result<Vec<StoredKey>> {
    tx.list(KEYS, &[], |row| {
        let number = count(row)?;
        let bytes = row.digest()?;
        let key = PublicKey::from_bytes(bytes.as_bytes());
        Ok(StoredKey {
            number,
            key: key.ok_or_else(|| row.corrupt("a public key"))?,
            note: row.opt_text()?,
        })
    })
}

/// The keys as their succession; none where no key was registered yet.
///
/// # Errors
/// [`StoreError::Corrupt`] when they don't follow each other.
pub fn key_chain(tx: &mut Tx<'_>) -> Result<Option<KeyChain>> {
    follow(&keys(tx)?).map_err(|number| StoreError::Corrupt {
        column: 1,
        reason: format!("key {number} of the ledger isn't one that the key before it named"),
    })
}

/// Follows stored keys.
///
/// # Errors
/// The number of the first key that doesn't follow.
pub(crate) fn follow(stored: &[StoredKey]) -> std::result::Result<Option<KeyChain>, u64> {
    let Some((first, rest)) = stored.split_first() else {
        return Ok(None);
    };
    if first.number != 1 || first.note.is_some() {
        return Err(first.number);
    }
    let mut chain = KeyChain::new(first.key);
    for next in rest {
        let follows = chain.push(next.note.as_deref().unwrap_or_default()).is_ok();
        if !follows || (chain.number(), chain.current().0) != (next.number, next.key) {
            return Err(next.number);
        }
    }
    Ok(Some(chain))
}

/// Registers a key, with the word of the one before.
///
/// # Errors
/// [`StoreError::Conflict`] when another server registered one of that number first.
pub fn register(tx: &mut Tx<'_>, key: &StoredKey, now: Timestamp) -> Result<()> {
    let public = Digest::from_bytes(key.key.as_bytes())
        .ok_or_else(|| StoreError::Bug("a key has 32 bytes".into()))?;
    tx.execute_one(
        INSERT_KEY,
        &[
            int(key.number)?,
            (&public).into(),
            key.note.as_deref().into(),
            now.into(),
        ],
    )
}
