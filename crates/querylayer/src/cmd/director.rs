//! Productions from the command line.

pub mod excerpt;
pub mod people;
mod progress;
pub mod recorded;
mod remote;
pub mod story;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use ql_core::id::ProductionId;

use self::remote::StartArgs;
use crate::cli::Place;

/// Productions.
#[derive(Debug, Subcommand)]
pub enum DirectorCommand {
    /// Take a whole production through its stages with recorded agents, faults and all
    #[command(after_help = "Examples:
  querylayer director demo
  querylayer director demo --editions ./editions   with an edition `kjv` of your own")]
    Demo(DemoArgs),
    /// Start a production on a running server
    #[command(after_help = "Examples:
  querylayer director start --site elmsea --title 'The oldest plan' --source notes.md
  querylayer director start --site elmsea --title 'The way' --source https://example.org/page --budget 5")]
    Start {
        #[command(flatten)]
        args: Box<StartArgs>,
        #[command(flatten)]
        place: Place,
    },
    /// Tell how every production of a running server stands, or one of them
    #[command(after_help = "Examples:
  querylayer director status
  querylayer director status prd_… --json")]
    Status {
        /// The production's id
        id: Option<ProductionId>,
        #[command(flatten)]
        place: Place,
    },
    /// Have what is held done again, or say what a person must do
    #[command(after_help = "Examples:
  querylayer director resume prd_…")]
    Resume {
        /// The production's id
        id: ProductionId,
        #[command(flatten)]
        place: Place,
    },
    /// Show how a production goes on, until only people can go on with it
    #[command(after_help = "Examples:
  querylayer director watch prd_…
  querylayer director watch prd_… --json   one object for each change")]
    Watch {
        /// The production's id
        id: ProductionId,
        #[command(flatten)]
        place: Place,
    },
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

/// Carries a command out; the exit code of the story says whether every planted fault was found and
/// mended.
///
/// # Errors
/// What the story needs can't be set up, no server runs, or it refuses.
pub async fn run(command: DirectorCommand) -> Result<ExitCode> {
    match command {
        DirectorCommand::Demo(args) => {
            return story::tell(args.editions.as_deref(), args.json).await;
        }
        DirectorCommand::Start { args, place } => remote::start(*args, &place).await?,
        DirectorCommand::Status { id, place } => remote::status(id, &place).await?,
        DirectorCommand::Resume { id, place } => remote::resume(id, &place).await?,
        DirectorCommand::Watch { id, place } => progress::watch(id, &place).await?,
    }
    Ok(ExitCode::SUCCESS)
}
