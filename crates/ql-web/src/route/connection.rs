//! Connections: made with their secret shown once, watched, rotated and revoked.

use std::str::FromStr as _;

use http::StatusCode;
use ql_app::agent::AgentRecord;
use ql_app::connection::{IssuedConnection, NewConnection};
use ql_app::snippets::snippets;
use ql_core::connection::{Connection, Standing};
use ql_core::id::{AgentId, ConnectionId};
use ql_core::role::MemberAct;
use ql_core::scope::{Scope, ScopeSet};
use ql_core::time::days;

use super::agent::{permissions, ticked};
use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, lines, page, page_with};
use crate::edge::form::Action;
use crate::edge::params::Id;
use crate::page::{self, ConfirmConnection, ConnectionPage, Lamp, Section, scope_boxes};
use crate::part::{Choice, Fact, Link, Pill, Select, Tone};
use crate::view::words;

fn agent_link(desk: &Desk, record: &AgentRecord) -> Link {
    let href = desk.at(&format!("agents/{}", record.agent.id));
    Link::new(href, record.agent.name.as_str())
}

pub(super) async fn new_form(Id(id): Id<AgentId>, desk: Desk) -> Answer {
    desk.require(MemberAct::Administer)?;
    let record = desk.web.app.get_agent(&desk.ctx, id).await?;
    let held = permissions(&desk, &record);
    page(&blank(&desk, &record, held).await?)
}

async fn blank(
    desk: &Desk,
    record: &AgentRecord,
    chosen: ScopeSet,
) -> Result<page::NewConnection, WebError> {
    let held = permissions(desk, record);
    let is_in =
        |set: ScopeSet| move |text: &str| Scope::from_str(text).is_ok_and(|s| set.contains(s));
    let lifetimes = [1_u16, 7, 30, 90, 180, 365];
    Ok(page::NewConnection {
        shell: desk.shell(Section::Agents).await?,
        agent: agent_link(desk, record),
        name: String::new(),
        scopes: scope_boxes(is_in(chosen.intersect(held)), is_in(held)),
        lifetime: Select {
            name: "expires_in_days",
            label: "How long it lasts",
            chosen: "90".into(),
            choices: lifetimes
                .map(|days| Choice::new(days.to_string(), words::count(days.into(), "day", "days")))
                .into(),
        },
        problems: Vec::new(),
    })
}

pub(super) async fn create(Id(id): Id<AgentId>, Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Administer)?;
    let lifetime: u64 = form
        .get("expires_in_days")
        .and_then(|days| days.parse().ok())
        .unwrap_or(90);
    let scopes = ticked(&form);
    let new = NewConnection {
        agent: id,
        name: form.text("name"),
        scopes,
        expires_at: Some(desk.now.plus(days(lifetime.min(365)))),
    };
    match desk.web.app.create_connection(&desk.ctx, new).await {
        Ok(issued) => issued_page(&desk, issued).await,
        Err(error) if error.is_fault() => Err(error.into()),
        Err(error) => {
            let record = desk.web.app.get_agent(&desk.ctx, id).await?;
            let shown = page::NewConnection {
                name: form.text("name"),
                problems: lines(&error),
                ..blank(&desk, &record, scopes).await?
            };
            page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
        }
    }
}

async fn issued_page(desk: &Desk, issued: IssuedConnection) -> Answer {
    let mut shown = render(desk, issued.connection).await?;
    shown.secret = Some(issued.secret.expose().to_owned());
    page(&shown)
}

pub(super) async fn show(Id(id): Id<ConnectionId>, desk: Desk) -> Answer {
    let connection = desk.web.app.get_connection(&desk.ctx, id).await?;
    page(&render(&desk, connection).await?)
}

async fn render(desk: &Desk, connection: Connection) -> Result<ConnectionPage, WebError> {
    let record = desk.web.app.get_agent(&desk.ctx, connection.agent).await?;
    let held = permissions(desk, &record);
    let scope = |scope: Scope| {
        if held.contains(scope) {
            Pill::new(Tone::Quiet, scope.as_str())
        } else {
            Pill::new(Tone::Stopped, format!("{scope}, which the agent lacks now"))
        }
    };
    let mut facts = vec![
        Fact::new("Prefix", connection.prefix.as_str()),
        Fact::new("Made", words::minute(connection.created_at)),
        Fact::new("Expires", words::minute(connection.expires_at)),
    ];
    if let Some(at) = connection.revoked_at {
        facts.push(Fact::new("Revoked", words::minute(at)));
    }
    Ok(ConnectionPage {
        shell: desk.shell(Section::Agents).await?,
        id: connection.id.to_string(),
        agent: agent_link(desk, &record),
        state: words::connection(&connection, desk.now),
        secret: None,
        lamp: Lamp {
            href: desk.at(&format!("connections/{}", connection.id)),
            last_used: connection.last_used_at.map(|at| desk.when(at)),
            ended: match connection.standing(desk.now) {
                Standing::Active => None,
                Standing::Expired => Some("Expired. Rotate it, or make another one."),
                Standing::Revoked => Some("Revoked. Nothing can call with it any more."),
            },
        },
        snippets: snippets(&desk.web.mcp_url()),
        scopes: connection.scopes.iter().map(scope).collect(),
        facts,
        may_administer: desk.may(MemberAct::Administer),
        name: connection.name,
    })
}

pub(super) async fn revoke_form(Id(id): Id<ConnectionId>, desk: Desk) -> Answer {
    desk.require(MemberAct::Administer)?;
    let effects = [
        "Its very next call is refused.",
        "Its open runs are closed as blocked.",
        "Drafts, artifacts and proposals that it made stay.",
    ];
    confirm(&desk, id, ("Revoke", "revoke", &effects)).await
}

pub(super) async fn rotate_form(Id(id): Id<ConnectionId>, desk: Desk) -> Answer {
    desk.require(MemberAct::Administer)?;
    let effects = [
        "The present secret ends now: its very next call is refused, and its open runs are closed.",
        "A new connection of the same name, scopes and length takes its place.",
        "The new secret is shown once, on the next page.",
    ];
    confirm(&desk, id, ("Rotate", "rotate", &effects)).await
}

async fn confirm(
    desk: &Desk,
    id: ConnectionId,
    (verb, path, effects): (&str, &str, &[&str]),
) -> Answer {
    let connection = desk.web.app.get_connection(&desk.ctx, id).await?;
    let record = desk.web.app.get_agent(&desk.ctx, connection.agent).await?;
    let here = desk.at(&format!("connections/{id}"));
    page(&ConfirmConnection {
        shell: desk.shell(Section::Agents).await?,
        agent: agent_link(desk, &record),
        heading: format!("{verb} {}", connection.name),
        effects: effects.iter().map(ToString::to_string).collect(),
        action: format!("{here}/{path}"),
        button: format!("{verb} {} now", connection.name),
        connection: Link::new(here, connection.name),
    })
}

pub(super) async fn revoke(Id(id): Id<ConnectionId>, Action { desk, .. }: Action) -> Answer {
    desk.web.app.revoke_connection(&desk.ctx, id).await?;
    Ok(go(&desk.at(&format!("connections/{id}?notice=revoked"))))
}

pub(super) async fn rotate(Id(id): Id<ConnectionId>, Action { desk, .. }: Action) -> Answer {
    let issued = desk.web.app.rotate_connection(&desk.ctx, id).await?;
    issued_page(&desk, issued).await
}
