//! Doctrines, disputed passages, and who may say what a passage means.

use ql_core::canon;
use serde_json::json;

use super::attested::Reviews;
use super::quotation::Read;
use super::{Ground, Input};
use crate::finding::{Code, Finding};
use crate::pack::Exegesis;

/// Looks at what is taught and how certain it sounds.
pub(super) fn look(
    ground: &Ground,
    input: &Input<'_>,
    read: &Read,
    reviews: &Reviews<'_>,
    findings: &mut Vec<Finding>,
) {
    let pack = ground.pack();
    for (index, id) in input.result.cited_doctrines.iter().enumerate() {
        if !pack.doctrines.iter().any(|doctrine| doctrine.id == *id) {
            let message = format!("the policy has no doctrine `{id}`");
            let at = format!("/cited_doctrines/{index}");
            findings.push(Finding::new(Code::DoctrineUnknown, at, message));
        }
    }
    let interprets = !input.result.interpretive_notes.is_empty();
    if interprets && input.role.exegesis != Exegesis::WithRationale {
        let message = format!("`{}` may not say what a passage means", input.role.id);
        let at = "/interpretive_notes";
        findings.push(Finding::new(Code::ExegesisUnauthorized, at, message));
    }
    if input.result.uncertainties.is_empty() {
        overconfident(ground, input, read, reviews, findings);
    }
}

fn overconfident(
    ground: &Ground,
    input: &Input<'_>,
    read: &Read,
    reviews: &Reviews<'_>,
    findings: &mut Vec<Finding>,
) {
    let code = Code::OverconfidentDisputedPassage;
    let mut touched = ground
        .disputed()
        .filter(|(_, passage)| read.passages.iter().any(|read| read.overlaps(passage)))
        .peekable();
    if touched.peek().is_none() {
        return;
    }
    let document = canon::digest(&input.result.output).to_string();
    if reviews.clear(ground.pack(), code, &document) {
        return;
    }
    for (disputed, passage) in touched {
        let message = format!(
            "{passage} is disputed ({}); say what is uncertain",
            disputed.matter
        );
        findings.push(
            Finding::new(code, "/uncertainties", message)
                .with(json!({"disputed": disputed.id, "passage": passage.to_string()})),
        );
    }
}
