//! Maximal matches between a text and editions.

use std::ops::Range;

use super::{MOST_PLACES, folded};
use crate::corpus::library::Library;
use crate::corpus::{Corpus, GRAM, UNKNOWN, WordId};

/// A text as it is searched.
#[derive(Debug)]
pub(super) struct Prose {
    words: Vec<Box<str>>,
    places: Vec<Range<usize>>,
}

impl Prose {
    pub(super) fn read(text: &str) -> Self {
        let (words, places) = folded(text);
        Self { words, places }
    }

    pub(super) fn folded(&self) -> &[Box<str>] {
        &self.words
    }

    /// The bytes of some words in a row, of which there is at least one.
    pub(super) fn bytes(&self, words: Range<usize>) -> Range<usize> {
        self.places[words.start].start..self.places[words.end - 1].end
    }
}

/// Words of a text that an edition has in a row and that neither side continues alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) words: Range<usize>,
    /// Which edition of the library.
    pub(super) corpus: usize,
    /// Where the first word stands in it.
    pub(super) place: usize,
    /// At how many places more it stands in it.
    pub(super) more: usize,
}

/// Every maximal match of five words or more.
pub(super) fn all(library: &Library, prose: &Prose) -> Vec<Match> {
    let mut matches = Vec::new();
    for (index, corpus) in library.iter().enumerate() {
        let ids: Vec<WordId> = prose
            .words
            .iter()
            .map(|word| corpus.vocabulary().find_folded(word))
            .collect();
        let mut known = 0;
        for (at, id) in ids.iter().enumerate() {
            known = if *id == UNKNOWN { 0 } else { known + 1 };
            if known >= GRAM {
                starting(corpus, index, &ids, at + 1 - GRAM, &mut matches);
            }
        }
    }
    matches
}

/// The longest matches that begin at a word of the text; what is shorter there adds nothing.
fn starting(corpus: &Corpus, index: usize, ids: &[WordId], start: usize, matches: &mut Vec<Match>) {
    let words = corpus.words();
    let gram = &ids[start..start + GRAM];
    let candidates = corpus.five_grams().candidates(gram).iter();
    let lengths = candidates.filter_map(|place| {
        let place = *place as usize;
        if words.get(place..place + GRAM) != Some(gram) {
            return None;
        }
        let book = corpus.book_of(place);
        // Then it was found with the word before.
        if start > 0 && place > book.start && ids[start - 1] == words[place - 1] {
            return None;
        }
        let rest = ids[start..].iter().zip(&words[place..book.end]);
        Some((place, rest.take_while(|(one, two)| one == two).count()))
    });
    let lengths: Vec<(usize, usize)> = lengths.collect();
    let longest = lengths.iter().map(|(_, length)| *length).max();
    let longest: Vec<_> = lengths
        .iter()
        .filter(|(_, l)| Some(*l) == longest)
        .collect();
    let more = longest.len().saturating_sub(MOST_PLACES);
    let kept = longest.into_iter().take(MOST_PLACES);
    matches.extend(kept.enumerate().map(|(at, (place, length))| Match {
        words: start..start + length,
        corpus: index,
        place: *place,
        more: if at == 0 { more } else { 0 },
    }));
}

/// Puts the matches of one stretch together, the longest stretches first, and leaves out those that
/// add less than a five-gram to what a longer one covers.
pub(super) fn stretches(mut matches: Vec<Match>) -> Vec<Vec<Match>> {
    let order = |of: &Match| (usize::MAX - of.words.len(), of.words.start);
    matches.sort_by_key(|of| (order(of), of.corpus, of.place));
    let end = matches.iter().map(|of| of.words.end).max().unwrap_or(0);
    let mut covered = vec![false; end];
    let mut stretches = Vec::new();
    for group in matches.chunk_by(|one, two| one.words == two.words) {
        let Some(first) = group.first() else { continue };
        let words = &mut covered[first.words.clone()];
        let new = words.iter().filter(|covered| !**covered).count();
        if new >= GRAM {
            words.fill(true);
            stretches.push(group.to_vec());
        }
    }
    stretches
}
