//! Productions on a running server: started, looked at, taken up again.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use ql_core::id::ProductionId;
use serde_json::Value;

use crate::admin::{DirectorRequest, Material, Request, StartRequest};
use crate::cli::Place;
use crate::{output, socket};

/// A production to start.
#[derive(Debug, Clone, Args)]
pub struct StartArgs {
    /// The site, by its slug or id
    #[arg(long)]
    site: String,
    /// What it's called
    #[arg(long)]
    title: String,
    /// What is to be made; the title when not given
    #[arg(long)]
    objective: Option<String>,
    /// For whom
    #[arg(long, default_value = "Everybody")]
    audience: String,
    /// The medium, by which the terms of translations go
    #[arg(long, default_value = "video")]
    medium: String,
    /// The template of the page that it becomes
    #[arg(long, default_value = "article")]
    template: String,
    /// The fields of that page which no document fills, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    fields: String,
    /// The most that all of it may cost, in dollars
    #[arg(long, value_name = "DOLLARS", default_value = "10")]
    budget: String,
    /// The most that one task may cost, in dollars
    #[arg(long, value_name = "DOLLARS", default_value = "0.60")]
    task_budget: String,
    /// Material for its agents: a file of text, or a page that the server retrieves; may be given
    /// again
    #[arg(long = "source", value_name = "FILE|URL")]
    sources: Vec<String>,
}

/// Asks the running server.
///
/// # Errors
/// No server of the folder runs, or it refuses.
pub(super) async fn ask(request: DirectorRequest, place: &Place) -> Result<Value> {
    let data = place.data_dir();
    data.require()?;
    let answer = socket::ask(&data, &Request::Director(request)).await?;
    answer.with_context(|| {
        format!(
            "no server of {} runs, and productions move in a running one; start it with \
             `querylayer serve --policy biblical-teaching`",
            data.path().display()
        )
    })
}

/// Starts a production.
///
/// # Errors
/// A source can't be read, or the server refuses.
pub(super) async fn start(args: StartArgs, place: &Place) -> Result<()> {
    let sources: Result<Vec<Material>> = args.sources.iter().map(|text| material(text)).collect();
    let new = StartRequest {
        objective: args.objective.unwrap_or_else(|| args.title.clone()),
        fields: serde_json::from_str(&args.fields).context("--fields takes a JSON object")?,
        site: args.site,
        title: args.title,
        audience: args.audience,
        medium: args.medium,
        template: args.template,
        budget: args.budget,
        task_budget: args.task_budget,
        sources: sources?,
    };
    let answer = ask(DirectorRequest::Start(Box::new(new)), place).await?;
    show(&answer, place)
}

fn material(named: &str) -> Result<Material> {
    if named.starts_with("http://") || named.starts_with("https://") {
        return Ok(Material::Url(named.to_owned()));
    }
    let path = PathBuf::from(named);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("the source {named} can't be read as text"))?;
    let origin = path
        .file_name()
        .map_or(named.into(), |name| name.to_string_lossy());
    Ok(Material::Text(
        origin.into_owned(),
        media_type(&path).into(),
        text,
    ))
}

fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => "text/html",
        Some("md") => "text/markdown",
        _ => "text/plain",
    }
}

/// Tells how every production stands, or one.
///
/// # Errors
/// No server of the folder runs, or it refuses.
pub(super) async fn status(id: Option<ProductionId>, place: &Place) -> Result<()> {
    let answer = ask(DirectorRequest::Status(id), place).await?;
    match id {
        Some(_) => show(&answer, place),
        None => output::print(&answer, place.json),
    }
}

/// Has what is held done again, or says what a person must do.
///
/// # Errors
/// Nothing can be taken up, or the server refuses.
pub(super) async fn resume(id: ProductionId, place: &Place) -> Result<()> {
    let answer = ask(DirectorRequest::Resume(id), place).await?;
    if !place.json {
        let reopened = answer["reopened"].as_array().into_iter().flatten();
        for stage in reopened.filter_map(Value::as_str) {
            output::line(&format!("opened again: {stage}"))?;
        }
    }
    show(&answer, place)?;
    let is_waiting_for = |whom: &str| {
        let waits = answer["waits"].as_array().into_iter().flatten();
        waits.into_iter().any(|of| of["for"] == whom)
    };
    if is_waiting_for("person") && !is_waiting_for("agent") && !is_waiting_for("server") {
        bail!(
            "a person goes on with it, on the dashboard: {}",
            text(&answer["page"])
        );
    }
    Ok(())
}

fn show(answer: &Value, place: &Place) -> Result<()> {
    if place.json {
        return output::print(answer, true);
    }
    for line in super::progress::lines(answer) {
        output::line(&line)?;
    }
    Ok(())
}

/// A member that is a text.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
