//! Quotations in prose that nobody declared, and words that only look like one.

use std::ops::Range;

use ql_scripture::corpus::Corpus;
use ql_scripture::quote::{self, Claim};
use ql_scripture::reference::Hit;
use ql_scripture::undeclared::{self, Known};
use ql_scripture::{Passage, Scheme};
use serde_json::{Value, json};

use super::super::ground::Ground;
use super::super::prose::{Piece, words};
use super::Read;
use crate::finding::{Code, Finding};

/// How many bytes may stand between a quotation and the reference that goes with it.
const BESIDE: usize = 24;
/// From how many words on something in quotation marks beside a reference is a quotation.
const WORDS: usize = 3;

/// Looks at one text.
pub(super) fn look(
    ground: &Ground,
    piece: &Piece<'_>,
    quoted: &[&str],
    read: &mut Read,
    findings: &mut Vec<Finding>,
) {
    let hits: Vec<Hit> = ground
        .numbering_of(Scheme::English)
        .reader
        .find(piece.text)
        .collect();
    read.passages.extend(hits.iter().map(Hit::passage));
    let mut declared: Vec<Range<usize>> = quoted
        .iter()
        .flat_map(|quote| places(piece.text, quote))
        .collect();
    for (marked, hit) in beside(piece.text, &hits) {
        let known = |range: &Range<usize>| range.start < marked.end && marked.start < range.end;
        if declared.iter().any(known) || words(&piece.text[marked.clone()]).count() < WORDS {
            continue;
        }
        findings.push(presented(ground, piece, &marked, &hit.passage()));
        declared.push(marked);
    }
    let references: Vec<Range<usize>> = hits.into_iter().map(|hit| hit.bytes).collect();
    let known = Known {
        declared: &declared,
        references: &references,
    };
    for found in undeclared::find(ground.library(), piece.text, known) {
        let text = &piece.text[found.at.clone()];
        let places: Vec<Value> = found
            .places
            .iter()
            .map(|place| json!({"edition": place.edition, "passage": place.span.to_string()}))
            .collect();
        let first = found.places.first().map_or_else(String::new, |place| {
            format!(" of {} ({})", place.span, place.edition)
        });
        let message = format!("the words{first} stand here; declare them under `scripture`");
        findings.push(
            Finding::new(
                Code::UndeclaredScriptureQuote,
                piece.pointer.clone(),
                message,
            )
            .with(
                json!({"from": found.at.start, "to": found.at.end, "found": text,
                    "words": found.words, "places": places}),
            ),
        );
    }
}

/// Words in quotation marks beside a reference are presented as Scripture; they must be declared.
fn presented(ground: &Ground, piece: &Piece<'_>, at: &Range<usize>, passage: &Passage) -> Finding {
    let text = &piece.text[at.clone()];
    let verified = ground.library().iter().find(|corpus| {
        let claim = Claim {
            edition: corpus.id(),
            passage,
            text,
        };
        quote::check(ground.library(), &claim).is_ok_and(|answer| answer.grade.verifies())
    });
    let evidence = json!({"from": at.start, "to": at.end, "found": text,
        "passage": passage.to_string(), "edition": verified.map(Corpus::id)});
    let (code, message) = match verified {
        Some(corpus) => (
            Code::UndeclaredScriptureQuote,
            format!(
                "quoted from {} and not declared; declare it under `scripture`",
                corpus.id()
            ),
        ),
        None => (
            Code::ParaphraseAsQuote,
            format!(
                "in quotation marks beside {passage}, and no edition has these words there; \
                quote exactly and declare it, or drop the marks"
            ),
        ),
    };
    Finding::new(code, piece.pointer.clone(), message).with(evidence)
}

/// Where a quotation stands in a text.
fn places(text: &str, quote: &str) -> Vec<Range<usize>> {
    text.match_indices(quote)
        .map(|(at, found)| at..at + found.len())
        .collect()
}

/// What stands in quotation marks with a reference directly before or after it.
fn beside<'h>(text: &str, hits: &'h [Hit]) -> Vec<(Range<usize>, &'h Hit)> {
    let marked = marked(text);
    let near = |range: &Range<usize>| {
        hits.iter().find(|hit| {
            let after = hit.bytes.start >= range.end && is_gap(&text[range.end..hit.bytes.start]);
            let before = hit.bytes.end <= range.start && is_gap(&text[hit.bytes.end..range.start]);
            after || before
        })
    };
    marked
        .into_iter()
        .filter_map(|range| near(&range).map(|hit| (range, hit)))
        .collect()
}

/// Whether nothing but punctuation and a word or two stand between.
fn is_gap(between: &str) -> bool {
    between.len() <= BESIDE
        && !between.contains(['.', '!', '?', '\n'])
        && words(between).count() <= 2
}

/// The bytes between quotation marks, without the marks.
fn marked(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for (at, mark) in text.char_indices() {
        match (mark, open) {
            ('“' | '„' | '«', None) => open = Some((at + mark.len_utf8(), closing(mark))),
            ('"', None) => open = Some((at + 1, '"')),
            (mark, Some((from, close))) if mark == close || (mark == '“' && close == '”') => {
                ranges.push(from..at);
                open = None;
            }
            _ => {}
        }
    }
    ranges
}

const fn closing(open: char) -> char {
    match open {
        '«' => '»',
        '„' => '“',
        _ => '”',
    }
}
