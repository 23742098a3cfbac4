//! What an agent answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::money::Micros;
use crate::verdict::Verdict;

/// A result envelope (seed, §2). All of it is what the agent says; what it's worth is the engine's to
/// decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskResult {
    /// The task that is answered, a UUID.
    #[schemars(extend("format" = "uuid"))]
    pub task_id: String,
    /// The role that answers.
    #[schemars(length(min = 1, max = 40))]
    pub agent_role: String,
    /// What the agent thinks it's worth.
    pub status: Verdict,
    /// The document, by the schema of its kind.
    pub output: Value,
    /// Every quotation of Scripture in the document.
    #[schemars(length(max = 500))]
    pub scripture: Vec<Quotation>,
    /// What is claimed about the world, with sources.
    #[schemars(length(max = 500))]
    pub claims: Vec<ClaimMade>,
    /// What isn't certain. May be missing, which says something on a disputed passage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 200))]
    pub uncertainties: Vec<Note>,
    /// What passages mean, in the agent's view.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 200))]
    pub interpretive_notes: Vec<Note>,
    /// The doctrines on which it rests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 200))]
    pub cited_doctrines: Vec<String>,
    /// The constitution that the agent saw.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub constitution_sha256: String,
    /// The policy pack that the agent saw.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub policy_pack_sha256: String,
    /// Who served the model, as the agent says.
    #[schemars(length(max = 200))]
    pub provider: String,
    /// The model, as the agent says.
    #[schemars(length(max = 200))]
    pub model: String,
    /// What it cost in dollars, as the agent says.
    pub cost_usd: Micros,
    /// How long it took in milliseconds, as the agent says.
    #[schemars(range(max = 86_400_000))]
    pub latency_ms: u32,
}

/// A declared quotation of Scripture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quotation {
    /// The reference.
    #[serde(rename = "ref")]
    #[schemars(length(min = 1, max = 200))]
    pub reference: String,
    /// The words.
    #[schemars(length(min = 1, max = 65_536))]
    pub quote: String,
    /// The edition.
    #[schemars(length(min = 1, max = 60))]
    pub translation: String,
    /// Always false from an agent.
    pub verified: bool,
}

/// A claim about the world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimMade {
    /// What is claimed.
    #[schemars(length(min = 1, max = 4000))]
    pub claim: String,
    /// Where it's from. May be missing, which is a finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Citation>,
}

/// Where a claim is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Citation {
    /// The work.
    #[schemars(length(min = 1, max = 500))]
    pub work: String,
    /// Its author.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 500))]
    pub author: String,
    /// Where in the work.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 200))]
    pub locator: String,
    /// Its address, where it was retrieved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "uri"), length(max = 2000))]
    pub url: Option<String>,
}

/// A remark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Note(#[schemars(length(min = 1, max = 4000))] pub String);
