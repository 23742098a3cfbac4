//! `querylayer_complete_console_task`: says what came of the turn that the agent holds.

use ql_app::turn::{CompleteTurn, CompletedTurn};
use ql_core::scope::Scope;
use ql_core::turn::Reply;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::input::argument;
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct CompleteConsoleTask;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The turn that you hold.
    #[schemars(schema_with = "argument::id")]
    turn_id: String,
    /// The token that the claim gave.
    lease_token: String,
    /// What came of it; released gives it back for somebody else.
    #[schemars(schema_with = "outcome")]
    outcome: Reply,
    /// The answer, or why it isn't done.
    #[schemars(length(min = 1, max = 20000))]
    message: String,
    /// The run that did it.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    run_id: Option<String>,
    /// The proposal that it made.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    proposal_id: Option<String>,
    /// The session that claimed.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    session_id: Option<String>,
}

fn outcome(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(Reply::ALL.map(Reply::as_str))
}

impl Tool<Product> for CompleteConsoleTask {
    const NAME: &'static str = "querylayer_complete_console_task";
    const TITLE: &'static str = "Complete a console task";
    const DESCRIPTION: &'static str = "Closes the turn that you claimed, with its plan step: completed, failed, needs_human_input (message asks the person), or released (back to the queue). A step with needs_proposal is completed only with the proposal_id of such a proposal, made in a run that you began while you held the turn; it then waits for approval. A failed step is tried twice more. lease_lost: your time ran out and nothing was changed; claim again.";
    const SCOPES: &'static [Scope] = &[Scope::RunsWrite];
    const EFFECT: Effect = Effect::Settles;
    type Params = Params;
    type Output = CompletedTurn;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, repeat }: Call<Params>,
    ) -> Result<CompletedTurn, Failure> {
        let said = CompleteTurn {
            turn: argument::named("turn", &params.turn_id)?,
            // A token that can't be read holds nothing.
            token: params.lease_token.parse().ok(),
            reply: params.outcome,
            message: params.message,
            run: (params.run_id.as_deref())
                .map(|id| argument::named("run of this turn", id))
                .transpose()?,
            proposal: (params.proposal_id.as_deref())
                .map(|id| argument::named("proposal of yours", id))
                .transpose()?,
            session: params.session_id,
        };
        Ok(product
            .app
            .complete_turn(caller.ctx(), said, idempotency::<Self>(repeat))
            .await?)
    }
}
