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
    /// What the artifact is, such as summary: a-z, 0-9, -, _ and ., beginning with a letter. The same key with another body makes a new version.
    #[schemars(length(min = 1, max = 64))]
    key: String,
    /// The body's media type, such as text/markdown or application/json.
    #[schemars(length(min = 3, max = 120))]
    media_type: String,
    /// The artifact itself, as text.
    body: String,
    /// The SHA-256 of the body's UTF-8, to be compared; the server computes it in any case.
    #[schemars(schema_with = "argument::sha256")]
    #[serde(default)]
    sha256: Option<String>,
    /// The content items that the artifact is about.
    #[schemars(length(max = 100), inner(length(min = 1, max = 64)))]
    #[serde(default)]
    affected_content_ids: Vec<String>,
}

impl Tool<Product> for RecordArtifact {
    const NAME: &'static str = "querylayer_record_artifact";
    const TITLE: &'static str = "Record an artifact";
    const DESCRIPTION: &'static str = "Keeps one result of an open run for good: a summary, a report, a list of sources, whatever the run's required_outputs name. Artifacts are immutable. Recording other bytes under the same key adds a version; the same bytes again return the one that stands. Returns artifact_id, version and sha256.";
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
