//! Bundles: a part of the ledger in one file, with everything that is needed to check it elsewhere.
//!
//! A bundle is lines of canonical JSON. The first is the header; each further line is one entry,
//! byte for byte as it was hashed: the chains in the order of the header, then the entry that
//! recorded the export and says where each chain ended, then bodies.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::canon;
use crate::hash::Digest;
use crate::note::PublicKey;

mod entry;
mod refused;
mod report;
mod story;
mod verify;

pub use self::refused::Refused;
pub use self::report::{Approval, ProposalReport, Report};
pub use self::verify::{Held, verify};

/// What the header says of the form.
pub const FORMAT: &str = "querylayer.bundle/1";

/// The event by which an export is recorded.
pub const EXPORTED: &str = "ledger.exported";

/// The first line of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header<'b> {
    /// How many bodies follow the entries.
    pub bodies: usize,
    /// The chains, the one that the bundle is about first.
    #[serde(borrow)]
    pub chains: Vec<ChainHeader<'b>>,
    /// The checkpoint that everything is proven in.
    #[serde(borrow)]
    pub checkpoint: Cow<'b, str>,
    /// The place in the tree of the entry that recorded the export.
    pub export: u64,
    /// [`FORMAT`].
    #[serde(borrow)]
    pub format: Cow<'b, str>,
    /// The ledger's first key.
    #[serde(borrow)]
    pub key: Cow<'b, str>,
    /// The hashes of the tree that the entries lack.
    pub nodes: Vec<Digest>,
    /// An earlier checkpoint, with the proof that the tree only grew since.
    #[serde(borrow, deserialize_with = "present")]
    pub since: Option<Since<'b>>,
    /// The notes by which each key named the next.
    #[serde(borrow)]
    pub successions: Vec<Cow<'b, str>>,
}

/// One chain of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainHeader<'b> {
    /// The places of its entries in the tree.
    pub leaves: Vec<u64>,
    /// What it is about.
    #[serde(borrow)]
    pub subject: Cow<'b, str>,
}

/// An earlier checkpoint of the same ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Since<'b> {
    /// The note.
    #[serde(borrow)]
    pub checkpoint: Cow<'b, str>,
    /// The consistency proof of RFC 6962.
    pub nodes: Vec<Digest>,
}

/// A value that may be null and must be there.
fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}

/// Where a chain ended when it was exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End<'b> {
    /// What it is about.
    pub subject: &'b str,
    /// How many entries it had.
    pub seq: u64,
    /// The hash of the last one.
    pub hash: Digest,
}

/// What the entry that records an export says, so that nothing can be cut off the bundle later.
pub fn export_detail(subject: &str, ends: &[End<'_>]) -> serde_json::Value {
    let heads: serde_json::Value = ends
        .iter()
        .map(|end| json!([end.subject, end.seq, end.hash]))
        .collect();
    json!({"chains": ends.len(), "heads": canon::digest(&heads), "subject": subject})
}

/// Writes a bundle of a header and its lines: the exact bytes of each entry, then the bodies.
pub fn write<'l>(
    header: &Header<'_>,
    entries: impl IntoIterator<Item = &'l str>,
    bodies: impl IntoIterator<Item = &'l str>,
) -> String {
    let mut text = canon::to_string(&json!(header));
    text.push('\n');
    for entry in entries {
        text.push_str(entry);
        text.push('\n');
    }
    for body in bodies {
        text.push_str(&canon::to_string(&json!(body)));
        text.push('\n');
    }
    text
}

impl Header<'_> {
    /// The header of a bundle of these chains and nothing else, to be completed.
    pub fn new(key: &PublicKey) -> Self {
        Self {
            bodies: 0,
            chains: Vec::new(),
            checkpoint: Cow::default(),
            export: 0,
            format: FORMAT.into(),
            key: key.to_string().into(),
            nodes: Vec::new(),
            since: None,
            successions: Vec::new(),
        }
    }
}
