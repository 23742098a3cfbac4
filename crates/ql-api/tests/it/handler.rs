//! Another handler behind the product's endpoint, as the conformance fixture has one.

use axum::Router;
use axum::body::Body;
use ql_api::mcp::{McpConfig, router_of_handler};
use ql_core::scope::Scope;
use rmcp::ServerHandler;
use rmcp::model::{ServerCapabilities, ServerConfig};

use crate::actor::BOTH;
use crate::world::World;

/// It has a list of tools, with none on it.
#[derive(Clone)]
struct Bare;

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

fn router(world: &World) -> Router {
    router_of_handler(world.app.clone(), Bare, McpConfig::default())
}

#[tokio::test]
async fn what_the_endpoint_refuses_never_reaches_the_handler() {
    let world = World::new().await;
    let ended = world.connect("ended", &Scope::ALL).await;
    let actor = world.agent().await.on_router(router(&world));
    world
        .app
        .revoke_connection(&world.home, ended.id)
        .await
        .expect("revoked");
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let other = |name: &str, value: &str| actor.clone().header(name, value);
    for (expected, actor, body) in [
        (200, actor.clone(), ping),
        (401, actor.clone().without_token(), ping),
        (401, actor.clone().token(&ended.token), ping),
        (403, other("host", "rebound.example"), ping),
        (403, other("origin", "https://evil.example"), ping),
        (413, other("content-length", "1048577"), ping),
        (415, other("content-type", "text/plain"), ping),
        (406, other("accept", "text/html"), ping),
        (400, actor.clone(), "[]"),
        (400, actor.clone(), r#"{"id":1,"id":1}"#),
    ] {
        assert_eq!(actor.post(body).await.status, expected, "{body}");
    }
    let get = actor.send("GET", "/mcp", &[], Body::empty()).await;
    assert_eq!(get.status, 405);
}

#[tokio::test]
async fn what_passes_is_the_handlers_to_answer() {
    let world = World::new().await;
    let actor = world.agent().await.on_router(router(&world));
    for speaks in BOTH {
        let actor = actor.clone().speaking(speaks);
        assert_eq!(actor.tool_names().await, [""; 0]);
    }
}
