//! What a result is worth: a pure function of what is known (seed, §2 and §4).
//!
//! Every finding has a ceiling; the verdict is the least of all ceilings and of what the agent
//! claims. So the order in which things are looked at never matters, nothing that is found raises a
//! verdict, and looking again gives the same.

mod attested;
mod cost;
mod derivative;
mod doctrine;
mod ground;
mod part;
mod prose;
mod quotation;
mod rights;
mod source;

use std::collections::BTreeSet;

use ql_core::hash::Digest;
use serde_json::json;

use crate::attestation::Attested;
use crate::envelope::output::Script;
use crate::envelope::{Output, Task, TaskResult};
use crate::finding::{Code, Finding, settle};
use crate::pack::{Role, Stage};
use crate::verdict::Verdict;

pub use cost::Spent;
pub use ground::{Ground, Unready};
pub use part::Part;

/// What is known of a result.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// What was asked.
    pub task: &'a Task,
    /// What was answered.
    pub result: &'a TaskResult,
    /// The document of the answer.
    pub output: &'a Output,
    /// The role that was authenticated when it came in.
    pub role: &'a Role,
    /// The stage whose rules must stand: the one that made the document, or a gate after it.
    pub stage: &'a Stage,
    /// What reviewers said in this production, without what this result says itself.
    pub attested: &'a [Attested],
    /// The origins of all material that was retrieved.
    pub retrieved: &'a [String],
    /// What was found elsewhere and concerns this result: in its sources, in its artefacts.
    pub open: &'a [Finding],
    /// The fingerprints of the findings that a person waived.
    pub waived: &'a BTreeSet<Digest>,
    /// What it cost.
    pub spent: Spent,
    /// The script from which it's made, where it's made from one.
    pub script: Option<&'a Script>,
    /// The other parts of the work.
    pub parts: &'a [Part],
    /// The medium in which the work appears.
    pub medium: &'a str,
}

/// What a result is worth, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// What it's worth.
    pub verdict: Verdict,
    /// What was found, in a fixed order, each once.
    pub findings: Vec<Finding>,
}

impl Audit {
    /// The findings that keep it from `least`, without those that a person waived.
    pub fn against<'a>(
        &'a self,
        least: Verdict,
        waived: &'a BTreeSet<Digest>,
    ) -> impl Iterator<Item = &'a Finding> {
        let lowers = move |finding: &&Finding| {
            finding
                .code
                .ceiling()
                .is_some_and(|ceiling| ceiling < least)
                && !is_waived(finding, waived)
        };
        self.findings.iter().filter(lowers)
    }
}

impl Ground {
    /// Audits a result.
    pub fn audit(&self, input: &Input<'_>) -> Audit {
        // A downgrade is told of this audit alone, whatever an earlier one told.
        let mut findings = input.open.to_vec();
        findings.retain(|finding| finding.code != Code::StatusDowngraded);
        hashes(input, &mut findings);
        source::look(input, &mut findings);
        cost::look(input, &mut findings);
        let read = quotation::look(self, input, &mut findings);
        rights::look(self, input, &read, &mut findings);
        let reviews = attested::look(self, input, &mut findings);
        doctrine::look(self, input, &read, &reviews, &mut findings);
        derivative::look(self, input, &mut findings);
        settle(&mut findings);
        let ceiling = findings
            .iter()
            .filter(|finding| !is_waived(finding, input.waived))
            .filter_map(|finding| finding.code.ceiling())
            .chain([reviews.ceiling])
            .min()
            .unwrap_or(Verdict::TheologyVerified);
        let verdict = ceiling.min(input.result.status);
        if verdict < input.result.status {
            findings.push(downgraded(input.result.status, verdict));
            settle(&mut findings);
        }
        Audit { verdict, findings }
    }
}

fn is_waived(finding: &Finding, waived: &BTreeSet<Digest>) -> bool {
    finding.code.is_waivable() && waived.contains(&finding.fingerprint())
}

fn downgraded(claimed: Verdict, verdict: Verdict) -> Finding {
    let message = format!(
        "{} was claimed; it's worth {}",
        claimed.as_str(),
        verdict.as_str()
    );
    Finding::new(Code::StatusDowngraded, "/status", message)
        .with(json!({"claimed": claimed.as_str(), "effective": verdict.as_str()}))
}

/// The result must be of the policy that its task names.
fn hashes(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let (task, result) = (input.task, input.result);
    let pairs = [
        (
            Code::ConstitutionHashMismatch,
            "constitution_sha256",
            &task.constitution_sha256,
            &result.constitution_sha256,
        ),
        (
            Code::PolicyPackHashMismatch,
            "policy_pack_sha256",
            &task.policy_pack_sha256,
            &result.policy_pack_sha256,
        ),
    ];
    for (code, field, expected, found) in pairs {
        if expected != found {
            let message = format!("the task names {expected}, the result {found}");
            findings.push(
                Finding::new(code, format!("/{field}"), message)
                    .with(json!({"expected": expected, "found": found})),
            );
        }
    }
}
