//! The ledger's tree: entries get their places in it after their transaction, and what it was is
//! signed.
//!
//! One server at a time does this. The lease only keeps servers out of each other's way; that a
//! place is given once is what the leaves' keys say, and what was signed is compared before anything
//! is added to it.

use std::time::Duration;

use ql_core::checkpoint::Checkpoint;
use ql_core::hash::Digest;
use ql_core::note::SigningKey;
use ql_core::time::Timestamp;
use ql_core::tree::{self, Frontier};

use crate::checkpoint::{self, Signed, count, int};
use crate::{Arg, Result, Row, StoreError, Tx, lease};

pub(crate) mod verify;

statements! {
    WAITING = "SELECT seq FROM ledger_pending ORDER BY subject, seq LIMIT 1";
    COUNT_WAITING = "SELECT CAST(COUNT(*) AS BIGINT) FROM ledger_pending";
    SIZE = "SELECT CAST(COALESCE(MAX(leaf_index) + 1, 0) AS BIGINT) FROM ledger_leaves";
    BATCH = "SELECT subject, seq, leaf FROM ledger_pending ORDER BY subject, seq LIMIT $1";
    PLACE = "INSERT INTO ledger_leaves (leaf_index, subject, seq, leaf) \
        SELECT CAST($1 AS BIGINT) + ROW_NUMBER() OVER (ORDER BY subject, seq) - 1, subject, seq, leaf \
        FROM (SELECT subject, seq, leaf FROM ledger_pending ORDER BY subject, seq LIMIT $2) AS batch";
    TAKE_OUT = "DELETE FROM ledger_pending WHERE (subject, seq) <= ($1, $2)";
    LEAVES = "SELECT leaf FROM ledger_leaves WHERE leaf_index >= $1 AND leaf_index < $2 ORDER BY leaf_index";
    NODES = "SELECT hash FROM ledger_nodes WHERE level = $1 AND position >= $2 AND position < $3 ORDER BY position";
    INSERT_NODE = "INSERT INTO ledger_nodes (level, position, hash) VALUES ($1, $2, $3)";
    PLACE_OF = "SELECT leaf_index FROM ledger_leaves WHERE subject = $1 AND seq = $2";
    PLACES_OF = "SELECT leaf_index FROM ledger_leaves WHERE subject = $1 AND seq <= $2 ORDER BY seq";
}

/// Of how many levels one is stored; those between are computed from at most eight hashes.
const STRIDE: u32 = 4;

const LEASE: &str = "sequencer";
/// How long a server that stopped keeps the others from going on.
const LEASE_SPAN: Duration = Duration::from_secs(5);

/// Who gives entries their places.
#[derive(Debug, Clone, Copy)]
pub struct Sequencer<'s> {
    /// The key that signs.
    pub key: &'s SigningKey,
    /// The server, by a name that no other has.
    pub holder: &'s str,
    /// At most how many entries get their place at once.
    pub limit: u32,
}

/// What came of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sequenced {
    /// No entry waits.
    Idle,
    /// Another server does it.
    Elsewhere,
    /// The key isn't the ledger's current one.
    OtherKey,
    /// The tree in the database isn't the one that was signed last. Nothing is signed on top of it.
    Unlike {
        /// The number of leaves in the database.
        size: u64,
    },
    /// Entries got their places, and the tree was signed.
    Appended {
        /// How many.
        entries: u64,
        /// What was signed.
        signed: Signed,
    },
}

/// Whether an entry waits for its place.
pub fn is_waiting(tx: &mut Tx<'_>) -> Result<bool> {
    Ok(tx.find(WAITING, &[])?.is_some())
}

/// How many entries wait for their place.
pub fn count_waiting(tx: &mut Tx<'_>) -> Result<u64> {
    count(&mut tx.one(COUNT_WAITING, &[])?)
}

/// How many entries have their place.
pub fn size(tx: &mut Tx<'_>) -> Result<u64> {
    count(&mut tx.one(SIZE, &[])?)
}

/// Gives waiting entries their places, chain by chain and in the order of each chain, and signs the
/// tree with them.
pub fn sequence(tx: &mut Tx<'_>, by: Sequencer<'_>, now: Timestamp) -> Result<Sequenced> {
    if !is_waiting(tx)? {
        return Ok(Sequenced::Idle);
    }
    let judged_at = tx.lease_clock(now)?;
    if lease::take(tx, (LEASE, by.holder), judged_at, LEASE_SPAN)?.is_none() {
        return Ok(Sequenced::Elsewhere);
    }
    let keys = checkpoint::key_chain(tx)?;
    let Some(keys) = keys.filter(|keys| keys.current().0 == by.key.public()) else {
        return Ok(Sequenced::OtherKey);
    };
    let first = size(tx)?;
    let mut frontier = Frontier::read(first, |level, index| node(tx, level, index))?;
    let before = checkpoint::latest(tx)?.map(|signed| signed.checkpoint);
    let is_signed = before.map_or(first == 0, |before| {
        (before.size, before.root) == (first, frontier.root())
    });
    if !is_signed {
        return Ok(Sequenced::Unlike { size: first });
    }
    append(tx, &mut frontier, by.limit)?;
    let checkpoint = Checkpoint {
        size: frontier.size(),
        root: frontier.root(),
    };
    let signed = Signed {
        note: checkpoint.sign(by.key, keys.origin()),
        checkpoint,
        signed_at: now,
    };
    checkpoint::insert(tx, &signed)?;
    Ok(Sequenced::Appended {
        entries: frontier.size() - first,
        signed,
    })
}

/// Moves waiting entries into the tree.
fn append(tx: &mut Tx<'_>, frontier: &mut Frontier, limit: u32) -> Result<()> {
    let first = frontier.size();
    let batch = tx.list(BATCH, &[limit.into()], |row| {
        Ok((row.text()?, row.int()?, row.digest()?))
    })?;
    let mut nodes = Vec::new();
    for (_, _, leaf) in &batch {
        frontier.push(*leaf, |level, index, hash| {
            if level.is_multiple_of(STRIDE) {
                nodes.push((level, index, hash));
            }
        });
    }
    let Some((subject, seq, _)) = batch.last() else {
        return Ok(());
    };
    let placed = tx.execute(PLACE, &[int(first)?, limit.into()])?;
    let taken = tx.execute(TAKE_OUT, &[subject.into(), (*seq).into()])?;
    if [placed, taken] != [batch.len() as u64; 2] {
        let what = format!("{placed} placed and {taken} taken out of {}", batch.len());
        return Err(StoreError::Conflict(what));
    }
    let rows: Result<Vec<[Arg<'_>; 3]>> = nodes
        .iter()
        .map(|(level, index, hash)| Ok([(*level).into(), int(*index)?, hash.into()]))
        .collect();
    let rows = rows?;
    let inserts: Vec<(&'static str, &[Arg<'_>])> =
        rows.iter().map(|row| (INSERT_NODE, &row[..])).collect();
    tx.execute_each(&inserts)
}

/// The hash of a complete subtree.
fn node(tx: &mut Tx<'_>, level: u32, index: u64) -> Result<Digest> {
    let above = level % STRIDE;
    let (lo, hi) = (int(index << above)?, int((index + 1) << above)?);
    let row = if level < STRIDE {
        tx.list(LEAVES, &[lo, hi], Row::digest)
    } else {
        let stored = level - above;
        tx.list(NODES, &[stored.into(), lo, hi], Row::digest)
    };
    let mut hashes = row?;
    if hashes.len() as u64 != 1 << above {
        return Err(StoreError::Corrupt {
            column: 0,
            reason: format!("hashes are missing under {index} of level {level} of the tree"),
        });
    }
    while hashes.len() > 1 {
        let pairs = hashes.chunks_exact(2);
        hashes = pairs
            .map(|pair| tree::node_hash(&pair[0], &pair[1]))
            .collect();
    }
    Ok(hashes[0])
}

/// The place of an entry in the tree, once it has one.
pub fn place(tx: &mut Tx<'_>, subject: &str, seq: i64) -> Result<Option<u64>> {
    tx.find(PLACE_OF, &[subject.into(), seq.into()])?
        .map(|mut row| count(&mut row))
        .transpose()
}

/// The places of the first `seq` entries of a chain, in the order of the chain.
pub fn places(tx: &mut Tx<'_>, subject: &str, seq: i64) -> Result<Vec<u64>> {
    tx.list(PLACES_OF, &[subject.into(), seq.into()], count)
}

/// The audit path of one leaf in the tree of the first `size`.
pub fn inclusion_proof(tx: &mut Tx<'_>, index: u64, size: u64) -> Result<Vec<Digest>> {
    tree::inclusion_proof(index, size, |level, index| node(tx, level, index))
}

/// The proof that the tree of the first `new` leaves begins with that of the first `old`.
pub fn consistency_proof(tx: &mut Tx<'_>, old: u64, new: u64) -> Result<Vec<Digest>> {
    tree::consistency_proof(old, new, |level, index| node(tx, level, index))
}

/// The hashes that prove many leaves together in the tree of the first `size`, and that it began with
/// the tree of the first `old`.
pub fn joint_proof(
    tx: &mut Tx<'_>,
    indexes: &[u64],
    (old, size): (u64, u64),
) -> Result<Vec<Digest>> {
    tree::joint_proof(indexes, (old, size), |level, index| node(tx, level, index))
}
