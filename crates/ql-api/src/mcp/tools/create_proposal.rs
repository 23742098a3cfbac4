//! `querylayer_create_proposal`: puts a typed change before people.

use ql_app::proposal::{NewProposal, Proposed};
use ql_core::proposal::ProposalKind;
use ql_core::scope::Scope;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::input::argument;
use crate::input::payload::PayloadArguments;
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct CreateProposal;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The open run that the proposal belongs to.
    #[schemars(schema_with = "argument::id")]
    run_id: String,
    /// What is proposed; it decides which members of payload are needed and which scope.
    #[schemars(schema_with = "kind")]
    kind: ProposalKind,
    /// The proposal in one line.
    #[schemars(length(min = 1, max = 200))]
    title: String,
    /// Why, for the person who decides.
    #[schemars(length(min = 1, max = 4000))]
    rationale: String,
    /// What approval carries out.
    payload: PayloadArguments,
}

fn kind(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(ProposalKind::ALL.map(ProposalKind::as_str))
}

impl Tool<Product> for CreateProposal {
    const NAME: &'static str = "querylayer_create_proposal";
    const TITLE: &'static str = "Create a proposal";
    const DESCRIPTION: &'static str = "Puts a typed change before the people who decide; nothing happens until one approves. Kinds: create_content (payload: template, fields, slug, locale) and content_revision (content_id, base_revision_id, one of fields, merge_patch, edits; slug) add a draft, not live, and need content:write; publish_lifecycle (items with action publish or unpublish) changes what is live and content_lifecycle (items with action archive or restore, archived_at) puts pages away or brings them back, and both need publish:request. A page that is live must be unpublished before it can be archived. Returns proposal_id, risk, digest, who may approve and the dashboard address for people. Follow it with querylayer_list_proposals.";
    const SCOPES: &'static [Scope] = &[Scope::ContentWrite, Scope::PublishRequest];
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
            title: Some(params.title),
            rationale: params.rationale,
            payload: params.payload.read(params.kind)?,
            pointer: "/payload",
        };
        Ok(product
            .app
            .create_proposal(caller.ctx(), proposal, idempotency::<Self>(repeat))
            .await?)
    }
}
