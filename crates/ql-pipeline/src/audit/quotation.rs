//! Quotations, declared and not (seed, §2 rule 1).

mod answer;
mod declared;
mod undeclared;

use ql_scripture::{Passage, quota};

use super::{Ground, Input, prose};
use crate::finding::{Code, Finding};

/// What was read of a result's Scripture.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// The passages that it quotes or names, in the English numbering.
    pub(super) passages: Vec<Passage>,
    /// What it quotes, each with its edition.
    pub(super) quotations: Vec<(String, quota::Quotation)>,
}

/// Judges every declared quotation, and looks for others.
pub(super) fn look(ground: &Ground, input: &Input<'_>, findings: &mut Vec<Finding>) -> Read {
    let mut read = Read::default();
    for (index, quotation) in input.result.scripture.iter().enumerate() {
        let at = format!("/scripture/{index}");
        if quotation.verified {
            let message = "only the server verifies; leave `verified` false";
            findings.push(Finding::new(
                Code::AgentSelfVerified,
                format!("{at}/verified"),
                message,
            ));
        }
        declared::judge(ground, quotation, &at, &mut read, findings);
    }
    let quoted: Vec<&str> = input
        .result
        .scripture
        .iter()
        .map(|quotation| quotation.quote.as_str())
        .collect();
    for piece in prose::of(input.output) {
        undeclared::look(ground, &piece, &quoted, &mut read, findings);
    }
    read
}
