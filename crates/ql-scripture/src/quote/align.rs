//! How a quotation differs from the stretch of a passage that is most like it. A hint: nothing here
//! decides on a quotation.

use std::ops::Range;

use super::answer::{Difference, Kind};
use super::edition::Edition;
use super::text::Text;
use crate::corpus::{UNKNOWN, WordId};

/// The most comparisons of words for one hint.
const MOST_COMPARISONS: usize = 4_000_000;

/// The most words of a passage for which there are hints.
const MOST_WORDS: usize = 60_000;

/// What a hint says.
#[derive(Clone, Debug)]
pub(super) struct Likeness {
    /// Shared words in thousandths of the longer of both.
    pub(super) thousandths: u16,
    pub(super) differences: Vec<Difference>,
}

/// One step of the way from the edition to the quotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Same,
    Replaced,
    /// A word of the edition that the quotation lacks.
    Missing,
    /// A word of the quotation that the edition lacks.
    Added,
}

/// Compares a quotation with the most similar stretch at these places.
pub(super) fn compare(
    edition: &mut Edition<'_>,
    text: &Text,
    ids: &[WordId],
    scope: &[Range<usize>],
) -> Option<Likeness> {
    if scope.iter().map(Range::len).sum::<usize>() > MOST_WORDS {
        return None;
    }
    let near = scope.iter().filter_map(|places| {
        let places = nearest(edition, ids, places.clone());
        let (start, steps) = align(ids, edition.ids().get(places.clone())?)?;
        let same = steps.iter().filter(|step| **step == Step::Same).count();
        Some((same, places.start + start, steps))
    });
    let (same, start, steps) = near.max_by_key(|(same, ..)| *same)?;
    let printed = steps.iter().filter(|step| **step != Step::Added).count();
    let longer = ids.len().max(printed).max(1);
    Some(Likeness {
        thousandths: u16::try_from(same * 1000 / longer).unwrap_or(1000),
        differences: differences(edition, text, start, &steps),
    })
}

/// The places worth comparing: all of them, or those around the verse that shares most words.
fn nearest(edition: &Edition<'_>, ids: &[WordId], places: Range<usize>) -> Range<usize> {
    if places.len() * ids.len() <= MOST_COMPARISONS {
        return places;
    }
    let words: std::collections::HashSet<WordId> = ids.iter().copied().collect();
    let corpus = edition.corpus;
    let rows = corpus.rows().of_word(places.start)..=corpus.rows().of_word(places.end - 1);
    let shared = |row: &usize| {
        let of = corpus.place_of_row(*row)..corpus.place_of_row(*row + 1);
        let known = edition.ids()[of].iter().filter(|id| words.contains(id));
        known.count()
    };
    let row = rows.max_by_key(shared).unwrap_or(0);
    let around = (MOST_COMPARISONS / ids.len().max(1) / 2).min(2 * ids.len());
    let start = corpus
        .place_of_row(row)
        .saturating_sub(around)
        .max(places.start);
    let end = (corpus.place_of_row(row + 1) + around).min(places.end);
    start..end.max(start)
}

/// The shortest way from some stretch of the edition to the whole quotation, and where it begins.
fn align(quoted: &[WordId], printed: &[WordId]) -> Option<(usize, Vec<Step>)> {
    let width = printed.len() + 1;
    if quoted.is_empty() || width.checked_mul(quoted.len() + 1)? > 2 * MOST_COMPARISONS {
        return None;
    }
    let mut steps = vec![Step::Added; width * (quoted.len() + 1)];
    let mut costs = vec![0_u32; width];
    for (row, word) in quoted.iter().enumerate() {
        let mut diagonal = costs[0];
        costs[0] += 1;
        for (column, other) in printed.iter().enumerate() {
            let same = word == other && *word != UNKNOWN;
            let across = diagonal + u32::from(!same);
            let (added, missing) = (costs[column + 1] + 1, costs[column] + 1);
            let step = match across.min(added).min(missing) {
                least if least == across && same => Step::Same,
                least if least == across => Step::Replaced,
                least if least == missing => Step::Missing,
                _ => Step::Added,
            };
            diagonal = costs[column + 1];
            costs[column + 1] = across.min(added).min(missing);
            steps[(row + 1) * width + column + 1] = step;
        }
    }
    // Of equal ways the longest: a word is rather missing within than added at the end.
    let end = (0..width).rev().min_by_key(|column| costs[*column])?;
    let (mut row, mut column) = (quoted.len(), end);
    let mut way = Vec::new();
    while row > 0 {
        let step = steps[row * width + column];
        way.push(step);
        row -= usize::from(step != Step::Missing);
        column -= usize::from(step != Step::Added);
    }
    way.reverse();
    Some((column, way))
}

/// Puts steps of one kind together and shows what stands there.
fn differences(
    edition: &mut Edition<'_>,
    text: &Text,
    start: usize,
    steps: &[Step],
) -> Vec<Difference> {
    let mut found = Vec::new();
    let (mut word, mut place) = (0, start);
    for run in steps.chunk_by(|one, two| (*one == Step::Same) == (*two == Step::Same)) {
        let words = word..word + run.iter().filter(|step| **step != Step::Missing).count();
        let places = place..place + run.iter().filter(|step| **step != Step::Added).count();
        (word, place) = (words.end, places.end);
        if run.first() != Some(&Step::Same) {
            found.push(difference(edition, text, words, places));
        }
    }
    found
}

fn difference(
    edition: &mut Edition<'_>,
    text: &Text,
    words: Range<usize>,
    places: Range<usize>,
) -> Difference {
    let kind = match (words.is_empty(), places.is_empty()) {
        (true, _) => Kind::Missing,
        (_, true) => Kind::Added,
        _ => Kind::Replaced,
    };
    let quoted = &text.words[words.clone()];
    let at = if let (Some(first), Some(last)) = (quoted.first(), quoted.last()) {
        first.range.start..last.range.end
    } else {
        let before = words.start.checked_sub(1).map(|before| &text.words[before]);
        let at = before.map_or(0, |before| before.range.end);
        at..at
    };
    let normals: Vec<&str> = quoted.iter().map(|word| word.normal.as_str()).collect();
    Difference {
        kind,
        at,
        expected: edition.printed(places.clone()),
        found: normals.join(" "),
        verse: edition.corpus.span_of(places),
    }
}
