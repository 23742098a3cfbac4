//! What the digest of a pack is made of.

use serde_json::{Value, json};

use super::PackFile;

/// The manifest of a pack's files: path, SHA-256 and size in bytes of each, in the order of the
/// paths. Its canonical form (RFC 8785) is what `policy_pack_sha256` is the digest of.
pub fn manifest(files: &[PackFile]) -> Value {
    let mut files: Vec<&PackFile> = files.iter().collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let row = |file: &&PackFile| json!({"path": file.path, "sha256": file.sha256, "size": file.text.len()});
    files.iter().map(row).collect()
}
