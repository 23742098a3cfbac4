//! `querylayer_propose_topical_strategy_opportunities`: asks for pages from the strategy.

use ql_app::proposal::{NewProposal, Proposed};
use ql_core::proposal::{Payload, TopicalStrategy};
use ql_core::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::argument;
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct ProposeOpportunities;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The open run.
    #[schemars(schema_with = "argument::id")]
    run_id: String,
    /// Each new or rejected.
    #[schemars(length(min = 1, max = 100))]
    opportunity_ids: Vec<String>,
    /// Why these, for who decides.
    rationale: String,
}

impl Tool<Product> for ProposeOpportunities {
    const NAME: &'static str = "querylayer_propose_topical_strategy_opportunities";
    const TITLE: &'static str = "Propose strategy opportunities";
    const DESCRIPTION: &'static str = "Asks a person to take opportunities into the topical map: a page for each, under the cluster that its row names. Nothing changes by this call. Approval makes a new map version and commissions one immutable brief for each page, which querylayer_list_content_briefs then shows. Returns proposal_id, risk, digest, who may approve and the dashboard address.";
    const SCOPES: &'static [Scope] = &[Scope::TopicalMapWrite];
    const EFFECT: Effect = Effect::Adds;
    type Params = Params;
    type Output = Proposed;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, repeat }: Call<Params>,
    ) -> Result<Proposed, Failure> {
        let ids = params.opportunity_ids.iter();
        let ids = ids.map(|id| argument::named("opportunity", id));
        let proposal = NewProposal {
            run: Some(argument::named("run", &params.run_id)?),
            title: None,
            rationale: params.rationale,
            payload: Payload::TopicalStrategy(TopicalStrategy {
                opportunity_ids: ids.collect::<Result<_, _>>()?,
            }),
            pointer: "",
        };
        Ok(product
            .app
            .create_proposal(caller.ctx(), proposal, idempotency::<Self>(repeat))
            .await?)
    }
}
