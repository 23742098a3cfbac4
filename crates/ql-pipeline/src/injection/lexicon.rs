//! The classes of words, read from a table.

use rustc_hash::FxHashMap;

use super::disguise::{self, Disguise};
use super::letters::{Scripts, fold, is_unspaced};

const TABLE: &str = include_str!("../../data/injection/words.tsv");

/// How many words of 64 bits a set of classes takes.
const BITS: usize = 5;

/// A set of classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Classes([u64; BITS]);

impl Classes {
    pub(super) fn add(&mut self, class: usize) {
        self.0[class / 64] |= 1 << (class % 64);
    }

    pub(super) fn add_all(&mut self, other: Self) {
        for (mine, others) in self.0.iter_mut().zip(other.0) {
            *mine |= others;
        }
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        self.0
            .iter()
            .zip(other.0)
            .any(|(mine, others)| mine & others != 0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; BITS]
    }

    /// The numbers of the classes.
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(at, mut bits)| {
            std::iter::from_fn(move || {
                let next = (bits != 0).then(|| at * 64 + bits.trailing_zeros() as usize);
                bits &= bits.wrapping_sub(1);
                next
            })
        })
    }
}

/// What is known of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) classes: Classes,
    pub(super) disguise: Option<Disguise>,
}

#[derive(Debug)]
struct Entry {
    word: String,
    /// Whether it stands for every word that begins so.
    is_stem: bool,
    known: Known,
}

/// Words by their first four bytes.
#[derive(Debug)]
pub(super) struct Lexicon {
    entries: FxHashMap<u32, Vec<Entry>>,
    names: Vec<&'static str>,
}

impl Lexicon {
    /// Reads the table.
    pub(super) fn new() -> Self {
        let mut lexicon = Self {
            entries: FxHashMap::default(),
            names: Vec::new(),
        };
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let mut cells = line.split('\t');
            let (Some(name), Some(_), Some(words)) = (cells.next(), cells.next(), cells.next())
            else {
                continue;
            };
            let mut known = Known::default();
            known.classes.add(lexicon.number(name));
            for word in words.split(' ') {
                lexicon.enter(word, known);
            }
        }
        for (word, disguise) in disguise::signs() {
            let known = Known {
                disguise: Some(disguise),
                ..Known::default()
            };
            lexicon.enter(&word, known);
        }
        lexicon
    }

    fn number(&mut self, name: &'static str) -> usize {
        self.class(name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }

    /// The number of a class.
    pub(super) fn class(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| *known == name)
    }

    /// How many classes there are.
    pub(super) fn classes(&self) -> usize {
        self.names.len()
    }

    fn enter(&mut self, word: &str, known: Known) {
        let (word, is_stem) = match word.strip_suffix('*') {
            Some(stem) => (stem, true),
            None => (word, false),
        };
        let mut folded = String::new();
        for letter in word.chars() {
            fold(letter, &mut folded, &mut Scripts::default());
        }
        let bucket = self.entries.entry(key(folded.as_bytes())).or_default();
        let same = |entry: &&mut Entry| entry.word == folded && entry.is_stem == is_stem;
        if let Some(entry) = bucket.iter_mut().find(same) {
            entry.known.classes.add_all(known.classes);
            entry.known.disguise = entry.known.disguise.or(known.disguise);
            return;
        }
        bucket.push(Entry {
            word: folded,
            is_stem,
            known,
        });
    }

    /// What is known of a folded word.
    pub(super) fn look_up(&self, word: &str) -> Known {
        let mut found = Known::default();
        for entry in self.bucket(word.as_bytes()) {
            if entry.word == word || (entry.is_stem && word.starts_with(&entry.word)) {
                found.classes.add_all(entry.known.classes);
                found.disguise = found.disguise.or(entry.known.disguise);
            }
        }
        found
    }

    /// The longest known word at the beginning of text without spaces: its bytes, and what is known.
    pub(super) fn longest(&self, text: &str) -> Option<(usize, Known)> {
        let first = text.chars().next()?;
        let least = if is_unspaced(first) { 1 } else { 4 };
        let short = text.as_bytes().get(..3).unwrap_or_default();
        let buckets = [self.bucket(text.as_bytes()), self.bucket(short)];
        let fits = |entry: &&Entry| entry.word.len() >= least && text.starts_with(&entry.word);
        let longest = buckets
            .into_iter()
            .flatten()
            .filter(fits)
            .max_by_key(|entry| entry.word.len())?;
        Some((longest.word.len(), self.look_up(&longest.word)))
    }

    fn bucket(&self, word: &[u8]) -> &[Entry] {
        self.entries.get(&key(word)).map_or(&[], Vec::as_slice)
    }
}

fn key(word: &[u8]) -> u32 {
    let mut key = [0_u8; 4];
    let length = word.len().min(4);
    key[..length].copy_from_slice(&word[..length]);
    u32::from_le_bytes(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_classes_of_every_language_that_knows_them() {
        let lexicon = Lexicon::new();
        assert!(lexicon.classes() <= 64 * BITS);
        let classes = |word: &str| -> Vec<&str> {
            let known = lexicon.look_up(word).classes;
            known.iter().map(|class| lexicon.names[class]).collect()
        };
        assert_eq!(classes("precedentes"), ["prior"]);
        assert!(classes("instructions").contains(&"order"));
        assert!(classes("инструкциями").contains(&"order"), "a stem");
        assert_eq!(classes("lamb"), [""; 0]);
        let (length, _) = lexicon.longest("之前的指令").expect("a word");
        assert_eq!(length, "之前".len());
    }
}
