//! What reviewers said, and what counts of it (seed, §3 and §4).

use std::collections::BTreeMap;

use serde_json::json;

use super::prose::has_words;
use super::{Ground, Input};
use crate::attestation::{Attested, Status};
use crate::envelope::Output;
use crate::finding::{Code, Finding};
use crate::pack::{Exegesis, Pack, RuleKind};
use crate::verdict::Verdict;

/// What counts of all reviews.
#[derive(Debug)]
pub(super) struct Reviews<'a> {
    /// The best verdict that they allow.
    pub(super) ceiling: Verdict,
    /// What counts, by rule.
    counted: BTreeMap<&'a str, Vec<&'a Attested>>,
}

impl Reviews<'_> {
    /// Whether a review of the very document clears findings of this kind.
    pub(super) fn clear(&self, pack: &Pack, code: Code, document: &str) -> bool {
        pack.rules
            .iter()
            .filter(|rule| rule.clears.contains(&code))
            .any(|rule| {
                self.counted.get(rule.id.as_str()).is_some_and(|reviews| {
                    reviews.iter().any(|review| {
                        review.about.as_deref() == Some(document)
                            && matches!(review.attestation.status, Status::Pass | Status::Qualified)
                    })
                })
            })
    }
}

/// Looks at what the result attests itself, and at what its stage requires.
pub(super) fn look<'a>(
    ground: &'a Ground,
    input: &Input<'a>,
    findings: &mut Vec<Finding>,
) -> Reviews<'a> {
    let pack = ground.pack();
    let own = own(pack, input, findings);
    let earlier = input
        .attested
        .iter()
        .filter(|review| refusal(pack, review).is_none());
    let mut counted: BTreeMap<&str, Vec<&Attested>> = BTreeMap::new();
    for review in earlier {
        counted
            .entry(&review.attestation.rule_id)
            .or_default()
            .push(review);
    }
    let mut said: Vec<(&str, Status, &str)> = own;
    for rule in &input.stage.rules {
        let reviews = counted.get(rule.as_str()).into_iter().flatten();
        said.extend(reviews.map(|review| {
            let attestation = &review.attestation;
            (
                attestation.rule_id.as_str(),
                attestation.status,
                attestation.notes.as_str(),
            )
        }));
    }
    missing(pack, input, &said, findings);
    failed(&said, findings);
    shown(input, &counted, findings);
    let ceiling = ceiling(pack, input, &counted, &said);
    Reviews { ceiling, counted }
}

/// What the result attests itself, as far as it counts.
fn own<'a>(
    pack: &Pack,
    input: &Input<'a>,
    findings: &mut Vec<Finding>,
) -> Vec<(&'a str, Status, &'a str)> {
    let mut counted = Vec::new();
    for (index, attestation) in input.output.attestations().iter().enumerate() {
        let review = Attested {
            role: input.role.id.clone(),
            about: None,
            attestation: attestation.clone(),
        };
        if let Some(refusal) = refusal(pack, &review) {
            findings.push(
                Finding::new(
                    Code::AttestationUnauthorized,
                    format!("/output/attestations/{index}"),
                    refusal,
                )
                .under(&attestation.rule_id)
                .with(json!({"role": input.role.id, "reviewer": attestation.reviewer})),
            );
        } else {
            let notes = attestation.notes.as_str();
            counted.push((attestation.rule_id.as_str(), attestation.status, notes));
        }
    }
    counted
}

/// Why an attestation doesn't count, if it doesn't.
fn refusal(pack: &Pack, review: &Attested) -> Option<String> {
    let attestation = &review.attestation;
    let (rule, role) = (pack.rule(&attestation.rule_id), pack.role(&review.role));
    let id = &attestation.rule_id;
    let (Some(rule), Some(role)) = (rule, role) else {
        return Some(format!("the policy has no rule `{id}`"));
    };
    let may = role.attests.contains(id);
    let not_applicable = attestation.status == Status::NotApplicable;
    if rule.kind == RuleKind::Deterministic {
        Some(format!("{id} is decided by the server; nobody attests it"))
    } else if !may {
        Some(format!("`{}` may not attest {id}", role.id))
    } else if !review.names_its_role() {
        Some(format!(
            "the reviewer is `{}`, and `{}` was authenticated",
            attestation.reviewer, role.id
        ))
    } else if not_applicable && !rule.not_applicable_by.contains(&role.id) {
        Some(format!("`{}` may not say that {id} doesn't apply", role.id))
    } else if attestation.status != Status::Pass && attestation.notes.trim().is_empty() {
        Some(format!(
            "{id} needs notes that say why it isn't simply kept"
        ))
    } else {
        None
    }
}

fn missing(
    pack: &Pack,
    input: &Input<'_>,
    said: &[(&str, Status, &str)],
    findings: &mut Vec<Finding>,
) {
    for id in &input.stage.rules {
        let attested = pack
            .rule(id)
            .is_some_and(|rule| rule.kind == RuleKind::Attested);
        if attested && !said.iter().any(|(rule, ..)| rule == id) {
            let who = pack.roles.iter().filter(|role| role.attests.contains(id));
            let who: Vec<&str> = who.map(|role| role.id.as_str()).collect();
            let message = format!("{id} isn't attested; it's for {} to do", who.join(" or "));
            findings.push(Finding::new(Code::AttestationMissing, "", message).under(id));
        }
    }
}

fn failed(said: &[(&str, Status, &str)], findings: &mut Vec<Finding>) {
    for (rule, _, notes) in said.iter().filter(|(_, status, _)| *status == Status::Fail) {
        let message = format!("{rule} isn't kept: {notes}");
        findings.push(Finding::new(Code::AttestationFailed, "", message).under(rule));
    }
}

/// Qualifications must be read where the work is described.
fn shown(input: &Input<'_>, counted: &BTreeMap<&str, Vec<&Attested>>, findings: &mut Vec<Finding>) {
    let Output::Metadata(metadata) = input.output else {
        return;
    };
    for review in counted.values().flatten() {
        let attestation = &review.attestation;
        let qualified = attestation.status == Status::Qualified;
        if qualified && !has_words(&metadata.description.0, &attestation.notes) {
            let message = format!(
                "the description doesn't show the qualification: {}",
                attestation.notes
            );
            findings.push(
                Finding::new(Code::QualificationNotShown, "/output/description", message)
                    .under(&attestation.rule_id)
                    .with(json!({"expected": attestation.notes})),
            );
        }
    }
}

fn ceiling(
    pack: &Pack,
    input: &Input<'_>,
    counted: &BTreeMap<&str, Vec<&Attested>>,
    said: &[(&str, Status, &str)],
) -> Verdict {
    let interprets = |role: &str| {
        pack.role(role)
            .is_some_and(|role| role.exegesis == Exegesis::WithRationale)
    };
    let own = interprets(&input.role.id) && !input.output.attestations().is_empty();
    if !own
        && !counted
            .values()
            .flatten()
            .any(|review| interprets(&review.role))
    {
        return Verdict::ScriptureVerified;
    }
    if said
        .iter()
        .any(|(_, status, _)| *status == Status::Qualified)
    {
        return Verdict::TheologyVerifiedWithQualifications;
    }
    Verdict::TheologyVerified
}
