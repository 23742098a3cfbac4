//! What the editions say of a quotation, as a finding.

use ql_scripture::quote::{Answer, Grade, Kind};
use serde_json::{Value, json};

use crate::finding::{Code, Finding};

/// The finding about an answer that doesn't verify.
pub(super) fn finding(answer: &Answer, pointer: String) -> Option<Finding> {
    let code = match answer.grade {
        Grade::Exact
        | Grade::ExactNormalised
        | Grade::PartialExact
        | Grade::Elided
        | Grade::Bracketed => return None,
        Grade::WrongReference => Code::QuoteReferenceMismatch,
        Grade::WrongTranslation => Code::QuoteTranslationMismatch,
        Grade::NearMiss => Code::ScriptureQuoteMismatch,
        Grade::NotFound => Code::ParaphraseAsQuote,
        Grade::VerseAbsentInEdition => Code::ScriptureVerseAbsentInEdition,
    };
    Some(Finding::new(code, pointer, message(answer)).with(evidence(answer)))
}

fn message(answer: &Answer) -> String {
    let passage = &answer.passage;
    let edition = &answer.edition;
    let elsewhere: Vec<String> = answer
        .elsewhere
        .iter()
        .map(|place| format!("{} {}", place.edition, place.span))
        .collect();
    let elsewhere = elsewhere.join(", ");
    match answer.grade {
        Grade::WrongReference => {
            format!("not {passage} of {edition}: the words stand in {elsewhere}")
        }
        Grade::WrongTranslation => format!("not the words of {edition}; they are in {elsewhere}"),
        Grade::VerseAbsentInEdition => format!("{edition} doesn't have {passage}"),
        Grade::NotFound => format!("no edition has these words; {passage} reads otherwise"),
        _ => {
            let differences: Vec<String> = answer
                .differences
                .iter()
                .take(5)
                .map(|of| match of.kind {
                    Kind::Missing => format!("`{}` is missing", of.expected),
                    Kind::Added => format!("`{}` is added", of.found),
                    Kind::Replaced | Kind::Spelled => {
                        format!("`{}` stands for `{}`", of.found, of.expected)
                    }
                })
                .collect();
            format!("not the words of {passage}: {}", differences.join("; "))
        }
    }
}

/// What was expected and found, for programs. Of the edition it holds what differs alone.
fn evidence(answer: &Answer) -> Value {
    let differences: Vec<Value> = answer
        .differences
        .iter()
        .take(50)
        .map(|of| {
            json!({
                "kind": of.kind.code(), "from": of.at.start, "to": of.at.end,
                "expected": of.expected, "found": of.found,
            })
        })
        .collect();
    let reasons: Vec<String> = answer
        .reasons
        .iter()
        .map(|reason| reason.code().to_owned())
        .collect();
    let elsewhere: Vec<Value> = answer
        .elsewhere
        .iter()
        .map(|place| json!({"edition": place.edition, "passage": place.span.to_string()}))
        .collect();
    json!({
        "grade": answer.grade.code(), "edition": answer.edition,
        "corpus_sha256": answer.corpus_sha256, "passage": answer.passage.to_string(),
        "reasons": reasons, "diff": differences, "elsewhere": elsewhere,
    })
}
