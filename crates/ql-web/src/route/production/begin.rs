//! How a production begins: what is asked for, and who plays in it.

use http::StatusCode;
use ql_app::Error;
use ql_app::director::{Director, Micros, NewProduction, RoleView};
use ql_core::connection::{Connection, Standing};
use ql_core::problem::Problem;
use ql_core::production::{Cast, PlayedBy};
use ql_core::role::MemberAct;
use serde_json::Value;

use super::{director, policy};
use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, lines, page, page_with};
use crate::edge::form::{Action, Posted};
use crate::page::{self, ProductionRoles, RoleRow, Section, TypedProduction};
use crate::part::{Choice, Select};
use crate::view::names::Names;

/// What a task may cost at most where nobody says otherwise, in dollars.
const TASK_BUDGET: &str = "0.60";
/// What all of it may cost at most where nobody says otherwise, in dollars.
const BUDGET: &str = "10";

pub(in crate::route) async fn new_form(desk: Desk) -> Answer {
    desk.require(MemberAct::Edit)?;
    let director = director(&desk)?;
    let typed = TypedProduction {
        fields: "{}".into(),
        budget: BUDGET.into(),
        task_budget: TASK_BUDGET.into(),
        ..TypedProduction::default()
    };
    page(&form(&desk, director, typed, String::new()).await?)
}

async fn form(
    desk: &Desk,
    director: &Director,
    typed: TypedProduction,
    template: String,
) -> Result<page::NewProduction, WebError> {
    let templates = desk.web.app.list_templates(&desk.ctx).await?;
    let choice = |of: &ql_core::template::Template| Choice::new(of.key.as_str(), of.title.as_str());
    let cast = director.list_cast(&desk.ctx).await?;
    let uncast = cast.into_iter();
    let uncast = uncast.filter(|role| role.is_needed && role.by.is_none());
    Ok(page::NewProduction {
        shell: desk.shell(Section::Productions).await?,
        templates: Select {
            name: "template",
            label: "Template of the page",
            chosen: template,
            choices: templates.iter().map(choice).collect(),
        },
        typed,
        uncast: uncast.map(|role| role.name).collect(),
        problems: Vec::new(),
    })
}

pub(in crate::route) async fn create(Action { desk, form: posted }: Action) -> Answer {
    desk.require(MemberAct::Edit)?;
    let director = director(&desk)?;
    let started = match asked_for(&posted) {
        Ok(new) => director.start(&desk.ctx, new).await,
        Err(problems) => Err(Error::Invalid(problems)),
    };
    match started {
        Ok(id) => Ok(go(&desk.at(&format!("productions/{id}")))),
        Err(error @ Error::Invalid(_)) => {
            let shown = form(&desk, director, typed(&posted), posted.text("template")).await?;
            let shown = page::NewProduction {
                problems: lines(&error),
                ..shown
            };
            page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
        }
        Err(error) => Err(error.into()),
    }
}

fn typed(posted: &Posted) -> TypedProduction {
    TypedProduction {
        title: posted.text("title"),
        objective: posted.text("objective"),
        audience: posted.text("audience"),
        medium: posted.text("medium"),
        fields: posted.text("fields"),
        budget: posted.text("budget"),
        task_budget: posted.text("task_budget"),
    }
}

fn asked_for(posted: &Posted) -> Result<NewProduction, Vec<Problem>> {
    let typed = typed(posted);
    let mut problems = Vec::new();
    let fields = match typed.fields.trim() {
        "" => Ok(Value::Object(serde_json::Map::new())),
        text => serde_json::from_str(text),
    };
    let fields = fields.unwrap_or_else(|error| {
        problems.push(Problem::new(
            "/fields",
            "malformed",
            format!("no JSON: {error}"),
        ));
        Value::Null
    });
    let budget = amount(&typed.budget, "/budget", &mut problems);
    let task_budget = amount(&typed.task_budget, "/task_budget", &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(NewProduction {
        title: typed.title,
        objective: typed.objective,
        audience: typed.audience,
        medium: typed.medium,
        template: posted.text("template"),
        fields,
        budget,
        task_budget,
    })
}

/// An amount of dollars, with or without its sign.
pub(super) fn amount(text: &str, pointer: &str, problems: &mut Vec<Problem>) -> Micros {
    let text = text.trim().trim_start_matches('$');
    Micros::parse(text).unwrap_or_else(|error| {
        problems.push(Problem::new(pointer, "range", error.to_string()));
        Micros::ZERO
    })
}

pub(in crate::route) async fn roles(desk: Desk) -> Answer {
    let director = director(&desk)?;
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let connections = desk.web.app.list_connections(&desk.ctx).await?;
    let cast = director.list_cast(&desk.ctx).await?;
    let choices = choices(&desk, &names, &connections);
    page(&ProductionRoles {
        shell: desk.shell(Section::Productions).await?,
        policy: policy(director),
        rows: cast
            .iter()
            .map(|role| row(&names, role, &choices))
            .collect(),
        may_direct: desk.may(MemberAct::Edit),
    })
}

/// Every connection that works, by its agent's name and its own.
fn choices(desk: &Desk, names: &Names, connections: &[Connection]) -> Vec<Choice> {
    let works = |of: &&Connection| of.standing(desk.now) == Standing::Active;
    let choice = |of: &Connection| {
        let agent = names.agent(of.agent).name;
        Choice::new(of.id.to_string(), format!("{agent} · {}", of.name))
    };
    let mut all = vec![Choice::new("", "Choose a connection")];
    all.extend(connections.iter().filter(works).map(choice));
    all
}

fn row(names: &Names, role: &RoleView, choices: &[Choice]) -> RoleRow {
    let by = role.by.as_ref();
    let played_by = by.map_or(PlayedBy::Provider, |by| by.played_by);
    RoleRow {
        id: role.role.clone(),
        name: format!("{:02} {}", role.number, role.name),
        task: role.task.clone(),
        is_needed: role.is_needed,
        by: by.map(|by| names.connection(by.connection)),
        how: by.map(|by| how(by.played_by)),
        choice: Select {
            name: "connection",
            label: "Connection",
            chosen: by.map(|by| by.connection.to_string()).unwrap_or_default(),
            choices: choices.to_vec(),
        },
        player: Select {
            name: "played_by",
            label: "Who does the work",
            chosen: played_by.as_str().to_owned(),
            choices: PlayedBy::ALL
                .map(|by| Choice::new(by.as_str(), how(by)))
                .into(),
        },
    }
}

pub(in crate::route) async fn cast(Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Edit)?;
    let director = director(&desk)?;
    let by = form.get("connection").and_then(|text| text.parse().ok());
    let by = by.ok_or_else(|| WebError::BadForm("The form names no connection.".into()))?;
    let played_by = form.get("played_by").and_then(PlayedBy::from_name);
    let cast = Cast {
        role: form.text("role"),
        connection: by,
        played_by: played_by.unwrap_or(PlayedBy::Provider),
    };
    director.cast(&desk.ctx, cast).await?;
    Ok(go(&desk.at("productions/roles?notice=saved")))
}

/// Who does the work of a role, in words.
const fn how(by: PlayedBy) -> &'static str {
    match by {
        PlayedBy::Provider => "the server asks a model",
        PlayedBy::Agent => "the agent claims its tasks",
    }
}
