//! Productions from the command line.

pub mod excerpt;
mod people;
pub mod recorded;
pub mod story;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Productions.
#[derive(Debug, Subcommand)]
pub enum DirectorCommand {
    /// Take a whole production through its stages with recorded agents, faults and all
    #[command(after_help = "Examples:
  querylayer director demo
  querylayer director demo --editions ./editions   with an edition `kjv` of your own")]
    Demo(DemoArgs),
}

/// How to tell the story of a production.
#[derive(Debug, Clone, Args)]
pub struct DemoArgs {
    /// A folder of imported editions with `kjv`; an excerpt of a few verses when not given
    #[arg(long, value_name = "DIR")]
    editions: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Carries a command out; the exit code says whether every planted fault was found and mended.
///
/// # Errors
/// What the story needs can't be set up.
pub async fn run(command: DirectorCommand) -> Result<ExitCode> {
    match command {
        DirectorCommand::Demo(args) => story::tell(args.editions.as_deref(), args.json).await,
    }
}
