//! The suite's server as a handler of the protocol library.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
    CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig, SubscriptionFilter,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::input::{Asked, Inputs, Step};
use crate::{content, tools};

/// What can change while somebody listens.
#[derive(Clone, Copy)]
enum Changed {
    Tools,
    Prompts,
}

/// The suite's server.
#[derive(Clone)]
pub(crate) struct Fixture {
    inputs: Arc<Inputs>,
    changes: broadcast::Sender<Changed>,
}

impl Default for Fixture {
    fn default() -> Self {
        Self {
            inputs: Arc::default(),
            changes: broadcast::Sender::new(16),
        }
    }
}

/// A value of the protocol out of its JSON.
fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("the content has the protocol's form")
}

fn said(text: &str) -> CallToolResponse {
    let content = json!([{ "type": "text", "text": text }]);
    CallToolResult::success(read(content)).into()
}

fn changed(changes: &broadcast::Sender<Changed>, what: Changed) -> CallToolResponse {
    // Nobody listens, which is no fault.
    drop(changes.send(what));
    said("Changed.")
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("querylayer-conformance-fixture", "0"))
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find(name)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ListToolsResult::with_all_items(tools::all().collect());
        Ok(tools.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name: &str = &request.name;
        let client = context.client_capabilities();
        match name {
            "test_tool_with_progress" => {
                tools::progress(context.meta.get_progress_token(), &context).await?;
                return Ok(said("Done, with progress."));
            }
            "test_missing_capability" => {
                tools::require_sampling(client.as_ref())?;
                return Ok(said("The client can sample."));
            }
            "test_trigger_tool_change" => return Ok(changed(&self.changes, Changed::Tools)),
            "test_trigger_prompt_change" => return Ok(changed(&self.changes, Changed::Prompts)),
            _ => {}
        }
        if let Some((content, is_error)) = content::of_tool(name) {
            let mut result = CallToolResult::success(read(content));
            result.is_error = Some(is_error);
            return Ok(result.into());
        }
        let asked = Asked {
            name,
            responses: request.input_responses,
            state: request.request_state.as_deref(),
            client,
        };
        match self.inputs.step(asked)? {
            Some(Step::Ask(question)) => Ok(question.into()),
            Some(Step::Done(given)) => Ok(said(&Inputs::summary(&given))),
            None => {
                let message = format!("Unknown tool: {name}");
                Err(ErrorData::invalid_params(message, None))
            }
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = ListPromptsResult::with_all_items(read(content::prompts()));
        Ok(prompts.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let argument = |name: &str| {
            let value = arguments.get(name).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        if let Some(messages) = content::of_prompt(&request.name, argument) {
            return Ok(GetPromptResult::new(read(messages)).into());
        }
        let asked = Asked {
            name: &request.name,
            responses: request.input_responses,
            state: request.request_state.as_deref(),
            client: context.client_capabilities(),
        };
        match self.inputs.step(asked)? {
            Some(Step::Ask(question)) => Ok(question.into()),
            Some(Step::Done(given)) => {
                let text = json!({ "type": "text", "text": Inputs::summary(&given) });
                let messages = read(json!([{ "role": "user", "content": text }]));
                Ok(GetPromptResult::new(messages).into())
            }
            None => Err(ErrorData::invalid_params("Unknown prompt", None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = ListResourcesResult::with_all_items(read(content::resources()));
        Ok(resources
            .with_ttl_ms(0)
            .with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = read(content::resource_templates());
        let templates = ListResourceTemplatesResult::with_all_items(templates);
        Ok(templates
            .with_ttl_ms(0)
            .with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = content::of_resource(&request.uri).ok_or_else(|| {
            let uri = json!({ "uri": request.uri });
            ErrorData::resource_not_found("Resource not found", Some(uri))
        })?;
        let resource = ReadResourceResult::new(read(contents));
        Ok(resource
            .with_ttl_ms(0)
            .with_cache_scope(CacheScope::Private)
            .into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let known = ["paris", "park", "party"];
        let fitting = known
            .into_iter()
            .filter(|word| word.starts_with(&request.argument.value));
        let completion = CompletionInfo::new(fitting.map(str::to_owned).collect());
        let completion = completion.map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(completion))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        let sink = subscription.sink();
        loop {
            let change = tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            // What wasn't subscribed to is refused by the sink.
            match change {
                Ok(Changed::Tools) => drop(sink.notify_tool_list_changed().await),
                Ok(Changed::Prompts) => drop(sink.notify_prompt_list_changed().await),
                Err(_) => return Ok(()),
            }
        }
    }
}
