//! One production as a whole.

use http::StatusCode;
use ql_app::Error;
use ql_app::director::{Exit, NewExit, ProductionView, SourceView, StageView, Waiver, Whom};
use ql_core::id::ProductionId;
use ql_core::production::StageState;
use ql_core::role::MemberAct;

use super::begin::amount;
use super::{address, director, waits};
use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, lines, page, page_with};
use crate::edge::form::Action;
use crate::edge::params::Id;
use crate::page::{ExitRow, MaterialCard, ProductionPage, Section, StageRow, WaiverRow};
use crate::part::{Choice, Digest, Fact, Link, Meter, Pill, Select, Tone};
use crate::view::names::Names;
use crate::view::production as words;
use crate::view::words::{bytes, count};

/// The most characters of a piece of material that the page shows.
const SHOWN: usize = 20_000;

pub(in crate::route) async fn show(Id(id): Id<ProductionId>, desk: Desk) -> Answer {
    page(&render(&desk, id).await?)
}

async fn render(desk: &Desk, id: ProductionId) -> Result<ProductionPage, WebError> {
    let view = director(desk)?.get_production(&desk.ctx, id).await?;
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let production = &view.production;
    let here = address(desk, id);
    let moving = |whom: &Whom| matches!(whom, Whom::Agent(_) | Whom::Server);
    Ok(ProductionPage {
        shell: desk.shell(Section::Productions).await?,
        id: id.to_string(),
        title: production.title.clone(),
        objective: production.objective.clone(),
        state: state(&view),
        by: names.who(production.started_by),
        at: desk.when(production.started_at),
        is_stuck: !view.is_policy_served,
        waits: waits(desk, id, &view.waits),
        budget: meter("All of it", view.budget.committed, view.budget.limit),
        tasks: tasks(&view),
        limits: (
            words::dollars(view.budget.limit),
            words::dollars(view.budget.task_limit),
        ),
        unknown: unknown(&view),
        facts: facts(&view),
        hashes: hashes(&view),
        receipt: view
            .release
            .as_ref()
            .map(|_| Link::new(format!("{here}/receipt"), "The receipt of what was sealed")),
        stages: view
            .stages
            .iter()
            .map(|stage| row(desk, &here, stage))
            .collect(),
        sources: view
            .sources
            .iter()
            .map(|source| material(desk, &names, source))
            .collect(),
        waivers: view
            .waivers
            .iter()
            .map(|of| waiver(desk, &names, of))
            .collect(),
        exits: view
            .exits
            .iter()
            .map(|of| exit(desk, (&names, &view), of))
            .collect(),
        ended: words::ended(&view.exits).map(|of| name(&view, &of.stage)),
        ways_out: ways_out(desk, &view),
        may_direct: desk.may(MemberAct::Edit),
        is_moving: view.is_policy_served && view.waits.iter().any(|of| moving(&of.whom)),
        problems: Vec::new(),
    })
}

fn state(view: &ProductionView) -> Pill {
    if words::ended(&view.exits).is_some() {
        return Pill::new(Tone::Stopped, "Ended");
    }
    match view.waits.first().map(|first| &first.whom) {
        None => Pill::new(Tone::Live, "Done"),
        Some(Whom::Review(_) | Whom::Person) => Pill::new(Tone::Needs, "Needs you"),
        Some(Whom::Agent(_) | Whom::Server) => Pill::new(Tone::Proposed, "Running"),
    }
}

/// What the newest task of each stage uses of what a task may cost, where it uses any.
fn tasks(view: &ProductionView) -> Vec<Meter> {
    let used = view.stages.iter().filter(|of| of.spent.committed > 0);
    used.map(|of| {
        let label = format!("{}, attempt {}", of.name, of.stage.attempts);
        meter(&label, of.spent.committed, view.budget.task_limit)
    })
    .collect()
}

fn meter(label: &str, used: i64, most: i64) -> Meter {
    Meter {
        label: label.to_owned(),
        said: format!("{} of {}", words::dollars(used), words::dollars(most)),
        used: used.unsigned_abs(),
        most: most.unsigned_abs(),
    }
}

fn unknown(view: &ProductionView) -> Option<String> {
    let sum: i64 = view.stages.iter().map(|of| of.spent.unknown).sum();
    let sum = usize::try_from(sum).unwrap_or_default();
    (sum > 0).then(|| {
        let answers = count(sum, "answer came", "answers came");
        format!("{answers} of which nobody knows the cost.")
    })
}

fn facts(view: &ProductionView) -> Vec<Fact> {
    let production = &view.production;
    vec![
        Fact::new("Audience", production.audience.as_str()),
        Fact::new("Medium", production.medium.as_str()),
        Fact::new("Becomes", format!("a page of {}", production.template)),
        Fact::new("Policy", production.policy.version.as_str()),
    ]
}

fn hashes(view: &ProductionView) -> Vec<(&'static str, Digest)> {
    let policy = &view.production.policy;
    let constitution = policy.constitution_sha256.to_string();
    vec![
        (
            "Constitution",
            Digest::new("the constitution's hash", constitution),
        ),
        (
            "Pack",
            Digest::new("the policy pack's hash", policy.sha256.to_string()),
        ),
    ]
}

fn row(desk: &Desk, here: &str, of: &StageView) -> StageRow {
    let stage = &of.stage;
    let attempts = usize::try_from(stage.attempts).unwrap_or_default();
    let has_begun = stage.state != StageState::Waiting || stage.attempts > 0;
    StageRow {
        link: Link::new(format!("{here}/stages/{}", stage.stage), of.name.as_str()),
        state: if of.is_aside {
            Pill::new(Tone::Quiet, "Beside the way")
        } else {
            words::state(&stage.state, of.by.as_ref())
        },
        why: words::held(&stage.state),
        verdict: stage.verdict.as_deref().map(words::verdict),
        findings: words::weights(&of.findings),
        by: words::actor(of),
        attempts: match attempts {
            0 => String::new(),
            many => count(many, "attempt", "attempts"),
        },
        cost: match of.spent.known {
            0 => String::new(),
            cost => words::dollars(cost),
        },
        at: has_begun.then(|| desk.when(stage.updated_at)),
    }
}

fn material(desk: &Desk, names: &Names, source: &SourceView) -> MaterialCard {
    let whole = String::from_utf8_lossy(&source.body);
    let text: String = whole.chars().take(SHOWN).collect();
    let found = |of: &ql_app::director::Finding| (words::weight(of), of.message.clone());
    MaterialCard {
        origin: source.origin.clone(),
        kind: format!("{} · {}", source.media_type, bytes(source.body.len())),
        sha256: Digest::new("hash", source.sha256.to_string()),
        at: desk.when(source.retrieved_at),
        findings: source.findings.iter().map(found).collect(),
        excluded_by: source.excluded_by.map(|who| names.who(who)),
        is_cut: text.len() < whole.len(),
        text,
    }
}

fn waiver(desk: &Desk, names: &Names, of: &Waiver) -> WaiverRow {
    WaiverRow {
        code: of.code.clone(),
        reason: of.reason.clone(),
        by: names.who(of.by),
        at: desk.when(of.at),
    }
}

/// The name of a stage.
fn name(view: &ProductionView, id: &str) -> String {
    let stage = view.stages.iter().find(|of| of.stage.stage == id);
    stage.map_or_else(|| id.to_owned(), |of| of.name.clone())
}

fn exit(desk: &Desk, (names, view): (&Names, &ProductionView), of: &Exit) -> ExitRow {
    let proposal = |id| {
        let href = desk.at(&format!("proposals/{id}"));
        Link::new(href, "the proposal to take the page off")
    };
    ExitRow {
        name: name(view, &of.stage),
        said: match &of.reopened {
            Some(stage) => format!("“{}” was done again.", name(view, stage)),
            None => "The production ended by it.".to_owned(),
        },
        reason: of.reason.clone(),
        proposal: of.proposal.map(proposal),
        by: names.who(of.by),
        at: desk.when(of.at),
    }
}

/// The ways out and what can be done again, where this member may take one.
fn ways_out(desk: &Desk, view: &ProductionView) -> Option<(Select, Select)> {
    let is_open = view.is_policy_served && words::ended(&view.exits).is_none();
    if !is_open || !desk.may(MemberAct::Decide) {
        return None;
    }
    let choices = |aside: bool| {
        let of = view.stages.iter().filter(move |of| of.is_aside == aside);
        of.map(|of| Choice::new(of.stage.stage.as_str(), of.name.as_str()))
    };
    let mut again = vec![Choice::new("", "Nothing: the production ends")];
    again.extend(choices(false));
    let select = |name, label, choices| Select {
        name,
        label,
        chosen: String::new(),
        choices,
    };
    Some((
        select("stage", "Way out", choices(true).collect()),
        select("reopen", "Stage that is done again", again),
    ))
}

/// Takes a way out: has a stage done again as a correction, or ends the production.
pub(in crate::route) async fn take_exit(
    Id(id): Id<ProductionId>,
    Action { desk, form }: Action,
) -> Answer {
    desk.require(MemberAct::Decide)?;
    let new = NewExit {
        stage: form.text("stage"),
        reason: form.text("reason"),
        reopen: form.get("reopen").map(str::to_owned),
    };
    let taken = director(&desk)?.take_exit(&desk.ctx, id, new).await;
    finish(&desk, id, ("saved#exits", taken.map(drop))).await
}

/// Adds material: a page to retrieve where an address is given, a text otherwise.
pub(in crate::route) async fn add_source(
    Id(id): Id<ProductionId>,
    Action { desk, form }: Action,
) -> Answer {
    desk.require(MemberAct::Edit)?;
    let director = director(&desk)?;
    let added = if let Some(url) = form.get("url") {
        director.request_source(&desk.ctx, id, url).await
    } else {
        let (origin, body) = (form.text("origin"), form.text("body"));
        let given = (origin.as_str(), "text/plain", body.as_bytes());
        director.add_source(&desk.ctx, id, given).await.map(drop)
    };
    finish(&desk, id, ("material#sources", added)).await
}

/// Goes back to the production, which says why where nothing was kept.
async fn finish(
    desk: &Desk,
    id: ProductionId,
    (notice, done): (&str, Result<(), Error>),
) -> Answer {
    match done {
        Ok(()) => Ok(go(&format!("{}?notice={notice}", address(desk, id)))),
        Err(error @ Error::Invalid(_)) => {
            let shown = ProductionPage {
                problems: lines(&error),
                ..render(desk, id).await?
            };
            page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
        }
        Err(error) => Err(error.into()),
    }
}

/// Changes what a production may cost, and each of its tasks.
pub(in crate::route) async fn set_budget(
    Id(id): Id<ProductionId>,
    Action { desk, form }: Action,
) -> Answer {
    desk.require(MemberAct::Edit)?;
    let mut problems = Vec::new();
    let limit = amount(&form.text("budget"), "/budget", &mut problems);
    let task = amount(&form.text("task_budget"), "/task_budget", &mut problems);
    let set = if problems.is_empty() {
        let set = director(&desk)?.set_budget(&desk.ctx, id, (limit, task));
        set.await.map(drop)
    } else {
        Err(Error::Invalid(problems))
    };
    finish(&desk, id, ("saved", set)).await
}

pub(in crate::route) async fn exclude_source(
    Id(id): Id<ProductionId>,
    Action { desk, form }: Action,
) -> Answer {
    desk.require(MemberAct::Edit)?;
    let origin = form.text("origin");
    director(&desk)?
        .exclude_source(&desk.ctx, id, &origin)
        .await?;
    Ok(go(&format!("{}?notice=saved#sources", address(&desk, id))))
}
