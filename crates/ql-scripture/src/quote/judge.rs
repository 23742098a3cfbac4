//! From the words found, or not found, to an answer.

use std::ops::Range;

use super::Claim;
use super::answer::{Answer, Difference, Grade, Kind, Matched, Note};
use super::arrange::{Arrangement, Quotation};
use super::edition::Edition;
use super::fit::Refusal;
use super::hint::hint;
use super::reading::{self, Numbers, Reading};
use super::reason::{NoteKind, Reason};
use super::text::Text;
use crate::corpus::Corpus;
use crate::corpus::library::Library;
use crate::corpus::normal::one_line;
use crate::span::{Passage, Span};
use crate::verse::Verse;

/// What comparing a quotation with a passage of one edition gives.
pub(super) enum Found {
    Verified(Grade, Arrangement),
    Refused(Refusal),
    Unlike,
    Absent,
}

/// Judges a claim against the edition that it names.
pub(super) fn judge(library: &Library, corpus: &Corpus, claim: &Claim<'_>) -> Answer {
    let texts = texts(claim.text);
    let mut edition = Edition::new(corpus);
    let mut answer = blank(corpus, claim.passage);
    if texts.iter().all(|text| text.words.is_empty()) {
        answer.reasons.push(Reason::Empty);
        return answer;
    }
    match compare(&mut edition, &texts, claim) {
        Found::Verified(grade, arrangement) => {
            verified(&mut answer, &edition, grade, arrangement);
            return answer;
        }
        Found::Absent => answer.grade = Grade::VerseAbsentInEdition,
        Found::Refused(refusal) => {
            answer.grade = Grade::NearMiss;
            refused(&mut answer, &mut edition, claim.text, refusal);
        }
        Found::Unlike => {}
    }
    hint(&mut answer, library, &mut edition, &texts, claim);
    answer
}

/// The text as it stands, and with the words joined that the end of a line parts.
fn texts(text: &str) -> Vec<Text> {
    let text = Text::read(text);
    let joined = text.joined();
    [Some(text), joined].into_iter().flatten().collect()
}

fn blank(corpus: &Corpus, passage: &Passage) -> Answer {
    Answer {
        grade: Grade::NotFound,
        edition: corpus.id().to_owned(),
        corpus_sha256: corpus.manifest().sha256.clone(),
        passage: passage.clone(),
        matched: Vec::new(),
        reasons: Vec::new(),
        notes: Vec::new(),
        differences: Vec::new(),
        elsewhere: Vec::new(),
        likeness: None,
    }
}

/// Tries every reading of the text, the plainest first.
pub(super) fn compare(edition: &mut Edition<'_>, texts: &[Text], claim: &Claim<'_>) -> Found {
    let scope = edition.scope(claim.passage);
    if scope.is_empty() {
        return Found::Absent;
    }
    let numbers: Vec<_> = claim
        .passage
        .spans()
        .iter()
        .map(|span| numbers(*span))
        .collect();
    let mut refused = None;
    for text in texts {
        let ids = text.ids(edition.corpus.vocabulary());
        for reading in reading::readings(text, edition.corpus.lexicon(), &numbers) {
            let quotation = Quotation {
                text,
                ids: &ids,
                reading: &reading,
            };
            match quotation.arrange(edition, &scope) {
                Ok(mut arrangement) => {
                    let grade = grade(edition, &reading, &arrangement, &scope, claim);
                    arrangement.notes.extend(remarks(&reading, &arrangement));
                    return Found::Verified(grade, arrangement);
                }
                Err(refusal) => refused = refused.or(refusal),
            }
        }
    }
    refused.map_or(Found::Unlike, Found::Refused)
}

/// The numbers of a span; any verse if it holds several chapters.
fn numbers(span: Span) -> Numbers {
    let (from, to) = (span.from(), span.to());
    let one_chapter = (from.book, from.chapter) == (to.book, to.chapter);
    let (first, last) = if one_chapter {
        (from.verse, to.verse)
    } else {
        (1, u8::MAX)
    };
    let (begins, ends) = if from.book == to.book {
        (from.chapter, to.chapter)
    } else {
        (1, u8::MAX)
    };
    Numbers {
        chapters: begins.into()..=ends.into(),
        verses: first.into()..=last.into(),
    }
}

fn grade(
    edition: &Edition<'_>,
    reading: &Reading,
    arrangement: &Arrangement,
    scope: &[Range<usize>],
    claim: &Claim<'_>,
) -> Grade {
    if reading.inserted {
        return Grade::Bracketed;
    }
    let [places] = arrangement.segments.as_slice() else {
        return Grade::Elided;
    };
    let [whole] = scope else {
        return Grade::PartialExact;
    };
    let rows = edition.corpus.rows();
    let first = rows.of_word(whole.start);
    let title = rows.get(first).is_some_and(|row| row.from.verse == 0);
    let after_title = title && places.start == edition.corpus.place_of_row(first + 1);
    if places.end != whole.end || (places.start != whole.start && !after_title) {
        return Grade::PartialExact;
    }
    let printed = rows.of_word(places.start)..=rows.of_word(places.end - 1);
    let printed = printed.filter_map(|row| rows.get(row));
    let printed: Vec<&str> = printed.map(|row| edition.corpus.row_text(row)).collect();
    if one_line(claim.text) == printed.join(" ") {
        return Grade::Exact;
    }
    Grade::ExactNormalised
}

/// Notes on a quotation as a whole.
fn remarks(reading: &Reading, arrangement: &Arrangement) -> Vec<Note> {
    let words: usize = arrangement.segments.iter().map(Range::len).sum();
    let kinds = [
        (!reading.numbers.is_empty(), NoteKind::VerseNumbers),
        (words < 3, NoteKind::Short),
    ];
    let kinds = kinds.into_iter().filter(|(holds, _)| *holds);
    kinds.map(|(_, kind)| note(kind)).collect()
}

/// Notes that hold for every word are made once.
fn once(notes: &mut Vec<Note>) {
    for kind in [NoteKind::Capitals, NoteKind::Unpointed] {
        let before = notes.len();
        notes.retain(|note| note.kind != kind);
        if notes.len() < before {
            notes.push(note(kind));
        }
    }
}

fn note(kind: NoteKind) -> Note {
    Note {
        kind,
        at: None,
        edition: None,
    }
}

fn verified(answer: &mut Answer, edition: &Edition<'_>, grade: Grade, found: Arrangement) {
    answer.grade = grade;
    answer.notes = found.notes;
    once(&mut answer.notes);
    let corpus = edition.corpus;
    answer.matched = found
        .segments
        .into_iter()
        .filter_map(|places| {
            let words = places.len();
            let span = corpus.span_of(places)?;
            Some(Matched { span, words })
        })
        .collect();
    if answer.matched.iter().any(|of| of.span.from().verse == 0) {
        answer.notes.push(note(NoteKind::Title));
    }
    let absent = corpus.manifest().absent.iter();
    let mut absent = absent.filter_map(|verse| verse.parse::<Verse>().ok());
    if absent.any(|verse| answer.passage.contains(verse)) {
        answer.notes.push(note(NoteKind::VerseAbsent));
    }
}

fn refused(answer: &mut Answer, edition: &mut Edition<'_>, text: &str, refusal: Refusal) {
    answer.reasons.push(refusal.reason);
    answer
        .differences
        .extend(refusal.word.map(|(at, places)| Difference {
            kind: Kind::Spelled,
            expected: edition.printed(places.clone()),
            found: text[at.clone()].to_owned(),
            at,
            verse: edition.corpus.span_of(places),
        }));
}
