//! Encoded text: found by its alphabet, decoded, and handed on to be scanned.

mod bits;
mod escapes;
mod morse;
mod shifted;

use std::ops::Range;

use super::finding::Layer;
use super::words::Words;

/// How many bytes one text may decode to.
const MOST_DECODED: usize = 256 * 1024;

/// Text that stood encoded in another.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) layer: Layer,
    /// Where its encoded form stands.
    pub(super) span: Range<usize>,
    pub(super) text: String,
    /// Whether its being encoded is worth a finding, whatever it says.
    pub(super) tells: bool,
}

/// All that can be decoded of a text.
pub(super) fn all(text: &str, words: &Words) -> Vec<Decoded> {
    let mut found = bits::find(text);
    found.extend(morse::find(text));
    found.extend(escapes::find(text));
    found.extend(shifted::find(text, words));
    let mut left = MOST_DECODED;
    found.retain(|decoded| {
        let fits = decoded.text.len() <= left;
        left -= if fits { decoded.text.len() } else { 0 };
        fits
    });
    found
}

/// The text of decoded bytes, if that is what they are.
fn readable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let odd = text
        .chars()
        .filter(|letter| letter.is_control() && !letter.is_whitespace())
        .count();
    (text.len() >= 4 && odd == 0).then_some(text)
}

/// Whether a text looks like a sentence: several words of letters with spaces between.
fn is_prose(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = |word: &&&str| {
        let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
        letters > 0 && letters <= 20 && letters + 2 >= word.chars().count()
    };
    words.len() >= 3 && words.iter().filter(plain).count() * 5 >= words.len() * 4
}
