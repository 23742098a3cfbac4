//! Durable drafts over MCP.

use std::time::Duration;

use anyhow::Result;

use super::{Bench, draft_load};
use crate::report::{Row, grouped, megabytes, rate};

/// What the surface must leave of the rate of the same transaction without it.
const SHARE: f64 = 0.7;

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (_scratch, server) = bench.fresh("drafts")?;
    let agent = server.agent()?;
    for (connections, least, worst) in [(64, 6000.0, 25), (8, 3500.0, 8)] {
        let measured = server.charge(|| draft_load(&agent, connections, bench.duration))?;
        let mut said = rate(&measured);
        let mut reach = format!("≥ {}/s, p99 ≤ {worst} ms", grouped(least));
        let mut reached = measured.rate >= least
            && measured.p99 <= Duration::from_millis(worst)
            && measured.errors == 0;
        if let Some(ceiling) = bench.in_process.get(&connections) {
            let share = measured.rate / ceiling;
            said = format!("{said}; {share:.2} of in process");
            reach = format!("{reach}, ≥ {SHARE} of in process");
            reached &= share >= SHARE;
        }
        let what = format!("`querylayer_create_draft`, durable, {connections} connections");
        bench.rows.push(Row::goal(&what, said, &reach, reached));
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
