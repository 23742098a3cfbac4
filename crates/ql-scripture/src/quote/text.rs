//! The words of a quotation.

use std::ops::Range;

use crate::corpus::{Vocabulary, WordId};
use crate::token::{self, Gap};

/// A word of a quotation.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// In its normal form.
    pub(super) normal: String,
    /// Its bytes in the quotation.
    pub(super) range: Range<usize>,
    /// What stands before it.
    pub(super) gap: Gap,
    /// The number of the pair of brackets that holds it.
    pub(super) insertion: Option<usize>,
    /// Whether brackets mark its first letter as changed, as in `[T]he`.
    pub(super) marked: bool,
}

impl Word {
    /// The number that it is, if it is one.
    pub(super) fn number(&self) -> Option<u16> {
        let figure = |character: char| {
            let raised = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|raised| raised == character);
            let plain = character.to_digit(10);
            let plain = plain.and_then(|figure| usize::try_from(figure).ok());
            u16::try_from(plain.or(raised)?).ok()
        };
        let figures: Option<Vec<u16>> = self.normal.chars().map(figure).collect();
        let figures = figures.filter(|figures| (1..=3).contains(&figures.len()))?;
        Some(
            figures
                .iter()
                .fold(0, |number, figure| number * 10 + figure),
        )
    }
}

/// A quotation, read.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) words: Vec<Word>,
    /// What stands after the last word.
    pub(super) rest: Gap,
    /// Whether no letter is small, so that capitals say nothing.
    pub(super) capitals: bool,
    /// Whether no Hebrew letter has a point.
    pub(super) unpointed: bool,
}

impl Text {
    /// Reads the words of a quotation.
    pub(super) fn read(text: &str) -> Self {
        let brackets = brackets(text);
        let (words, rest) = token::words(text);
        let words = words.into_iter().map(|(normal, token)| {
            let (insertion, marked) = bracketed(&brackets, text, &token.range);
            Word {
                normal,
                range: token.range,
                gap: token.gap,
                insertion,
                marked,
            }
        });
        Self {
            words: words.collect(),
            rest,
            capitals: is_in_capitals(text),
            unpointed: !text.chars().any(crate::corpus::is_point),
        }
    }

    /// The same text with the words joined that a hyphen parts at the end of a line, or nothing if
    /// there are none.
    pub(super) fn joined(&self) -> Option<Self> {
        let broken = self.words.iter().any(|word| word.gap.has(Gap::BROKEN));
        broken.then(|| {
            let mut joined: Vec<Word> = Vec::with_capacity(self.words.len());
            for word in &self.words {
                match joined.last_mut().filter(|_| word.gap.has(Gap::BROKEN)) {
                    Some(before) => {
                        before.normal.push_str(&word.normal);
                        before.range.end = word.range.end;
                    }
                    None => joined.push(word.clone()),
                }
            }
            Self {
                words: joined,
                ..self.clone()
            }
        })
    }

    /// The numbers of the words in an edition's vocabulary.
    pub(super) fn ids(&self, vocabulary: &Vocabulary) -> Vec<WordId> {
        let words = self.words.iter();
        words.map(|word| vocabulary.find(&word.normal)).collect()
    }
}

/// The pairs of square brackets with no bracket between them. One without a partner, as an edition
/// may print it, is a sign like others.
fn brackets(text: &str) -> Vec<Range<usize>> {
    let mut pairs: Vec<Range<usize>> = Vec::new();
    let mut open = None;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => open = Some(at),
            b']' => pairs.extend(open.take().map(|start| start..at + 1)),
            _ => {}
        }
    }
    pairs
}

/// Which pair of brackets holds the word, and whether one holds just its first letter.
fn bracketed(pairs: &[Range<usize>], text: &str, word: &Range<usize>) -> (Option<usize>, bool) {
    let Some(index) = pairs.iter().position(|pair| pair.contains(&word.start)) else {
        return (None, false);
    };
    let pair = &pairs[index];
    if word.end <= pair.end {
        return (Some(index), false);
    }
    let inside = text[pair.start + 1..pair.end - 1].chars().count();
    (None, inside == 1 && word.start == pair.start + 1)
}

/// Whether a text of several letters has no small one.
fn is_in_capitals(text: &str) -> bool {
    let capitals = text.chars().filter(|c| c.is_uppercase()).count();
    capitals > 1 && !text.chars().any(char::is_lowercase)
}
