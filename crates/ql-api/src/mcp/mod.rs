//! The MCP endpoint: `/mcp` and `/mcp/`, four protocol versions, no sessions.
//!
//! A request passes, in this order: Host and Origin, announced size, failed-authentication limit,
//! authentication, call limit, content type, Accept, body, strict JSON. What then speaks its
//! protocol version without doubt is answered here, from prepared bytes where possible; handshakes
//! and everything that contradicts itself go through the protocol library, on the same tools.

mod answer;
mod backend;
mod endpoint;
mod era;
mod message;
mod methods;
mod product;
mod protocol;
mod refusal;
mod registry;
mod rpc;
mod schema;
mod source;
mod tool;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::any;
use ql_app::App;
use ql_app::director::Director;
use ql_core::scope::ScopeSet;
use rmcp::ServerHandler;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

pub use self::answer::{Failure, Refusal};
pub use self::backend::{AuthenticationError, Backend, Caller, Reach};
use self::endpoint::Endpoint;
use self::methods::Methods;
pub(crate) use self::refusal::whole_seconds;
pub use self::registry::Registry;
pub use self::tool::{Call, Effect, Repeat, Tool};
use crate::edge::body::BodyLimit;
use crate::edge::origin::OriginPolicy;
use crate::edge::rate::Rate;
pub use crate::input::shape::SchemaDefect;

/// What an operator may set about the endpoint.
#[derive(Debug, Clone)]
pub struct McpConfig {
    /// Hosts and origins that are served.
    pub origins: OriginPolicy,
    /// Size and time of a body.
    pub body: BodyLimit,
    /// Requests per connection; none means no limit.
    pub calls: Option<Rate>,
    /// Failed authentications per peer; none means no limit.
    pub failed_authentications: Option<Rate>,
    /// Who takes productions through their stages; none where nothing is produced.
    pub director: Option<Director>,
}

impl Default for McpConfig {
    /// Loopback alone, 1 MiB in 30 s, 1,200 calls a minute with bursts of 300, 600 failed
    /// authentications a minute with bursts of 300.
    fn default() -> Self {
        Self {
            origins: OriginPolicy::loopback(),
            body: BodyLimit {
                bytes: 1 << 20,
                time: Duration::from_secs(30),
            },
            calls: Some(Rate {
                per_minute: 1200,
                burst: 300,
            }),
            failed_authentications: Some(Rate {
                per_minute: 600,
                burst: 300,
            }),
            director: None,
        }
    }
}

/// The routes of the product's MCP endpoint.
///
/// # Panics
/// Never: the schema gate's test compiles every published schema.
pub fn router(app: App, config: McpConfig) -> Router {
    router_of(product(app, &config), product_registry(), config)
}

fn product(app: App, config: &McpConfig) -> product::Product {
    product::Product {
        app,
        director: config.director.clone(),
        calls: config.calls,
        body_bytes: config.body.bytes,
    }
}

/// What `querylayer schema tools` prints: every tool as it's published to whoever may call it.
///
/// # Panics
/// Never, for the same reason.
pub fn tools_document() -> Value {
    let registry = product_registry();
    let tools: Vec<_> = registry.all().collect();
    json!({ "protocol_versions": era::VERSIONS, "tools": tools })
}

/// The names of the tools that whoever holds these scopes is offered, without those for agents that
/// play roles of productions.
///
/// # Panics
/// Never, for the same reason.
pub fn tools_of(scopes: ScopeSet) -> Vec<String> {
    let registry = product_registry();
    let reach = Reach {
        scopes,
        plays_roles: false,
    };
    let names = registry.allowed(reach).map(|tool| tool.name.to_string());
    names.collect()
}

fn product_registry() -> Registry<product::Product> {
    tools::registry().expect("the schema gate's test compiles every published schema")
}

/// The input schema of a parameter type in the form in which tools publish theirs.
pub fn published_schema<T: JsonSchema>() -> Map<String, Value> {
    schema::input::<T>(Effect::Reads)
}

/// The routes of an endpoint of any backend, and a JSON 404 wherever clients look for an OAuth server: its
/// mere presence would make several of them ignore their token.
pub fn router_of<B: Backend>(backend: B, registry: Registry<B>, config: McpConfig) -> Router {
    let prepared = methods::Prepared::new(backend.clone(), registry, config.body.bytes);
    routes(Endpoint::new(backend, prepared, config))
}

/// The routes of the product's endpoint with another handler behind them: the same checks and the
/// same credentials, and everything that passes is the handler's to answer, by the same protocol
/// library in the same configuration. This is how the official conformance suite's own tools,
/// prompts and resources are served to it; the product doesn't use it.
pub fn router_of_handler<H: ServerHandler + Clone>(
    app: App,
    handler: H,
    config: McpConfig,
) -> Router {
    let protocol = protocol::Protocol::new(handler, config.body.bytes);
    routes(Endpoint::new(product(app, &config), protocol, config))
}

fn routes<B: Backend, M: Methods<B>>(endpoint: Arc<Endpoint<B, M>>) -> Router {
    let serve = any(move |request| {
        let endpoint = Arc::clone(&endpoint);
        async move { endpoint.serve(request).await }
    });
    [
        "/.well-known/{*path}",
        "/mcp/.well-known/{*path}",
        "/register",
        "/authorize",
        "/token",
    ]
    .into_iter()
    .fold(Router::new(), |router, path| {
        router.route(path, any(no_oauth))
    })
    .route("/mcp", serve.clone())
    .route("/mcp/", serve)
}

async fn no_oauth() -> axum::response::Response {
    const BODY: &str = r#"{"error":"not_found","error_description":"There is no OAuth server here. An administrator issues a token for each connection; send it to /mcp as Authorization: Bearer qla_…"}"#;
    rpc::json(StatusCode::NOT_FOUND, BODY)
}
