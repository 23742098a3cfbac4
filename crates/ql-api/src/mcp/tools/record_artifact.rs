//! `querylayer_record_artifact`: keeps a result of a run.

use ql_app::run::{RecordArtifact as Record, RecordedArtifact};
use ql_core::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::argument::{self, parsed};
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct RecordArtifact;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The open run.
    #[schemars(schema_with = "argument::id")]
    run_id: String,
    /// What it is, such as summary: a slug, as in `required_outputs`.
    key: String,
    /// Such as text/markdown or application/json.
    media_type: String,
    /// The artifact, as text.
    body: String,
    /// Of the body, in hex, to be compared.
    #[schemars(schema_with = "argument::sha256")]
    #[serde(default)]
    sha256: Option<String>,
    /// The content items it is about.
    #[schemars(length(max = 100))]
    #[serde(default)]
    affected_content_ids: Vec<String>,
}

impl Tool<Product> for RecordArtifact {
    const NAME: &'static str = "querylayer_record_artifact";
    const TITLE: &'static str = "Record an artifact";
    const DESCRIPTION: &'static str = "Keeps one result of an open run for good: a summary, a report, whatever the run's required_outputs name. Artifacts are immutable: other bytes under the same key add a version, the same bytes return the one that stands. Returns artifact_id, version and sha256.";
    const SCOPES: &'static [Scope] = &[Scope::RunsWrite];
    const EFFECT: Effect = Effect::Settles;
    type Params = Params;
    type Output = RecordedArtifact;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, repeat }: Call<Params>,
    ) -> Result<RecordedArtifact, Failure> {
        let affected = params
            .affected_content_ids
            .iter()
            .map(|id| argument::named("content item", id));
        let record = Record {
            run: argument::named("run", &params.run_id)?,
            key: params.key,
            media_type: params.media_type,
            body: params.body,
            sha256: params
                .sha256
                .map(|text| parsed("/sha256", &text))
                .transpose()?,
            affected: affected.collect::<Result<_, _>>()?,
        };
        Ok(product
            .app
            .record_artifact(caller.ctx(), record, idempotency::<Self>(repeat))
            .await?)
    }
}
