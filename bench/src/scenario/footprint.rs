//! What it costs to have the server at all.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use super::{Bench, block_on};
use crate::agent::Agent;
use crate::report::{Row, megabytes, milliseconds};
use crate::server::{Environment, Server};

const STARTS: usize = 7;

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let bytes = std::fs::metadata(&bench.binary)?.len();
    let what = "binary, stripped";
    bench.rows.push(Row::goal(
        what,
        megabytes(bytes),
        "≤ 40 MB",
        bytes <= 40_000_000,
    ));

    let (scratch, server) = bench.fresh("footprint")?;
    let token = server.agent()?.token;
    drop(server);
    let mut times = Vec::new();
    let mut idle = 0;
    for _ in 0..STARTS {
        let (server, took) = start(bench, (&scratch.data(), &[]), &token)?;
        times.push(took);
        idle = server.memory()?.0;
    }
    times.sort_unstable();
    let median = times[STARTS / 2];
    let reached = median <= Duration::from_millis(100);
    let what = "start to first answer, sample site, median of 7";
    bench
        .rows
        .push(Row::goal(what, milliseconds(median), "≤ 100 ms", reached));
    let what = "resident memory, idle after one answer";
    bench.rows.push(Row::goal(
        what,
        megabytes(idle),
        "≤ 30 MB",
        idle <= 30_000_000,
    ));
    Ok(())
}

/// Starts the server over a folder, with its settings, and waits for its first answer to the agent.
pub(super) fn start(
    bench: &Bench,
    (data, environment): (&Path, &Environment),
    token: &str,
) -> Result<(Server, Duration)> {
    let begun = Instant::now();
    let server = Server::start(&bench.binary, data, environment)?;
    let agent = Agent {
        address: server.address,
        token: token.to_owned(),
    };
    block_on(agent.ask("querylayer_list_content", &json!({"limit": 1})))?;
    Ok((server, begun.elapsed()))
}
