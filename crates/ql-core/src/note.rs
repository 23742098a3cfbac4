//! Signed notes: short texts with an Ed25519 signature that other programs can check (C2SP
//! signed-note).
//!
//! A note here carries exactly one signature. The standard lets more stand beside it; one that does
//! isn't a note of this ledger.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, VerifyingKey};

use crate::hash::Digest;

/// The byte that stands for Ed25519 in key ids and in printed keys.
const ED25519: u8 = 1;

const BETWEEN: &str = "\n\n";

/// A public key of the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; 32]);

/// A private key of the ledger. It prints as its public half.
#[derive(Clone)]
pub struct SigningKey(ed25519_dalek::SigningKey);

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SigningKey").field(&self.public()).finish()
    }
}

/// Why a text is no note of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// It isn't a text, an empty line and one signature line.
    #[error("it is no text with one signature")]
    Malformed,
    /// The signature line names another key.
    #[error("another key signed it")]
    OtherKey,
    /// The signature isn't the key's over the text.
    #[error("the signature doesn't fit the text")]
    Signature,
}

/// A text that is no public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a key as the ledger prints it, `name+id+base64`, or 64 lower-case hexadecimal digits"
)]
pub struct InvalidKey;

impl SigningKey {
    /// The key of 32 secret bytes.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// Its public half.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// The note of `text`, which ends in a newline, signed under `name`.
    pub fn sign(&self, name: &str, text: &str) -> String {
        let mut signed = self.public().id(name).to_vec();
        signed.extend(self.0.sign(text.as_bytes()).to_bytes());
        format!("{text}\n— {name} {}\n", STANDARD.encode(signed))
    }
}

impl PublicKey {
    /// A key from its 32 bytes, or none when they are no point of the curve.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: [u8; 32] = bytes.try_into().ok()?;
        VerifyingKey::from_bytes(&bytes).ok()?;
        Some(Self(bytes))
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The short id that signature lines name it by.
    pub fn id(&self, name: &str) -> [u8; 4] {
        let hash = Digest::of_parts(&[name.as_bytes(), b"\n", &[ED25519], &self.0]);
        let [a, b, c, d, ..] = *hash.as_bytes();
        [a, b, c, d]
    }

    /// The key as verifiers of signed notes take it: name, id and key in one text.
    pub fn with_name(&self, name: &str) -> String {
        let mut tagged = vec![ED25519];
        tagged.extend(self.0);
        let id = u32::from_be_bytes(self.id(name));
        format!("{name}+{id:08x}+{}", STANDARD.encode(tagged))
    }

    /// The text of a note that this key signed under `name`.
    ///
    /// # Errors
    /// Why it isn't one.
    pub fn open<'n>(&self, name: &str, note: &'n str) -> Result<&'n str, NoteError> {
        let (before, line) = note.rsplit_once(BETWEEN).ok_or(NoteError::Malformed)?;
        let text = &note[..=before.len()];
        let control = |c: char| c.is_ascii_control() && c != '\n';
        let (signer, signed) = line
            .strip_prefix("— ")
            .and_then(|line| line.strip_suffix('\n'))
            .and_then(|line| line.split_once(' '))
            .filter(|_| !note.contains(control))
            .ok_or(NoteError::Malformed)?;
        let signed = STANDARD.decode(signed).map_err(|_| NoteError::Malformed)?;
        let (id, signature) = signed.split_at_checked(4).ok_or(NoteError::Malformed)?;
        let signature = Signature::from_slice(signature).map_err(|_| NoteError::Malformed)?;
        if signer != name || id != self.id(name) {
            return Err(NoteError::OtherKey);
        }
        let key = VerifyingKey::from_bytes(&self.0).map_err(|_| NoteError::Signature)?;
        key.verify_strict(text.as_bytes(), &signature)
            .map_err(|_| NoteError::Signature)?;
        Ok(text)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for PublicKey {
    type Err = InvalidKey;

    /// Reads 64 hexadecimal digits, or what [`PublicKey::with_name`] wrote under whatever name.
    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let Some((name, rest)) = text.split_once('+') else {
            let bytes: Digest = text.parse().map_err(|_| InvalidKey)?;
            return Self::from_bytes(bytes.as_bytes()).ok_or(InvalidKey);
        };
        let (_, tagged) = rest.split_once('+').ok_or(InvalidKey)?;
        let tagged = STANDARD.decode(tagged).map_err(|_| InvalidKey)?;
        let key = match tagged.split_first() {
            Some((&ED25519, bytes)) => Self::from_bytes(bytes).ok_or(InvalidKey)?,
            Some(_) | None => return Err(InvalidKey),
        };
        if key.with_name(name) == text {
            Ok(key)
        } else {
            Err(InvalidKey)
        }
    }
}

impl serde::Serialize for PublicKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "ledger.example/1";

    fn key(seed: u8) -> SigningKey {
        SigningKey::from_seed(&[seed; 32])
    }

    /// The first and the third vector of RFC 8032 §7.1.
    #[test]
    fn signatures_are_those_of_the_standard() {
        let vectors = [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                &b""[..],
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155\
                 5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            ),
            (
                "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
                &[0xaf, 0x82][..],
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac\
                 18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
            ),
        ];
        for (seed, public, message, signature) in vectors {
            let seed: Digest = seed.parse().expect("32 bytes");
            let key = SigningKey::from_seed(seed.as_bytes());
            assert_eq!(key.public().to_string(), public);
            let signed = key.0.sign(message).to_bytes();
            let (r, s) = signed.split_at(32);
            let halves = [r, s].map(|half| Digest::from_bytes(half).expect("32 bytes"));
            assert_eq!(format!("{}{}", halves[0], halves[1]), signature);
        }
    }

    #[test]
    fn a_note_reads_as_it_was_signed() {
        let note = key(1).sign(NAME, "one\n\ntwo\n");
        insta::assert_snapshot!(note, @"
        one

        two

        — ledger.example/1 ASn9RWncTzRFpu90gXuWKfGFJ3ldsYODoLrt9XVl5NvMQHJVZQxJfsSMZ8V3Iv02vGS6GIKU6ncDiGhTaHTH5T5VewA=
        ");
        assert_eq!(key(1).public().open(NAME, &note), Ok("one\n\ntwo\n"));
    }

    #[test]
    fn any_touched_bit_of_a_note_is_found() {
        let note = key(1).sign(NAME, "one\ntwo\n");
        for at in 0..note.len() {
            for bit in 0..8 {
                let mut bytes = note.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let Ok(touched) = String::from_utf8(bytes) else {
                    continue;
                };
                assert!(key(1).public().open(NAME, &touched).is_err(), "{touched}");
            }
        }
    }

    #[test]
    fn what_is_no_note_of_the_key_is_told_apart() {
        let public = key(1).public();
        let note = key(1).sign(NAME, "one\n");
        let other = key(2).sign(NAME, "one\n");
        assert_eq!(public.open(NAME, &other), Err(NoteError::OtherKey));
        assert_eq!(public.open("another", &note), Err(NoteError::OtherKey));
        let changed = note.replace("one", "two");
        assert_eq!(public.open(NAME, &changed), Err(NoteError::Signature));
        let line = note.lines().last().expect("a signature");
        let twice = format!("{note}{line}\n");
        let bare = format!("one\n\n{line}");
        for malformed in ["", "one\n", &twice, &bare, &note.replace('—', "-")] {
            assert_eq!(public.open(NAME, malformed), Err(NoteError::Malformed));
        }
    }

    #[test]
    fn keys_print_and_read() {
        let public = key(1).public();
        let named = public.with_name(NAME);
        insta::assert_snapshot!(named, @"ledger.example/1+0129fd45+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c");
        assert_eq!(named.parse(), Ok(public));
        assert_eq!(public.to_string().parse(), Ok(public));
        let renamed = named.replace("example", "elsewhere");
        for wrong in ["", "abc", &renamed, &named[..named.len() - 1]] {
            assert_eq!(wrong.parse::<PublicKey>(), Err(InvalidKey), "{wrong}");
        }
        assert!(format!("{:?}", key(1)).contains("PublicKey"));
    }
}
