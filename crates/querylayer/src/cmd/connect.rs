//! Connectors: what runs beside an agent's harness.

mod profiles;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use ql_app::snippets::TOKEN_VARIABLE;
use ql_core::id::SystemIdGen;
use ql_core::time::SystemClock;
use ql_core::token::{Token, TokenKind};
use tokio::sync::watch;

use crate::cmd::serve::start_log;
use crate::connect::{Connector, Endpoint, Event, Surroundings, Task, profiles as hermes};
use crate::output;
use crate::server::Signals;

/// How often the lease of a turn is renewed, which lasts ten minutes unless the site says otherwise.
const RENEWED_EVERY: Duration = Duration::from_secs(20);

/// The harnesses that there is a connector for.
#[derive(Debug, Subcommand)]
pub enum ConnectCommand {
    /// Take waiting turns of the Agent Console to the sessions of Hermes on this machine
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "The agent's token is read from QUERYLAYER_TOKEN, or from the file that --token-file names.

Examples:
  querylayer connect hermes enroll --profile writer
  querylayer connect hermes profiles
  querylayer connect hermes --url https://cms.example.com --token-file token
  querylayer connect hermes --url https://cms.example.com --once --json"
    )]
    Hermes(HermesArgs),
}

/// The connector for Hermes.
#[derive(Debug, Args)]
pub struct HermesArgs {
    #[command(subcommand)]
    command: Option<HermesCommand>,
    #[command(flatten)]
    connector: ConnectorArgs,
    #[command(flatten)]
    place: HermesPlace,
}

/// Where Hermes is.
#[derive(Debug, Args)]
pub struct HermesPlace {
    /// Hermes' folder; `HERMES_HOME` or ~/.hermes when not given
    #[arg(long, value_name = "DIR", global = true)]
    home: Option<PathBuf>,
    /// Print JSON, one line for each event
    #[arg(long, global = true)]
    json: bool,
}

impl HermesPlace {
    fn root(&self) -> Result<PathBuf> {
        let root = hermes::root(self.home.as_deref());
        root.context("there is no home folder; name Hermes' folder with --home")
    }
}

#[derive(Debug, Subcommand)]
enum HermesCommand {
    /// Give a profile its immutable id, which an agent is registered with
    Enroll {
        /// The profile's current name
        #[arg(long, value_name = "NAME")]
        profile: String,
        /// Replace the id that the profile has, as a copy of another profile needs it
        #[arg(long)]
        new_id: bool,
    },
    /// List the profiles with their ids, as the connector would report them
    Profiles,
}

/// How the connector runs.
#[derive(Debug, Args)]
struct ConnectorArgs {
    /// The QueryLayer server's address
    #[arg(long, default_value = "http://127.0.0.1:8090")]
    url: String,
    /// A file that holds the agent's token
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Report and take what waits, once
    #[arg(long)]
    once: bool,
    /// The connector's own name, which must be another one on each machine
    #[arg(long, value_name = "NAME", value_parser = connector_name)]
    name: Option<String>,
    /// How long a session may work on one turn, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    longest_turn: u64,
}

fn connector_name(text: &str) -> Result<String, String> {
    let fits = !text.trim().is_empty() && text.chars().count() <= 100;
    fits.then(|| text.to_owned())
        .ok_or_else(|| "expected 1 to 100 characters".to_owned())
}

/// Runs a command about connectors.
///
/// # Errors
/// The token or the address can't be used, or what the command needs isn't there.
pub async fn run(ConnectCommand::Hermes(args): ConnectCommand) -> Result<ExitCode> {
    let (root, json) = (args.place.root()?, args.place.json);
    match args.command {
        Some(HermesCommand::Enroll { profile, new_id }) => {
            profiles::enroll(&root, (&profile, new_id), json)
        }
        Some(HermesCommand::Profiles) => profiles::list(&root, json),
        None => connect(args.connector, root, json).await,
    }
}

async fn connect(args: ConnectorArgs, root: PathBuf, json: bool) -> Result<ExitCode> {
    start_log();
    let signals = Signals::catch()?;
    let task = Task {
        root,
        server: Endpoint::parse(&args.url)?,
        token: token(args.token_file)?,
        name: args.name,
        longest_turn: Duration::from_secs(args.longest_turn),
        renewed_every: RENEWED_EVERY,
    };
    let (stopping, stop) = watch::channel(false);
    tokio::spawn(async move {
        signals.wait().await;
        stopping.send_replace(true);
    });
    let around = Surroundings {
        ids: Arc::new(SystemIdGen::default()),
        clock: Arc::new(SystemClock),
        stop,
        tell: Arc::new(move |event| told(event, json)),
    };
    let connector = Connector::new(task, around);
    if args.once {
        return Ok(if connector.once().await? {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    connector.run().await?;
    Ok(ExitCode::SUCCESS)
}

/// Prints what happened. Whoever reads it may be gone, which stops nothing.
fn told(event: &Event, json: bool) {
    let line = if json {
        serde_json::to_string(event).unwrap_or_default()
    } else {
        event.to_string()
    };
    drop(output::line(&line));
}

/// The agent's token, from a file or from the environment and never from the command line, which
/// everybody on the machine can read.
fn token(file: Option<PathBuf>) -> Result<Token> {
    let (text, from) = match file {
        Some(file) => {
            let text = std::fs::read_to_string(&file);
            let from = file.display().to_string();
            (text.with_context(|| format!("can't read {from}"))?, from)
        }
        None => match env::var(TOKEN_VARIABLE) {
            Ok(text) => (text, TOKEN_VARIABLE.to_owned()),
            Err(_) => bail!(
                "set {TOKEN_VARIABLE} to the agent's token, or name a file that holds it with --token-file"
            ),
        },
    };
    let token = Token::parse(TokenKind::Connection, text.trim());
    token.with_context(|| format!("{from} holds no token of an agent, which begins with qla_; `querylayer connection test` says more"))
}
