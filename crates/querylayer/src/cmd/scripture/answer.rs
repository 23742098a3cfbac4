//! Answers as JSON. Places are bytes of the text that was asked about.

use ql_scripture::quote::Answer;
use ql_scripture::reference::{Hit, ParseError, Reference};
use ql_scripture::undeclared::Finding;
use serde_json::{Value, json};

/// A reference that was read.
pub(super) fn reference(reference: &Reference) -> Value {
    let citations = reference.citations.iter();
    let citations: Vec<Value> = citations
        .map(|citation| {
            json!({
                "span": citation.span.to_string(),
                "from_part": citation.from_part,
                "to_part": citation.to_part,
                "start": citation.bytes.start,
                "end": citation.bytes.end,
            })
        })
        .collect();
    json!({
        "ok": true,
        "passage": reference.passage().to_string(),
        "citations": citations,
    })
}

/// A text that is no reference.
pub(super) fn not_a_reference(error: &ParseError) -> Value {
    json!({
        "ok": false,
        "verified": false,
        "code": "SCRIPTURE_REFERENCE_INVALID",
        "at": error.at,
        "wrong": error.reason.to_string(),
    })
}

/// A reference that was found in prose.
pub(super) fn hit(text: &str, hit: &Hit) -> Value {
    json!({
        "passage": hit.passage().to_string(),
        "text": &text[hit.bytes.clone()],
        "start": hit.bytes.start,
        "end": hit.bytes.end,
        "guessed": hit.guessed,
    })
}

/// What is said of a quotation.
pub(super) fn quotation(answer: &Answer) -> Value {
    let matched = answer.matched.iter();
    let matched: Vec<Value> = matched
        .map(|of| json!({"span": of.span.to_string(), "words": of.words}))
        .collect();
    let reasons = answer.reasons.iter();
    let reasons: Vec<Value> = reasons
        .map(|reason| json!({"code": reason.code(), "remedy": reason.remedy()}))
        .collect();
    let notes = answer.notes.iter();
    let notes: Vec<Value> = notes
        .map(|note| {
            json!({
                "code": note.kind.code(),
                "start": note.at.as_ref().map(|at| at.start),
                "end": note.at.as_ref().map(|at| at.end),
                "edition": note.edition,
            })
        })
        .collect();
    let elsewhere = answer.elsewhere.iter();
    let elsewhere: Vec<Value> = elsewhere
        .map(|place| json!({"edition": place.edition, "span": place.span.to_string()}))
        .collect();
    json!({
        "ok": answer.grade.verifies(),
        "verified": answer.grade.verifies(),
        "grade": answer.grade.code(),
        "edition": answer.edition,
        "corpus_sha256": answer.corpus_sha256,
        "passage": answer.passage.to_string(),
        "matched": matched,
        "reasons": reasons,
        "notes": notes,
        "differences": differences(answer),
        "elsewhere": elsewhere,
        "likeness_thousandths": answer.likeness,
    })
}

fn differences(answer: &Answer) -> Vec<Value> {
    let differences = answer.differences.iter();
    differences
        .map(|of| {
            json!({
                "kind": of.kind.code(),
                "start": of.at.start,
                "end": of.at.end,
                "expected": of.expected,
                "found": of.found,
                "verse": of.verse.map(|verse| verse.to_string()),
            })
        })
        .collect()
}

/// A quotation that nobody declared.
pub(super) fn finding(text: &str, finding: &Finding) -> Value {
    let places = finding.places.iter();
    let places: Vec<Value> = places
        .map(|place| json!({"edition": place.edition, "span": place.span.to_string()}))
        .collect();
    json!({
        "text": &text[finding.at.clone()],
        "start": finding.at.start,
        "end": finding.at.end,
        "words": finding.words,
        "cue": finding.cue.map(ql_scripture::undeclared::Cue::code),
        "places": places,
        "more": finding.more,
    })
}
