//! Against the vectors of RFC 6962 as Certificate Transparency publishes them, and against another
//! implementation of the same tree.

use std::collections::HashMap;
use std::convert::Infallible;

use ct_merkle::mem_backed_tree::MemoryBackedTree;
use proptest::prelude::*;
use sha2::Sha256;

use super::*;
use crate::ledger::leaf_hash;

/// The eight leaves that every implementation of Certificate Transparency is tried with.
const LEAVES: [&[u8]; 8] = [
    b"",
    b"\x00",
    b"\x10",
    b"\x20\x21",
    b"\x30\x31",
    b"\x40\x41\x42\x43",
    b"\x50\x51\x52\x53\x54\x55\x56\x57",
    b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
];

/// A tree that remembers every complete subtree, as the store does.
#[derive(Default)]
struct Tree {
    frontier: Frontier,
    nodes: HashMap<(u32, u64), Digest>,
    roots: Vec<Digest>,
}

impl Tree {
    fn of(leaves: impl IntoIterator<Item = Digest>) -> Self {
        let mut tree = Self::default();
        tree.roots.push(tree.frontier.root());
        for leaf in leaves {
            let index = tree.frontier.size();
            tree.nodes.insert((0, index), leaf);
            let nodes = &mut tree.nodes;
            tree.frontier.push(leaf, |level, index, hash| {
                assert_eq!(nodes.insert((level, index), hash), None, "completed once");
            });
            tree.roots.push(tree.frontier.root());
        }
        tree
    }

    fn sized(size: u64) -> Self {
        Self::of((0..size).map(|index| leaf_hash(&index.to_be_bytes())))
    }

    fn fetch(&self) -> impl FnMut(u32, u64) -> Result<Digest, Infallible> {
        |level, index| Ok(self.nodes[&(level, index)])
    }

    fn inclusion(&self, index: u64, size: u64) -> Vec<Digest> {
        inclusion_proof(index, size, self.fetch()).expect("nodes are there")
    }

    fn consistency(&self, old: u64, new: u64) -> Vec<Digest> {
        consistency_proof(old, new, self.fetch()).expect("nodes are there")
    }

    fn joint(&self, indexes: &[u64], sizes: (u64, u64)) -> (Vec<(u64, Digest)>, Vec<Digest>) {
        let nodes = joint_proof(indexes, sizes, self.fetch()).expect("nodes are there");
        let leaf = |index: &u64| (*index, self.nodes[&(0, *index)]);
        (indexes.iter().map(leaf).collect(), nodes)
    }

    fn at(&self, size: u64) -> (u64, Digest) {
        (size, self.root(size))
    }

    fn root(&self, size: u64) -> Digest {
        self.roots[usize::try_from(size).expect("small")]
    }
}

fn hex(proof: &[Digest]) -> String {
    let lines: Vec<String> = proof.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

#[test]
fn roots_are_those_of_the_published_vectors() {
    let tree = Tree::of(LEAVES.map(leaf_hash));
    insta::assert_snapshot!(hex(&tree.roots), @"
    e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
    6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d
    fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125
    aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77
    d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7
    4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4
    76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef
    ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c
    5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328
    ");
}

#[test]
fn proofs_are_those_of_the_published_vectors() {
    let tree = Tree::of(LEAVES.map(leaf_hash));
    insta::assert_snapshot!(hex(&tree.inclusion(0, 8)), @"
    96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7
    5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e
    6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4
    ");
    insta::assert_snapshot!(hex(&tree.inclusion(5, 8)), @"
    bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b
    ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0
    d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7
    ");
    insta::assert_snapshot!(hex(&tree.consistency(6, 8)), @"
    0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a
    ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0
    d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7
    ");
    insta::assert_snapshot!(hex(&tree.consistency(2, 5)), @"
    5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e
    bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b
    ");
}

#[test]
fn another_implementation_gives_the_same_roots_and_proofs() {
    let tree = Tree::sized(70);
    let mut other = MemoryBackedTree::<Sha256, [u8; 8]>::new();
    for size in 1..=70_u64 {
        other.push((size - 1).to_be_bytes());
        let root = Digest::from_bytes(other.root().as_bytes());
        assert_eq!(root, Some(tree.root(size)), "root of {size}");
        for index in 0..size {
            let proof = other.prove_inclusion(usize::try_from(index).expect("small"));
            let ours: Vec<u8> = tree
                .inclusion(index, size)
                .iter()
                .flat_map(|hash| *hash.as_bytes())
                .collect();
            assert_eq!(proof.as_bytes(), ours, "leaf {index} of {size}");
        }
        for added in 0..size {
            let proof = other.prove_consistency(usize::try_from(added).expect("small"));
            let ours: Vec<u8> = tree
                .consistency(size - added, size)
                .iter()
                .flat_map(|hash| *hash.as_bytes())
                .collect();
            assert_eq!(proof.as_bytes(), ours, "{added} added to {size}");
        }
    }
}

#[test]
fn every_proof_of_a_small_tree_verifies_and_fits_nowhere_else() {
    let tree = Tree::sized(34);
    for size in 1..=34 {
        for index in 0..size {
            let (leaf, path) = (tree.nodes[&(0, index)], tree.inclusion(index, size));
            let verify = |at| verify_inclusion(leaf, at, &path, tree.root(size));
            assert_eq!(verify((index, size)), Ok(()));
            for other in (0..size).filter(|other| *other != index) {
                assert!(verify((other, size)).is_err(), "{index} as {other}");
            }
            assert_eq!(verify((size, size)), Err(ProofError::OutOfRange));
        }
        for old in 0..=size {
            let proof = tree.consistency(old, size);
            let (before, after) = ((old, tree.root(old)), (size, tree.root(size)));
            assert_eq!(verify_consistency(before, after, &proof), Ok(()));
            if old > 0 && old < size {
                let smaller = (old - 1, tree.root(old));
                assert!(verify_consistency(smaller, after, &proof).is_err());
                let forged = (old, leaf_hash(b"another"));
                assert!(verify_consistency(forged, after, &proof).is_err());
            }
        }
    }
}

#[test]
fn an_edge_that_was_read_grows_as_the_one_that_was_kept() {
    let tree = Tree::sized(300);
    for size in 0..300 {
        let mut read = Frontier::read(size, tree.fetch()).expect("nodes are there");
        assert_eq!(read.root(), tree.root(size));
        read.push(tree.nodes[&(0, size)], |_, _, _| {});
        assert_eq!((read.root(), read.size()), (tree.root(size + 1), size + 1));
    }
}

proptest! {
    #[test]
    fn many_leaves_and_an_earlier_tree_are_proven_together(
        (size, old) in (1_u64..200).prop_flat_map(|size| (Just(size), 1..=size)),
        picks in prop::collection::btree_set(0_u64..200, 0..40),
        (touched, bit) in (any::<prop::sample::Index>(), 0_usize..256),
    ) {
        let tree = Tree::sized(size);
        let indexes: Vec<u64> = picks.into_iter().filter(|index| *index < size).collect();
        let (leaves, nodes) = tree.joint(&indexes, (old, size));
        let (was, is) = (tree.at(old), tree.at(size));
        prop_assert_eq!(verify_joint(&leaves, was, is, &nodes), Ok(()));

        let flip = |hash: Digest| {
            let mut bytes = *hash.as_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            Digest::from_bytes(&bytes).expect("32 bytes")
        };
        if !nodes.is_empty() {
            let mut harmed = nodes.clone();
            let at = touched.index(nodes.len());
            harmed[at] = flip(harmed[at]);
            prop_assert_eq!(verify_joint(&leaves, was, is, &harmed), Err(ProofError::Root));
            prop_assert!(verify_joint(&leaves, was, is, &nodes[1..]).is_err());
        }
        if !leaves.is_empty() {
            let mut harmed = leaves.clone();
            let at = touched.index(leaves.len());
            harmed[at].1 = flip(harmed[at].1);
            prop_assert_eq!(verify_joint(&harmed, was, is, &nodes), Err(ProofError::Root));
            prop_assert!(verify_joint(&leaves[1..], was, is, &nodes).is_err());
        }
        let mut longer = nodes.clone();
        longer.push(is.1);
        prop_assert_eq!(verify_joint(&leaves, was, is, &longer), Err(ProofError::Length));
        prop_assert!(verify_joint(&leaves, (old, flip(was.1)), is, &nodes).is_err());
        prop_assert!(verify_joint(&leaves, was, (size, flip(is.1)), &nodes).is_err());
        if old > 1 {
            prop_assert!(verify_joint(&leaves, (old - 1, was.1), is, &nodes).is_err());
        }
    }
}

#[test]
fn leaves_out_of_order_or_out_of_the_tree_prove_nothing() {
    let tree = Tree::sized(9);
    let (leaves, nodes) = tree.joint(&[2, 5], (9, 9));
    let verify = |leaves: &[(u64, Digest)], old, new| verify_joint(leaves, old, new, &nodes);
    let all = tree.at(9);
    assert_eq!(verify(&leaves, all, all), Ok(()));
    assert_eq!(
        verify(&[leaves[1], leaves[0]], all, all),
        Err(ProofError::Order)
    );
    assert_eq!(
        verify(&[leaves[0], leaves[0]], all, all),
        Err(ProofError::Order)
    );
    assert_eq!(
        verify(&leaves, all, (5, all.1)),
        Err(ProofError::OutOfRange)
    );
    assert_eq!(
        verify(&leaves, (10, all.1), all),
        Err(ProofError::OutOfRange)
    );
    assert_eq!(
        verify(&leaves, (0, empty_root()), all),
        Err(ProofError::OutOfRange)
    );
}
