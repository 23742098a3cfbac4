//! Durable drafts over MCP.

use std::time::Duration;

use anyhow::Result;

use super::{Bench, draft_load};
use crate::report::{Row, megabytes, rate};

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (_scratch, server) = bench.fresh("drafts")?;
    let agent = server.agent()?;
    for (connections, least, worst) in [(64, 6000.0, 25), (8, 3500.0, 8)] {
        let measured = draft_load(&agent, connections, bench.duration)?;
        let what = format!("`querylayer_create_draft`, durable, {connections} connections");
        let reach = format!("≥ {least:.0}/s, p99 ≤ {worst} ms");
        let reached = measured.rate >= least
            && measured.p99 <= Duration::from_millis(worst)
            && measured.errors == 0;
        bench
            .rows
            .push(Row::goal(&what, rate(&measured), &reach, reached));
    }
    let (_, highest) = server.memory()?;
    bench.rows.push(Row::goal(
        "resident memory at its highest under these loads",
        megabytes(highest),
        "≤ 120 MB",
        highest <= 120_000_000,
    ));
    Ok(())
}
