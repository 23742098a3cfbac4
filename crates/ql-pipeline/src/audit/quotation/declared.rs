//! Quotations that the agent declared.

use ql_scripture::quota;
use ql_scripture::quote::{self, Answer, Claim, Grade, Unjudged};
use ql_scripture::versification::Unmapped;
use ql_scripture::{Scheme, Span};
use serde_json::json;

use super::super::ground::Ground;
use super::super::prose::words;
use super::{Read, answer};
use crate::envelope::result::Quotation;
use crate::finding::{Code, Finding};

/// Judges one quotation.
pub(super) fn judge(
    ground: &Ground,
    quotation: &Quotation,
    at: &str,
    read: &mut Read,
    findings: &mut Vec<Finding>,
) {
    let edition = quotation.translation.as_str();
    if ground.pack().translation(edition).is_none() {
        let message = format!("the policy doesn't list `{edition}` among its translations");
        findings.push(
            Finding::new(
                Code::TranslationNotLicensed,
                format!("{at}/translation"),
                message,
            )
            .with(json!({"translation": edition})),
        );
    }
    let numbering = ground.numbering(edition);
    let passage = match numbering.reader.parse(&quotation.reference) {
        Ok(reference) => reference.passage(),
        Err(error) => {
            findings.push(
                Finding::new(
                    Code::ScriptureReferenceInvalid,
                    format!("{at}/ref"),
                    error.to_string(),
                )
                .with(json!({"ref": quotation.reference})),
            );
            return;
        }
    };
    match numbering.to_english.passage(&passage) {
        Ok(english) => read.passages.push(english),
        Err(unmapped) => findings.extend(ambiguous(&unmapped, &quotation.reference, at)),
    }
    let claim = Claim {
        edition,
        passage: &passage,
        text: &quotation.quote,
    };
    match quote::check(ground.library(), &claim) {
        Ok(answer) if is_english_number(ground, quotation, &answer) => findings.push(
            Finding::new(
                Code::VersificationAmbiguous,
                format!("{at}/ref"),
                format!(
                    "{} is another verse in the numbering of {edition} than in the English one, and \
                     the words are those of the English one",
                    quotation.reference
                ),
            )
            .with(json!({"ref": quotation.reference, "edition": edition})),
        ),
        Ok(answer) => findings.extend(answer::finding(&answer, format!("{at}/quote"))),
        Err(unjudged) => findings.push(unverifiable(&unjudged, quotation, at)),
    }
    let words = words(&quotation.quote).count() as u64;
    read.quotations
        .push((edition.to_owned(), quota::Quotation { passage, words }));
}

/// Whether the words stand where the reference is in the English numbering, in an edition that
/// counts otherwise.
fn is_english_number(ground: &Ground, quotation: &Quotation, answer: &Answer) -> bool {
    if answer.grade != Grade::WrongReference {
        return false;
    }
    let english = ground.numbering_of(Scheme::English);
    let Ok(reference) = english.reader.parse(&quotation.reference) else {
        return false;
    };
    let own = ground.numbering(&quotation.translation);
    own.from_english
        .passage(&reference.passage())
        .is_ok_and(|passage| {
            answer.elsewhere.iter().any(|place| {
                let verses = |span: &Span| span.covers(place.span) || place.span.covers(*span);
                place.edition == answer.edition && passage.spans().iter().any(verses)
            })
        })
}

/// Nobody can look at it, so it isn't verified.
fn unverifiable(unjudged: &Unjudged, quotation: &Quotation, at: &str) -> Finding {
    let field = match unjudged {
        Unjudged::UnknownEdition(_) => "translation",
        Unjudged::NoPassage => "ref",
        Unjudged::TooLong => "quote",
    };
    Finding::new(
        Code::ScriptureQuoteMismatch,
        format!("{at}/{field}"),
        unjudged.to_string(),
    )
    .with(json!({"translation": quotation.translation, "ref": quotation.reference}))
}

/// A verse that the English numbering lacks is no ambiguity; it's only not comparable.
fn ambiguous(unmapped: &Unmapped, reference: &str, at: &str) -> Option<Finding> {
    match unmapped {
        Unmapped::Ambiguous { .. } | Unmapped::Unaligned { .. } => Some(
            Finding::new(
                Code::VersificationAmbiguous,
                format!("{at}/ref"),
                unmapped.to_string(),
            )
            .with(json!({"ref": reference})),
        ),
        Unmapped::OutOfRange(_) | Unmapped::Absent { .. } => None,
    }
}
