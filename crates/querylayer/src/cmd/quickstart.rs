//! The main job in one command: a folder with a sample site where there is none, served.

use anyhow::Result;
use ql_app::agent::NewAgent;
use ql_app::connection::NewConnection;
use ql_app::member::NewMember;
use ql_app::sample;
use ql_app::session::SiteRef;
use ql_core::actor::Harness;
use ql_core::id::{AgentId, ConnectionId, SiteId};
use ql_core::role::Role;
use ql_core::scope::ScopeSet;
use serde_json::json;

use crate::admin::said;
use crate::cmd::{serve, snippets};
use crate::config::ServerArgs;
use crate::output;
use crate::server::{Running, Signals};

/// The address of the sample site's owner.
pub const OWNER: &str = "owner@localhost";

/// What a fresh folder was given; the secrets exist nowhere else.
#[derive(Debug, Clone)]
pub struct Fresh {
    /// Opens a session of the owner, once.
    pub sign_in_url: String,
    /// The connection's secret.
    pub token: String,
    /// The site.
    pub site: SiteId,
    /// The agent.
    pub agent: AgentId,
    /// The connection.
    pub connection: ConnectionId,
}

/// Makes what is missing, serves, says where, and waits for a signal.
///
/// # Errors
/// The settings don't fit, or the folder or the address is taken.
pub async fn run(args: &ServerArgs, json: bool) -> Result<()> {
    serve::start_log();
    let signals = Signals::catch()?;
    let running = Running::start(args).await?;
    let known = !said(running.app.list_organizations().await)?.is_empty();
    let fresh = if known {
        None
    } else {
        Some(furnish(&running).await?)
    };
    if json {
        let standing = standing(&running).await?;
        output::print(&document(&running, fresh.as_ref(), &standing), true)?;
    } else {
        output::line(&text(&running, fresh.as_ref(), args))?;
    }
    running.until(signals).await
}

/// Puts the sample organization, site, pages, owner, agent and connection into an empty folder.
///
/// # Errors
/// One of the use cases refused, which means that the samples don't fit this version.
pub async fn furnish(running: &Running) -> Result<Fresh> {
    let app = &running.app;
    let uid = rustix::process::getuid().as_raw();
    let samples = said(sample::site())?;
    let organization = said(app.create_organization(uid, &samples.organization).await)?;
    let operator = said(app.operator_context(uid, Some(organization.id)).await)?;
    let site = said(app.create_site(&operator, samples.site).await)?;
    let (on_site, _) = said(app.operator_site_context(uid, &SiteRef::Id(site.id)).await)?;
    said(app.add_sample_templates(&on_site).await)?;
    let owner = NewMember {
        email: OWNER.to_owned(),
        name: "Owner".to_owned(),
        role: Role::Owner,
    };
    let owner = said(app.create_member(&operator, owner).await)?;

    let link = said(app.create_sign_in_link(&operator, owner.id).await)?;
    let session = said(app.sign_in_with_link(&link).await)?;
    let signed_in = app.authenticate_session(&session.secret).await?;
    let (as_owner, _) = said(app.member_context(&signed_in, &SiteRef::Id(site.id)).await)?;
    said(app.add_sample_forms(&as_owner).await)?;
    said(app.add_sample_pages(&as_owner).await)?;
    said(app.sign_out(&signed_in).await)?;

    let agent = NewAgent {
        name: "Sample agent".to_owned(),
        harness: Harness::Other,
        profile_id: None,
        profile_name: None,
    };
    let agent = said(app.create_agent(&operator, agent).await)?.id;
    said(app.set_permissions(&on_site, agent, ScopeSet::ALL).await)?;
    let connection = NewConnection {
        agent,
        name: "quickstart".to_owned(),
        scopes: ScopeSet::ALL,
        expires_at: None,
    };
    let issued = said(app.create_connection(&on_site, connection).await)?;
    let secret = said(app.create_sign_in_link(&operator, owner.id).await)?;
    Ok(Fresh {
        sign_in_url: app.sign_in_url(&secret),
        token: issued.secret.expose().to_owned(),
        site: site.id,
        agent,
        connection: issued.connection.id,
    })
}

/// The first site of the folder, with the agent and the connection that were made first on it.
struct Standing {
    site: Option<SiteId>,
    agent: Option<AgentId>,
    connection: Option<ConnectionId>,
}

async fn standing(running: &Running) -> Result<Standing> {
    let (app, uid) = (&running.app, rustix::process::getuid().as_raw());
    let operator = said(app.operator_context(uid, None).await)?;
    let site = said(app.list_sites(&operator).await)?
        .first()
        .map(|site| site.id);
    let first = match site {
        Some(site) => {
            let (ctx, _) = said(app.operator_site_context(uid, &SiteRef::Id(site)).await)?;
            said(app.list_connections(&ctx).await)?.pop()
        }
        None => None,
    };
    Ok(Standing {
        site,
        agent: first.as_ref().map(|c| c.agent),
        connection: first.map(|c| c.id),
    })
}

fn document(running: &Running, fresh: Option<&Fresh>, standing: &Standing) -> serde_json::Value {
    let url = &running.public_url;
    json!({
        "dashboard_url": format!("{url}/"),
        "sign_in_url": fresh.map(|fresh| &fresh.sign_in_url),
        "mcp_url": format!("{url}/mcp"),
        "api_url": format!("{url}/api/v1"),
        "token": fresh.map(|fresh| &fresh.token),
        "site": standing.site,
        "agent": standing.agent,
        "connection": standing.connection,
    })
}

fn text(running: &Running, fresh: Option<&Fresh>, args: &ServerArgs) -> String {
    let url = &running.public_url;
    let data = args.data_dir();
    let Some(fresh) = fresh else {
        return format!(
            "QueryLayer serves {url}\n\nThe folder {0} was there already, so no new secrets were made.\n\
             A sign-in link:      querylayer member sign-in-link {OWNER} --data {0}\n\
             A new connection:    querylayer connection rotate ID --data {0}\n\nStop with Ctrl-C.",
            data.path().display()
        );
    };
    format!(
        "QueryLayer serves {url}\n\n\
         1. Open the dashboard (the link works once, for a day):\n   {}\n\n\
         2. Give an agent this token. It is shown this once; the server keeps only its hash:\n   {}\n\n\
         3. Connect a client to {url}/mcp:\n\n{}\n\
         The site's public pages are at {url}/delivery/v1/sites/{}/items\n\
         Everything is kept in {}. Stop with Ctrl-C.",
        fresh.sign_in_url,
        fresh.token,
        snippets::text(&format!("{url}/mcp"), None),
        fresh.site,
        data.path().display()
    )
}
