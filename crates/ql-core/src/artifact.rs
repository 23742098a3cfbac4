//! Immutable results of a run.

use crate::hash::Digest;
use crate::id::{ArtifactId, ContentId, RunId};
use crate::time::Timestamp;

/// One version of one keyed result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Identity.
    pub id: ArtifactId,
    /// The run it belongs to.
    pub run: RunId,
    /// The key that completion asks for.
    pub key: String,
    /// 1 for the first body under this key.
    pub version: i64,
    /// The body's media type.
    pub media_type: String,
    /// The body.
    pub body: String,
    /// The SHA-256 of the body's UTF-8.
    pub sha256: Digest,
    /// The content items that the result is about.
    pub affected: Vec<ContentId>,
    /// When it was recorded.
    pub recorded_at: Timestamp,
}
