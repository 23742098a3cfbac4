//! Durable drafts over MCP.

use std::time::Duration;

use anyhow::Result;

use super::{Bench, draft_load};
use crate::load::Measured;
use crate::report::{Row, grouped, megabytes, milliseconds, rate};

/// What the surface must leave of the rate of the same transaction without it.
const SHARE: f64 = 0.7;

const GOALS: [Goal; 2] = [
    Goal {
        connections: 64,
        rate: 6000.0,
        where_in_process: 8700.0,
        worst: Duration::from_millis(25),
    },
    Goal {
        connections: 8,
        rate: 3500.0,
        where_in_process: 0.0,
        worst: Duration::from_millis(8),
    },
];

/// What a load of drafts should reach.
struct Goal {
    connections: usize,
    /// Drafts per second, on a machine whose rate in process is at least `where_in_process`.
    rate: f64,
    where_in_process: f64,
    /// The longest that a hundredth of the answers may take.
    worst: Duration,
}

impl Goal {
    /// The row, with the share of the rate `in_process` if that was measured too.
    fn row(&self, measured: &Measured, in_process: Option<f64>) -> Row {
        let mut said = rate(measured);
        let mut reach = format!("p99 ≤ {}", milliseconds(self.worst));
        let mut reached = measured.p99 <= self.worst && measured.errors == 0;
        if in_process.is_none_or(|ceiling| ceiling >= self.where_in_process) {
            reach = format!("≥ {}/s, {reach}", grouped(self.rate));
            reached &= measured.rate >= self.rate;
        }
        if let Some(ceiling) = in_process {
            let share = measured.rate / ceiling;
            said = format!("{said}; {share:.2} of in process");
            reach = format!("{reach}, ≥ {SHARE} of in process");
            reached &= share >= SHARE;
        }
        let connections = self.connections;
        let what = format!("`querylayer_create_draft`, durable, {connections} connections");
        Row::goal(&what, said, &reach, reached)
    }
}

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (_scratch, server) = bench.fresh("drafts")?;
    let agent = server.agent()?;
    for goal in GOALS {
        let measured = server.charge(|| draft_load(&agent, goal.connections, bench.duration))?;
        bench
            .rows
            .push(goal.row(&measured, bench.in_process.get(&goal.connections).copied()));
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
