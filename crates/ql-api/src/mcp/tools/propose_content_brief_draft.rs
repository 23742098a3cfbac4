//! `querylayer_propose_content_brief_draft`: puts a draft for a brief before people.

use ql_app::proposal::{NewProposal, Proposed};
use ql_core::proposal::{ContentBriefDraft, Payload};
use ql_core::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::input::argument;
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct ProposeContentBriefDraft;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The open run.
    #[schemars(schema_with = "argument::id")]
    run_id: String,
    /// The brief, still briefed.
    #[schemars(schema_with = "argument::id")]
    brief_id: String,
    /// All fields, by the schema of the brief's template.
    fields: Map<String, Value>,
    /// The page's address; made from the title when left out.
    #[serde(default)]
    slug: Option<String>,
    /// What who decides should know.
    #[serde(default)]
    notes: Option<String>,
}

/// Why, where the agent says nothing.
const ANSWERS: &str = "It answers the brief.";

impl Tool<Product> for ProposeContentBriefDraft {
    const NAME: &'static str = "querylayer_propose_content_brief_draft";
    const TITLE: &'static str = "Propose a draft for a brief";
    const DESCRIPTION: &'static str = "Puts a draft for a content brief before the people who decide, as an inert card: no content item, revision or publication comes of this call. When a person accepts it, the draft is written in your name, connection and run, not live, and the brief is drafted. A brief takes one draft; improve it later with querylayer_create_draft. Returns proposal_id, risk, digest, who may approve and the dashboard address.";
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
            rationale: params.notes.unwrap_or_else(|| ANSWERS.to_owned()),
            payload: Payload::ContentBriefDraft(ContentBriefDraft {
                brief_id: argument::named("brief", &params.brief_id)?,
                fields: Value::Object(params.fields),
                slug: params.slug,
            }),
            pointer: "",
        };
        Ok(product
            .app
            .create_proposal(caller.ctx(), proposal, idempotency::<Self>(repeat))
            .await?)
    }
}
