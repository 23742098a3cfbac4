//! The approval policy of a site.

use ql_app::policy::PolicyVersion;
use ql_core::hash::Digest;
use ql_core::policy::{Policy, Rule, SelfApproval};
use ql_core::proposal::{ProposalKind, Risk};
use ql_core::role::Role;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::answer::{Instant, Text};
use super::route::{Answered, Call, Nothing, Route, get, put};
use crate::input::argument::one_of;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "get_policy",
            "/sites/{site}/policy",
            "The approval policy in force",
            show,
        ),
        put(
            "set_policy",
            "/sites/{site}/policy",
            "Puts another approval policy in force; approvals under the old one no longer count",
            set,
        ),
    ]
}

/// A version of the policy.
#[derive(Serialize, JsonSchema)]
struct InForce {
    version: i64,
    digest: Text<Digest>,
    #[schemars(with = "Document")]
    policy: Policy,
    /// The policy in sentences.
    in_words: Vec<String>,
    /// When it was put in force; null for the one that every site begins with.
    created_at: Option<Instant>,
}

impl From<PolicyVersion> for InForce {
    fn from(version: PolicyVersion) -> Self {
        Self {
            created_at: (version.version > 0).then_some(Instant(version.created_at)),
            version: version.version,
            digest: Text(version.digest),
            in_words: version.policy.describe(),
            policy: version.policy,
        }
    }
}

/// The policy: exactly one rule applies to each kind of proposal at each risk.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Document {
    /// From this number of items on, a publication is high risk.
    #[schemars(range(min = 1, max = 100))]
    high_risk_items: u32,
    /// Whether the only eligible member may approve its own proposal.
    #[schemars(schema_with = "self_approval")]
    self_approval: SelfApproval,
    /// The rules.
    #[schemars(length(min = 1, max = 100))]
    rules: Vec<RuleDocument>,
}

/// What one kind of proposal at some risks needs.
#[derive(Serialize, Deserialize, JsonSchema)]
struct RuleDocument {
    /// The kind of proposal.
    #[schemars(schema_with = "kind")]
    kind: ProposalKind,
    /// The risks that the rule is for.
    #[schemars(schema_with = "risks")]
    risk: Vec<Risk>,
    /// How many members must approve.
    #[schemars(range(min = 1, max = 5))]
    approvals: u32,
    /// Which roles may.
    #[schemars(schema_with = "roles")]
    roles: Vec<Role>,
    /// For how many hours a proposal can be approved.
    #[schemars(range(min = 1, max = 8_760))]
    valid_hours: u32,
}

fn self_approval(_: &mut SchemaGenerator) -> Schema {
    one_of(["forbidden", "when_alone"])
}

fn kind(_: &mut SchemaGenerator) -> Schema {
    one_of(ProposalKind::ALL.map(ProposalKind::as_str))
}

fn risks(_: &mut SchemaGenerator) -> Schema {
    some_of(&one_of(Risk::ALL.map(Risk::as_str)), Risk::ALL.len())
}

fn roles(_: &mut SchemaGenerator) -> Schema {
    some_of(&one_of(Role::ALL.map(Role::as_str)), Role::ALL.len())
}

fn some_of(items: &Schema, most: usize) -> Schema {
    json_schema!({
        "type": "array", "items": items, "minItems": 1, "maxItems": most, "uniqueItems": true
    })
}

impl From<Document> for Policy {
    fn from(document: Document) -> Self {
        let rules = document.rules.into_iter().map(|rule| Rule {
            kind: rule.kind,
            risk: rule.risk,
            approvals: rule.approvals,
            roles: rule.roles,
            valid_hours: rule.valid_hours,
        });
        Self {
            high_risk_items: document.high_risk_items,
            self_approval: document.self_approval,
            rules: rules.collect(),
        }
    }
}

async fn show(call: Call) -> Answered<InForce> {
    let ctx = call.on_site().await?;
    Ok(call.app().get_policy(&ctx).await?.into())
}

async fn set(call: Call<Nothing, Document>) -> Answered<InForce> {
    let ctx = call.on_site().await?;
    Ok(call
        .rest
        .app
        .set_policy(&ctx, call.body.into())
        .await?
        .into())
}
