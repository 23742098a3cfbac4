//! Productions for the operator: started, looked at and taken up again. Every decision is a member's,
//! on the dashboard.

use anyhow::{Result, anyhow};
use ql_app::director::{Director, Micros, NewProduction, ProductionView, StageView, Waiting, Whom};
use ql_app::session::SiteRef;
use ql_app::{App, OpContext};
use ql_core::id::ProductionId;
use ql_core::page::PageRequest;
use ql_core::production::StageState;
use ql_store::site::Site;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::said;

/// What can be asked about productions.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DirectorRequest {
    /// Start one.
    Start(Box<StartRequest>),
    /// Every one, or one of them.
    Status(Option<ProductionId>),
    /// Have what is held done again.
    Resume(ProductionId),
}

/// A production to start.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StartRequest {
    /// The site, by its slug or id.
    pub site: String,
    /// What it's called.
    pub title: String,
    /// What is to be made.
    pub objective: String,
    /// For whom.
    pub audience: String,
    /// The medium.
    pub medium: String,
    /// The template of the page that it becomes.
    pub template: String,
    /// The fields of that page which no document fills.
    pub fields: Value,
    /// The most that all of it may cost, in dollars.
    pub budget: String,
    /// The most that a task may cost, in dollars.
    pub task_budget: String,
    /// Material from outside.
    pub sources: Vec<Material>,
}

/// Material that is given when a production starts.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Material {
    /// A page that the server is to retrieve.
    Url(String),
    /// A text: where it's from, its media type, and itself.
    Text(String, String, String),
}

/// Carries a request out for the operator with this user id.
///
/// # Errors
/// The refusal of the use case, with its remedy.
pub(super) async fn run(
    (app, director): (&App, &Director),
    uid: u32,
    request: DirectorRequest,
) -> Result<Value> {
    match request {
        DirectorRequest::Start(new) => start((app, director), uid, *new).await,
        DirectorRequest::Status(None) => list((app, director), uid).await,
        DirectorRequest::Status(Some(id)) => {
            let (ctx, site) = find((app, director), uid, id).await?;
            let view = said(director.get_production(&ctx, id).await)?;
            Ok(status(app, &site, &view))
        }
        DirectorRequest::Resume(id) => resume((app, director), uid, id).await,
    }
}

async fn start((app, director): (&App, &Director), uid: u32, new: StartRequest) -> Result<Value> {
    let site = SiteRef::parse(&new.site);
    let (ctx, site) = said(app.operator_site_context(uid, &site).await)?;
    let started = NewProduction {
        title: new.title,
        objective: new.objective,
        audience: new.audience,
        medium: new.medium,
        template: new.template,
        fields: new.fields,
        budget: Micros::parse(&new.budget)?,
        task_budget: Micros::parse(&new.task_budget)?,
    };
    let id = said(director.start(&ctx, started).await)?;
    for source in new.sources {
        match source {
            Material::Url(url) => said(director.request_source(&ctx, id, &url).await)?,
            Material::Text(origin, media_type, text) => {
                let material = (origin.as_str(), media_type.as_str(), text.as_bytes());
                said(director.add_source(&ctx, id, material).await)?;
            }
        }
    }
    let view = said(director.get_production(&ctx, id).await)?;
    Ok(status(app, &site, &view))
}

async fn list((app, director): (&App, &Director), uid: u32) -> Result<Value> {
    let mut rows = Vec::new();
    for (ctx, site) in sites(app, uid).await? {
        let newest = PageRequest::new(Some(100), None);
        for card in said(director.list_cards(&ctx, newest).await)?.items {
            let done = card
                .stages
                .iter()
                .filter(|of| of.state == StageState::Passed);
            let waits: Vec<String> = card.waits.iter().map(told).collect();
            rows.push(json!({
                "id": card.production.id, "site": site.slug, "title": card.production.title,
                "stages": format!("{}/{}", done.count(), card.stages.len()),
                "waits_for": match (waits.is_empty(), card.has_ended) {
                    (true, true) => "nothing, it was ended".to_owned(),
                    (true, false) => "nothing, it's done".to_owned(),
                    (false, _) => waits.join("; "),
                },
            }));
        }
    }
    Ok(Value::Array(rows))
}

async fn sites(app: &App, uid: u32) -> Result<Vec<(OpContext, Site)>> {
    let mut all = Vec::new();
    for organization in said(app.list_organizations().await)? {
        let ctx = said(app.operator_context(uid, Some(organization.id)).await)?;
        for site in said(app.list_sites(&ctx).await)? {
            all.push(said(
                app.operator_site_context(uid, &SiteRef::Id(site.id)).await,
            )?);
        }
    }
    Ok(all)
}

/// The site of a production, with a context there.
async fn find(
    (app, director): (&App, &Director),
    uid: u32,
    id: ProductionId,
) -> Result<(OpContext, Site)> {
    for (ctx, site) in sites(app, uid).await? {
        if director.get_production(&ctx, id).await.is_ok() {
            return Ok((ctx, site));
        }
    }
    Err(anyhow!(
        "there is no production {id}; `querylayer director status` shows them"
    ))
}

/// Has every stage done again that is held, the first ones first: what comes after them waits anew.
async fn resume((app, director): (&App, &Director), uid: u32, id: ProductionId) -> Result<Value> {
    let (ctx, site) = find((app, director), uid, id).await?;
    let mut reopened: Vec<String> = Vec::new();
    loop {
        let view = said(director.get_production(&ctx, id).await)?;
        let is_held = |of: &&StageView| {
            matches!(of.stage.state, StageState::NeedsReview { .. })
                && !reopened.contains(&of.stage.stage)
        };
        let Some(held) = view.stages.iter().find(is_held) else {
            let mut answer = status(app, &site, &view);
            answer["reopened"] = json!(reopened);
            return Ok(answer);
        };
        let stage = held.stage.stage.clone();
        said(director.reopen_stage(&ctx, id, &stage).await)?;
        reopened.push(stage);
    }
}

/// A production as commands tell it.
fn status(app: &App, site: &Site, view: &ProductionView) -> Value {
    let production = &view.production;
    let page = format!(
        "{}/sites/{}/productions/{}",
        app.config().public_url,
        site.slug,
        production.id
    );
    let waits: Vec<Value> = view.waits.iter().map(|of| waiting(of, &page)).collect();
    let on_the_way = view.stages.iter().filter(|of| !of.is_aside);
    let stages: Vec<Value> = on_the_way.map(stage).collect();
    let has_ended = view.exits.iter().any(|exit| exit.reopened.is_none());
    json!({
        "id": production.id, "site": site.slug, "title": production.title, "page": page,
        "is_done": waits.is_empty() && !has_ended, "has_ended": has_ended, "is_policy_served": view.is_policy_served,
        "waits": waits, "stages": stages,
        "budget_micros": view.budget.limit, "committed_micros": view.budget.committed,
    })
}

fn waiting(of: &Waiting, page: &str) -> Value {
    let whom = match &of.whom {
        Whom::Review(_) => "review",
        Whom::Person => "person",
        Whom::Agent(_) => "agent",
        Whom::Server => "server",
    };
    json!({
        "stage": of.stage, "name": of.name, "for": whom, "since": of.since, "told": told(of),
        "page": format!("{page}/stages/{}", of.stage),
    })
}

fn stage(of: &StageView) -> Value {
    let reason = match &of.stage.state {
        StageState::NeedsReview { reason } => Some(reason),
        _ => None,
    };
    json!({
        "stage": of.stage.stage, "name": of.name, "state": of.stage.state.as_str(),
        "reason": reason, "verdict": of.stage.verdict, "attempts": of.stage.attempts,
        "findings": of.findings.len(),
    })
}

/// What a stage waits for, in words.
fn told(of: &Waiting) -> String {
    match &of.whom {
        Whom::Review(reason) => format!("a review of {} ({})", of.name, reason.replace('_', " ")),
        Whom::Person => format!("a person: {}", of.name),
        Whom::Agent(role) => format!("the agent of {role}: {}", of.name),
        Whom::Server => format!("the server: {}", of.name),
    }
}
