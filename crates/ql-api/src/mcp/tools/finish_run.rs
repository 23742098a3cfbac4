//! `querylayer_finish_run`: ends a run with one explicit outcome.

use ql_app::run::FinishedRun;
use ql_core::run::{FinishRequest, Outcome};
use ql_core::scope::Scope;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::input::argument;
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct FinishRun;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The open run.
    #[schemars(schema_with = "argument::id")]
    run_id: String,
    /// How it ends.
    #[schemars(schema_with = "outcome")]
    outcome: Outcome,
    /// What was done and what wasn't, for people.
    summary: String,
    /// Why it ends so, most important first.
    #[schemars(length(max = 50))]
    #[serde(default)]
    reasons: Vec<Reason>,
}

/// One reason.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Reason {
    /// A stable slug, such as `source_unreachable`.
    #[schemars(length(min = 1, max = 64))]
    code: String,
    /// In words.
    #[schemars(length(max = 1000))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Facts that belong to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    details: Option<Map<String, Value>>,
}

fn outcome(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(Outcome::ALL.map(Outcome::as_str))
}

impl Tool<Product> for FinishRun {
    const NAME: &'static str = "querylayer_finish_run";
    const TITLE: &'static str = "Finish a run";
    const DESCRIPTION: &'static str = "Ends an open run with one outcome; it accepts nothing more. Asked to complete while a required output is missing, the run is stored as blocked: compare outcome with requested_outcome and read reasons. Finish every run that you begin, also when the work failed.";
    const SCOPES: &'static [Scope] = &[Scope::RunsWrite];
    const EFFECT: Effect = Effect::Settles;
    type Params = Params;
    type Output = FinishedRun;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, repeat }: Call<Params>,
    ) -> Result<FinishedRun, Failure> {
        let run = argument::named("run", &params.run_id)?;
        let request = FinishRequest {
            summary: params.summary,
            reasons: params.reasons.iter().map(|reason| json!(reason)).collect(),
        };
        let key = idempotency::<Self>(repeat);
        Ok(product
            .app
            .finish_run(caller.ctx(), (run, params.outcome), request, key)
            .await?)
    }
}
