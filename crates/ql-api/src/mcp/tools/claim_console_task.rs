//! `querylayer_claim_console_task`: takes the next turn that people or a plan have for the agent.

use std::time::Duration;

use ql_app::turn::{ClaimTurn, ClaimedTurn};
use ql_core::conversation::Presented;
use ql_core::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct ClaimConsoleTask;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The stored session that you run in; the first claim binds the conversation to it.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    session_id: Option<String>,
    /// The session that this one goes on from, when your program began a new one.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    previous_session_id: Option<String>,
    /// How many seconds to wait for a task; 0 when left out.
    #[schemars(range(min = 0, max = 45))]
    #[serde(default)]
    wait_seconds: Option<u32>,
}

impl Tool<Product> for ClaimConsoleTask {
    const NAME: &'static str = "querylayer_claim_console_task";
    const TITLE: &'static str = "Claim a console task";
    const DESCRIPTION: &'static str = "Takes the next turn of the Agent Console: what a person wrote to you, or a step of your plan (plan_step). The returned user_message is the request to carry out now. You hold it until lease_expires_at; calls with lease_token or a run_id begun under it renew that. End it with querylayer_complete_console_task; for work of several steps make a plan with querylayer_create_task_plan. no_task: nothing waits, call again.";
    const SCOPES: &'static [Scope] = &[Scope::RunsWrite];
    const EFFECT: Effect = Effect::Adds;
    type Params = Params;
    type Output = ClaimedTurn;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, repeat }: Call<Params>,
    ) -> Result<ClaimedTurn, Failure> {
        let claim = ClaimTurn {
            presented: Presented {
                session: params.session_id,
                previous: params.previous_session_id,
            },
            wait: Duration::from_secs(params.wait_seconds.unwrap_or_default().into()),
        };
        Ok(product
            .app
            .claim_turn(caller.ctx(), claim, idempotency::<Self>(repeat))
            .await?)
    }
}
