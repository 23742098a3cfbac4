//! What is said of a quotation that isn't verified. Nothing here verifies one.

use super::Claim;
use super::align;
use super::answer::{Answer, Elsewhere, Grade};
use super::edition::Edition;
use super::judge::{Found, compare};
use super::text::Text;
use crate::corpus::library::Library;
use crate::corpus::{Corpus, GRAM};
use crate::span::Span;

/// From which likeness on a text counts as meant to be the passage, in thousandths.
const NEAR: u16 = 600;

/// The fewest words that are looked for elsewhere.
const FEWEST_ELSEWHERE: usize = 4;

/// The most places elsewhere that an answer names.
const MOST_ELSEWHERE: usize = 5;

/// Says of a quotation that isn't verified where its words stand, or how they differ.
pub(super) fn hint(
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
