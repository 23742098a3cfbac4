//! A table from folded words.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::fold::Folded;

/// FNV-1a: the words are short and the tables our own.
#[derive(Default)]
pub(super) struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// What each folded word means.
pub(super) type Words<T> = HashMap<Box<str>, T, BuildHasherDefault<Fnv>>;

/// The words that something can begin with.
#[derive(Debug)]
pub(super) struct Beginnings {
    words: HashSet<Box<str>, BuildHasherDefault<Fnv>>,
    /// A sieve of their first letters.
    prefixes: [u64; 64],
}

impl Beginnings {
    pub(super) fn new() -> Self {
        Self {
            words: HashSet::default(),
            prefixes: [0; 64],
        }
    }

    pub(super) fn add(&mut self, folded: &str) {
        let place = prefix(folded.as_bytes());
        self.prefixes[place / 64] |= 1 << (place % 64);
        self.words.insert(folded.into());
    }

    pub(super) fn contain(&self, word: &str) -> bool {
        let bytes = word.as_bytes();
        let place = prefix(bytes);
        let known = self.prefixes[place / 64] >> (place % 64) & 1 == 1;
        let plain = bytes.iter().take(4).all(u8::is_ascii);
        let folded = || Folded::of(word);
        (known || !plain) && folded().is_some_and(|folded| self.words.contains(folded.as_str()))
    }
}

/// A place among 4,096 by the first four letters, whatever their case.
fn prefix(word: &[u8]) -> usize {
    let letters = word.iter().take(4);
    let packed = letters.fold(0_u32, |packed, byte| packed << 8 | u32::from(byte | 0x20));
    (packed.wrapping_mul(0x9e37_79b1) >> 20) as usize
}
