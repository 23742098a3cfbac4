//! Administration by the machine's operator: one request in, one JSON answer out, the same on a
//! stopped data folder and through a running server's socket. No decision on a proposal is here.

use std::time::Duration;

use anyhow::{Result, anyhow};
use ql_app::agent::{AgentPatch, NewAgent};
use ql_app::connection::{IssuedConnection, NewConnection};
use ql_app::director::Director;
use ql_app::member::NewMember;
use ql_app::session::SiteRef;
use ql_app::site::{NewSite, SitePatch};
use ql_app::{App, OpContext};
use ql_core::connection::{Agent, Connection, Standing};
use ql_core::id::{AgentId, ConnectionId, MemberId};
use ql_core::scope::{Scope, ScopeSet};
use ql_store::member::Member;
use ql_store::site::Site;
use serde_json::{Value, json};

mod command;
mod director;
mod ledger;
mod view;

pub use self::command::{
    AgentCommand, ConnectionCommand, MemberCommand, Org, Request, SiteCommand,
};
pub use self::director::{DirectorRequest, Material, StartRequest};
pub use self::ledger::LedgerRequest;

/// Carries a request out for the operator with this user id, as [`run`] does; those about
/// productions by the running server's director.
///
/// # Errors
/// The refusal of the use case, with its remedy; a server without a policy.
pub async fn run_with(
    (app, director): (&App, Option<&Director>),
    uid: u32,
    request: Request,
) -> Result<Value> {
    match (request, director) {
        (Request::Director(request), Some(director)) => {
            director::run((app, director), uid, request).await
        }
        (Request::Director(_), None) => Err(anyhow!(
            "this server makes no productions; start it with a policy: `querylayer serve --policy \
             biblical-teaching`"
        )),
        (request, _) => run(app, uid, request).await,
    }
}

/// Carries a request out for the operator with this user id.
///
/// # Errors
/// The refusal of the use case, with its remedy.
pub async fn run(app: &App, uid: u32, request: Request) -> Result<Value> {
    match request {
        Request::Director(_) => Err(anyhow!("productions move in a running server alone")),
        Request::Org(command) => org(app, uid, command).await,
        Request::Site(command) => site(app, uid, command).await,
        Request::Member(command) => member(app, uid, command).await,
        Request::Agent(command) => agent(app, uid, command).await,
        Request::Connection(command) => connection(app, uid, command).await,
        Request::Ledger(request) => ledger::run(app, uid, request).await,
        Request::FindConnection(prefix) => by_prefix(app, uid, &prefix).await,
        Request::VerifyLedger => Ok(view::verification(&said(app.verify_whole_ledger().await)?)),
        Request::Backup(target) => {
            app.store().backup(&target).await?;
            Ok(json!({"backup": target}))
        }
    }
}

/// A use case's answer, its refusal put in the words of its message and remedy.
///
/// # Errors
/// The refusal.
pub fn said<T>(result: ql_app::Result<T>) -> Result<T> {
    result.map_err(|error| {
        if let Some(internal) = error.internal() {
            return anyhow!("{}: {internal}", error.message());
        }
        anyhow!("{} ({}). {}", error.message(), error.code(), error.remedy())
    })
}

async fn org(app: &App, uid: u32, command: Org) -> Result<Value> {
    match command {
        Org::Create { name } => Ok(view::organization(&said(
            app.create_organization(uid, &name).await,
        )?)),
        Org::List => Ok(said(app.list_organizations().await)?
            .iter()
            .map(view::organization)
            .collect()),
        Org::Rename { organization, name } => {
            let ctx = said(app.operator_context(uid, Some(organization)).await)?;
            said(app.rename_organization(&ctx, &name).await)?;
            Ok(view::organization(&said(app.get_organization(&ctx).await)?))
        }
    }
}

async fn site(app: &App, uid: u32, command: SiteCommand) -> Result<Value> {
    match command {
        SiteCommand::Create {
            name,
            slug,
            base_url,
            locale,
            time_zone,
            organization,
        } => {
            let ctx = said(app.operator_context(uid, organization).await)?;
            let site = said(
                app.create_site(
                    &ctx,
                    NewSite {
                        name,
                        slug,
                        base_url,
                        locale,
                        time_zone,
                    },
                )
                .await,
            )?;
            let (ctx, site) = said(app.operator_site_context(uid, &SiteRef::Id(site.id)).await)?;
            said(app.add_sample_templates(&ctx).await)?;
            Ok(view::site(&site))
        }
        SiteCommand::List => {
            let mut rows = Vec::new();
            for organization in said(app.list_organizations().await)? {
                let ctx = said(app.operator_context(uid, Some(organization.id)).await)?;
                rows.extend(said(app.list_sites(&ctx).await)?.iter().map(view::site));
            }
            Ok(Value::Array(rows))
        }
        SiteCommand::Show { site } => Ok(view::site(&site_context(app, uid, &site).await?.1)),
        SiteCommand::Rename { site, name } => {
            let (ctx, _) = site_context(app, uid, &site).await?;
            let patch = SitePatch {
                name: Some(name),
                ..SitePatch::default()
            };
            Ok(view::site(&said(app.update_site(&ctx, patch).await)?))
        }
    }
}

async fn site_context(app: &App, uid: u32, site: &str) -> Result<(OpContext, Site)> {
    said(app.operator_site_context(uid, &SiteRef::parse(site)).await)
}

/// The member by its id or address, with a context of its organization.
async fn find_member(app: &App, uid: u32, named: &str) -> Result<(OpContext, Member)> {
    for organization in said(app.list_organizations().await)? {
        let ctx = said(app.operator_context(uid, Some(organization.id)).await)?;
        let members = said(app.list_members(&ctx).await)?;
        let id: Option<MemberId> = named.parse().ok();
        let named_here = |member: &Member| {
            member.removed_at.is_none()
                && (Some(member.id) == id || member.email == named.to_lowercase())
        };
        if let Some(member) = members.into_iter().find(named_here) {
            return Ok((ctx, member));
        }
    }
    Err(anyhow!(
        "there is no member `{named}`; `querylayer member list` shows them"
    ))
}

async fn member(app: &App, uid: u32, command: MemberCommand) -> Result<Value> {
    match command {
        MemberCommand::Create {
            email,
            name,
            role,
            organization,
        } => {
            let ctx = said(app.operator_context(uid, organization).await)?;
            Ok(view::member(&said(
                app.create_member(&ctx, NewMember { email, name, role })
                    .await,
            )?))
        }
        MemberCommand::List { organization } => {
            let ctx = said(app.operator_context(uid, organization).await)?;
            Ok(said(app.list_members(&ctx).await)?
                .iter()
                .map(view::member)
                .collect())
        }
        MemberCommand::Role { member, role } => {
            let (ctx, member) = find_member(app, uid, &member).await?;
            Ok(view::member(&said(
                app.set_role(&ctx, member.id, role).await,
            )?))
        }
        MemberCommand::Remove { member } => {
            let (ctx, member) = find_member(app, uid, &member).await?;
            said(app.remove_member(&ctx, member.id).await)?;
            Ok(json!({"removed": member.id}))
        }
        MemberCommand::SignInLink { member } => {
            let (ctx, member) = find_member(app, uid, &member).await?;
            let secret = said(app.create_sign_in_link(&ctx, member.id).await)?;
            Ok(json!({"sign_in_url": app.sign_in_url(&secret), "member": member.email}))
        }
    }
}

async fn agent(app: &App, uid: u32, command: AgentCommand) -> Result<Value> {
    match command {
        AgentCommand::Create {
            name,
            harness,
            profile_id,
            profile_name,
            organization,
        } => {
            let ctx = said(app.operator_context(uid, organization).await)?;
            let new = NewAgent {
                name,
                harness,
                profile_id,
                profile_name,
            };
            Ok(view::agent(&said(app.create_agent(&ctx, new).await)?))
        }
        AgentCommand::List { organization } => {
            let ctx = said(app.operator_context(uid, organization).await)?;
            Ok(said(app.list_agents(&ctx).await)?
                .iter()
                .map(|record| view::agent(&record.agent))
                .collect())
        }
        AgentCommand::Show { agent } => {
            let (ctx, _) = find_agent(app, uid, agent).await?;
            Ok(view::agent_record(
                &said(app.get_agent(&ctx, agent).await)?,
                app.now(),
            ))
        }
        AgentCommand::Rename { agent, name } => {
            let (ctx, _) = find_agent(app, uid, agent).await?;
            let patch = AgentPatch {
                name: Some(name),
                profile_name: None,
            };
            Ok(view::agent(&said(
                app.update_agent(&ctx, agent, patch).await,
            )?))
        }
        AgentCommand::Permit {
            agent,
            site,
            scopes,
        } => {
            let (ctx, site) = site_context(app, uid, &site).await?;
            let scopes = parse_scopes(&scopes)?;
            said(app.set_permissions(&ctx, agent, scopes).await)?;
            Ok(json!({"agent": agent, "site": site.slug, "scopes": scopes}))
        }
    }
}

async fn find_agent(app: &App, uid: u32, id: AgentId) -> Result<(OpContext, Agent)> {
    for organization in said(app.list_organizations().await)? {
        let ctx = said(app.operator_context(uid, Some(organization.id)).await)?;
        if let Ok(record) = app.get_agent(&ctx, id).await {
            return Ok((ctx, record.agent));
        }
    }
    Err(anyhow!(
        "there is no agent {id}; `querylayer agent list` shows them"
    ))
}

fn parse_scopes(texts: &[String]) -> Result<ScopeSet> {
    if texts.iter().any(|text| text == "all") {
        return Ok(ScopeSet::ALL);
    }
    let scopes: std::result::Result<ScopeSet, _> =
        texts.iter().map(|text| text.parse::<Scope>()).collect();
    Ok(scopes?)
}

async fn connection(app: &App, uid: u32, command: ConnectionCommand) -> Result<Value> {
    match command {
        ConnectionCommand::Create {
            name,
            agent,
            site,
            scopes,
            expires_in_days,
        } => {
            let (ctx, _) = site_context(app, uid, &site).await?;
            let scopes = if scopes.is_empty() {
                said(app.get_permissions(&ctx, agent).await)?
            } else {
                parse_scopes(&scopes)?
            };
            let lifetime = Duration::from_secs(u64::from(expires_in_days) * 86_400);
            let new = NewConnection {
                agent,
                name,
                scopes,
                expires_at: Some(app.now().plus(lifetime)),
            };
            Ok(issued(&said(app.create_connection(&ctx, new).await)?))
        }
        ConnectionCommand::List { site } => {
            let (ctx, _) = site_context(app, uid, &site).await?;
            let now = app.now();
            Ok(said(app.list_connections(&ctx).await)?
                .iter()
                .map(|found| view::connection(found, now))
                .collect())
        }
        ConnectionCommand::Show { connection } => {
            let (_, found) = find_connection(app, uid, connection).await?;
            Ok(view::connection(&found, app.now()))
        }
        ConnectionCommand::Revoke { connection } => {
            let (ctx, _) = find_connection(app, uid, connection).await?;
            Ok(view::connection(
                &said(app.revoke_connection(&ctx, connection).await)?,
                app.now(),
            ))
        }
        ConnectionCommand::Test(_) => Err(anyhow!("a connection is tested from the client's side")),
        ConnectionCommand::Snippets { url, .. } => Ok(crate::cmd::snippets::document(&url, None)),
        ConnectionCommand::Rotate { connection } => {
            let (ctx, _) = find_connection(app, uid, connection).await?;
            Ok(issued(&said(
                app.rotate_connection(&ctx, connection).await,
            )?))
        }
    }
}

async fn find_connection(app: &App, uid: u32, id: ConnectionId) -> Result<(OpContext, Connection)> {
    for organization in said(app.list_organizations().await)? {
        let ctx = said(app.operator_context(uid, Some(organization.id)).await)?;
        for site in said(app.list_sites(&ctx).await)? {
            let (ctx, _) = said(app.operator_site_context(uid, &SiteRef::Id(site.id)).await)?;
            if let Ok(connection) = app.get_connection(&ctx, id).await {
                return Ok((ctx, connection));
            }
        }
    }
    Err(anyhow!(
        "there is no connection {id}; `querylayer connection list --site …` shows them"
    ))
}

/// The connection whose secret begins so, with what its agent is permitted there; null if none does.
async fn by_prefix(app: &App, uid: u32, prefix: &str) -> Result<Value> {
    for organization in said(app.list_organizations().await)? {
        let ctx = said(app.operator_context(uid, Some(organization.id)).await)?;
        for site in said(app.list_sites(&ctx).await)? {
            let (ctx, _) = said(app.operator_site_context(uid, &SiteRef::Id(site.id)).await)?;
            let connections = said(app.list_connections(&ctx).await)?;
            let Some(found) = connections.iter().find(|found| found.prefix == prefix) else {
                continue;
            };
            let mut value = view::connection(found, app.now());
            value["permissions"] = json!(said(app.get_permissions(&ctx, found.agent).await)?);
            return Ok(value);
        }
    }
    Ok(Value::Null)
}

fn issued(issued: &IssuedConnection) -> Value {
    let connection = &issued.connection;
    json!({
        "id": connection.id,
        "name": connection.name,
        "prefix": connection.prefix,
        "token": issued.secret.expose(),
        "scopes": connection.scopes,
        "expires_at": connection.expires_at,
    })
}

/// The state of a connection in one word.
pub(crate) const fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Active => "active",
        Standing::Expired => "expired",
        Standing::Revoked => "revoked",
    }
}
