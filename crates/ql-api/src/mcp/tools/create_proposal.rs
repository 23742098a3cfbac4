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
    /// The open run.
    #[schemars(schema_with = "argument::id")]
    run_id: String,
    /// Says which members payload has.
    #[schemars(schema_with = "kind")]
    kind: ProposalKind,
    /// In one line.
    title: String,
    /// Why, for who decides.
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
    const DESCRIPTION: &'static str = "Puts a typed change before the people who decide; nothing happens until one approves. With content:write: create_content (template, fields, slug, locale), content_revision (content_id, base_revision_id, slug, one of fields, merge_patch, edits), internal_link (links), content_brief_draft (brief_id, fields, slug), content_source_draft (package_id, record_keys, template, fields, slug); they write drafts, not live. With topical-map:write: topical_map_change (base_map_version, operations), topical_strategy (opportunity_ids); each new page gets a brief. With publish:request: publish_lifecycle (items: publish, unpublish) changes what is live; content_lifecycle (items: archive, restore, with archived_at) puts away what isn't live or brings it back. Returns proposal_id, risk, digest, who may approve and the dashboard address. Follow it with querylayer_list_proposals.";
    const SCOPES: &'static [Scope] = &[
        Scope::ContentWrite,
        Scope::TopicalMapWrite,
        Scope::PublishRequest,
    ];
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
