//! Agents: registered, renamed, and told what they may do on this site at most.

use std::str::FromStr as _;

use http::StatusCode;
use ql_app::Error;
use ql_app::agent::{AgentPatch, AgentRecord, NewAgent};
use ql_core::actor::Harness;
use ql_core::connection::{Connection, Standing};
use ql_core::id::AgentId;
use ql_core::role::MemberAct;
use ql_core::scope::{Scope, ScopeSet};

use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, lines, page, page_with, sentence, status};
use crate::edge::form::{Action, Posted};
use crate::edge::params::Id;
use crate::page::{self, AgentPage, AgentRow, Agents, ConnectionRow, Section, scope_boxes};
use crate::part::{Choice, Fact, Select, Who};
use crate::view::words;

/// The name of a program as people write it.
pub(super) const fn harness_name(harness: Harness) -> &'static str {
    match harness {
        Harness::Hermes => "Hermes",
        Harness::Codex => "Codex",
        Harness::Chatgpt => "ChatGPT",
        Harness::Claude => "Claude",
        Harness::Grok => "Grok",
        Harness::Other => "Another program",
    }
}

/// What an agent may do on the desk's site at most.
pub(super) fn permissions(desk: &Desk, record: &AgentRecord) -> ScopeSet {
    let mut held = record.permissions.iter();
    held.find(|(site, _)| *site == desk.site.id)
        .map_or_else(ScopeSet::default, |(_, held)| *held)
}

/// The scopes that a form ticks.
pub(super) fn ticked(form: &Posted) -> ScopeSet {
    form.all("scope")
        .filter_map(|text| Scope::from_str(text).ok())
        .collect()
}

pub(super) async fn list(desk: Desk) -> Answer {
    let records = desk.web.app.list_agents(&desk.ctx).await?;
    page(&Agents {
        shell: desk.shell(Section::Agents).await?,
        rows: records.iter().map(|record| row(&desk, record)).collect(),
        may_administer: desk.may(MemberAct::Administer),
    })
}

fn row(desk: &Desk, record: &AgentRecord) -> AgentRow {
    let here = record
        .connections
        .iter()
        .filter(|connection| connection.site == desk.site.id);
    let is_active = |connection: &&Connection| connection.standing(desk.now) == Standing::Active;
    let last_used = here
        .clone()
        .filter_map(|connection| connection.last_used_at)
        .max();
    AgentRow {
        who: Who::agent(record.agent.name.as_str()),
        href: desk.at(&format!("agents/{}", record.agent.id)),
        harness: harness_name(record.agent.harness),
        scopes: permissions(desk, record)
            .iter()
            .map(Scope::as_str)
            .collect(),
        active: here.filter(is_active).count(),
        last_used: last_used.map(|at| desk.when(at)),
    }
}

pub(super) async fn new_form(desk: Desk) -> Answer {
    desk.require(MemberAct::Administer)?;
    let all = Scope::ALL.into_iter().collect();
    page(&blank(&desk, Harness::Hermes, all).await?)
}

async fn blank(
    desk: &Desk,
    harness: Harness,
    scopes: ScopeSet,
) -> Result<page::NewAgent, WebError> {
    let choice = |harness: Harness| Choice::new(harness.as_str(), harness_name(harness));
    let is_on = |text: &str| Scope::from_str(text).is_ok_and(|scope| scopes.contains(scope));
    Ok(page::NewAgent {
        shell: desk.shell(Section::Agents).await?,
        name: String::new(),
        harness: Select {
            name: "harness",
            label: "Program",
            chosen: harness.as_str().into(),
            choices: Harness::ALL.map(choice).into(),
        },
        profile_id: String::new(),
        profile_name: String::new(),
        scopes: scope_boxes(is_on, |_| true),
        problems: Vec::new(),
    })
}

pub(super) async fn create(Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Administer)?;
    let harness = form
        .get("harness")
        .and_then(|text| text.parse().ok())
        .unwrap_or(Harness::Other);
    let new = NewAgent {
        name: form.text("name"),
        harness,
        profile_id: form.get("profile_id").map(str::to_owned),
        profile_name: form.get("profile_name").map(str::to_owned),
    };
    let scopes = ticked(&form);
    let problems = match desk.web.app.create_agent(&desk.ctx, new).await {
        Ok(agent) => {
            desk.web
                .app
                .set_permissions(&desk.ctx, agent.id, scopes)
                .await?;
            return Ok(go(&desk.at(&format!("agents/{}/connect", agent.id))));
        }
        Err(error) if error.is_fault() => return Err(error.into()),
        Err(error) => lines(&error),
    };
    let shown = page::NewAgent {
        name: form.text("name"),
        profile_id: form.text("profile_id"),
        profile_name: form.text("profile_name"),
        problems,
        ..blank(&desk, harness, scopes).await?
    };
    page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
}

pub(super) async fn show(Id(id): Id<AgentId>, desk: Desk) -> Answer {
    page(&render(&desk, id).await?)
}

async fn render(desk: &Desk, id: AgentId) -> Result<AgentPage, WebError> {
    let record = desk.web.app.get_agent(&desk.ctx, id).await?;
    let held = permissions(desk, &record);
    let may_administer = desk.may(MemberAct::Administer);
    let is_on = |text: &str| Scope::from_str(text).is_ok_and(|scope| held.contains(scope));
    let here = record
        .connections
        .iter()
        .filter(|connection| connection.site == desk.site.id);
    let agent = &record.agent;
    let mut facts = vec![
        Fact::new("Program", harness_name(agent.harness)),
        Fact::new("Registered", words::day(agent.created_at)),
    ];
    if let Some(profile) = &agent.profile_id {
        facts.push(Fact::new("Profile id", profile.as_str()));
    }
    let elsewhere = record
        .permissions
        .iter()
        .filter(|(site, held)| *site != desk.site.id && !held.is_empty());
    match elsewhere.count() {
        0 => {}
        count => facts.push(Fact::new(
            "Elsewhere",
            words::count(count, "other site", "other sites"),
        )),
    }
    Ok(AgentPage {
        shell: desk.shell(Section::Agents).await?,
        id: id.to_string(),
        name: agent.name.clone(),
        harness: harness_name(agent.harness),
        profile_name: (agent.harness == Harness::Hermes)
            .then(|| agent.profile_name.clone().unwrap_or_default()),
        scopes: scope_boxes(is_on, |_| may_administer),
        connections: here
            .map(|connection| connection_row(desk, connection, held))
            .collect(),
        facts,
        may_administer,
        problem: None,
    })
}

fn connection_row(desk: &Desk, connection: &Connection, held: ScopeSet) -> ConnectionRow {
    let granted = connection.scopes.iter().count();
    let lacking = connection.scopes.minus(held).iter().count();
    let scopes = match lacking {
        0 => words::count(granted, "scope", "scopes"),
        lacking => format!("{} of {granted} scopes work", granted - lacking),
    };
    ConnectionRow {
        name: connection.name.clone(),
        href: desk.at(&format!("connections/{}", connection.id)),
        prefix: connection.prefix.clone(),
        state: words::connection(connection, desk.now),
        scopes,
        expires: desk.when(connection.expires_at),
        last_used: connection.last_used_at.map(|at| desk.when(at)),
    }
}

pub(super) async fn rename(Id(id): Id<AgentId>, Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Administer)?;
    let patch = AgentPatch {
        name: Some(form.text("name")),
        profile_name: form.get("profile_name").map(str::to_owned),
    };
    let changed = desk
        .web
        .app
        .update_agent(&desk.ctx, id, patch)
        .await
        .map(drop);
    settled(&desk, id, changed).await
}

pub(super) async fn set_permissions(Id(id): Id<AgentId>, Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Administer)?;
    let changed = desk
        .web
        .app
        .set_permissions(&desk.ctx, id, ticked(&form))
        .await;
    settled(&desk, id, changed).await
}

/// Goes back to the agent's page, or shows it with why nothing was changed.
async fn settled(desk: &Desk, id: AgentId, changed: Result<(), Error>) -> Answer {
    match changed {
        Ok(()) => Ok(go(&desk.at(&format!("agents/{id}?notice=saved")))),
        Err(
            error @ (Error::NotFound(_)
            | Error::Unavailable(_)
            | Error::Fault(_)
            | Error::Denied(_)),
        ) => Err(error.into()),
        Err(error) => {
            let mut shown = render(desk, id).await?;
            shown.problem = Some(sentence(&error));
            page_with(status(&error), &shown)
        }
    }
}
