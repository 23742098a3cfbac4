//! What this machine can do at most, with servers that do nothing.

use anyhow::Result;

use super::{ACCEPTED, Bench, repeat_load};
use crate::agent::{Agent, get};
use crate::ceiling::{bare_mcp, hello, start};
use crate::load::Load;
use crate::report::{Row, rate};

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let mut load = Load {
        address: start(hello())?,
        connections: 8,
        duration: bench.duration,
        expect: (200, "hello"),
    };
    let measured = repeat_load(load, &get(load.address, "/", ""))?;
    let what = "axum answering two words, 8 connections";
    bench.rows.push(Row::reference(what, rate(&measured)));

    load.address = start(bare_mcp())?;
    let agent = Agent {
        address: load.address,
        token: "none".to_owned(),
    };
    load.expect.1 = "\"one\"";
    let measured = repeat_load(load, &agent.list_tools())?;
    let what = "bare rmcp server, `tools/list` of two tools, 8 connections";
    bench.rows.push(Row::reference(what, rate(&measured)));

    load.expect.1 = ACCEPTED;
    let measured = repeat_load(load, &agent.call("one", &serde_json::json!({})))?;
    let what = "bare rmcp server, `tools/call` of an empty tool, 8 connections";
    bench.rows.push(Row::reference(what, rate(&measured)));
    Ok(())
}
