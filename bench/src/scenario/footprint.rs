//! What it costs to have the server at all.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::{Bench, block_on};
use crate::agent::get;
use crate::report::{Row, megabytes, milliseconds};
use crate::server::Server;
use crate::wire::Wire;

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
    block_on(ready(&server))?;
    drop(server);
    let mut times = Vec::new();
    let mut idle = 0;
    for _ in 0..STARTS {
        let begun = Instant::now();
        let server = Server::start(&bench.binary, &scratch.data())?;
        block_on(ready(&server))?;
        times.push(begun.elapsed());
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

/// Asks whether the server is ready, which it must be as soon as it says so.
pub(super) async fn ready(server: &Server) -> Result<()> {
    let mut wire = Wire::connect(server.address).await?;
    let answer = wire.exchange(&get(server.address, "/readyz", "")).await?;
    ensure!(
        answer.status == 200,
        "not ready: {} {}",
        answer.status,
        answer.body
    );
    Ok(())
}
