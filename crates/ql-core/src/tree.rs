//! The Merkle tree over all entries of the ledger (RFC 6962 §2.1): its root, and proofs whose size
//! grows with the logarithm of the tree.
//!
//! A leaf is the leaf hash that the entry already has, SHA-256 of a zero byte and its bytes. Nothing
//! here holds a whole tree: hashes of complete subtrees are fetched by level and index, where level
//! 0 are the leaves and the node `(level, index)` covers the leaves from `index << level` on.

use crate::hash::Digest;

mod fault;

pub use self::fault::TreeFault;

/// The hash of an inner node: SHA-256 of a one byte and its two children.
pub fn node_hash(left: &Digest, right: &Digest) -> Digest {
    Digest::of_parts(&[&[1], left.as_bytes(), right.as_bytes()])
}

/// The root of a tree without leaves: SHA-256 of nothing.
pub fn empty_root() -> Digest {
    Digest::of(&[])
}

/// The number of leaves on the left of a tree of `size` leaves: the largest power of two below it.
const fn split(size: u64) -> u64 {
    size.next_power_of_two() / 2
}

/// Why a proof proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// A place lies outside of the tree, or a later tree is smaller than the earlier.
    #[error("the proof names a place outside of the tree")]
    OutOfRange,
    /// It has more or fewer hashes than its places need.
    #[error("the proof has more or fewer hashes than it needs")]
    Length,
    /// The leaves aren't in ascending order, each once.
    #[error("the leaves aren't in ascending order, each once")]
    Order,
    /// Its hashes don't give the root.
    #[error("the proof doesn't give the root")]
    Root,
}

/// The right edge of a tree: what is needed to append to it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frontier {
    size: u64,
    // The roots of the complete subtrees that the tree is made of, the largest first.
    peaks: Vec<Digest>,
}

impl Frontier {
    /// The edge of a tree of `size` leaves, its complete subtrees fetched by level and index.
    ///
    /// # Errors
    /// Those of `fetch`.
    pub fn read<E>(
        size: u64,
        mut fetch: impl FnMut(u32, u64) -> Result<Digest, E>,
    ) -> Result<Self, E> {
        let levels = (0..u64::BITS).rev().filter(|level| size >> level & 1 == 1);
        let peaks: Result<Vec<Digest>, E> = levels
            .map(|level| fetch(level, (size >> level) - 1))
            .collect();
        Ok(Self {
            size,
            peaks: peaks?,
        })
    }

    /// The number of leaves.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Appends a leaf; `completed` is told every inner node that it completes, with its level and
    /// index.
    pub fn push(&mut self, leaf: Digest, mut completed: impl FnMut(u32, u64, Digest)) {
        let (mut hash, mut level) = (leaf, 0);
        while self.size >> level & 1 == 1
            && let Some(left) = self.peaks.pop()
        {
            hash = node_hash(&left, &hash);
            level += 1;
            completed(level, self.size >> level, hash);
        }
        self.peaks.push(hash);
        self.size += 1;
    }

    /// The root of the tree.
    pub fn root(&self) -> Digest {
        let smallest_first = self.peaks.iter().rev().copied();
        smallest_first
            .reduce(|right, left| node_hash(&left, &right))
            .unwrap_or_else(empty_root)
    }
}

/// The hash over the leaves from `lo` up to `hi`, which must be a node of some tree.
fn range<E>(
    (lo, hi): (u64, u64),
    fetch: &mut impl FnMut(u32, u64) -> Result<Digest, E>,
) -> Result<Digest, E> {
    let size = hi - lo;
    if size.is_power_of_two() {
        let level = size.trailing_zeros();
        return fetch(level, lo >> level);
    }
    let middle = lo + split(size);
    Ok(node_hash(
        &range((lo, middle), fetch)?,
        &range((middle, hi), fetch)?,
    ))
}

/// The audit path of the leaf `index` in a tree of `size` leaves, from its sibling up
/// (RFC 6962 §2.1.1).
///
/// # Errors
/// Those of `fetch`. `index` must be below `size`.
pub fn inclusion_proof<E>(
    index: u64,
    size: u64,
    mut fetch: impl FnMut(u32, u64) -> Result<Digest, E>,
) -> Result<Vec<Digest>, E> {
    let (mut lo, mut hi, mut path) = (0, size, Vec::new());
    while hi - lo > 1 {
        let middle = lo + split(hi - lo);
        let sibling = if index < middle {
            (middle, std::mem::replace(&mut hi, middle))
        } else {
            (std::mem::replace(&mut lo, middle), middle)
        };
        path.push(range(sibling, &mut fetch)?);
    }
    path.reverse();
    Ok(path)
}

/// Checks that `leaf` stands at `index` in the tree of `size` leaves with this root.
///
/// # Errors
/// Why that isn't proven.
pub fn verify_inclusion(
    leaf: Digest,
    (index, size): (u64, u64),
    path: &[Digest],
    root: Digest,
) -> Result<(), ProofError> {
    if index >= size {
        return Err(ProofError::OutOfRange);
    }
    let (mut lo, mut hi, mut left_of) = (0, size, Vec::new());
    while hi - lo > 1 {
        let middle = lo + split(hi - lo);
        left_of.push(index < middle);
        if index < middle {
            hi = middle;
        } else {
            lo = middle;
        }
    }
    if path.len() != left_of.len() {
        return Err(ProofError::Length);
    }
    let upwards = path.iter().zip(left_of.iter().rev());
    let found = upwards.fold(leaf, |hash, (sibling, is_left)| {
        if *is_left {
            node_hash(&hash, sibling)
        } else {
            node_hash(sibling, &hash)
        }
    });
    matches(found, root)
}

fn matches(found: Digest, root: Digest) -> Result<(), ProofError> {
    if found == root {
        Ok(())
    } else {
        Err(ProofError::Root)
    }
}

/// The proof that a tree of `new` leaves begins with the tree of its first `old` leaves
/// (RFC 6962 §2.1.2).
///
/// # Errors
/// Those of `fetch`. `old` must be at most `new`.
pub fn consistency_proof<E>(
    old: u64,
    new: u64,
    mut fetch: impl FnMut(u32, u64) -> Result<Digest, E>,
) -> Result<Vec<Digest>, E> {
    let mut proof = Vec::new();
    if old == 0 {
        return Ok(proof);
    }
    let (mut lo, mut hi) = (0, new);
    while old < hi {
        let middle = lo + split(hi - lo);
        let sibling = if old <= middle {
            (middle, std::mem::replace(&mut hi, middle))
        } else {
            (std::mem::replace(&mut lo, middle), middle)
        };
        proof.push(range(sibling, &mut fetch)?);
    }
    // What remains is the old tree itself, whose root the verifier has, or the end of it.
    if lo > 0 {
        proof.push(range((lo, hi), &mut fetch)?);
    }
    proof.reverse();
    Ok(proof)
}

/// Checks that the tree with the root `new` begins with the tree with the root `old`; each is given
/// with its number of leaves.
///
/// # Errors
/// Why that isn't proven.
pub fn verify_consistency(
    (old, old_root): (u64, Digest),
    (new, new_root): (u64, Digest),
    proof: &[Digest],
) -> Result<(), ProofError> {
    if old > new {
        return Err(ProofError::OutOfRange);
    }
    if old == 0 {
        matches(old_root, empty_root())?;
        return if proof.is_empty() {
            Ok(())
        } else {
            Err(ProofError::Length)
        };
    }
    let mut rest = proof;
    let (found_old, found_new) = both_roots((old, new), true, (old_root, &mut rest))?;
    if !rest.is_empty() {
        return Err(ProofError::Length);
    }
    matches(found_old, old_root)?;
    matches(found_new, new_root)
}

/// The roots over the first `old` and over all `new` leaves of a part of the tree. `whole` says that
/// the part begins where the tree does, so that its old root is the known one.
fn both_roots(
    (old, new): (u64, u64),
    whole: bool,
    (old_root, rest): (Digest, &mut &[Digest]),
) -> Result<(Digest, Digest), ProofError> {
    if old == new && whole {
        return Ok((old_root, old_root));
    }
    let (last, before) = rest.split_last().ok_or(ProofError::Length)?;
    *rest = before;
    if old == new {
        return Ok((*last, *last));
    }
    let left = split(new);
    if old <= left {
        let (was, is) = both_roots((old, left), whole, (old_root, rest))?;
        Ok((was, node_hash(&is, last)))
    } else {
        let (was, is) = both_roots((old - left, new - left), false, (old_root, rest))?;
        Ok((node_hash(last, &was), node_hash(last, &is)))
    }
}

/// The hashes that prove at once that many leaves stand in a tree of `size` leaves, and that the tree
/// began with its first `old`: with the leaves they give both roots. They are the hashes of the
/// largest subtrees without one of the leaves that lie on one side of `old`, from left to right.
///
/// # Errors
/// Those of `fetch`. The indexes must be ascending and below `size`, and `old` at most `size`.
pub fn joint_proof<E>(
    indexes: &[u64],
    (old, size): (u64, u64),
    mut fetch: impl FnMut(u32, u64) -> Result<Digest, E>,
) -> Result<Vec<Digest>, E> {
    let mut joint = JointProof {
        old,
        fetch: &mut fetch,
        nodes: Vec::new(),
    };
    joint.collect(indexes, (0, size))?;
    Ok(joint.nodes)
}

/// Whether a part of the tree without any of the leaves is one hash of a joint proof.
const fn is_whole(old: u64, (lo, hi): (u64, u64)) -> bool {
    old <= lo || hi <= old
}

struct JointProof<'f, F> {
    old: u64,
    fetch: &'f mut F,
    nodes: Vec<Digest>,
}

impl<E, F: FnMut(u32, u64) -> Result<Digest, E>> JointProof<'_, F> {
    fn collect(&mut self, indexes: &[u64], (lo, hi): (u64, u64)) -> Result<(), E> {
        if indexes.is_empty() && is_whole(self.old, (lo, hi)) {
            if lo < hi {
                self.nodes.push(range((lo, hi), self.fetch)?);
            }
            return Ok(());
        }
        if hi - lo <= 1 {
            return Ok(());
        }
        let middle = lo + split(hi - lo);
        let (left, right) = indexes.split_at(indexes.partition_point(|index| *index < middle));
        self.collect(left, (lo, middle))?;
        self.collect(right, (middle, hi))
    }
}

/// Checks that every leaf stands at its place in the tree `new`, and that this one began with the
/// tree `old`; each tree is given by its number of leaves and its root.
///
/// # Errors
/// Why that isn't proven.
pub fn verify_joint(
    leaves: &[(u64, Digest)],
    (old, old_root): (u64, Digest),
    (size, root): (u64, Digest),
    nodes: &[Digest],
) -> Result<(), ProofError> {
    if !leaves.is_sorted_by(|a, b| a.0 < b.0) {
        return Err(ProofError::Order);
    }
    let beyond = leaves.last().is_some_and(|(index, _)| *index >= size);
    if beyond || old == 0 || old > size {
        return Err(ProofError::OutOfRange);
    }
    let mut rest = nodes;
    let (now, was) = joint_roots(leaves, (0, size), old, &mut rest)?;
    if !rest.is_empty() {
        return Err(ProofError::Length);
    }
    matches(now, root)?;
    matches(was.unwrap_or_else(empty_root), old_root)
}

/// The hash over a part of the tree, and over what of it there was when the tree was old.
fn joint_roots(
    leaves: &[(u64, Digest)],
    (lo, hi): (u64, u64),
    old: u64,
    rest: &mut &[Digest],
) -> Result<(Digest, Option<Digest>), ProofError> {
    let known = match leaves.first() {
        None if is_whole(old, (lo, hi)) => {
            let (first, after) = rest.split_first().ok_or(ProofError::Length)?;
            *rest = after;
            Some(*first)
        }
        Some((_, leaf)) if hi - lo == 1 => Some(*leaf),
        None | Some(_) => None,
    };
    if let Some(now) = known {
        return Ok((now, (hi <= old).then_some(now)));
    }
    let middle = lo + split(hi - lo);
    let (left, right) = leaves.split_at(leaves.partition_point(|(index, _)| *index < middle));
    let (left, left_was) = joint_roots(left, (lo, middle), old, rest)?;
    let (right, right_was) = joint_roots(right, (middle, hi), old, rest)?;
    let was = match (left_was, right_was) {
        (Some(left), Some(right)) => Some(node_hash(&left, &right)),
        (was, _) => was,
    };
    Ok((node_hash(&left, &right), was))
}

#[cfg(test)]
mod tests;
