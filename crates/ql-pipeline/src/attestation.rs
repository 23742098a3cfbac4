//! How judgement enters a deterministic pipeline: a reviewer says how a rule stands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a rule stands, as a reviewer says (seed, §4). In the order from worst to best.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// It isn't kept.
    Fail,
    /// It's kept with a qualification that must be shown.
    Qualified,
    /// It has no bearing here.
    NotApplicable,
    /// It's kept.
    Pass,
}

/// What a reviewer says of a rule, as it stands in `output.attestations`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attestation {
    /// The rule.
    #[schemars(length(min = 1, max = 40))]
    pub rule_id: String,
    /// How it stands.
    pub status: Status,
    /// Who says so, for the reader. What counts is who was authenticated.
    #[schemars(length(min = 1, max = 80))]
    pub reviewer: String,
    /// Why. Needed where the rule isn't simply kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 4000))]
    pub notes: String,
}

/// An attestation with the role that was authenticated when it came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attested {
    /// The authenticated role.
    pub role: String,
    /// The digest of the document that was reviewed; none where the passages were.
    pub about: Option<String>,
    /// What it said.
    pub attestation: Attestation,
}

impl Attested {
    /// Whether the reviewer that is named is the role that was authenticated: its id, or its id
    /// with `-agent`.
    pub fn names_its_role(&self) -> bool {
        let named = self.attestation.reviewer.as_str();
        named.strip_suffix("-agent").unwrap_or(named) == self.role
    }
}
