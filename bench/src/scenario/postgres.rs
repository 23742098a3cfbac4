//! The product on a database server, by one server and by two, beside the raw transactions.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{ACCEPTED, Bench, begin_runs, block_on, draft_once, footprint, repeat_load};
use crate::agent::Agent;
use crate::load::{Load, Measured, Noted};
use crate::report::{Row, grouped, milliseconds, rate};
use crate::server::{Scratch, Server};
use crate::sql::cluster::{Cluster, Database};
use crate::sql::kept::{self, Kept};
use crate::sql::raw::{Outcome, Raw, Way};
use crate::sql::sent;

const CONNECTIONS: usize = 64;
const SHARING: usize = 8;
/// How the raw transactions are sent; the last is compared with the one before.
const WAYS: [Way; 3] = [
    Way {
        connections: 8,
        ledger: true,
    },
    Way {
        connections: CONNECTIONS,
        ledger: true,
    },
    Way {
        connections: CONNECTIONS,
        ledger: false,
    },
];
/// What the product must leave of the rate of the raw transactions.
const SHARE: f64 = 0.6;
const STARTS: usize = 7;
const READY: Duration = Duration::from_secs(2);

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let cluster = block_on(Cluster::start())?;
    let raw = raw(bench, &cluster)?;
    let database = block_on(cluster.database("replicas"))?;
    let scratch = Scratch::new("replicas")?;
    let first = scratch.data();
    let server = Server::start(&bench.binary, &first, &database.environment(true))?;
    let mut stage = Stage {
        agents: vec![server.agent()?],
        database,
        acknowledged: Vec::new(),
        runs: Vec::new(),
    };
    let one = stage.drafts(bench, CONNECTIONS)?;
    bench.rows.push(draft_row("one server", &one, raw));
    block_on(stage.database.count_rows())?;
    let counted = stage.drafts(bench, CONNECTIONS)?;
    let what = "one server, after the database's own `ANALYZE`";
    bench.rows.push(draft_row(what, &counted, raw));
    let second = scratch.folder().join("second");
    copy_keys(&first, &second)?;
    let other = Server::start(&bench.binary, &second, &stage.database.environment(false))?;
    stage.agents.push(Agent {
        address: other.address,
        ..stage.agents[0].clone()
    });
    let two = stage.drafts(bench, CONNECTIONS)?;
    bench
        .rows
        .push(draft_row("two servers, half each", &two, raw));
    stage.agents.pop();
    drop(other);

    stage.contention(bench)?;
    let list = stage.list(bench)?;
    bench.rows.push(Row::reference(
        "PostgreSQL: `querylayer_list_content`, 20 items, 8 connections",
        rate(&list),
    ));
    drop(server);
    stage.kept(bench, &first)?;
    stage.restarts(bench, &first)
}

/// The better of two ways to send the raw transactions, in a database that the product furnished.
fn raw(bench: &mut Bench, cluster: &Cluster) -> Result<f64> {
    let database = block_on(cluster.database("raw"))?;
    let scratch = Scratch::new("raw")?;
    let server = Server::start(&bench.binary, &scratch.data(), &database.environment(true))?;
    let agent = server.agent()?;
    drop(server);
    // One draft whose statements are logged: the reference is what the product sends, or nothing.
    block_on(cluster.log_statements(true))?;
    let settings = database.environment(false);
    let (server, _) = footprint::start(bench, (&scratch.data(), &settings), &agent.token)?;
    let agent = Agent {
        address: server.address,
        ..agent
    };
    // A server's first draft reads the template, which is kept then.
    let mut runs = begin_runs(&agent, 2)?;
    for run in &runs {
        block_on(draft_once(&agent, run))?;
    }
    let like = runs.remove(1);
    sent::compare(&cluster.log())?;
    block_on(cluster.log_statements(false))?;
    let ways = WAYS.map(|way| (way, begin_runs(&agent, CONNECTIONS)));
    drop(server);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let named = runtime.block_on(cluster.describe())?;
    let raw = Arc::new(runtime.block_on(Raw::new(&database, &like))?);
    let (mut best, mut direct) = (0.0_f64, 0.0);
    for (way, runs) in ways {
        let outcome = runtime.block_on(raw.drive(&runs?, way, bench.duration))?;
        let rate = outcome.measured.rate;
        if way.ledger {
            best = best.max(rate);
            direct = rate;
        }
        let mut row = raw_row(&named, way, &outcome);
        if !way.ledger {
            let cost = (1.0 - direct / rate) * 100.0;
            row.measured = format!("{}; the ledger costs {cost:.0} % of it", row.measured);
        }
        bench.rows.push(row);
    }
    Ok(best)
}

/// The database, who works on it, and what was acknowledged.
struct Stage {
    agents: Vec<Agent>,
    database: Database,
    acknowledged: Vec<String>,
    runs: Vec<String>,
}

impl Stage {
    /// Drafts on some connections, each in a run of its own, by turns with each server.
    fn drafts(&mut self, bench: &Bench, connections: usize) -> Result<Measured> {
        let runs = begin_runs(&self.agents[0], connections)?;
        self.draft_in(bench, (&runs, connections))
    }

    fn draft_in(
        &mut self,
        bench: &Bench,
        (runs, connections): (&[String], usize),
    ) -> Result<Measured> {
        let load = self.load(bench, connections);
        let Noted {
            measured,
            revisions,
        } = load.run_noting(|number| {
            let agent = self.agents[number % self.agents.len()].clone();
            let run = runs[number % runs.len()].clone();
            // Numbers of connections that share a run don't meet.
            let mut count = u64::try_from(number).unwrap_or(0) << 32;
            (
                agent.address,
                Box::new(move || {
                    count += 1;
                    agent.draft(&run, count)
                }),
            )
        })?;
        self.acknowledged.extend(revisions);
        self.runs.extend_from_slice(runs);
        Ok(measured)
    }

    fn load(&self, bench: &Bench, connections: usize) -> Load {
        Load {
            address: self.agents[0].address,
            connections,
            duration: bench.duration,
            expect: (200, ACCEPTED),
        }
    }

    /// What callers hear that change one and the same run.
    fn contention(&mut self, bench: &mut Bench) -> Result<()> {
        let apart = self.drafts(bench, SHARING)?;
        let runs = begin_runs(&self.agents[0], 1)?;
        let shared = self.draft_in(bench, (&runs, SHARING))?;
        for (what, measured) in [("each its own run", apart), ("one run for all", shared)] {
            bench.rows.push(Row::reference(
                &format!("PostgreSQL: `querylayer_create_draft`, {SHARING} connections, {what}"),
                format!("{}; {}", rate(&measured), unavailable(&measured)),
            ));
        }
        Ok(())
    }

    fn list(&self, bench: &Bench) -> Result<Measured> {
        let request = self.agents[0].call("querylayer_list_content", &json!({"limit": 20}));
        repeat_load(self.load(bench, SHARING), &request)
    }

    /// Every acknowledged draft against the database.
    fn kept(&self, bench: &mut Bench, data: &Path) -> Result<()> {
        let kept = block_on(async {
            let client = self.database.connect().await?;
            kept::compare(&client, &self.runs, &self.acknowledged).await
        })?;
        let Kept {
            acknowledged,
            lost,
            doubled,
        } = kept;
        bench.rows.push(Row::goal(
            "PostgreSQL: acknowledged drafts of all these loads in the database afterwards",
            format!(
                "{} acknowledged, {lost} lost, {doubled} doubled",
                whole(acknowledged)?
            ),
            "0 lost, 0 doubled",
            lost == 0 && doubled == 0,
        ));
        let output = Command::new(&bench.binary)
            .args(["ledger", "verify", "--json", "--data"])
            .arg(data)
            .envs(self.database.environment(false))
            .output()?;
        let found: Value = serde_json::from_slice(&output.stdout).with_context(|| {
            format!("ledger verify: {}", String::from_utf8_lossy(&output.stderr))
        })?;
        let sound = found["ok"] == true && output.status.success();
        bench.rows.push(Row::goal(
            "PostgreSQL: `querylayer ledger verify` afterwards",
            format!(
                "{} entries in {} chains, {} broken",
                found["entries"],
                found["chains"],
                found["broken"].as_array().map_or(0, Vec::len)
            ),
            "0 broken",
            sound,
        ));
        Ok(())
    }

    /// The time to the first answer after a kill.
    fn restarts(&self, bench: &mut Bench, data: &Path) -> Result<()> {
        let environment = self.database.environment(false);
        let token = &self.agents[0].token;
        let mut times = Vec::new();
        for _ in 0..STARTS {
            let (server, took) = footprint::start(bench, (data, &environment), token)?;
            drop(server);
            times.push(took);
        }
        times.sort_unstable();
        let median = times[STARTS / 2];
        bench.rows.push(Row::goal(
            "PostgreSQL: start to first answer, killed before, median of 7",
            milliseconds(median),
            "≤ 2 s",
            median <= READY,
        ));
        Ok(())
    }
}

fn raw_row(named: &str, way: Way, outcome: &Outcome) -> Row {
    let (connections, again) = (way.connections, outcome.again);
    let without = if way.ledger {
        ""
    } else {
        ", without the ledger's statements"
    };
    Row::reference(
        &format!(
            "{named}: the raw transactions of a draft, plain client, {CONNECTIONS} callers over {connections} connections{without}"
        ),
        format!("{}; {again} sent again", rate(&outcome.measured)),
    )
}

fn draft_row(who: &str, measured: &Measured, raw: f64) -> Row {
    let share = measured.rate / raw;
    Row::goal(
        &format!("PostgreSQL: `querylayer_create_draft`, {CONNECTIONS} connections, {who}"),
        format!(
            "{}; {}; {share:.2} of raw",
            rate(measured),
            unavailable(measured)
        ),
        &format!("≥ {SHARE} of raw, no errors"),
        share >= SHARE && measured.errors == 0,
    )
}

fn unavailable(measured: &Measured) -> String {
    let Measured {
        unavailable,
        answers,
        ..
    } = measured;
    format!("{unavailable} of {answers} answers `unavailable`")
}

fn whole(count: usize) -> Result<String> {
    Ok(grouped(f64::from(u32::try_from(count)?)))
}

/// What a second server needs of the first's folder.
fn copy_keys(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir(to)?;
    let copied = Command::new("cp")
        .arg("-a")
        .arg(from.join("keys"))
        .arg(to)
        .status()?;
    ensure!(copied.success(), "the keys can't be copied");
    Ok(())
}
