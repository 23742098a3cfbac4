//! From the words found, or not found, to an answer.

use std::ops::Range;

use super::Claim;
use super::align;
use super::answer::{Answer, Difference, Elsewhere, Grade, Kind, Matched, Note, NoteKind, Reason};
use super::arrange::{Arrangement, Quotation, Refusal};
use super::edition::Edition;
use super::reading::{self, Numbers, Reading};
use super::text::Text;
use crate::corpus::library::Library;
use crate::corpus::normal::one_line;
use crate::corpus::{Corpus, GRAM};
use crate::span::{Passage, Span};
use crate::verse::Verse;

/// From which likeness on a text counts as meant to be the passage, in thousandths.
const NEAR: u16 = 600;

/// The fewest words that are looked for elsewhere.
const FEWEST_ELSEWHERE: usize = 4;

/// The most places elsewhere that an answer names.
const MOST_ELSEWHERE: usize = 5;

/// What comparing a quotation with a passage of one edition gives.
enum Found {
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
fn compare(edition: &mut Edition<'_>, texts: &[Text], claim: &Claim<'_>) -> Found {
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

/// Says of a quotation that isn't verified where its words stand, or how they differ.
fn hint(
    answer: &mut Answer,
    library: &Library,
    edition: &mut Edition<'_>,
    texts: &[Text],
    claim: &Claim<'_>,
) {
    let others = || library.iter().filter(|other| other.id() != claim.edition);
    for other in others() {
        let found = compare(&mut Edition::new(other), texts, claim);
        if let Found::Verified(_, arrangement) = found {
            let spans = arrangement.segments.into_iter();
            let spans = spans.filter_map(|places| other.span_of(places));
            answer.elsewhere.extend(spans.map(|span| Elsewhere {
                edition: other.id().to_owned(),
                span,
            }));
        }
    }
    if answer.grade == Grade::VerseAbsentInEdition {
        return;
    }
    if !answer.elsewhere.is_empty() {
        answer.grade = Grade::WrongTranslation;
        return;
    }
    let text = &texts[0];
    let ids = text.ids(edition.corpus.vocabulary());
    let scope = edition.scope(claim.passage);
    let likeness = align::compare(edition, text, &ids, &scope);
    answer.likeness = likeness.as_ref().map(|likeness| likeness.thousandths);
    if !answer.reasons.is_empty() {
        return;
    }
    answer.elsewhere = elsewhere(edition.corpus, text);
    if !answer.elsewhere.is_empty() {
        answer.grade = Grade::WrongReference;
        return;
    }
    if let Some(likeness) = likeness.filter(|likeness| likeness.thousandths >= NEAR) {
        answer.grade = Grade::NearMiss;
        answer.differences = likeness.differences;
        return;
    }
    answer.elsewhere = others().flat_map(|other| elsewhere(other, text)).collect();
    if !answer.elsewhere.is_empty() {
        answer.grade = Grade::WrongTranslation;
    }
}

/// Where the words of a text stand in a row in an edition.
fn elsewhere(corpus: &Corpus, text: &Text) -> Vec<Elsewhere> {
    let ids = text.ids(corpus.vocabulary());
    if ids.len() < FEWEST_ELSEWHERE {
        return Vec::new();
    }
    let words = corpus.words();
    let stands = |place: &usize| words.get(*place..*place + ids.len()) == Some(&ids);
    let places: Vec<usize> = match ids.get(..GRAM) {
        Some(gram) => {
            let candidates = corpus.five_grams().candidates(gram).iter();
            let places = candidates.map(|place| *place as usize).filter(stands);
            places.take(MOST_ELSEWHERE).collect()
        }
        None => (0..words.len())
            .filter(stands)
            .take(MOST_ELSEWHERE)
            .collect(),
    };
    let spans = places
        .into_iter()
        .filter_map(|place| corpus.span_of(place..place + ids.len()));
    spans
        .filter(|span: &Span| span.from().book == span.to().book)
        .map(|span| Elsewhere {
            edition: corpus.id().to_owned(),
            span,
        })
        .collect()
}
