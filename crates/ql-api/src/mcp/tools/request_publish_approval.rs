//! `querylayer_request_publish_approval`: asks people to put revisions live or take pages off.

use ql_app::proposal::{NewProposal, Proposed};
use ql_core::proposal::{Items, Payload};
use ql_core::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::argument;
use crate::input::publication::{self, Publication};
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct RequestPublishApproval;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The open run.
    #[schemars(schema_with = "argument::id")]
    run_id: String,
    /// Done all or none; scheduled ones carry the same `publish_at`.
    #[schemars(length(min = 1, max = 100))]
    items: Vec<Publication>,
    /// Why, for who decides.
    rationale: String,
}

impl Tool<Product> for RequestPublishApproval {
    const NAME: &'static str = "querylayer_request_publish_approval";
    const TITLE: &'static str = "Request approval to publish";
    const DESCRIPTION: &'static str = "Asks a person to publish exactly the revisions you name, or to take pages off the site. Nothing goes live by this call; no agent can publish. Name each item's current draft: a newer one makes the request stale, so ask after the last change. Returns proposal_id, risk, digest, who may approve and the dashboard address. Finish the run without waiting; read the decision with querylayer_list_proposals.";
    const SCOPES: &'static [Scope] = &[Scope::PublishRequest];
    const EFFECT: Effect = Effect::Settles;
    type Params = Params;
    type Output = Proposed;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, repeat }: Call<Params>,
    ) -> Result<Proposed, Failure> {
        let items = publication::read(params.items, "/items")?;
        let proposal = NewProposal {
            run: Some(argument::named("run", &params.run_id)?),
            title: None,
            rationale: params.rationale,
            payload: Payload::PublishLifecycle(Items { items }),
            pointer: "",
        };
        Ok(product
            .app
            .create_proposal(caller.ctx(), proposal, idempotency::<Self>(repeat))
            .await?)
    }
}
