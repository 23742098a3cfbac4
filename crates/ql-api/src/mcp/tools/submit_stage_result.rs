//! `querylayer_submit_stage_result`: answers a stage's task.

use ql_app::director::Submitted;
use ql_core::id::TaskId;
use ql_core::scope::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::input::argument;
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct SubmitStageResult;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The task, as it was claimed.
    #[schemars(schema_with = "argument::id")]
    task_id: String,
    /// The fence that came with it.
    #[schemars(range(min = 1))]
    fence: i64,
    /// The result envelope: `task_id`, `agent_role` and both policy hashes as in the envelope, and `output` by `output_schema`.
    result: Map<String, Value>,
}

/// What it's worth.
#[derive(Serialize)]
pub(crate) struct Output {
    task_id: TaskId,
    verdict: String,
    stage_state: &'static str,
    findings: Value,
    is_replay: bool,
}

impl From<Submitted> for Output {
    fn from(done: Submitted) -> Self {
        Self {
            task_id: done.id,
            verdict: done.verdict,
            stage_state: done.state,
            findings: done.findings,
            is_replay: done.is_replay,
        }
    }
}

impl Tool<Product> for SubmitStageResult {
    const NAME: &'static str = "querylayer_submit_stage_result";
    const TITLE: &'static str = "Submit a stage's result";
    const DESCRIPTION: &'static str = "Answers a task that you hold. The result is kept as it is and audited: quotations against real texts, claims, hashes, what your role may say. The answer tells the verdict, which is never above what you claim, every finding with a pointer into your result, and where the stage stands; needs_review means that a person looks at it. A result that doesn't fit its schema is refused with everything that is wrong, once; the next one that doesn't is given to a person. lease_lost: claim again.";
    const SCOPES: &'static [Scope] = &[Scope::RunsWrite];
    const EFFECT: Effect = Effect::Settles;
    const FOR_PLAYERS: bool = true;
    type Params = Params;
    type Output = Output;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, .. }: Call<Params>,
    ) -> Result<Output, Failure> {
        let held = (argument::named("task", &params.task_id)?, params.fence);
        let result = Value::Object(params.result);
        let director = product.director()?;
        // A stage holds much; whoever waits for it needn't hold it too.
        let submitting = Box::pin(director.submit_stage_result(caller.ctx(), held, &result));
        Ok(submitting.await?.into())
    }
}
