//! `querylayer_begin_run`: opens a governed run.

use ql_app::Error;
use ql_app::run::{BeginRun as Begin, BegunRun};
use ql_core::scope::Scope;
use ql_core::turn::LeaseLost;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct BeginRun;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A stable slug of this kind of work, such as refresh-article (a-z, then also 0-9 - _ .).
    run_type: String,
    /// What the work starts from.
    input: Map<String, Value>,
    /// Keys of the artifacts that completion requires; may be empty.
    #[schemars(length(max = 50))]
    required_outputs: Vec<String>,
    /// What done means, a sentence each; may be empty.
    #[schemars(length(max = 50))]
    completion_conditions: Vec<String>,
    /// Of the run's console task, where another connection claimed it.
    #[serde(default)]
    lease_token: Option<String>,
}

impl Tool<Product> for BeginRun {
    const NAME: &'static str = "querylayer_begin_run";
    const TITLE: &'static str = "Begin a governed run";
    const DESCRIPTION: &'static str = "Opens a governed run and returns its run_id, which drafts, evidence, artifacts and proposals name. Say beforehand what the work must leave behind and what done means: a run that is finished as completed without a required output is stored as blocked. End it with querylayer_finish_run.";
    const SCOPES: &'static [Scope] = &[Scope::RunsWrite];
    const EFFECT: Effect = Effect::Adds;
    type Params = Params;
    type Output = BegunRun;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, repeat }: Call<Params>,
    ) -> Result<BegunRun, Failure> {
        let begin = Begin {
            run_type: params.run_type,
            input: Value::Object(params.input),
            required_outputs: params.required_outputs,
            completion_conditions: params.completion_conditions,
        };
        let lease = match params.lease_token {
            Some(token) => Some(token.parse().map_err(|_| Error::from(LeaseLost))?),
            None => None,
        };
        let key = idempotency::<Self>(repeat);
        Ok(product
            .app
            .begin_run_under(caller.ctx(), (begin, lease), key)
            .await?)
    }
}
