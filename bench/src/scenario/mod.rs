//! The scenarios. Each adds its rows; the references are measured first.

mod ceilings;
mod console;
mod delivery;
mod director;
mod drafts;
mod footprint;
mod forms;
mod growth;
mod import;
mod in_process;
mod ledger;
mod postgres;
mod reads;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::ValueEnum;

use crate::agent::Agent;
use crate::load::{Load, Measured};
use crate::report::Row;
use crate::server::{Scratch, Server};
use crate::wire::Wire;

/// Something to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scenario {
    /// Reference servers that do nothing.
    Ceilings,
    /// The governed transactions without HTTP, and the time of an approval.
    InProcess,
    /// What the ledger's tree costs, and how fast a bundle is checked.
    Ledger,
    /// Durable drafts over MCP, with 64 and with 8 connections.
    Drafts,
    /// Lists of content and of tools, and refused tokens.
    Reads,
    /// The delivery API, with and without a matching `ETag`.
    Delivery,
    /// Posts of visitors, screened and stored.
    Forms,
    /// Turns claimed and completed, claims among many ready steps, and what waiting costs.
    Console,
    /// Productions of recorded agents through every stage.
    Director,
    /// Memory, binary size, and the time from start to the first answer.
    Footprint,
    /// Drafts on a database server by one server and by two, beside the raw transactions.
    Postgres,
    /// The same reads and drafts in a small and in a grown store, on both engines.
    Growth,
    /// A strategy of a million rows, on both engines.
    Import,
}

impl Scenario {
    /// All, in the order of the table.
    pub(crate) const ALL: [Self; 13] = [
        Self::Ceilings,
        Self::InProcess,
        Self::Ledger,
        Self::Drafts,
        Self::Reads,
        Self::Delivery,
        Self::Forms,
        Self::Console,
        Self::Director,
        Self::Footprint,
        Self::Postgres,
        Self::Growth,
        Self::Import,
    ];
}

/// A run of the benchmark.
#[derive(Debug)]
pub(crate) struct Bench {
    binary: PathBuf,
    duration: Duration,
    revisions: u64,
    /// Rows of the artifact that is imported.
    imported: u64,
    /// Drafts per second without HTTP, by the number of callers.
    in_process: BTreeMap<usize, f64>,
    /// What came out so far.
    pub(crate) rows: Vec<Row>,
}

impl Bench {
    /// A run that measures `binary`, each load for `duration`, with so many revisions to grow by and
    /// so many rows to import.
    pub(crate) fn new(
        binary: &Path,
        duration: Duration,
        (revisions, imported): (u64, u64),
    ) -> Result<Self> {
        Ok(Self {
            binary: binary.canonicalize()?,
            duration,
            revisions,
            imported,
            in_process: BTreeMap::new(),
            rows: Vec::new(),
        })
    }

    /// Measures one scenario.
    pub(crate) fn run(&mut self, scenario: Scenario) -> Result<()> {
        match scenario {
            Scenario::Ceilings => ceilings::run(self),
            Scenario::InProcess => in_process::run(self),
            Scenario::Ledger => ledger::run(self),
            Scenario::Drafts => drafts::run(self),
            Scenario::Reads => reads::run(self),
            Scenario::Delivery => delivery::run(self),
            Scenario::Forms => forms::run(self),
            Scenario::Console => console::run(self),
            Scenario::Director => director::run(self),
            Scenario::Footprint => footprint::run(self),
            Scenario::Postgres => postgres::run(self),
            Scenario::Growth => growth::run(self),
            Scenario::Import => import::run(self),
        }
    }

    /// A server with the sample site in a fresh folder.
    fn fresh(&self, name: &str) -> Result<(Scratch, Server)> {
        let scratch = Scratch::new(name)?;
        let server = Server::start(&self.binary, &scratch.data(), &[])?;
        Ok((scratch, server))
    }
}

/// So many runs of an agent.
fn begin_runs(agent: &Agent, count: usize) -> Result<Vec<String>> {
    block_on(async {
        let mut runs = Vec::new();
        for _ in 0..count {
            runs.push(agent.begin_run().await?);
        }
        Ok(runs)
    })
}

/// Drafts new articles on some connections, each within a run of its own.
fn draft_load(agent: &Agent, connections: usize, duration: Duration) -> Result<Measured> {
    let runs = begin_runs(agent, connections)?;
    let load = Load {
        address: agent.address,
        connections,
        duration,
        expect: (200, ACCEPTED),
    };
    load.run(|number| {
        let (agent, run, mut count) = (agent.clone(), runs[number].clone(), 0);
        Box::new(move || {
            count += 1;
            agent.draft(&run, count)
        })
    })
}

/// One draft of a run, which must be accepted.
async fn draft_once(agent: &Agent, run: &str) -> Result<()> {
    let mut wire = Wire::connect(agent.address).await?;
    let answer = wire.exchange(&agent.draft(run, 0)).await?;
    ensure!(answer.body.contains(ACCEPTED), "{}", answer.body);
    Ok(())
}

/// Sends one and the same request on some connections.
fn repeat_load(load: Load, request: &[u8]) -> Result<Measured> {
    load.run(|_| {
        let request = request.to_vec();
        Box::new(move || request.clone())
    })
}

/// The beginning of an accepted tool's answer inside its text block.
const ACCEPTED: &str = r#"{\"ok\":true"#;

fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(work)
}
