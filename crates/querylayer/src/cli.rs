//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, CommandFactory as _, Parser, Subcommand};

use crate::admin::{AgentCommand, ConnectionCommand, MemberCommand, Org, Request, SiteCommand};
use crate::cmd;
use crate::config::ServerArgs;
use crate::data::DataDir;
use crate::database::DatabaseArgs;

/// Governed access for AI agents to a live website: agents propose, people approve the exact bytes
/// that go live.
#[derive(Debug, Parser)]
#[command(
    name = "querylayer",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
#[command(after_help = "Examples:
  querylayer quickstart                 a server with a sample site, ready in seconds
  querylayer demo                       the whole governed story, step by step
  querylayer connection list --site elmsea
  querylayer ledger verify --data ./data")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a data folder with a sample site where there is none, and serve it
    #[command(after_help = "Examples:
  querylayer quickstart
  querylayer quickstart --data ./site --listen 127.0.0.1:9000
  querylayer quickstart --json          the first line is one JSON object")]
    Quickstart {
        #[command(flatten)]
        server: ServerArgs,
        /// Print one JSON object first
        #[arg(long)]
        json: bool,
    },
    /// Tell the whole governed story through the real endpoint, step by step
    #[command(after_help = "Examples:
  querylayer demo                       against a server of its own that is gone afterwards
  querylayer demo --url http://127.0.0.1:8090 --data ./data")]
    Demo(cmd::demo::DemoArgs),
    /// Serve a data folder
    #[command(after_help = "Examples:
  querylayer serve --data /var/lib/querylayer --listen 127.0.0.1:8090 --public-url https://agents.example --behind-proxy 127.0.0.0/8
  querylayer serve --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem --public-url https://agents.example")]
    Serve {
        /// A TOML file of settings; every option is a key of it
        #[arg(long, value_name = "FILE", env = "QUERYLAYER_CONFIG")]
        config: Option<PathBuf>,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Bring an agent's runtime on this machine together with a server
    #[command(subcommand)]
    Connect(cmd::connect::ConnectCommand),
    /// Organizations: the tenants
    Org {
        #[command(subcommand)]
        command: Org,
        #[command(flatten)]
        place: Place,
    },
    /// Sites: the websites of an organization
    Site {
        #[command(subcommand)]
        command: SiteCommand,
        #[command(flatten)]
        place: Place,
    },
    /// Members: the people of an organization
    Member {
        #[command(subcommand)]
        command: MemberCommand,
        #[command(flatten)]
        place: Place,
    },
    /// Agents: registered identities
    Agent {
        #[command(subcommand)]
        command: AgentCommand,
        #[command(flatten)]
        place: Place,
    },
    /// Connections: an agent's credentials on a site
    Connection {
        #[command(subcommand)]
        command: ConnectionCommand,
        #[command(flatten)]
        place: Place,
    },
    /// The ledger: what happened, tamper-evident
    #[command(subcommand)]
    Ledger(cmd::ledger::LedgerCommand),
    /// Editions of Scripture: taken in, listed, checked and shown
    #[command(subcommand)]
    Corpus(cmd::corpus::CorpusCommand),
    /// References and quotations of Scripture: read, found, checked
    #[command(subcommand)]
    Scripture(cmd::scripture::ScriptureCommand),
    /// Productions: a work that goes through the stages of a policy pack
    #[command(subcommand)]
    Director(cmd::director::DirectorCommand),
    /// Policy packs: checked, hashed and compared
    #[command(subcommand)]
    Policy(cmd::policy::PolicyCommand),
    /// Prices of models: taken from a public list
    #[command(subcommand)]
    Prices(cmd::prices::PricesCommand),
    /// What looks like prompt injection in a text
    #[command(subcommand)]
    Injection(cmd::injection::InjectionCommand),
    /// Copy a data folder, consistently and while it is served
    Backup {
        /// The folder to make
        target: PathBuf,
        #[command(flatten)]
        place: Place,
    },
    /// Make a data folder from a copy
    Restore {
        /// The copy
        source: PathBuf,
        #[command(flatten)]
        place: Place,
    },
    /// Say in words what is wrong with a data folder, and what to do
    Doctor {
        #[command(flatten)]
        place: Place,
    },
    /// Print a published document
    #[command(subcommand)]
    Schema(Schema),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Where a command works, and how it prints.
#[derive(Debug, Clone, Args)]
pub struct Place {
    /// The data folder
    #[arg(
        long,
        env = "QUERYLAYER_DATA",
        value_name = "DIR",
        default_value = "data",
        global = true
    )]
    pub data: PathBuf,
    /// Which database
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

impl Place {
    /// The folder with its database.
    pub fn data_dir(&self) -> DataDir {
        DataDir::new(&self.data).with_database(self.database.clone())
    }
}

#[derive(Debug, Subcommand)]
enum Schema {
    /// The MCP tools with their schemas
    Tools,
    /// The envelopes between the director and its agents
    Envelopes,
    /// The HTTP API in `OpenAPI` 3.1
    Openapi,
}

/// The command line as it is parsed, with which the documents are checked.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command that the process was started with.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error.into()),
    };
    match runtime.block_on(dispatch(cli.command)) {
        Ok(code) => code,
        Err(error) => fail(&error),
    }
}

#[expect(
    clippy::print_stderr,
    reason = "errors of commands go to standard error"
)]
fn fail(error: &anyhow::Error) -> ExitCode {
    eprintln!("querylayer: {error:#}");
    ExitCode::FAILURE
}

async fn dispatch(command: Command) -> Result<ExitCode> {
    match command {
        Command::Quickstart { server, json } => cmd::quickstart::run(&server, json).await?,
        Command::Demo(args) => return cmd::demo::run(args).await,
        Command::Serve { config, server } => {
            cmd::serve::run(server.with_file(config.as_deref())?).await?;
        }
        Command::Connect(command) => return cmd::connect::run(command).await,
        Command::Org { command, place } => cmd::admin::run(Request::Org(command), &place).await?,
        Command::Site { command, place } => cmd::admin::run(Request::Site(command), &place).await?,
        Command::Member { command, place } => {
            cmd::admin::run(Request::Member(command), &place).await?;
        }
        Command::Agent { command, place } => {
            cmd::admin::run(Request::Agent(command), &place).await?;
        }
        Command::Connection {
            command: ConnectionCommand::Snippets { url, client },
            place,
        } => {
            cmd::snippets::run(&url, client.as_deref(), place.json)?;
        }
        Command::Connection {
            command: ConnectionCommand::Test(args),
            place,
        } => return cmd::connection_test::run(&args, &place).await,
        Command::Connection { command, place } => {
            cmd::admin::run(Request::Connection(command), &place).await?;
        }
        Command::Ledger(command) => return cmd::ledger::run(command).await,
        Command::Director(command) => return cmd::director::run(command).await,
        Command::Corpus(command) => return cmd::corpus::run(command),
        Command::Scripture(command) => return cmd::scripture::run(command),
        Command::Policy(command) => return cmd::policy::run(command),
        Command::Prices(command) => cmd::prices::run(command)?,
        Command::Injection(command) => return Ok(cmd::injection::run(command)),
        Command::Backup { target, place } => cmd::backup::backup(&target, &place).await?,
        Command::Restore { source, place } => cmd::backup::restore(&source, &place).await?,
        Command::Doctor { place } => return cmd::doctor::run(&place).await,
        Command::Schema(Schema::Tools) => {
            crate::output::line(&pretty(&ql_api::mcp::tools_document())?)?;
        }
        Command::Schema(Schema::Envelopes) => {
            crate::output::line(&pretty(&ql_pipeline::envelope::schema::all())?)?;
        }
        Command::Schema(Schema::Openapi) => {
            crate::output::line(&pretty(&ql_api::rest::openapi())?)?;
        }
        Command::Completions { shell } => {
            clap_complete::generate(
                shell,
                &mut Cli::command(),
                "querylayer",
                &mut std::io::stdout(),
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn pretty(document: &serde_json::Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(document)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_fit_together() {
        Cli::command().debug_assert();
    }
}
