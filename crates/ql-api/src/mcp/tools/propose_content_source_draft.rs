//! `querylayer_propose_content_source_draft`: proposes a draft that is written from staged records.

use ql_app::proposal::{NewProposal, Proposed};
use ql_core::proposal::{ContentSourceDraft, Payload};
use ql_core::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::input::argument;
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct ProposeContentSourceDraft;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The open run.
    #[schemars(schema_with = "argument::id")]
    run_id: String,
    /// The staged package.
    #[schemars(schema_with = "argument::id")]
    package_id: String,
    /// The records that the draft is written from.
    #[schemars(length(min = 1, max = 100))]
    record_keys: Vec<String>,
    /// A template's key.
    template: String,
    /// All fields, by the template's schema.
    fields: Map<String, Value>,
    /// The page's address; made from the title when left out.
    #[serde(default)]
    slug: Option<String>,
}

impl Tool<Product> for ProposeContentSourceDraft {
    const NAME: &'static str = "querylayer_propose_content_source_draft";
    const TITLE: &'static str = "Propose a draft from source records";
    const DESCRIPTION: &'static str = "Proposes a new page whose draft you wrote from records of a staged package. It is a card for a person and does nothing by itself; accepted, it becomes a draft in your name, not live, that keeps the package and the records' hashes. Invalid, rejected and superseded records are refused with their place. Returns proposal_id, risk, digest, who may approve and the dashboard address.";
    const SCOPES: &'static [Scope] = &[Scope::ContentWrite];
    const EFFECT: Effect = Effect::Adds;
    type Params = Params;
    type Output = Proposed;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, repeat }: Call<Params>,
    ) -> Result<Proposed, Failure> {
        let proposal = NewProposal {
            run: Some(argument::named("run", &params.run_id)?),
            title: None,
            rationale: format!(
                "Written from {} staged record(s).",
                params.record_keys.len()
            ),
            payload: Payload::ContentSourceDraft(ContentSourceDraft {
                package_id: argument::named("source package", &params.package_id)?,
                record_keys: params.record_keys,
                template: params.template,
                slug: params.slug,
                fields: Value::Object(params.fields),
            }),
            pointer: "",
        };
        Ok(product
            .app
            .create_proposal(caller.ctx(), proposal, idempotency::<Self>(repeat))
            .await?)
    }
}
