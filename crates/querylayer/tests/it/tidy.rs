//! What must hold for the whole repository: arrows between crates, one SQLite, no dead tests, and
//! documents that say what the code does.

mod arrows;
mod claims;
mod doctrine;
mod documents;
mod generated;
mod lock;
mod proofs;
mod source;
mod tree;

/// Fails with every complaint on a line of its own.
fn nothing_wrong(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}
