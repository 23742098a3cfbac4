//! What is wrong between a client's machine and the MCP endpoint, in words.
//!
//! It looks from the client's side, one thing after the other: the address, the token, the way to
//! the server, its certificate, what answers, whether the token opens it, and which tools it opens.
//! Beside the data folder it also looks the token up there.

mod address;
mod code;
mod exchange;
mod judge;
mod local;
mod report;
mod secret;
mod tls;
mod tools;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use ql_app::snippets::TOKEN_VARIABLE;
use serde_json::{Value, json};

pub use self::code::Code;

use self::address::Address;
use self::exchange::Peer;
use self::report::{Fault, Report};
use self::secret::Secret;
use crate::cli::Place;

/// What to test.
#[derive(Debug, Clone, Args)]
pub struct TestArgs {
    /// The address of the MCP endpoint, as the client has it
    #[arg(long, default_value = "http://127.0.0.1:8090/mcp")]
    url: String,
    /// The environment variable that holds the token
    #[arg(long, value_name = "NAME", default_value = TOKEN_VARIABLE)]
    token_env: String,
    /// A tool that must be there; may be given several times
    #[arg(long, value_name = "NAME")]
    tool: Vec<String>,
    /// How long each step may take, 1 to 300
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=300))]
    timeout: u64,
}

/// Tests and prints what was found; the exit code says whether all is well.
///
/// # Errors
/// When standard output is closed.
pub async fn run(args: &TestArgs, place: &Place) -> Result<ExitCode> {
    let mut report = Report::default();
    examine(args, place, &mut report).await;
    report.print(&args.url, place.json)
}

async fn examine(args: &TestArgs, place: &Place, report: &mut Report) {
    let address = report.take("address", Address::parse(&args.url));
    // What isn't a token isn't sent; the server is looked at all the same.
    let sent = report.take("token", Secret::read(&args.token_env));
    let Some(address) = address else { return };
    let peer = Peer::new(address, Duration::from_secs(args.timeout));
    if report.take("reach", peer.reach().await).is_none() {
        return;
    }
    if peer.address.is_tls() && report.take("certificate", peer.secure().await).is_none() {
        return;
    }
    let token = sent.as_ref().map(Secret::text);
    let greeting = peer.call(token, "initialize", &greeting()).await;
    let Some(opened) = report.take(
        "server",
        judge::server(&peer.address, greeting, sent.as_ref()),
    ) else {
        return;
    };
    report.take("oauth", judge::no_oauth(&peer).await);
    let Some(secret) = sent else { return };
    if !opened {
        report.fault("credential", local::refused(&secret, place).await);
        return;
    }
    report.note("credential", "the server takes the token");
    let listed = tools::listed(&peer, &secret, &args.tool).await;
    report.take("tools", explained(listed, &secret, place).await);
}

/// A missing scope, with what the data folder knows about the connection.
async fn explained(
    listed: Result<((), String), Fault>,
    secret: &Secret,
    place: &Place,
) -> Result<((), String), Fault> {
    match listed {
        Err(fault) if fault.code == Code::ScopeMissing => {
            Err(local::scopes(fault, secret, place).await)
        }
        other => other,
    }
}

fn greeting() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "querylayer-connection-test", "version": env!("CARGO_PKG_VERSION") },
    })
}
