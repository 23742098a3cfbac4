//! What the ledger signs: checkpoints, which say what its tree was (C2SP tlog-checkpoint), and the
//! succession of its keys.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::hash::Digest;
use crate::note::{NoteError, PublicKey, SigningKey};

/// The name of a ledger, made from its first key: it goes with the ledger wherever it is served.
pub fn origin(first: &PublicKey) -> String {
    let hash = Digest::of(first.as_bytes()).to_string();
    format!("querylayer.ledger/{}", &hash[..32])
}

/// What the tree was at some size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    /// The number of entries.
    pub size: u64,
    /// The root over them.
    pub root: Digest,
}

/// Why a text is no signed checkpoint, or no succession of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// The note isn't one of the key.
    #[error("{0}")]
    Note(#[from] NoteError),
    /// Its text says something else.
    #[error("its text isn't what such a note says")]
    Text,
}

impl Checkpoint {
    /// The text that is signed: origin, size and root, a line each.
    pub fn text(&self, origin: &str) -> String {
        let root = STANDARD.encode(self.root.as_bytes());
        format!("{origin}\n{}\n{root}\n", self.size)
    }

    /// The signed note.
    pub fn sign(&self, key: &SigningKey, origin: &str) -> String {
        key.sign(origin, &self.text(origin))
    }

    /// Reads a note that `key` signed.
    ///
    /// # Errors
    /// Why it isn't one.
    pub fn open(key: &PublicKey, origin: &str, note: &str) -> Result<Self, CheckpointError> {
        Self::parse(origin, key.open(origin, note)?).ok_or(CheckpointError::Text)
    }

    fn parse(origin: &str, text: &str) -> Option<Self> {
        let mut lines = text.lines().skip(1);
        let size = lines.next()?.parse().ok()?;
        let root = Digest::from_bytes(&STANDARD.decode(lines.next()?).ok()?)?;
        let parsed = Self { size, root };
        // What was read must be written so: one text for one checkpoint.
        (parsed.text(origin) == text).then_some(parsed)
    }
}

/// One key's word that another one signs from some size of the tree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Succession {
    /// Which key of the ledger the new one is, from 2.
    pub number: u64,
    /// The new key.
    pub key: PublicKey,
    /// The size that the old key signed last.
    pub size: u64,
}

impl Succession {
    /// The text that the old key signs. Its first line is never that of a checkpoint.
    pub fn text(&self, origin: &str) -> String {
        format!(
            "{origin}/keys\n{}\n{}\n{}\n",
            self.number, self.key, self.size
        )
    }

    /// The note, signed by the key before.
    pub fn sign(&self, before: &SigningKey, origin: &str) -> String {
        before.sign(origin, &self.text(origin))
    }

    /// Reads a note that the key before signed.
    ///
    /// # Errors
    /// Why it isn't one.
    pub fn open(before: &PublicKey, origin: &str, note: &str) -> Result<Self, CheckpointError> {
        Self::parse(origin, before.open(origin, note)?).ok_or(CheckpointError::Text)
    }

    fn parse(origin: &str, text: &str) -> Option<Self> {
        let mut lines = text.lines().skip(1);
        let parsed = Self {
            number: lines.next()?.parse().ok()?,
            key: lines.next()?.parse().ok()?,
            size: lines.next()?.parse().ok()?,
        };
        (parsed.text(origin) == text).then_some(parsed)
    }
}

/// The keys of a ledger, each later one named by the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyChain {
    origin: String,
    keys: Vec<(PublicKey, u64)>,
}

impl KeyChain {
    /// A ledger's first key.
    pub fn new(first: PublicKey) -> Self {
        Self {
            origin: origin(&first),
            keys: vec![(first, 0)],
        }
    }

    /// Follows the notes from the first key on.
    ///
    /// # Errors
    /// The place, from 0, of the first note that doesn't follow.
    pub fn follow<'n>(
        first: PublicKey,
        notes: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, usize> {
        let mut chain = Self::new(first);
        for (place, note) in notes.into_iter().enumerate() {
            chain.push(note).map_err(|_| place)?;
        }
        Ok(chain)
    }

    /// Takes the next note.
    ///
    /// # Errors
    /// Why it doesn't follow.
    pub fn push(&mut self, note: &str) -> Result<(), CheckpointError> {
        let (current, since) = self.current();
        let next = Succession::open(&current, &self.origin, note)?;
        if next.number != self.number() + 1 || next.size < since {
            return Err(CheckpointError::Text);
        }
        self.keys.push((next.key, next.size));
        Ok(())
    }

    /// The ledger's name.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// How many keys there were.
    pub fn number(&self) -> u64 {
        self.keys.len() as u64
    }

    /// Every key, the first one first.
    pub fn keys(&self) -> impl Iterator<Item = PublicKey> {
        self.keys.iter().map(|(key, _)| *key)
    }

    /// The key that signs now, with the size of the tree that it began at.
    pub fn current(&self) -> (PublicKey, u64) {
        self.keys[self.keys.len() - 1]
    }

    /// Whether a key is one of the ledger's.
    pub fn contains(&self, key: &PublicKey) -> bool {
        self.keys.iter().any(|(known, _)| known == key)
    }

    /// Reads a checkpoint that the current key signed.
    ///
    /// # Errors
    /// Why it isn't one.
    pub fn open(&self, note: &str) -> Result<Checkpoint, CheckpointError> {
        let (key, since) = self.current();
        let checkpoint = Checkpoint::open(&key, &self.origin, note)?;
        if checkpoint.size < since {
            return Err(CheckpointError::Text);
        }
        Ok(checkpoint)
    }

    /// Reads a checkpoint that any of the keys signed while it was the current one.
    ///
    /// # Errors
    /// Why it isn't one.
    pub fn open_earlier(&self, note: &str) -> Result<Checkpoint, CheckpointError> {
        let until = self.keys.iter().skip(1).map(|(_, since)| *since);
        let spans = self.keys.iter().zip(until.chain([u64::MAX]));
        let mut last = CheckpointError::Note(NoteError::OtherKey);
        for ((key, since), until) in spans {
            match Checkpoint::open(key, &self.origin, note) {
                Ok(found) if (*since..=until).contains(&found.size) => return Ok(found),
                Ok(_) => last = CheckpointError::Text,
                Err(CheckpointError::Note(NoteError::OtherKey)) => {}
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u8) -> SigningKey {
        SigningKey::from_seed(&[seed; 32])
    }

    fn checkpoint(size: u64) -> Checkpoint {
        Checkpoint {
            size,
            root: Digest::of(&size.to_be_bytes()),
        }
    }

    fn succession(number: u64, seed: u8, size: u64) -> Succession {
        Succession {
            number,
            key: key(seed).public(),
            size,
        }
    }

    #[test]
    fn a_checkpoint_is_three_lines_and_a_signature() {
        let chain = KeyChain::new(key(1).public());
        let note = checkpoint(42).sign(&key(1), chain.origin());
        insta::assert_snapshot!(note, @"
        querylayer.ledger/34750f98bd59fcfc946da45aaabe933b
        42
        prsTPLHjY4rXuKP/BTlmjp5W+bhQ7xsqgQ9UIuqmwyM=

        — querylayer.ledger/34750f98bd59fcfc946da45aaabe933b jQ/pTpdaBsYgC5qGQEinYFoOTpz1ENh1E5/I8FwCM6lLJi8qfCuVu2EYuJhFKdpBQr7WzX8a7pEm66GP532YVvFCZwU=
        ");
        assert_eq!(chain.open(&note), Ok(checkpoint(42)));
    }

    #[test]
    fn a_text_that_is_written_otherwise_is_no_checkpoint() {
        let chain = KeyChain::new(key(1).public());
        let text = checkpoint(42).text(chain.origin());
        let others = [
            text.replace("\n42\n", "\n042\n"),
            text.replace("\n42\n", "\n+42\n"),
            format!("{text}more\n"),
            text.replace("querylayer", "other"),
            succession(2, 2, 42).text(chain.origin()),
        ];
        for other in others {
            let note = key(1).sign(chain.origin(), &other);
            assert_eq!(chain.open(&note), Err(CheckpointError::Text), "{other}");
        }
    }

    #[test]
    fn keys_follow_each_other_and_only_the_last_one_signs() {
        let mut chain = KeyChain::new(key(1).public());
        let origin = chain.origin().to_owned();
        let note = |number, seed, size, by| succession(number, seed, size).sign(&key(by), &origin);
        let strangers = [
            note(2, 2, 10, 9),
            note(3, 2, 10, 1),
            checkpoint(10).sign(&key(1), &origin),
        ];
        for stranger in strangers {
            assert!(chain.push(&stranger).is_err(), "{stranger}");
        }
        assert_eq!(chain.push(&note(2, 2, 10, 1)), Ok(()));
        assert!(chain.push(&note(3, 3, 9, 2)).is_err(), "back in time");
        assert_eq!(chain.push(&note(3, 3, 20, 2)), Ok(()));
        assert_eq!(
            (chain.number(), chain.current()),
            (3, (key(3).public(), 20))
        );

        assert_eq!(
            chain.open(&checkpoint(20).sign(&key(3), &origin)),
            Ok(checkpoint(20))
        );
        assert!(chain.open(&checkpoint(19).sign(&key(3), &origin)).is_err());
        assert!(chain.open(&checkpoint(30).sign(&key(1), &origin)).is_err());

        assert_eq!(
            chain.open_earlier(&checkpoint(10).sign(&key(1), &origin)),
            Ok(checkpoint(10))
        );
        assert_eq!(
            chain.open_earlier(&checkpoint(15).sign(&key(2), &origin)),
            Ok(checkpoint(15))
        );
        assert!(
            chain
                .open_earlier(&checkpoint(11).sign(&key(1), &origin))
                .is_err()
        );
        assert!(
            chain
                .open_earlier(&checkpoint(21).sign(&key(2), &origin))
                .is_err()
        );
        assert!(
            chain
                .open_earlier(&checkpoint(21).sign(&key(9), &origin))
                .is_err()
        );
    }
}
