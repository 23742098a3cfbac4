//! Where a passage may be cut: not so that a negation is parted from what it negates.

use super::LONGEST_ELISION;
use super::edition::Edition;
use super::reason::{NoteKind, Reason};
use crate::token::Gap;

/// What is to be said of a cut.
pub(super) type Verdict = Result<Option<NoteKind>, Reason>;

/// Whether a quotation may begin with the word at `start`. What stands before it in its verse is
/// left off.
pub(super) fn before(edition: &mut Edition<'_>, start: usize) -> Verdict {
    let row = edition.corpus.rows().of_word(start);
    let first = edition.corpus.place_of_row(row);
    if start == first {
        return Ok(None);
    }
    if let Some(unknown) = unknown(edition) {
        return Ok(Some(unknown));
    }
    let parted = |edition: &mut Edition<'_>, place| edition.word(place).gap.has(Gap::PUNCTUATION);
    let alone = negations_alone(edition, first..start);
    let bound = !parted(edition, start)
        && (edition.negates(start - 1)
            || start - first > 1
                && !parted(edition, start - 1)
                && edition.negate(start - 2, start - 1));
    if alone || bound {
        return Err(Reason::NegationCut);
    }
    let mut place = start;
    while place > first && !parted(edition, place) {
        place -= 1;
        if edition.negates(place) {
            return Ok(Some(NoteKind::NegationNear));
        }
    }
    Ok(None)
}

/// Whether a quotation may end before the word at `end`. What stands from there to the end of the
/// verse is left off.
pub(super) fn after(edition: &mut Edition<'_>, end: usize) -> Verdict {
    let row = edition.corpus.rows().of_word(end - 1);
    let last = edition.corpus.place_of_row(row + 1);
    if end == last {
        return Ok(None);
    }
    if let Some(unknown) = unknown(edition) {
        return Ok(Some(unknown));
    }
    let parted = |edition: &mut Edition<'_>, place| edition.word(place).gap.has(Gap::PUNCTUATION);
    let alone = negations_alone(edition, end..last);
    let bound = !parted(edition, end)
        && (edition.negates(end)
            || last - end > 1 && !parted(edition, end + 1) && edition.negate(end, end + 1));
    if alone || bound {
        return Err(Reason::NegationCut);
    }
    let mut place = end;
    while place < last && !parted(edition, place) {
        if edition.negates(place) {
            return Ok(Some(NoteKind::NegationNear));
        }
        place += 1;
    }
    Ok(None)
}

/// Whether a quotation may leave out the words at these places.
pub(super) fn elision(edition: &mut Edition<'_>, places: std::ops::Range<usize>) -> Verdict {
    if places.len() > LONGEST_ELISION {
        return Err(Reason::ElisionTooLong);
    }
    if places.is_empty() {
        return Ok(None);
    }
    let rows = edition.corpus.rows();
    let (first, last) = (rows.of_word(places.start), rows.of_word(places.end - 1));
    let whole = (first..=last).filter(|row| {
        let start = edition.corpus.place_of_row(*row);
        let end = edition.corpus.place_of_row(*row + 1);
        places.start <= start && end <= places.end
    });
    let book = |row| rows.get(row).map(|row| row.from.book);
    if whole.count() > 1 || book(first) != book(last) {
        return Err(Reason::ElisionTooLong);
    }
    for place in places {
        if edition.negates(place) {
            return Err(Reason::NegationElided);
        }
    }
    Ok(None)
}

/// Whether there are words at these places and all of them negate, so that nothing but a negation is
/// left off.
fn negations_alone(edition: &mut Edition<'_>, places: std::ops::Range<usize>) -> bool {
    let short = (1..=3).contains(&places.len());
    short && places.into_iter().all(|place| edition.negates(place))
}

fn unknown(edition: &Edition<'_>) -> Option<NoteKind> {
    let known = edition.corpus.lexicon().is_some();
    (!known).then_some(NoteKind::NegationsUnknown)
}
