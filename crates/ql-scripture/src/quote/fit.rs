//! Whether words stand at a place as they are quoted.

use std::ops::Range;

use super::answer::Note;
use super::arrange::Quotation;
use super::compare::{self, Sameness};
use super::edition::Edition;
use super::reason::Reason;

/// Why words that stand in the passage aren't a quotation of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) reason: Reason,
    /// The bytes of the quotation and the places in the edition that differ, where some do.
    pub(super) word: Option<(Range<usize>, Range<usize>)>,
}

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Self { reason, word: None }
    }
}

/// A place where a segment fits.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) places: Range<usize>,
    pub(super) notes: Vec<Note>,
    /// Which fit of the segment before leads here.
    pub(super) before: Option<usize>,
}

impl Quotation<'_> {
    /// Compares each word of a segment with the one that is printed.
    pub(super) fn fit(
        &self,
        edition: &mut Edition<'_>,
        segment: &[usize],
        places: Range<usize>,
    ) -> Result<Fit, Refusal> {
        let mut notes = Vec::new();
        let mut before: Option<usize> = None;
        for (word, place) in segment.iter().copied().zip(places.clone()) {
            let before_it = before.filter(|before| before + 1 == word);
            notes.extend(self.word_fits(edition, before_it, (word, place))?);
            if !self.numbers_hold(edition, word, place) {
                return Err(Reason::VerseNumber.into());
            }
            before = Some(word);
        }
        Ok(Fit {
            places,
            notes,
            before: None,
        })
    }

    /// Compares one word with the one at its place. `before` is the word that it follows without
    /// anything left out or inserted.
    fn word_fits(
        &self,
        edition: &mut Edition<'_>,
        before: Option<usize>,
        (word, place): (usize, usize),
    ) -> Result<Option<Note>, Refusal> {
        let quoted = &self.text.words[word];
        let printed = edition.word(place);
        if let Some(before) = before.filter(|_| !compare::gaps(quoted.gap, &printed)) {
            let start = self.text.words[before].range.start;
            return Err(Refusal {
                reason: Reason::Hyphen,
                word: Some((start..quoted.range.end, place - 1..place + 1)),
            });
        }
        let lexicon = edition.corpus.lexicon();
        let name = lexicon.is_some_and(|lexicon| lexicon.names_god(&printed.normal));
        match compare::words(self.text, quoted, &printed, before.is_none(), name) {
            Sameness::Same => Ok(None),
            Sameness::Noted(kind) => Ok(Some(Note {
                kind,
                at: Some(quoted.range.clone()),
                edition: Some(printed.normal),
            })),
            Sameness::Differs(reason) => Err(Refusal {
                reason,
                word: Some((quoted.range.clone(), place..place + 1)),
            }),
        }
    }

    /// Whether the numbers before a word are those of the verse that begins with it.
    fn numbers_hold(&self, edition: &Edition<'_>, word: usize, place: usize) -> bool {
        let mut numbers = self.reading.numbers.iter().filter(|n| n.before == word);
        numbers.all(|number| {
            let rows = edition.corpus.rows();
            let row = rows.get(rows.of_word(place));
            row.is_some_and(|row| {
                let right = if number.chapter {
                    row.from.chapter
                } else {
                    row.from.verse
                };
                row.word as usize == place && u16::from(right) == number.value
            })
        })
    }
}
