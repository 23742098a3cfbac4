//! The tools: their published form, and those that do more than answer.

use std::time::Duration;

use ql_api::mcp::published_schema;
use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, ProgressNotificationParam, ProgressToken, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use schemars::JsonSchema;

/// Every tool, in the order of names.
const NAMES: [&str; 21] = [
    "test_audio_content",
    "test_embedded_resource",
    "test_error_handling",
    "test_image_content",
    "test_input_required_result_capabilities",
    "test_input_required_result_elicitation",
    "test_input_required_result_list_roots",
    "test_input_required_result_multi_round",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_request_state",
    "test_input_required_result_sampling",
    "test_input_required_result_tampered_state",
    "test_logging_tool",
    "test_missing_capability",
    "test_multiple_content_types",
    "test_simple_text",
    "test_streaming_elicitation",
    "test_tool_with_progress",
    "test_trigger_prompt_change",
    "test_trigger_tool_change",
    "test_header",
];

/// Most take nothing.
#[derive(JsonSchema)]
struct Nothing {}

/// What `test_header` takes.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the schema alone is wanted")]
struct Routed {
    /// Where it goes, which a header repeats for what stands in between.
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: Option<String>,
}

/// The published tools.
pub(crate) fn all() -> impl Iterator<Item = Tool> {
    NAMES.into_iter().filter_map(find)
}

/// One published tool.
pub(crate) fn find(name: &str) -> Option<Tool> {
    let name = NAMES.into_iter().find(|known| *known == name)?;
    let schema = match name {
        "test_header" => published_schema::<Routed>(),
        _ => published_schema::<Nothing>(),
    };
    let annotations = ToolAnnotations::new()
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    let tool = Tool::new(name, "A tool of the conformance suite.", schema);
    Some(tool.with_annotations(annotations))
}

/// Reports progress to whoever asked for it.
pub(crate) async fn progress(
    token: Option<ProgressToken>,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = &token {
            let progress = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
            let sent = context.peer.notify_progress(progress).await;
            sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

/// Refuses a client that didn't say that it can sample.
pub(crate) fn require_sampling(client: Option<&ClientCapabilities>) -> Result<(), ErrorData> {
    if client.is_some_and(|client| client.sampling.is_some()) {
        return Ok(());
    }
    let needed = serde_json::from_value(serde_json::json!({ "sampling": {} }));
    Err(ErrorData::missing_required_client_capability(
        needed.expect("the capability has the protocol's form"),
    ))
}
