//! `/connector/v1`: what a connector on an agent's machine says about the runtime there, and what
//! waits for it. It comes with the agent's own token; its calls are in `docs/connector.md`.

mod gate;
mod peek;
mod renew;
mod report;
mod verify;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::routing::any;
use ql_app::App;

use self::gate::{Gate, Handler};
use crate::mcp::McpConfig;

/// Where the calls of connectors begin.
pub const PREFIX: &str = "/connector/v1";

/// The routes for connectors.
pub fn router(app: App, config: McpConfig) -> Router {
    let gate = Arc::new(Gate::new(app, config));
    let handlers = [
        ("report", Handler::of(report::report)),
        ("peek", Handler::of(peek::peek)),
        ("verify", Handler::of(verify::verify)),
        ("renew", Handler::of(renew::renew)),
    ];
    let mut router = Router::new();
    for (name, handler) in handlers {
        let (gate, handler) = (Arc::clone(&gate), Arc::new(handler));
        let serve = move |request: Request| {
            let (gate, handler) = (Arc::clone(&gate), Arc::clone(&handler));
            async move { gate.serve(&handler, request).await }
        };
        router = router.route(&format!("{PREFIX}/{name}"), any(serve));
    }
    router
}
