//! Bundles: a part of the ledger in one file, with everything that is needed to check it elsewhere.
//!
//! A bundle is lines of canonical JSON. The first is the header; each further line is one entry,
//! byte for byte as it was hashed: chain after chain, and at the end the entry that recorded the
//! export and says where each chain ended.

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
    /// The checkpoint that everything is proven in.
    #[serde(borrow)]
    pub checkpoint: Cow<'b, str>,
    /// [`FORMAT`].
    #[serde(borrow)]
    pub format: Cow<'b, str>,
    /// The ledger's first key.
    #[serde(borrow)]
    pub key: Cow<'b, str>,
    /// The place in the tree of each entry, line by line.
    pub leaves: Vec<u64>,
    /// The hashes of the tree that the entries lack.
    pub nodes: Vec<Digest>,
    /// An earlier checkpoint, which the nodes prove too; empty for none.
    #[serde(borrow)]
    pub since: Cow<'b, str>,
    /// The notes by which each key named the next.
    #[serde(borrow)]
    pub successions: Vec<Cow<'b, str>>,
}

impl Header<'_> {
    /// The header of a ledger with this first key, to be completed.
    pub fn new(key: &PublicKey) -> Self {
        Self {
            checkpoint: Cow::default(),
            format: FORMAT.into(),
            key: key.to_string().into(),
            leaves: Vec::new(),
            nodes: Vec::new(),
            since: Cow::default(),
            successions: Vec::new(),
        }
    }
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

/// Writes a bundle of a header and the exact bytes of each entry.
pub fn write<'l>(header: &Header<'_>, entries: impl IntoIterator<Item = &'l str>) -> String {
    let mut text = canon::to_string(&json!(header));
    text.push('\n');
    for entry in entries {
        text.push_str(entry);
        text.push('\n');
    }
    text
}
