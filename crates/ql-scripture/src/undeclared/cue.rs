//! What stands by a stretch of prose that makes it a quotation.

use std::ops::Range;

use super::Cue;
use super::matches::Prose;
use crate::corpus::library::Library;
use crate::lexicon::Lexicon;

/// How many words an announcement may stand before what it announces.
const ANNOUNCED_WITHIN: usize = 8;

/// How many bytes a reference may stand from what it is of.
const REFERENCE_WITHIN: usize = 60;

/// The most bytes between quotation marks.
const LONGEST_MARKED: usize = 4000;

/// The cues of a text.
#[derive(Debug)]
pub(super) struct Cues {
    /// The bytes between quotation marks, in their order.
    marked: Vec<Range<usize>>,
    /// The words after announcements, in their order.
    announced: Vec<usize>,
    references: Vec<Range<usize>>,
}

impl Cues {
    pub(super) fn read(
        library: &Library,
        text: &str,
        prose: &Prose,
        references: &[Range<usize>],
    ) -> Self {
        let phrases = library.iter().filter_map(|corpus| corpus.lexicon());
        let phrases: Vec<_> = phrases.flat_map(Lexicon::cues).collect();
        let words = prose.folded();
        let mut announced: Vec<usize> = (0..words.len())
            .flat_map(|at| {
                let here = phrases.iter().filter(move |p| words[at..].starts_with(p));
                here.map(move |phrase| at + phrase.len())
            })
            .collect();
        announced.sort_unstable();
        announced.dedup();
        Self {
            marked: marked(text),
            announced,
            references: references.to_vec(),
        }
    }

    /// The strongest cue that stands by some words.
    pub(super) fn by(&self, prose: &Prose, words: Range<usize>) -> Option<Cue> {
        let at = prose.bytes(words.clone());
        let near = |reference: &Range<usize>| {
            reference.start <= at.end + REFERENCE_WITHIN
                && at.start <= reference.end + REFERENCE_WITHIN
        };
        let overlaps = |marked: &Range<usize>| marked.start < at.end && at.start < marked.end;
        let announced = |after: &usize| (*after..=*after + ANNOUNCED_WITHIN).contains(&words.start);
        if self.marked.iter().any(overlaps) {
            return Some(Cue::Marks);
        }
        if self.references.iter().any(near) {
            return Some(Cue::Reference);
        }
        let announced = self.announced.iter().any(announced);
        announced.then_some(Cue::Announcement)
    }
}

/// The stretches between double quotation marks of any form, within a paragraph.
fn marked(text: &str) -> Vec<Range<usize>> {
    let mut stretches = Vec::new();
    let mut open: Option<usize> = None;
    let mut line_ended = false;
    for (at, character) in text.char_indices() {
        match character {
            '\n' if line_ended => open = None,
            '“' | '«' | '„' => open = Some(at),
            '"' | '”' | '»' => match open.take() {
                Some(start) if at - start <= LONGEST_MARKED => stretches.push(start..at),
                _ if character == '"' => open = Some(at),
                _ => {}
            },
            _ => {}
        }
        line_ended = character == '\n' || line_ended && character.is_whitespace();
    }
    stretches
}
