//! Finding the words of a quotation in a passage.

use std::ops::Range;

use super::LONGEST_ELISION;
use super::answer::Note;
use super::cut;
use super::edition::Edition;
use super::fit::{Fit, Refusal};
use super::reading::{MOST_SEGMENTS, Reading};
use super::reason::{NoteKind, Reason};
use super::text::Text;
use crate::corpus::{WordId, fold};
use crate::token::Gap;

/// How many places of one segment are tried.
const MOST_PLACES: usize = 4000;

/// Up to how many words around elisions and insertions one of them must say something.
const MOST_LITTLE_WORDS: usize = 4;

/// Where the segments of a quotation stand.
#[derive(Clone, Debug)]
pub(super) struct Arrangement {
    pub(super) segments: Vec<Range<usize>>,
    pub(super) notes: Vec<Note>,
}

/// A quotation in one reading against one edition.
pub(super) struct Quotation<'q> {
    pub(super) text: &'q Text,
    pub(super) ids: &'q [WordId],
    pub(super) reading: &'q Reading,
}

impl Quotation<'_> {
    /// Finds the segments in their order within `scope`.
    ///
    /// Refused is what stands there against a rule; nothing is refused where the words don't stand.
    pub(super) fn arrange(
        &self,
        edition: &mut Edition<'_>,
        scope: &[Range<usize>],
    ) -> Result<Arrangement, Option<Refusal>> {
        let mut reached: Vec<Vec<Fit>> = Vec::new();
        let mut refused = None;
        if self.reading.segments.len() > MOST_SEGMENTS {
            let first = self.reading.segments.first().into_iter();
            let stands = first.flat_map(|first| self.stands(edition, first, scope));
            let stands = stands.count() > 0;
            return Err(stands.then(|| Reason::Scattered.into()));
        }
        for segment in &self.reading.segments {
            let mut fits = Vec::new();
            for places in self.stands(edition, segment, scope) {
                let fit = self
                    .fit(edition, segment, places)
                    .and_then(|fit| follow(edition, reached.last(), fit));
                match fit {
                    Ok(fit) => fits.push(fit),
                    Err(refusal) => refused = refused.or(Some(refusal)),
                }
            }
            if fits.is_empty() {
                return Err(refused);
            }
            reached.push(fits);
        }
        if self.says_little(edition, reached.last().into_iter().flatten().next()) {
            return Err(Some(Reason::SaysLittle.into()));
        }
        let arranged = self.end(edition, &reached);
        let breaks = self.reading.breaks.map(Refusal::from);
        match (arranged, breaks) {
            (Ok(_), Some(refusal)) | (Err(refusal), _) => Err(Some(refusal)),
            (Ok(arrangement), None) => Ok(arrangement),
        }
    }

    /// Where the words of a segment stand, whatever the case of their letters; at most
    /// [`MOST_PLACES`].
    fn stands(
        &self,
        edition: &Edition<'_>,
        segment: &[usize],
        scope: &[Range<usize>],
    ) -> Vec<Range<usize>> {
        let wanted: Vec<WordId> = segment.iter().map(|word| self.ids[*word]).collect();
        let ids = edition.ids();
        let windows = scope.iter().flat_map(|places| {
            let words = ids[places.clone()].windows(wanted.len());
            let found = words.enumerate().filter(|(_, words)| *words == wanted);
            found.map(|(offset, words)| {
                let start = places.start + offset;
                start..start + words.len()
            })
        });
        windows.take(MOST_PLACES).collect()
    }

    /// Whether all that is quoted are words that say nothing by themselves: one of them alone, or
    /// several around elisions and insertions.
    fn says_little(&self, edition: &mut Edition<'_>, fit: Option<&Fit>) -> bool {
        let Some(lexicon) = edition.corpus.lexicon() else {
            return false;
        };
        let segments = &self.reading.segments;
        let in_a_row = segments.len() == 1 && !self.reading.inserted;
        if in_a_row && segments.iter().any(|segment| segment.len() > 1) {
            return false;
        }
        let mut words = segments.iter().flatten();
        let few = words.clone().count() <= MOST_LITTLE_WORDS;
        let little = few
            && words.all(|word| {
                let folded = fold(&self.text.words[*word].normal);
                lexicon.is_function_word(&folded)
            });
        let whole_verse = fit.is_some_and(|fit| {
            let printed = edition.word(fit.places.start);
            in_a_row && printed.first && printed.last
        });
        little && !whole_verse
    }

    /// Picks a way through the segments that ends where a quotation may end.
    fn end(&self, edition: &mut Edition<'_>, reached: &[Vec<Fit>]) -> Result<Arrangement, Refusal> {
        let mut refused = Refusal::from(Reason::Empty);
        for fit in reached.last().into_iter().flatten() {
            match cut::after(edition, fit.places.end) {
                Ok(note) => {
                    let mut arrangement = trace(reached, fit);
                    arrangement.notes.extend(note.map(|kind| Note {
                        kind,
                        at: None,
                        edition: None,
                    }));
                    arrangement
                        .notes
                        .extend(self.questions(edition, &arrangement));
                    return Ok(arrangement);
                }
                Err(reason) => refused = reason.into(),
            }
        }
        Err(refused)
    }

    /// A note if a statement became a question or the other way round.
    fn questions(&self, edition: &mut Edition<'_>, found: &Arrangement) -> Option<Note> {
        let segments = self.reading.segments.iter().zip(&found.segments);
        for (segment, places) in segments {
            for (word, place) in segment.iter().copied().zip(places.clone()) {
                let next = self.text.words.get(word + 1);
                let quoted = next.map_or(self.text.rest, |next| next.gap);
                let printed = edition.word(place).after;
                let left_off = place + 1 == places.end && !edition.word(place).last;
                if quoted.has(Gap::QUESTION) != printed.has(Gap::QUESTION) && !left_off {
                    return Some(Note {
                        kind: NoteKind::Question,
                        at: Some(self.text.words[word].range.clone()),
                        edition: None,
                    });
                }
            }
        }
        None
    }
}

/// Joins a fit to one of the segment before it, across what may be left out; the first segment to
/// what may be left off.
fn follow(
    edition: &mut Edition<'_>,
    reached: Option<&Vec<Fit>>,
    mut fit: Fit,
) -> Result<Fit, Refusal> {
    let Some(before) = reached else {
        let note = cut::before(edition, fit.places.start)?;
        fit.notes.extend(note.map(|kind| Note {
            kind,
            at: None,
            edition: None,
        }));
        return Ok(fit);
    };
    let mut refused = Refusal::from(Reason::ElisionTooLong);
    let end = fit.places.start;
    let earlier = before.iter().enumerate().rev();
    let earlier = earlier.filter(|(_, earlier)| earlier.places.end <= end);
    // They stand in their order, so that beyond a far one there are none but farther ones.
    let near = earlier.take_while(|(_, earlier)| end - earlier.places.end <= LONGEST_ELISION);
    for (index, earlier) in near {
        match cut::elision(edition, earlier.places.end..end) {
            Ok(_) => {
                fit.before = Some(index);
                return Ok(fit);
            }
            Err(reason) => refused = reason.into(),
        }
    }
    Err(refused)
}

fn trace(reached: &[Vec<Fit>], last: &Fit) -> Arrangement {
    let mut segments = vec![last.places.clone()];
    let mut notes = last.notes.clone();
    let mut before = last.before;
    for fits in reached.iter().rev().skip(1) {
        let Some(fit) = before.and_then(|index| fits.get(index)) else {
            break;
        };
        segments.push(fit.places.clone());
        notes.extend(fit.notes.iter().cloned());
        before = fit.before;
    }
    segments.reverse();
    notes.sort_by_key(|note| (note.at.as_ref().map(|at| at.start), note.kind));
    Arrangement { segments, notes }
}
