//! A server with a production that waits for an agent to play its hermeneutics, for tests of clients.
//!
//! `studio FOLDER` makes the data in a folder, serves it until a signal, and prints one line of JSON:
//! `{"mcp_url": …, "token": …}`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use ql_app::director::{Director, NewProduction};
use ql_core::production::Cast;
use ql_pipeline::audit::Ground;
use ql_pipeline::money::Micros;
use querylayer::cmd::director::recorded::{self, Faults};
use querylayer::cmd::director::{excerpt, people, story};
use querylayer::cmd::quickstart;
use querylayer::config::ServerArgs;
use querylayer::output;
use querylayer::server::{Running, Signals};
use serde_json::json;

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).context("name a folder")?;
    // A runtime of its own, so that nothing of the first server is left when the second one starts.
    let token = runtime()?.block_on(furnish(Path::new(&folder)))?;
    runtime()?.block_on(serve(Path::new(&folder), &token))
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Runtime::new()?)
}

fn settings(folder: &Path) -> ServerArgs {
    ServerArgs {
        data: Some(folder.join("data")),
        listen: Some(SocketAddr::from(([127, 0, 0, 1], 0))),
        ..ServerArgs::default()
    }
}

/// A production that recorded agents have taken as far as they can; answers the agent's token.
async fn furnish(folder: &Path) -> Result<String> {
    let running = Running::start(&settings(folder)).await?;
    let fresh = quickstart::furnish(&running).await?;
    let owner = people::owner(&running, &fresh).await?;
    let pack = Arc::new(story::shipped_pack()?);
    let ground = Arc::new(Ground::new(pack, Arc::new(excerpt::library(None)?))?);
    let provider = Arc::new(recorded::answers(Faults::None));
    let director = Director::new(running.app.clone(), ground, provider);
    for role in &director.pack().roles {
        let cast = if role.id == "hermeneutics" {
            Cast::by_agent(&role.id, fresh.connection)
        } else {
            Cast::by_provider(&role.id, fresh.connection)
        };
        director.cast(&owner, cast).await?;
    }
    let new = NewProduction {
        title: "The way".to_owned(),
        objective: "A talk on John 14:6.".to_owned(),
        audience: "Everybody".to_owned(),
        medium: "video".to_owned(),
        template: "article".to_owned(),
        fields: json!({}),
        budget: Micros::new(6_000_000).unwrap_or_default(),
        task_budget: Micros::new(600_000).unwrap_or_default(),
    };
    let id = director.start(&owner, new).await?;
    for stage in ["IDEA_PROPOSED", "TOPIC_APPROVED"] {
        director.approve_stage(&owner, id, stage).await?;
    }
    director.run_due_stages().await?;
    running.stop().await?;
    Ok(fresh.token)
}

async fn serve(folder: &Path, token: &str) -> Result<()> {
    let signals = Signals::catch()?;
    let args = ServerArgs {
        policy: Some(PathBuf::from("biblical-teaching")),
        ..settings(folder)
    };
    let running = Running::start(&args).await?;
    let mcp_url = format!("{}/mcp", running.public_url);
    output::line(&json!({"mcp_url": mcp_url, "token": token}).to_string())?;
    running.until(signals).await
}
