//! Checking the whole tree against the entries, and what was signed against the tree.

use ql_core::checkpoint::{Checkpoint, KeyChain};
use ql_core::hash::Digest;
use ql_core::ledger::Broken;
use ql_core::tree::{Frontier, TreeFault};

use super::STRIDE;
use crate::checkpoint::{self, Signed, count, int};
use crate::{Arg, Result, Row, Tx};

statements! {
    FILED = "SELECT l.leaf_index, l.subject, l.seq, l.leaf, e.leaf FROM ledger_leaves l \
        LEFT JOIN ledger_entries e ON e.subject = l.subject AND e.seq = l.seq \
        WHERE l.leaf_index >= $1 ORDER BY l.leaf_index LIMIT $2";
    NODE = "SELECT hash FROM ledger_nodes WHERE level = $1 AND position = $2";
    COUNT_NODES = "SELECT CAST(COUNT(*) AS BIGINT) FROM ledger_nodes";
    SMUGGLED = "SELECT e.subject, e.seq FROM ledger_entries e \
        LEFT JOIN ledger_leaves l ON l.subject = e.subject AND l.seq = e.seq \
        LEFT JOIN ledger_pending p ON p.subject = e.subject AND p.seq = e.seq \
        WHERE l.subject IS NULL AND p.subject IS NULL ORDER BY e.subject, e.seq LIMIT $1";
    WAITING_FOR_NOTHING = "SELECT p.subject, p.seq, e.leaf FROM ledger_pending p \
        LEFT JOIN ledger_entries e ON e.subject = p.subject AND e.seq = p.seq \
        WHERE e.leaf IS NULL OR e.leaf <> p.leaf ORDER BY p.subject, p.seq LIMIT $1";
}

const STEP: u32 = 1000;

/// What a check of the tree counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) leaves: u64,
    pub(crate) checkpoints: u64,
}

/// Adds what is wrong to `broken`.
pub(crate) fn verify(tx: &mut Tx<'_>, broken: &mut Vec<Broken>) -> Result<Counts> {
    let mut check = Check {
        broken,
        tree: Frontier::default(),
        nodes: Some(0),
        signed: Signatures::begin(tx)?,
    };
    if let Some(number) = check.signed.bad_key {
        check.fault(TreeFault::Key { number });
    }
    check.signatures(tx)?;
    check.leaves(tx)?;
    check.edges(tx)?;
    Ok(Counts {
        leaves: check.tree.size(),
        checkpoints: check.signed.count,
    })
}

/// The checkpoints, read in order as the tree grows past them.
struct Signatures {
    keys: Option<KeyChain>,
    bad_key: Option<u64>,
    rows: std::vec::IntoIter<Row>,
    next: Option<Signed>,
    after: i64,
    last: u64,
    count: u64,
}

struct Check<'b> {
    broken: &'b mut Vec<Broken>,
    tree: Frontier,
    // How many inner hashes must be stored; none known once the leaves break off.
    nodes: Option<u64>,
    signed: Signatures,
}

impl Signatures {
    fn begin(tx: &mut Tx<'_>) -> Result<Self> {
        // A key that can't be read isn't followed, and then no checkpoint is one of a known key.
        let (keys, bad_key) = match checkpoint::keys(tx).map(|keys| checkpoint::follow(&keys)) {
            Ok(Ok(keys)) => (keys, None),
            Ok(Err(number)) => (None, Some(number)),
            Err(crate::StoreError::Corrupt { .. }) => (None, Some(0)),
            Err(error) => return Err(error),
        };
        Ok(Self {
            keys,
            bad_key,
            rows: Vec::new().into_iter(),
            next: None,
            after: i64::MIN,
            last: 0,
            count: 0,
        })
    }

    /// Reads the next checkpoint; an error of a row is that row's alone.
    fn advance(&mut self, tx: &mut Tx<'_>) -> Result<Option<TreeFault>> {
        self.next = None;
        if self.rows.len() == 0 {
            self.rows = checkpoint::list(tx, self.after, STEP)?.into_iter();
        }
        let Some(mut row) = self.rows.next() else {
            return Ok(None);
        };
        self.count += 1;
        let Ok(signed) = checkpoint::read_listed(&mut row) else {
            self.after = i64::MAX;
            self.rows = Vec::new().into_iter();
            return Ok(Some(TreeFault::Unreadable));
        };
        let size = signed.checkpoint.size;
        let opened = self
            .keys
            .as_ref()
            .map(|keys| keys.open_earlier(&signed.note));
        // Without a succession of keys, which is said once, no signature can be judged.
        let is_judged = self.bad_key.is_none();
        let fault = (is_judged && opened != Some(Ok(signed.checkpoint)))
            .then_some(TreeFault::Unsigned { size });
        self.after = size.cast_signed();
        self.last = size;
        self.next = Some(signed);
        Ok(fault)
    }
}

impl Check<'_> {
    fn fault(&mut self, fault: TreeFault) {
        self.broken.push(Broken::Tree(fault));
    }

    /// Compares every checkpoint over exactly the tree as it is now, and reads on to the next.
    fn signatures(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        let grown = self.tree.size();
        loop {
            let next = self.signed.next.as_ref().map(|signed| signed.checkpoint);
            if let Some(Checkpoint { size, root }) = next {
                if size > grown {
                    return Ok(());
                }
                if size < grown || root != self.tree.root() {
                    self.fault(TreeFault::Unlike { size });
                }
            }
            let before = self.signed.count;
            if let Some(fault) = self.signed.advance(tx)? {
                self.fault(fault);
            }
            if self.signed.count == before {
                return Ok(());
            }
        }
    }

    /// Builds the tree again from its leaves, each compared with its entry.
    fn leaves(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        let mut from = i64::MIN;
        loop {
            let mut rows = tx.query(FILED, &[Arg::Int(from), STEP.into()])?;
            if rows.is_empty() {
                return Ok(());
            }
            for row in &mut rows {
                let Ok((index, leaf)) = self.leaf(row) else {
                    self.nodes = None;
                    self.fault(TreeFault::Unreadable);
                    return Ok(());
                };
                let expected = self.tree.size();
                if index != expected.cast_signed() {
                    self.nodes = None;
                    self.fault(TreeFault::Gap { index: expected });
                    return Ok(());
                }
                self.push(tx, leaf)?;
                from = index + 1;
            }
        }
    }

    fn leaf(&mut self, row: &mut Row) -> Result<(i64, Digest)> {
        let (index, subject, seq) = (row.int()?, row.text()?, row.int()?);
        let leaf = row.digest()?;
        match row.opt_digest() {
            Ok(Some(entry)) if entry == leaf => {}
            Ok(Some(_)) | Err(_) => self.fault(TreeFault::Replaced { subject, seq }),
            Ok(None) => self.fault(TreeFault::Removed { subject, seq }),
        }
        Ok((index, leaf))
    }

    fn push(&mut self, tx: &mut Tx<'_>, leaf: Digest) -> Result<()> {
        let mut completed = Vec::new();
        self.tree.push(leaf, |level, position, hash| {
            if level.is_multiple_of(STRIDE) {
                completed.push((level, position, hash));
            }
        });
        for (level, position, hash) in completed {
            self.nodes = self.nodes.map(|nodes| nodes + 1);
            let stored = tx.find(NODE, &[level.into(), int(position)?])?;
            let stored = stored.map(|mut row| row.digest());
            if !matches!(stored, Some(Ok(stored)) if stored == hash) {
                self.fault(TreeFault::Node { level, position });
            }
        }
        self.signatures(tx)
    }

    /// What lies beyond the tree, and beside it.
    fn edges(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        let size = self.tree.size();
        let signed = self.signed.last;
        if let Some(beyond) = &self.signed.next {
            let signed = beyond.checkpoint.size;
            self.fault(TreeFault::Shrunk {
                found: size,
                signed,
            });
        } else if signed < size {
            self.fault(TreeFault::Uncovered { signed });
        }
        let nodes = count(&mut tx.one(COUNT_NODES, &[])?)?;
        if self.nodes.is_some_and(|expected| expected != nodes) {
            self.fault(TreeFault::Nodes);
        }
        let smuggled = tx.list(SMUGGLED, &[STEP.into()], |row| {
            Ok(TreeFault::Smuggled {
                subject: row.text()?,
                seq: row.int()?,
            })
        })?;
        let waiting = tx.list(WAITING_FOR_NOTHING, &[STEP.into()], |row| {
            let (subject, seq) = (row.text()?, row.int()?);
            Ok(match row.opt_digest() {
                Ok(None) => TreeFault::Removed { subject, seq },
                Ok(Some(_)) | Err(_) => TreeFault::Replaced { subject, seq },
            })
        })?;
        for fault in smuggled.into_iter().chain(waiting) {
            self.fault(fault);
        }
        Ok(())
    }
}
