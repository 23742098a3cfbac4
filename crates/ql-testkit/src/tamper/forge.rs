//! Forgeries by somebody who can compute every hash and sign with every key but the ledger's.

use ql_core::bundle::{End, export_detail};
use ql_core::canon;
use ql_core::checkpoint::{Checkpoint, origin};
use ql_core::hash::Digest;
use ql_core::ledger::leaf_hash;
use ql_core::note::SigningKey;
use ql_core::tree::node_hash;
use serde_json::{Value, json};

use super::{Parts, Tamper};

/// A key that isn't the ledger's.
pub(super) fn stranger(seed: u64) -> SigningKey {
    SigningKey::from_seed(Digest::of(&seed.to_be_bytes()).as_bytes())
}

/// An entry says something else, and every entry after it, and the export, fit to that.
pub(super) fn edit_and_relink(tamper: &mut Tamper, parts: &Parts) -> Vec<u8> {
    let mut parts = parts.clone();
    edit(tamper, &mut parts);
    parts.write()
}

fn edit(tamper: &mut Tamper, parts: &mut Parts) {
    let at = tamper.random.below(parts.lines.len() - 1);
    parts.lines[at] = tamper.edited(&parts.lines[at]);
    relink(parts);
}

/// Makes the links, and what the export says of the chains, fit to the entries as they are.
fn relink(parts: &mut Parts) {
    let mut ends: Vec<(String, u64, Digest)> = Vec::new();
    let last = parts.lines.len() - 1;
    for line in &mut parts.lines[..last] {
        let mut entry: Value = serde_json::from_str(line).expect("an entry");
        let subject = entry["subject"].as_str().unwrap_or_default().to_owned();
        if ends.last().is_none_or(|end| end.0 != subject) {
            ends.push((subject, 0, Digest::ZERO));
        }
        let end = ends.last_mut().expect("just pushed");
        entry["prev"] = json!(end.2);
        *line = canon::to_string(&entry);
        (end.1, end.2) = (end.1 + 1, leaf_hash(line.as_bytes()));
    }
    let ends: Vec<End<'_>> = ends
        .iter()
        .map(|(subject, seq, hash)| End {
            subject,
            seq: *seq,
            hash: *hash,
        })
        .collect();
    let mut export: Value = serde_json::from_str(&parts.lines[last]).expect("an entry");
    export["detail"] = export_detail(ends[0].subject, &ends);
    parts.lines[last] = canon::to_string(&export);
}

/// Entries are left out, and their hashes stand in the proof instead, so that it holds: of the end of
/// the first chain, of the last chain, of the export, or anywhere.
pub(super) fn cut_story(tamper: &mut Tamper, parts: &Parts) -> Vec<u8> {
    let mut parts = parts.clone();
    let count = parts.lines.len();
    let subject = |at: usize| {
        let entry: Value = serde_json::from_str(&parts.lines[at]).expect("an entry");
        entry["subject"].clone()
    };
    let first = (0..count)
        .take_while(|at| subject(*at) == subject(0))
        .count();
    let last = (0..count - 1)
        .rev()
        .take_while(|at| subject(*at) == subject(count - 2))
        .count();
    let (from, to) = match tamper.random.below(4) {
        0 => (first - 1 - tamper.random.below(first.min(5)), first),
        1 => (count - 1 - last, count - 1),
        2 => (count - 1, count),
        _ => {
            let at = tamper.random.below(count);
            (at, at + 1)
        }
    };
    if from == 0 && to == count {
        return parts.write();
    }
    let kept: Vec<bool> = (0..count).map(|at| at < from || at >= to).collect();
    parts.header["nodes"] = json!(proof(&parts, &kept));
    parts.lines.drain(from..to);
    parts.list("leaves").drain(from..to);
    parts.write()
}

/// The whole story is told anew and signed by a stranger, under the ledger's name.
pub(super) fn sign_anew(tamper: &mut Tamper, parts: &Parts) -> Vec<u8> {
    let mut parts = parts.clone();
    edit(tamper, &mut parts);
    let note = parts.header["checkpoint"].as_str().expect("a note");
    let name = note.lines().next().expect("an origin").to_owned();
    let key = stranger(tamper.random.number());
    parts.header["checkpoint"] = json!(checkpoint(&parts).sign(&key, &name));
    parts.write()
}

/// The same by a stranger who says so: a sound bundle, of another ledger.
pub(super) fn sign_anew_and_name(tamper: &mut Tamper, parts: &Parts) -> Vec<u8> {
    let mut parts = parts.clone();
    edit(tamper, &mut parts);
    let key = stranger(tamper.random.number());
    let name = origin(&key.public());
    parts.header["checkpoint"] = json!(checkpoint(&parts).sign(&key, &name));
    parts.header["key"] = json!(key.public());
    parts.header["successions"] = json!([]);
    parts.write()
}

/// What the tree would be with the entries as they are.
fn checkpoint(parts: &Parts) -> Checkpoint {
    let note = parts.header["checkpoint"].as_str().expect("a note");
    let size = note.lines().nth(1).and_then(|size| size.parse().ok());
    let mut walk = Walk::new(parts, &[]);
    let size = size.expect("a size");
    let (root, _) = walk.over((0, size), &mut Vec::new());
    Checkpoint { size, root }
}

/// The proof for the entries that are kept.
fn proof(parts: &Parts, kept: &[bool]) -> Vec<Digest> {
    let note = parts.header["checkpoint"].as_str().expect("a note");
    let size = note.lines().nth(1).and_then(|size| size.parse().ok());
    let mut nodes = Vec::new();
    Walk::new(parts, kept).over((0, size.expect("a size")), &mut nodes);
    nodes
}

/// Going over the tree that a bundle shows parts of.
struct Walk {
    // By place, with whether they are kept.
    leaves: Vec<(u64, Digest, bool)>,
    nodes: std::vec::IntoIter<Digest>,
}

impl Walk {
    fn new(parts: &Parts, kept: &[bool]) -> Self {
        let places = parts.places();
        let kept = |at: usize| kept.get(at).copied().unwrap_or(true);
        let mut leaves: Vec<(u64, Digest, bool)> = (0..parts.lines.len())
            .map(|at| (places[at], leaf_hash(parts.lines[at].as_bytes()), kept(at)))
            .collect();
        leaves.sort_unstable_by_key(|leaf| leaf.0);
        let nodes: Vec<Digest> =
            serde_json::from_value(parts.header["nodes"].clone()).expect("hashes");
        Self {
            leaves,
            nodes: nodes.into_iter(),
        }
    }

    /// The hash over a part, and whether something of it is kept; what isn't goes to `proof`.
    fn over(&mut self, (lo, hi): (u64, u64), proof: &mut Vec<Digest>) -> (Digest, bool) {
        let from = self.leaves.partition_point(|leaf| leaf.0 < lo);
        let to = self.leaves.partition_point(|leaf| leaf.0 < hi);
        if from == to {
            return (self.nodes.next().expect("a hash"), false);
        }
        if hi - lo == 1 {
            return (self.leaves[from].1, self.leaves[from].2);
        }
        let middle = lo + (hi - lo).next_power_of_two() / 2;
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let (one, keeps_left) = self.over((lo, middle), &mut left);
        let (two, keeps_right) = self.over((middle, hi), &mut right);
        if keeps_left || keeps_right {
            proof.extend(if keeps_left { left } else { vec![one] });
            proof.extend(if keeps_right { right } else { vec![two] });
        }
        (node_hash(&one, &two), keeps_left || keeps_right)
    }
}
