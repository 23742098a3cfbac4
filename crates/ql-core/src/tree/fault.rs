//! What can be wrong with the ledger's tree and with what was signed of it.

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeFault {
    /// The tree holds an entry that isn't there.
    #[error("{subject} entry {seq}: it stands in the tree and isn't there; it was removed")]
    Removed {
        /// The chain.
        subject: String,
        /// The place.
        seq: i64,
    },
    /// An entry isn't the one that the tree holds.
    #[error("{subject} entry {seq}: it isn't the entry that stands in the tree at its place")]
    Replaced {
        /// The chain.
        subject: String,
        /// The place.
        seq: i64,
    },
    /// An entry that the tree never got.
    #[error(
        "{subject} entry {seq}: it neither stands in the tree nor waits for it; it was added past the program"
    )]
    Smuggled {
        /// The chain.
        subject: String,
        /// The place.
        seq: i64,
    },
    /// The leaves have a gap.
    #[error("leaf {index} of the tree is missing")]
    Gap {
        /// The first place without a leaf.
        index: u64,
    },
    /// A stored inner hash isn't what its children give.
    #[error("the tree's hash {position} of level {level} isn't what lies under it")]
    Node {
        /// Its level above the leaves.
        level: u32,
        /// Its place in the level.
        position: u64,
    },
    /// There are more or fewer inner hashes than the tree has.
    #[error("there are more or fewer inner hashes than the tree has")]
    Nodes,
    /// A checkpoint's row, note and signature don't belong together.
    #[error("the checkpoint over {size} entries isn't one that a key of this ledger signed")]
    Unsigned {
        /// The number of entries that it covers.
        size: u64,
    },
    /// The tree isn't what was signed.
    #[error("the tree of the first {size} entries isn't the one that was signed")]
    Unlike {
        /// The number of entries.
        size: u64,
    },
    /// More was signed than there is.
    #[error("{signed} entries were signed and the tree has {found}; its end was cut off")]
    Shrunk {
        /// The number of leaves.
        found: u64,
        /// The number of entries that the last checkpoint covers.
        signed: u64,
    },
    /// There is a tree without a signature, or not over all of it.
    #[error("nobody signed the tree beyond its first {signed} entries")]
    Uncovered {
        /// The number of entries that the last checkpoint covers.
        signed: u64,
    },
    /// A key isn't named by the one before it.
    #[error("key {number} of the ledger isn't one that the key before it named")]
    Key {
        /// Its number, from 1.
        number: u64,
    },
    /// A row can't be read as what it should be.
    #[error("a row of the tree holds what none can hold; it was changed")]
    Unreadable,
}
