//! Claims and where they're from (seed, §2 rule 2).

use serde_json::json;

use super::Input;
use crate::finding::{Code, Finding};

/// Looks for claims without a source and for sources that nobody retrieved.
pub(super) fn look(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for (index, claim) in input.result.claims.iter().enumerate() {
        let named = claim
            .source
            .as_ref()
            .filter(|source| !source.work.trim().is_empty());
        let Some(source) = named else {
            findings.push(
                Finding::new(
                    Code::HistoricalClaimUnverified,
                    format!("/claims/{index}"),
                    "the claim names no source; name the work and where in it, or drop the claim",
                )
                .with(json!({"claim": claim.claim})),
            );
            continue;
        };
        if let Some(url) = &source.url
            && !input.retrieved.contains(url)
        {
            findings.push(
                Finding::new(
                    Code::CitedSourceNotRetrieved,
                    format!("/claims/{index}/source/url"),
                    "the address isn't among the material that was retrieved for this production",
                )
                .with(json!({"url": url})),
            );
        }
    }
}
