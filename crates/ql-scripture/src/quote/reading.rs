//! The ways in which a quotation may be meant: brackets as part of it or as insertions, dots as
//! punctuation or as elisions, figures as words or as numbers of verses.

use std::ops::RangeInclusive;

use super::LONGEST_INSERTION;
use super::reason::Reason;
use super::text::{Text, Word};
use crate::lexicon::Lexicon;
use crate::token::Gap;

/// The most segments of one quotation.
pub(super) const MOST_SEGMENTS: usize = 5;

/// The fewest words of a segment.
const FEWEST_WORDS: usize = 2;

/// The fewest quoted words beside an insertion.
const FEWEST_BESIDE_INSERTION: usize = 3;

/// One way to read a quotation.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// The words between elisions, by their place in the quotation.
    pub(super) segments: Vec<Vec<usize>>,
    /// Numbers of verses or chapters, with the word that each stands before.
    pub(super) numbers: Vec<Number>,
    /// Whether something in brackets is taken as an insertion.
    pub(super) inserted: bool,
    /// The rule that this reading breaks, whatever the edition has.
    pub(super) breaks: Option<Reason>,
}

/// A number in a quotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: u16,
    /// The word before which it stands.
    pub(super) before: usize,
    /// Whether the number of a verse follows it.
    pub(super) chapter: bool,
}

/// What a reading makes of the signs.
#[derive(Clone, Copy, Debug)]
struct Choice {
    insertions: bool,
    elisions: bool,
    numbers: bool,
}

/// Every way to read the text, the plainest first.
///
/// `numbers` are those of the verses that may stand before them.
pub(super) fn readings(
    text: &Text,
    lexicon: Option<&Lexicon>,
    numbers: &[Numbers],
) -> Vec<Reading> {
    let words = &text.words;
    let insertions = words.iter().any(|word| word.insertion.is_some());
    let elisions = words.iter().skip(1).any(|word| word.gap.has(Gap::ELLIPSIS));
    let marks = marks(text, numbers);
    let numbers = marks.iter().any(|mark| *mark);
    let either = |there: bool| {
        if there {
            &[false, true][..]
        } else {
            &[false][..]
        }
    };
    let mut readings = Vec::new();
    for numbers in either(numbers) {
        for insertions in either(insertions) {
            for elisions in either(elisions) {
                let choice = Choice {
                    insertions: *insertions,
                    elisions: *elisions,
                    numbers: *numbers,
                };
                readings.extend(read(text, choice, &marks, lexicon));
            }
        }
    }
    readings
}

/// The numbers that may stand in a quotation of a span.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) chapters: RangeInclusive<u16>,
    pub(super) verses: RangeInclusive<u16>,
}

/// Which words may be numbers of verses, or of the chapter before that of the verse.
fn marks(text: &Text, numbers: &[Numbers]) -> Vec<bool> {
    let of = |number: Option<u16>, range: fn(&Numbers) -> &RangeInclusive<u16>| {
        number.is_some_and(|number| numbers.iter().any(|of| range(of).contains(&number)))
    };
    let values: Vec<Option<u16>> = text.words.iter().map(Word::number).collect();
    let verses = values.iter().map(|value| of(*value, |of| &of.verses));
    let mut marks: Vec<bool> = verses.collect();
    for at in 1..marks.len() {
        marks[at - 1] |= marks[at] && of(values[at - 1], |of| &of.chapters);
    }
    marks
}

fn read(text: &Text, choice: Choice, marks: &[bool], lexicon: Option<&Lexicon>) -> Option<Reading> {
    let mut reading = Reading::default();
    let mut segment = Vec::new();
    let mut pending: Vec<u16> = Vec::new();
    let mut breaks = false;
    for (index, word) in text.words.iter().enumerate() {
        breaks |= choice.elisions && word.gap.has(Gap::ELLIPSIS);
        if choice.insertions && word.insertion.is_some() {
            reading.inserted = true;
            continue;
        }
        if let Some(number) = word.number().filter(|_| choice.numbers && marks[index]) {
            pending.push(number);
            continue;
        }
        let last = pending.len();
        let numbers = pending.drain(..).enumerate();
        reading.numbers.extend(numbers.map(|(at, value)| Number {
            value,
            before: index,
            chapter: at + 1 < last,
        }));
        if breaks && !segment.is_empty() {
            reading.segments.push(std::mem::take(&mut segment));
        }
        breaks = false;
        segment.push(index);
    }
    if segment.is_empty() || !pending.is_empty() {
        return None;
    }
    reading.segments.push(segment);
    reading.breaks = broken(text, &reading, lexicon);
    Some(reading)
}

/// The rule that a reading breaks by itself.
fn broken(text: &Text, reading: &Reading, lexicon: Option<&Lexicon>) -> Option<Reason> {
    let elided = reading.segments.len() > 1;
    if !elided && !reading.inserted {
        return None;
    }
    let Some(lexicon) = lexicon else {
        return Some(Reason::NegationsUnknown);
    };
    let fewest = reading.segments.iter().map(Vec::len).min().unwrap_or(0);
    if elided && (reading.segments.len() > MOST_SEGMENTS || fewest < FEWEST_WORDS) {
        return Some(Reason::Scattered);
    }
    if !reading.inserted {
        return None;
    }
    let kept: usize = reading.segments.iter().map(Vec::len).sum();
    let inserted: Vec<_> = text
        .words
        .iter()
        .filter(|w| w.insertion.is_some())
        .collect();
    let words = inserted.iter().filter(|word| word.number().is_none());
    let pairs = inserted.windows(2);
    let negates = inserted.iter().any(|word| lexicon.reverses(&word.normal))
        || pairs
            .into_iter()
            .any(|pair| lexicon.negate(&pair[0].normal, &pair[1].normal));
    if negates {
        return Some(Reason::NegationInserted);
    }
    let longest = inserted.chunk_by(|one, two| one.insertion == two.insertion);
    let longest = longest.map(<[_]>::len).max().unwrap_or(0);
    let too_long = longest > LONGEST_INSERTION || words.count() > kept;
    (too_long || kept < FEWEST_BESIDE_INSERTION).then_some(Reason::InsertionTooLong)
}
