//! Lists and refusals over MCP.

use anyhow::Result;
use serde_json::json;

use super::{ACCEPTED, Bench, block_on, repeat_load};
use crate::agent::Agent;
use crate::load::Load;
use crate::report::{Row, grouped, rate};
use crate::wire::Wire;

const LISTED: usize = 20;
/// Right in form, but never issued.
const BAD_TOKEN: &str = "qla_000000000000000000000000000000000000";

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (_scratch, server) = bench.fresh("reads")?;
    let agent = server.agent()?;
    block_on(fill(&agent))?;
    let mut load = Load {
        address: agent.address,
        connections: 8,
        duration: bench.duration,
        expect: (200, ACCEPTED),
    };

    let list = agent.call("querylayer_list_content", &json!({"limit": LISTED}));
    let measured = server.charge(|| repeat_load(load, &list))?;
    goal(
        bench,
        "`querylayer_list_content`, 20 items, 8 connections",
        &measured,
        12_000.0,
    );

    load.expect.1 = "querylayer_site_context";
    let measured = server.charge(|| repeat_load(load, &agent.list_tools()))?;
    let bytes = block_on(size(&agent))?;
    let what = format!("`tools/list`, {} bytes, 8 connections", grouped(bytes));
    goal(bench, &what, &measured, 15_000.0);

    load.expect = (401, "");
    let stranger = Agent {
        token: BAD_TOKEN.to_owned(),
        ..agent
    };
    let measured = server.charge(|| repeat_load(load, &stranger.list_tools()))?;
    goal(
        bench,
        "a token that was never issued: 401, 8 connections",
        &measured,
        60_000.0,
    );
    Ok(())
}

fn goal(bench: &mut Bench, what: &str, measured: &crate::load::Measured, least: f64) {
    let reached = measured.rate >= least && measured.errors == 0;
    let reach = format!("≥ {}/s", grouped(least));
    bench
        .rows
        .push(Row::goal(what, rate(measured), &reach, reached));
}

/// Enough items for a full page.
async fn fill(agent: &Agent) -> Result<()> {
    let run = agent.begin_run().await?;
    let mut wire = Wire::connect(agent.address).await?;
    for number in 0..u64::try_from(LISTED)? {
        wire.exchange(&agent.draft(&run, number)).await?;
    }
    Ok(())
}

/// The bytes of the list of tools.
async fn size(agent: &Agent) -> Result<f64> {
    let mut wire = Wire::connect(agent.address).await?;
    let answer = wire.exchange(&agent.list_tools()).await?;
    Ok(f64::from(u32::try_from(answer.body.len())?))
}
