//! The whole governed story, step by step, through the endpoints that everybody else uses.

mod agent;
mod chapters;
mod console;
mod evidence;
mod forms;
mod minutes;
mod person;
mod sources;
mod story;
mod topical;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use self::minutes::Minutes;
use crate::admin::{AgentCommand, ConnectionCommand, MemberCommand, Request, SiteCommand};
use crate::cli::Place;
use crate::cmd::told::Told;
use crate::cmd::{admin, quickstart};
use crate::config::ServerArgs;
use crate::database::DatabaseArgs;
use crate::server::Running;

/// How to tell the story.
#[derive(Debug, Clone, Args)]
pub struct DemoArgs {
    /// A running server; one of its own, gone afterwards, when not given
    #[arg(long, value_name = "URL", requires = "data")]
    url: Option<String>,
    /// The running server's data folder, through which the demo gets an agent and a sign-in link
    #[arg(long, value_name = "DIR", requires = "url")]
    data: Option<PathBuf>,
    /// The running server's database
    #[command(flatten)]
    database: DatabaseArgs,
    /// Tell every chapter: how topics become briefs and pages too
    #[arg(long)]
    all: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Where the story takes place, and who acts in it.
struct Stage {
    url: String,
    token: String,
    sign_in_url: String,
    site: String,
    connection: String,
    /// A source of the demo's own, which a server of the demo's own alone finds.
    minutes: Option<Minutes>,
}

/// Tells the story; the exit code says whether every step held.
///
/// # Errors
/// The server can't be reached or set up.
pub async fn run(args: DemoArgs) -> Result<ExitCode> {
    let (stage, running, folder) = if let (Some(url), Some(data)) = (&args.url, &args.data) {
        (visit(url, data, &args.database).await?, None, None)
    } else {
        let folder = scratch_folder()?;
        let (stage, running) = build(&folder).await?;
        (stage, Some(running), Some(folder))
    };
    let mut told = Told::new(args.json);
    let outcome = story::tell(&stage, &mut told, args.all).await;
    if let Some(running) = running {
        running.stop().await?;
    }
    if let Some(folder) = folder {
        std::fs::remove_dir_all(&folder)
            .with_context(|| format!("{} can't be removed", folder.display()))?;
    }
    outcome?;
    told.finish(
        &json!({"url": stage.url}),
        "Every step held. Now yours: querylayer quickstart",
    )
}

/// A folder that isn't there yet, for a server of the demo's own.
pub(super) fn scratch_folder() -> Result<PathBuf> {
    let name = format!("querylayer-demo-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    if folder.exists() {
        bail!("{} is in the way; remove it", folder.display());
    }
    Ok(folder)
}

async fn build(folder: &std::path::Path) -> Result<(Stage, Running)> {
    let args = ServerArgs {
        data: Some(folder.to_owned()),
        listen: Some(std::net::SocketAddr::from(([127, 0, 0, 1], 0))),
        ..ServerArgs::default()
    };
    let minutes = Minutes::open(evidence::WORDS).await?;
    let running = Running::start_with(&args, minutes.fetcher()?).await?;
    let fresh = quickstart::furnish(&running).await?;
    let stage = Stage {
        url: running.public_url.clone(),
        token: fresh.token,
        sign_in_url: fresh.sign_in_url,
        site: fresh.site.to_string(),
        connection: fresh.connection.to_string(),
        minutes: Some(minutes),
    };
    Ok((stage, running))
}

/// Gets an agent of its own and a sign-in link from a running server, over its socket.
async fn visit(url: &str, data: &std::path::Path, database: &DatabaseArgs) -> Result<Stage> {
    let place = Place {
        data: data.to_owned(),
        database: database.clone(),
        json: true,
    };
    let text = |value: &Value, key: &str| {
        value[key]
            .as_str()
            .map(str::to_owned)
            .with_context(|| format!("no {key}"))
    };
    let sites = admin::answer(Request::Site(SiteCommand::List), &place).await?;
    let site = text(&sites[0], "id").context("the server has no site")?;
    let name = format!("Demo {}", std::process::id());
    let create = AgentCommand::Create {
        name,
        harness: ql_core::actor::Harness::Other,
        profile_id: None,
        profile_name: None,
        organization: None,
    };
    let agent = text(&admin::answer(Request::Agent(create), &place).await?, "id")?.parse()?;
    let permit = AgentCommand::Permit {
        agent,
        site: site.clone(),
        scopes: vec!["all".into()],
    };
    admin::answer(Request::Agent(permit), &place).await?;
    let connect = ConnectionCommand::Create {
        name: "demo".into(),
        agent,
        site: site.clone(),
        scopes: vec!["all".into()],
        expires_in_days: 1,
    };
    let connection = admin::answer(Request::Connection(connect), &place).await?;
    let members = admin::answer(
        Request::Member(MemberCommand::List { organization: None }),
        &place,
    )
    .await?;
    let owner = members
        .as_array()
        .and_then(|rows| {
            rows.iter()
                .find(|row| row["role"] == "owner" && row["removed_at"].is_null())
        })
        .context("the server has no owner")?;
    let link = MemberCommand::SignInLink {
        member: text(owner, "id")?,
    };
    let link = admin::answer(Request::Member(link), &place).await?;
    let sign_in_url = text(&link, "sign_in_url")?;
    let path = sign_in_url
        .split("/sign-in/")
        .nth(1)
        .context("the sign-in link has another form")?
        .to_owned();
    let url = url.trim_end_matches('/').to_owned();
    Ok(Stage {
        token: text(&connection, "token")?,
        sign_in_url: format!("{url}/sign-in/{path}"),
        connection: text(&connection, "id")?,
        site,
        url,
        minutes: None,
    })
}
