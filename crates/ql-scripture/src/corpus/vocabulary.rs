//! The words of an edition, numbered.

use std::borrow::Cow;
use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

/// The number of a word of one edition, whatever the case of its letters and its vowel points.
pub(crate) type WordId = u32;

/// The number of words that the edition doesn't have. No two of them are the same word.
pub(crate) const UNKNOWN: WordId = WordId::MAX;

/// Every word of an edition.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    ids: HashMap<Box<str>, WordId, FxBuildHasher>,
    letters: usize,
}

impl Vocabulary {
    /// The number of a word in its normal form, given now if it is new.
    pub(crate) fn intern(&mut self, word: &str) -> WordId {
        let folded = fold(word);
        if let Some(id) = self.ids.get(folded.as_ref()) {
            return *id;
        }
        let id = super::position(self.ids.len());
        self.letters += folded.len();
        self.ids.insert(folded.into(), id);
        id
    }

    /// The number of a word in its normal form, or [`UNKNOWN`].
    pub(crate) fn find(&self, word: &str) -> WordId {
        self.find_folded(&fold(word))
    }

    /// The number of a folded word, or [`UNKNOWN`].
    pub(crate) fn find_folded(&self, word: &str) -> WordId {
        self.ids.get(word).copied().unwrap_or(UNKNOWN)
    }

    /// How many bytes it takes, about.
    pub(crate) fn size(&self) -> usize {
        self.letters + self.ids.capacity() * (size_of::<(Box<str>, WordId)>() + 17)
    }
}

/// A word by which candidates are found: in small letters, and Hebrew without vowel points. Whether
/// two such words are the same is decided by their normal forms.
pub(crate) fn fold(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return word.to_ascii_lowercase().into();
        }
        return word.into();
    }
    if word.contains(is_point) {
        return word
            .chars()
            .filter(|c| !is_point(*c))
            .collect::<String>()
            .into();
    }
    word.to_lowercase().into()
}

/// Whether a character is a vowel point or another point of Hebrew letters.
pub(crate) fn is_point(character: char) -> bool {
    matches!(
        character,
        '\u{5b0}'..='\u{5bc}' | '\u{5c1}' | '\u{5c2}' | '\u{5c7}'
    )
}
