//! Every surface for programs behind one router.

use std::sync::Arc;

use axum::Router;
use ql_app::App;

use crate::health::{Metrics, Surface};
use crate::mcp::McpConfig;
use crate::rest::RestConfig;
use crate::{connector, delivery, form, health, mcp, rest};

/// What an operator may set about the surfaces for programs.
#[derive(Debug, Clone, Default)]
pub struct ApiConfig {
    /// The MCP endpoint.
    pub mcp: McpConfig,
    /// `/api/v1`.
    pub rest: RestConfig,
}

/// The routes for agents, programs, public sites and operators, with their answers counted.
pub fn router(app: &App, config: ApiConfig, metrics: &Arc<Metrics>) -> Router {
    let connector = connector::router(app.clone(), config.mcp.clone());
    let mcp = mcp::router(app.clone(), config.mcp);
    let rest = rest::router(app.clone(), config.rest);
    let delivery = delivery::router(app.clone());
    let forms = form::router(app.clone());
    metrics
        .counted(Surface::Mcp, mcp)
        .merge(metrics.counted(Surface::Connector, connector))
        .merge(metrics.counted(Surface::Rest, rest))
        .merge(metrics.counted(Surface::Delivery, delivery))
        .merge(metrics.counted(Surface::Forms, forms))
        .merge(health::router(app.clone(), Arc::clone(metrics)))
}
