//! What the official conformance suite asks a server for, behind the product's own endpoint.
//!
//! The suite calls tools, prompts and resources of its own naming, which the product has no use
//! for. This program serves them through the product's router: the same host and origin check, the
//! same sizes and strict JSON, the same credentials out of a database, the same configuration of
//! the protocol library and the same form of schemas. It isn't part of the product, and what it
//! scores isn't the product's score.
//!
//! It prints one line of JSON with its address and a token, and ends when it's told to.

mod content;
mod handler;
mod input;
mod tools;

use std::io::Write as _;

use ql_api::mcp::{McpConfig, router_of_handler};
use ql_testkit::TestApp;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::handler::Fixture;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let world = TestApp::new().await;
    let config = McpConfig {
        // The clock of a test stands still, so a limit would never let go.
        calls: None,
        ..McpConfig::default()
    };
    let router = router_of_handler(world.app.clone(), Fixture::default(), config);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let hello = serde_json::json!({
        "mcp_url": format!("http://{}/mcp", listener.local_addr()?),
        "token": world.home.connection.secret.expose(),
    });
    writeln!(std::io::stdout(), "{hello}")?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        served = async { axum::serve(listener, router).await } => served,
        _ = terminate.recv() => Ok(()),
    }
}
