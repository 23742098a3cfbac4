//! `querylayer_create_task_plan`: turns a goal into steps that come one by one.

use ql_app::plan::{CreatedPlan, NewPlan};
use ql_core::plan::PlannedStep;
use ql_core::scope::Scope;
use ql_core::step::Operation;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::input::argument;
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct CreateTaskPlan;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The turn that you hold.
    #[schemars(schema_with = "argument::id")]
    turn_id: String,
    /// The token that the claim gave.
    lease_token: String,
    /// What the plan is for.
    #[schemars(length(min = 1, max = 4000))]
    goal: String,
    /// What is to be done.
    #[schemars(length(max = 100))]
    steps: Vec<StepArguments>,
    /// The version that this one takes the place of; finished steps that are the same go on in it.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    replaces_plan_id: Option<String>,
}

/// One step.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct StepArguments {
    /// Its name in the plan: a-z, then also 0-9 - _ .
    key: String,
    /// What it is about, in one line.
    #[schemars(length(max = 200))]
    #[serde(default)]
    title: String,
    /// What it does. All but research end in a proposal of that kind.
    #[schemars(schema_with = "operation")]
    operation: Operation,
    /// Keys of steps that must succeed before.
    #[schemars(length(max = 100))]
    #[serde(default)]
    depends_on: Vec<String>,
    /// What it starts from.
    #[serde(default)]
    input: Map<String, Value>,
}

fn operation(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(Operation::ALL.map(Operation::as_str))
}

impl From<StepArguments> for PlannedStep {
    fn from(step: StepArguments) -> Self {
        Self {
            key: step.key,
            title: step.title,
            operation: step.operation,
            depends_on: step.depends_on,
            input: Value::Object(step.input),
        }
    }
}

impl Tool<Product> for CreateTaskPlan {
    const NAME: &'static str = "querylayer_create_task_plan";
    const TITLE: &'static str = "Create a task plan";
    const DESCRIPTION: &'static str = "Makes a plan of steps for the turn that you hold. Complete it then: the steps come one by one as your next turns, each after those it depends on. Steps that change something succeed only through an approved proposal of their kind; a rejection fails them with the reviewer's reason. To change a plan, make a new version with replaces_plan_id.";
    const SCOPES: &'static [Scope] = &[Scope::RunsWrite];
    const EFFECT: Effect = Effect::Adds;
    type Params = Params;
    type Output = CreatedPlan;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, repeat }: Call<Params>,
    ) -> Result<CreatedPlan, Failure> {
        let new = NewPlan {
            turn: argument::named("turn", &params.turn_id)?,
            // A token that can't be read holds nothing.
            token: params.lease_token.parse().ok(),
            goal: params.goal,
            steps: params.steps.into_iter().map(PlannedStep::from).collect(),
            replaces: (params.replaces_plan_id.as_deref())
                .map(|id| argument::named("plan", id))
                .transpose()?,
        };
        Ok(product
            .app
            .create_task_plan(caller.ctx(), new, idempotency::<Self>(repeat))
            .await?)
    }
}
