//! Why a bundle proves nothing.

use crate::checkpoint::CheckpointError;
use crate::plain::NotPlain;
use crate::tree::ProofError;

/// The first thing that is wrong with a bundle. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It isn't lines of text, or has more or fewer than its header says.
    #[error("it isn't the lines of text that its header announces")]
    Lines,
    /// A line isn't in the one form that every reader reads alike.
    #[error("line {line}, {error}")]
    NotPlain {
        /// The line.
        line: usize,
        /// What isn't.
        error: NotPlain,
    },
    /// A line doesn't have exactly the members that it must have.
    #[error("line {line} isn't {what}: it lacks a member, or has another one or another kind")]
    Shape {
        /// The line.
        line: usize,
        /// What it should be.
        what: &'static str,
    },
    /// It is another kind of file, or of a later version.
    #[error("it isn't a bundle of a version that this program knows")]
    Format,
    /// A key isn't one, or isn't named by the key before it.
    #[error("key {number} of the ledger isn't one that the key before it named")]
    Key {
        /// Its number, from 1.
        number: u64,
    },
    /// The key that the auditor holds isn't among those of this ledger.
    #[error("the key that you hold isn't one of this ledger")]
    OtherLedger,
    /// The checkpoint isn't one of the ledger's current key.
    #[error("the checkpoint: {0}")]
    Checkpoint(CheckpointError),
    /// An entry doesn't stand where its chain has it.
    #[error("line {line}: the entry's {member} isn't what its place in the chain demands")]
    Unlinked {
        /// The line.
        line: usize,
        /// The member that is wrong.
        member: &'static str,
    },
    /// The entries don't stand in the signed tree.
    #[error("the entries aren't those of the signed tree: {0}")]
    Tree(ProofError),
    /// The chains aren't those that were exported.
    #[error("the chains aren't those, of that length, which the export recorded")]
    Export,
    /// The chains aren't those that belong together.
    #[error("the chains aren't the run's and those of exactly its proposals")]
    Chains,
    /// An entry says what can't have happened after what came before it.
    #[error("line {line}: {rule}")]
    Rule {
        /// The line.
        line: usize,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// The earlier checkpoint isn't one of this ledger.
    #[error("the earlier checkpoint: {0}")]
    Since(CheckpointError),
    /// The auditor holds a checkpoint that says something else of the same entries.
    #[error(
        "the ledger isn't the one whose first {size} entries you hold a checkpoint of; it was rewritten"
    )]
    Rewritten {
        /// The number of entries that the held checkpoint covers.
        size: u64,
    },
    /// The auditor holds a checkpoint that the bundle proves nothing about.
    #[error(
        "nothing proves that the ledger only grew since the checkpoint over {size} entries that you hold; have it exported with --since {size}"
    )]
    Unconnected {
        /// The number of entries that the held checkpoint covers.
        size: u64,
    },
    /// The auditor holds a later checkpoint.
    #[error("it is older than the checkpoint over {size} entries that you hold")]
    Older {
        /// The number of entries that the held checkpoint covers.
        size: u64,
    },
}

impl Refused {
    /// A stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::NotPlain { .. } => "not_plain",
            Self::Shape { .. } => "shape",
            Self::Format => "format",
            Self::Key { .. } => "key",
            Self::OtherLedger => "other_ledger",
            Self::Checkpoint(_) => "checkpoint",
            Self::Unlinked { .. } => "unlinked",
            Self::Tree(_) => "tree",
            Self::Export => "export",
            Self::Chains => "chains",
            Self::Rule { .. } => "rule",
            Self::Since(_) => "since",
            Self::Rewritten { .. } => "rewritten",
            Self::Unconnected { .. } => "unconnected",
            Self::Older { .. } => "older",
        }
    }
}
