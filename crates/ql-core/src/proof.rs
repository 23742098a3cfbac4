//! The proof that one entry stands in the signed tree, as a text that other programs check too (C2SP
//! tlog-proof). The entry itself travels in the line for extra data.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::hash::Digest;
use crate::ledger::leaf_hash;
use crate::note::PublicKey;
use crate::tree::{self, ProofError};

/// How such a text begins.
pub const FORMAT: &str = "c2sp.org/tlog-proof@v1";

/// What is proven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proven {
    /// The entry's bytes, as they were hashed.
    pub entry: String,
    /// Its place in the tree, from 0.
    pub index: u64,
    /// The ledger's name, as the checkpoint says it.
    pub origin: String,
    /// What was signed.
    pub checkpoint: Checkpoint,
}

/// Why a text proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidProof {
    /// It isn't such a text, or carries no entry.
    #[error("it isn't a proof with its entry")]
    Format,
    /// The checkpoint isn't the key's.
    #[error("the checkpoint: {0}")]
    Checkpoint(#[from] CheckpointError),
    /// The entry doesn't stand in the signed tree.
    #[error("the entry isn't one of the signed tree: {0}")]
    Tree(#[from] ProofError),
}

/// Writes the proof of an entry at its place, by its audit path and a signed checkpoint.
pub fn write(entry: &str, index: u64, path: &[Digest], checkpoint: &str) -> String {
    let mut text = format!(
        "{FORMAT}\nextra {}\nindex {index}\n",
        STANDARD.encode(entry)
    );
    for hash in path {
        text.push_str(&STANDARD.encode(hash.as_bytes()));
        text.push('\n');
    }
    text.push('\n');
    text.push_str(checkpoint);
    text
}

/// Checks a proof with a key that is known to be the ledger's.
///
/// # Errors
/// Why it proves nothing.
pub fn verify(text: &str, key: &PublicKey) -> Result<Proven, InvalidProof> {
    let (proof, note) = text.split_once("\n\n").ok_or(InvalidProof::Format)?;
    let (entry, index, path) = read(proof).ok_or(InvalidProof::Format)?;
    let origin = note.lines().next().ok_or(InvalidProof::Format)?;
    let checkpoint = Checkpoint::open(key, origin, note)?;
    let place = (index, checkpoint.size);
    tree::verify_inclusion(leaf_hash(entry.as_bytes()), place, &path, checkpoint.root)?;
    if write(&entry, index, &path, note) == text {
        let origin = origin.to_owned();
        Ok(Proven {
            entry,
            index,
            origin,
            checkpoint,
        })
    } else {
        Err(InvalidProof::Format)
    }
}

fn read(proof: &str) -> Option<(String, u64, Vec<Digest>)> {
    let mut lines = proof.lines();
    lines.next().filter(|line| *line == FORMAT)?;
    let entry = STANDARD
        .decode(lines.next()?.strip_prefix("extra ")?)
        .ok()?;
    let index = lines.next()?.strip_prefix("index ")?.parse().ok()?;
    let path: Option<Vec<Digest>> = lines
        .map(|line| Digest::from_bytes(&STANDARD.decode(line).ok()?))
        .collect();
    Some((String::from_utf8(entry).ok()?, index, path?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::SigningKey;
    use crate::tree::node_hash;

    fn proof() -> String {
        let (one, two) = (leaf_hash(b"{\"one\":1}"), leaf_hash(b"two"));
        let checkpoint = Checkpoint {
            size: 2,
            root: node_hash(&one, &two),
        };
        let key = SigningKey::from_seed(&[1; 32]);
        let note = checkpoint.sign(&key, "ledger.example/1");
        write("{\"one\":1}", 0, &[two], &note)
    }

    #[test]
    fn a_proof_is_what_the_standard_says() {
        insta::assert_snapshot!(proof(), @"
        c2sp.org/tlog-proof@v1
        extra eyJvbmUiOjF9
        index 0
        qxq38Hx8j+Dv9LpvqlPH5EEukaWZFT6KpOAb7s5beCU=

        ledger.example/1
        2
        oeA4ttXrIwv+SXgGf5UKxbvnDjnxf+4/JqqYR/ZTzdo=

        — ledger.example/1 ASn9RaqpMW3hrQVTdfFreTNIq/DD1uCJ0xbtgDIXIrH/yrzFCphs/by9DqJhPzCfQR64o/frRrPqdgR/au2e568BMwE=
        ");
        let key = SigningKey::from_seed(&[1; 32]).public();
        let proven = verify(&proof(), &key).expect("sound");
        assert_eq!((&*proven.entry, proven.index), ("{\"one\":1}", 0));
        assert_eq!(
            (&*proven.origin, proven.checkpoint.size),
            ("ledger.example/1", 2)
        );
    }

    #[test]
    fn a_proof_with_any_touched_character_proves_nothing() {
        let (sound, key) = (proof(), SigningKey::from_seed(&[1; 32]).public());
        for at in 0..sound.len() {
            for bit in 0..8 {
                let mut bytes = sound.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                if let Ok(touched) = String::from_utf8(bytes) {
                    assert!(verify(&touched, &key).is_err(), "{touched}");
                }
            }
        }
        let stranger = SigningKey::from_seed(&[2; 32]).public();
        assert!(matches!(
            verify(&sound, &stranger),
            Err(InvalidProof::Checkpoint(_))
        ));
        let elsewhere = sound.replace("index 0", "index 1");
        assert!(matches!(
            verify(&elsewhere, &key),
            Err(InvalidProof::Tree(_))
        ));
    }
}
