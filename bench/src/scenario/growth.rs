//! Whether reads and drafts keep their pace when the store has grown.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use super::{ACCEPTED, Bench, draft_load, footprint::start, repeat_load};
use crate::agent::Agent;
use crate::load::Load;
use crate::report::{Row, grouped, megabytes, milliseconds};

const CONNECTIONS: usize = 8;
/// How much slower the grown store may be.
const ALLOWED: f64 = 1.3;

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (scratch, server) = bench.fresh("growth")?;
    let agent = server.agent()?;
    let small = medians(&agent, bench.duration)?;
    let mut revisions = small.drafted;
    while revisions < bench.revisions.max(small.drafted) {
        let filled = draft_load(&agent, 64, Duration::from_secs(5))?;
        revisions += count(&filled, Duration::from_secs(5));
    }
    let large = medians(&agent, bench.duration)?;
    for (what, before, after) in [
        (
            "`querylayer_list_content`, 20 items",
            small.list,
            large.list,
        ),
        ("`querylayer_create_draft`", small.draft, large.draft),
    ] {
        let ratio = after.as_secs_f64() / before.as_secs_f64();
        bench.rows.push(Row::goal(
            &format!(
                "{what}, median, from a fresh store to {} more revisions",
                whole(revisions)
            ),
            format!(
                "{} → {}: {ratio:.2} ×",
                milliseconds(before),
                milliseconds(after)
            ),
            &format!("≤ {ALLOWED} ×"),
            ratio <= ALLOWED,
        ));
    }
    drop(server);
    grown_start(bench, &scratch.data(), &agent.token)
}

/// The time to the first answer over a store that has grown and was killed.
fn grown_start(bench: &mut Bench, data: &Path, token: &str) -> Result<()> {
    let bytes = size(data)?;
    let (server, first) = start(bench, data, token)?;
    drop(server);
    let (_server, second) = start(bench, data, token)?;
    bench.rows.push(Row::goal(
        &format!(
            "start to first answer over {}, killed before",
            megabytes(bytes)
        ),
        format!(
            "{}, once more {}",
            milliseconds(first),
            milliseconds(second)
        ),
        "≤ 100 ms",
        second <= Duration::from_millis(100),
    ));
    Ok(())
}

struct Medians {
    list: Duration,
    draft: Duration,
    drafted: u64,
}

fn medians(agent: &Agent, duration: Duration) -> Result<Medians> {
    let load = Load {
        address: agent.address,
        connections: CONNECTIONS,
        duration,
        expect: (200, ACCEPTED),
    };
    let draft = draft_load(agent, CONNECTIONS, duration)?;
    let list = agent.call("querylayer_list_content", &json!({"limit": 20}));
    Ok(Medians {
        list: repeat_load(load, &list)?.p50,
        draft: draft.p50,
        drafted: count(&draft, duration),
    })
}

/// Drafts of a load, without those of its warm-up.
fn count(measured: &crate::load::Measured, duration: Duration) -> u64 {
    let seconds = duration.as_secs_f64();
    // A rate over whole seconds, far below what an integer holds.
    format!("{:.0}", measured.rate * seconds)
        .parse()
        .unwrap_or(0)
}

fn whole(number: u64) -> String {
    grouped(f64::from(u32::try_from(number).unwrap_or(u32::MAX)))
}

fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() {
            size(&entry.path())?
        } else {
            entry.metadata()?.len()
        };
    }
    Ok(bytes)
}
