//! What a gate seals: every document and the page, by their hashes.

use ql_core::canon;
use ql_core::hash::Digest;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::document::DocKind;
use crate::verdict::Verdict;

/// The sealed manifest of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The production.
    pub production: String,
    /// The constitution under which it was made.
    pub constitution_sha256: String,
    /// The policy pack under which it was made.
    pub policy_pack_sha256: String,
    /// What it was worth at the gate.
    pub verdict: Verdict,
    /// Every document, by its stage.
    pub documents: Vec<SealedDocument>,
    /// The page that goes live.
    pub page: SealedPage,
}

/// A document of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedDocument {
    /// The stage that made it.
    pub stage: String,
    /// What it is.
    pub kind: DocKind,
    /// The SHA-256 of its canonical form.
    pub sha256: String,
}

/// The page of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedPage {
    /// The page.
    pub content: String,
    /// The revision.
    pub revision: String,
    /// The SHA-256 of what it says.
    pub sha256: String,
}

impl Manifest {
    /// The digest of its canonical form.
    pub fn digest(&self) -> Digest {
        canon::digest(&json!(self))
    }

    /// What of `now` isn't as it was sealed: each with what was sealed and what is there.
    pub fn changes(&self, now: &Self) -> Vec<(String, String, String)> {
        let mut changes = Vec::new();
        let mut compare = |what: &str, sealed: &str, found: &str| {
            if sealed != found {
                changes.push((what.to_owned(), sealed.to_owned(), found.to_owned()));
            }
        };
        compare("production", &self.production, &now.production);
        compare(
            "constitution",
            &self.constitution_sha256,
            &now.constitution_sha256,
        );
        compare(
            "policy pack",
            &self.policy_pack_sha256,
            &now.policy_pack_sha256,
        );
        compare("page", &self.page.content, &now.page.content);
        compare("revision", &self.page.revision, &now.page.revision);
        compare("page's text", &self.page.sha256, &now.page.sha256);
        for sealed in &self.documents {
            let found = now
                .documents
                .iter()
                .find(|document| document.stage == sealed.stage);
            compare(
                &sealed.stage,
                &sealed.sha256,
                found.map_or("", |document| &document.sha256),
            );
        }
        for found in &now.documents {
            if !self
                .documents
                .iter()
                .any(|sealed| sealed.stage == found.stage)
            {
                compare(&found.stage, "", &found.sha256);
            }
        }
        changes
    }
}
