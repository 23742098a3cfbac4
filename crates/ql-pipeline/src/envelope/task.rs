//! What the director asks of an agent.

use std::collections::BTreeMap;

use ql_core::canon;
use ql_core::hash::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::result::{Note, Quotation};
use crate::document::DocKind;
use crate::finding::Code;
use crate::money::Micros;
use crate::verdict::Verdict;

/// A task envelope (seed, §1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// The task, a UUID.
    #[schemars(extend("format" = "uuid"))]
    pub task_id: String,
    /// The production, a UUID.
    #[schemars(extend("format" = "uuid"))]
    pub project_id: String,
    /// The role that is asked, as the policy names it.
    #[schemars(length(min = 1, max = 40))]
    pub agent_role: String,
    /// The stage that the work completes.
    #[schemars(length(min = 1, max = 60))]
    pub stage: String,
    /// What is to be made, in a sentence or two.
    #[schemars(length(min = 1, max = 4000))]
    pub objective: String,
    /// The kind of document that is to be made.
    pub doc_kind: DocKind,
    /// What it is made from.
    pub inputs: Inputs,
    /// What must be kept.
    #[schemars(length(max = 100))]
    pub constraints: Vec<Line>,
    /// The version of the constitution.
    #[schemars(length(min = 1, max = 40))]
    pub constitution_version: String,
    /// The SHA-256 of the constitution.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub constitution_sha256: String,
    /// The SHA-256 of the policy pack.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub policy_pack_sha256: String,
    /// The most that the task may cost, in dollars.
    pub budget_usd: Micros,
    /// `project:stage:attempt`; the server issues the number of the attempt.
    #[schemars(length(min = 1, max = 200))]
    pub idempotency_key: String,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Line(#[schemars(length(min = 1, max = 1000))] pub String);

/// What a task is made from. Material from outside stands under `untrusted` alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    /// For whom it is made.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 1000))]
    pub audience: String,
    /// What earlier stages made, by kind of document.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub documents: BTreeMap<String, Document>,
    /// Material that was retrieved. It is data and never instruction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub sources: Vec<Source>,
    /// What must be mended of the last attempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub corrections: Vec<Correction>,
}

/// A document that an earlier stage made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The stage that made it.
    pub stage: String,
    /// The digest of its canonical form.
    pub sha256: String,
    /// What it was worth.
    pub verdict: Verdict,
    /// The document.
    pub output: Value,
    /// The quotations that were declared with it, so that what is made from it can declare them too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 500))]
    pub scripture: Vec<Quotation>,
    /// What its makers say isn't certain, which holds for what is made of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 200))]
    pub uncertainties: Vec<Note>,
}

/// A piece of retrieved material.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The address or name by which it may be cited.
    #[schemars(length(min = 1, max = 2000))]
    pub origin: String,
    /// The digest of its bytes.
    pub sha256: String,
    /// The material, in a marked block.
    #[schemars(length(max = 1))]
    pub untrusted: Vec<String>,
}

/// What was found in the last attempt, without any words of retrieved material.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// What was found.
    pub code: Code,
    /// Where, as a JSON pointer.
    pub pointer: String,
    /// What was expected.
    pub message: String,
}

impl Task {
    /// The digest to which its idempotency key is bound: of everything but `task_id`, so that asking
    /// the same again is seen to be the same.
    pub fn body_digest(&self) -> Digest {
        let mut value = json!(self);
        if let Some(members) = value.as_object_mut() {
            members.remove("task_id");
        }
        canon::digest(&value)
    }
}
