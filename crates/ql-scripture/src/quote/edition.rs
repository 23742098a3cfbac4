//! The words of an edition as it prints them, read where they are needed.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::corpus::{Corpus, WordId};
use crate::span::Passage;
use crate::token::{self, Gap};

/// A word as the edition prints it.
#[derive(Clone, Debug)]
pub(super) struct Printed {
    /// In its normal form.
    pub(super) normal: String,
    /// What stands before it.
    pub(super) gap: Gap,
    /// What stands after it.
    pub(super) after: Gap,
    /// Its bytes in the text of its verse.
    pub(super) range: Range<usize>,
    /// Whether a verse begins with it.
    pub(super) first: bool,
    /// Whether a verse ends with it.
    pub(super) last: bool,
}

/// An edition while one quotation is compared with it.
pub(super) struct Edition<'c> {
    pub(super) corpus: &'c Corpus,
    rows: HashMap<usize, Rc<[Printed]>>,
}

impl<'c> Edition<'c> {
    pub(super) fn new(corpus: &'c Corpus) -> Self {
        Self {
            corpus,
            rows: HashMap::new(),
        }
    }

    pub(super) fn ids(&self) -> &'c [WordId] {
        self.corpus.words()
    }

    /// The word at a place, which must be one of the edition's.
    pub(super) fn word(&mut self, place: usize) -> Printed {
        let row = self.corpus.rows().of_word(place);
        let first = self.corpus.place_of_row(row);
        let corpus = self.corpus;
        let printed = self.rows.entry(row).or_insert_with(|| read(corpus, row));
        printed[place - first].clone()
    }

    /// Whether the word at a place negates, alone or with the one after it.
    pub(super) fn negates(&mut self, place: usize) -> bool {
        let word = self.word(place).normal;
        let lexicon = self.corpus.lexicon();
        lexicon.is_some_and(|lexicon| lexicon.negates(&word))
    }

    /// Whether two words in a row negate together.
    pub(super) fn negate(&mut self, first: usize, second: usize) -> bool {
        let (first, second) = (self.word(first).normal, self.word(second).normal);
        let lexicon = self.corpus.lexicon();
        lexicon.is_some_and(|lexicon| lexicon.negate(&first, &second))
    }

    /// The places of the passage's words, one range for each stretch within one book. A title
    /// belongs to a passage that begins with the verse after it.
    pub(super) fn scope(&self, passage: &Passage) -> Vec<Range<usize>> {
        let mut scope = Vec::new();
        for span in passage.merged().spans() {
            let rows = self.corpus.rows();
            let mut range = rows.range(*span);
            if span.from().verse == 1
                && let Some(before) = range.start.checked_sub(1).and_then(|row| rows.get(row))
                && before.from.verse == 0
                && (before.from.book, before.from.chapter)
                    == (span.from().book, span.from().chapter)
            {
                range.start -= 1;
            }
            let mut start = range.start;
            for row in range.clone() {
                let book = |row| rows.get(row).map(|row| row.from.book);
                if row + 1 == range.end || book(row) != book(row + 1) {
                    let places = self.corpus.place_of_row(start)..self.corpus.place_of_row(row + 1);
                    scope.push(places);
                    start = row + 1;
                }
            }
        }
        scope.retain(|places| !places.is_empty());
        scope
    }

    /// What the edition prints at some places that stand in one row.
    pub(super) fn printed(&mut self, places: Range<usize>) -> String {
        let mut text = String::new();
        let mut place = places.start;
        while place < places.end {
            let row = self.corpus.rows().of_word(place);
            let end = places.end.min(self.corpus.place_of_row(row + 1));
            let (first, last) = (self.word(place), self.word(end - 1));
            let row = self.corpus.rows().get(row);
            let verse = row.map_or("", |row| self.corpus.row_text(row));
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&verse[first.range.start..last.range.end]);
            place = end;
        }
        text
    }
}

fn read(corpus: &Corpus, row: usize) -> Rc<[Printed]> {
    let text = corpus
        .rows()
        .get(row)
        .map_or("", |row| corpus.row_text(row));
    let (words, rest) = token::words(text);
    let gaps: Vec<Gap> = words.iter().map(|(_, token)| token.gap).collect();
    let count = words.len();
    let words = words.into_iter().enumerate();
    words
        .map(|(index, (normal, token))| Printed {
            normal,
            gap: token.gap,
            after: gaps.get(index + 1).copied().unwrap_or(rest),
            range: token.range,
            first: index == 0,
            last: index + 1 == count,
        })
        .collect()
}
