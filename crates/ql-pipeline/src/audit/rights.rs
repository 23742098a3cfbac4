//! What the terms of translations allow.

use ql_scripture::quota::{self, Grant, Limit, Quotation, Standing};
use serde_json::json;

use super::quotation::Read;
use super::{Ground, Input, Part};
use crate::finding::{Code, Finding};

/// Measures the work against the terms of every translation that it quotes.
pub(super) fn look(ground: &Ground, input: &Input<'_>, read: &Read, findings: &mut Vec<Finding>) {
    let this = Part::of(
        input.task.doc_kind,
        input.medium,
        input.output,
        read.quotations.clone(),
    );
    let others = input.parts.iter().filter(|part| part.kind != this.kind);
    let parts: Vec<&Part> = others.chain([&this]).collect();
    for translation in &ground.pack().translations {
        let edition = translation.grant.edition.as_str();
        let quoted: Vec<Vec<Quotation>> =
            parts.iter().map(|part| part.of_edition(edition)).collect();
        if quoted.iter().all(Vec::is_empty) {
            continue;
        }
        if let Some(corpus) = ground.library().get(edition) {
            let artefacts: Vec<_> = parts
                .iter()
                .zip(&quoted)
                .map(|(part, quoted)| part.artefact(quoted))
                .collect();
            let report = quota::report(&translation.grant, corpus.manifest(), &artefacts);
            measured(&translation.grant, &report, this.kind.as_str(), findings);
        }
    }
}

fn measured(grant: &Grant, report: &quota::Report, part: &str, findings: &mut Vec<Finding>) {
    let terms = json!({"edition": grant.edition, "as_of": grant.as_of, "source": grant.source});
    for used in report
        .uses
        .iter()
        .filter(|used| used.standing == Standing::Exceeded)
    {
        let limit = match used.limit {
            Limit::Verses => "verses".to_owned(),
            Limit::Work => "the work's words".to_owned(),
            Limit::Book(book) => format!("the verses of {}", book.english()),
        };
        let message = format!(
            "{} of {} of {limit} are quoted of {}, which is more than its terms of \
            {} allow",
            used.used, used.of, grant.edition, grant.as_of
        );
        findings.push(
            Finding::new(Code::TranslationQuotaExceeded, "/scripture", message)
                .with(json!({"terms": terms, "limit": limit, "used": used.used, "of": used.of})),
        );
    }
    if report.media_refused.iter().any(|refused| refused == part) {
        let message = format!("the terms of {} don't name this medium", grant.edition);
        findings.push(
            Finding::new(Code::TranslationNotLicensed, "/scripture", message)
                .with(json!({"terms": terms})),
        );
    }
    for notice in report
        .notices
        .iter()
        .filter(|notice| notice.missing_in.iter().any(|at| at == part))
    {
        let message = format!(
            "the notice of {} must stand here: {}",
            grant.edition, notice.text
        );
        findings.push(
            Finding::new(Code::CopyrightNoticeMissing, "/output", message)
                .with(json!({"terms": terms, "expected": notice.text, "place": notice.place})),
        );
    }
}
