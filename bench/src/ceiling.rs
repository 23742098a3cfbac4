//! Reference servers that do nothing, run on this machine in the same run as the product.

use std::net::SocketAddr;
use std::sync::{Arc, mpsc};

use anyhow::Result;
use axum::Router;
use axum::routing::get;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

/// A reference server on threads of its own, until the program ends.
pub(crate) fn start(router: Router) -> Result<SocketAddr> {
    let (tell, address) = mpsc::channel();
    std::thread::spawn(move || -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
            tell.send(listener.local_addr()?)?;
            axum::serve(listener, router).await?;
            Ok(())
        })
    });
    Ok(address.recv()?)
}

/// Answers every `GET /` with two words.
pub(crate) fn hello() -> Router {
    Router::new().route("/", get(async || "hello, world"))
}

/// An MCP server with two empty tools: stateless, JSON answers, no authentication.
pub(crate) fn bare_mcp() -> Router {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(TwoTools), sessions, config);
    Router::new().route_service("/mcp", service)
}

#[derive(Debug, Clone)]
struct TwoTools;

impl rmcp::ServerHandler for TwoTools {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("bare", "1"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Arc::new(serde_json::Map::from_iter([(
            "type".into(),
            "object".into(),
        )]));
        let tool = |name: &'static str| Tool::new(name, "Does nothing.", Arc::clone(&schema));
        Ok(ListToolsResult::with_all_items(vec![
            tool("one"),
            tool("two"),
        ]))
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::success(vec![ContentBlock::text("{\"ok\":true}")]).into())
    }
}
