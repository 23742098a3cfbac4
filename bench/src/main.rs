//! `querylayer-bench`: drives the real server over loopback and writes one table.
//!
//! Every figure stands beside a reference from the same run, because machines differ and are noisy.

mod agent;
mod ceiling;
mod load;
mod machine;
mod report;
mod scenario;
mod server;
mod sql;
mod tamper;
mod wire;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::{Parser, Subcommand};

use crate::scenario::{Bench, Scenario};

/// The product's allocator, so that what runs in process is comparable.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures a built server and prints one Markdown table.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The querylayer binary, built for release.
    #[arg(long, required = true)]
    binary: Option<PathBuf>,
    /// Run this scenario alone; can be given several times.
    #[arg(long, value_enum)]
    only: Vec<Scenario>,
    /// Seconds that each load is measured.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Revisions that the growth scenario fills the store with.
    #[arg(long, default_value_t = 100_000)]
    revisions: u64,
    /// Rows of the artifact that the import scenario sends.
    #[arg(long, default_value_t = 1_000_000)]
    rows: u64,
    /// Where the whole page is written, as well as the table to standard output.
    #[arg(long)]
    page: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Mutate bundles of the ledger and try both verifiers on them.
    Tamper(tamper::Arguments),
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // With standard error gone, the exit code is all that is left to say it with.
            drop(writeln!(std::io::stderr(), "{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Measures, and says whether every scenario could be carried out.
fn run(arguments: Arguments) -> Result<bool> {
    if let Some(Command::Tamper(arguments)) = arguments.command {
        return tamper::run(&arguments);
    }
    let binary = arguments.binary.context("--binary names the program")?;
    let mut complete = true;
    let load = machine::load();
    let mut bench = Bench::new(
        &binary,
        Duration::from_secs(arguments.seconds),
        (arguments.revisions, arguments.rows),
    )?;
    for scenario in Scenario::ALL {
        if arguments.only.is_empty() || arguments.only.contains(&scenario) {
            writeln!(std::io::stderr(), "{scenario:?} …")?;
            if let Err(error) = bench.run(scenario) {
                writeln!(std::io::stderr(), "{scenario:?} failed: {error:#}")?;
                complete = false;
            }
        }
    }
    let table = report::table(&bench.rows);
    writeln!(std::io::stdout(), "{table}")?;
    if let Some(page) = arguments.page.filter(|_| complete) {
        let machine = format!("{}; load before the run {load}", machine::describe());
        std::fs::write(page, report::page(&machine, arguments.seconds, &table))?;
    }
    Ok(complete)
}
