//! The console: asking agents, seeing what comes of it while it happens, and stepping in.

use axum::extract::State;
use http::{HeaderMap, StatusCode};
use ql_app::agent::AgentRecord;
use ql_app::conversation::{ConversationOverview, ConversationRecord, PlanRecord};
use ql_app::runtime::Availability;
use ql_app::session::Owned;
use ql_core::id::{AgentId, ConversationId, PlanId, StepId, TurnId};
use ql_core::plan::PlanState;
use ql_core::role::MemberAct;
use ql_core::scope::Scope;
use ql_core::step::{Step, StepState};
use ql_core::turn::{Turn, TurnOutcome, TurnState};

use super::agent::{harness_name, permissions};
use crate::config::Web;
use crate::edge::desk::{Desk, signed_in};
use crate::edge::error::{Answer, WebError, go, lines, page, page_with};
use crate::edge::form::Action;
use crate::edge::params::{Id, Part};
use crate::page::{
    Console, ConversationPage, PlanCard, RuntimeCard, Section, StepRow, TalkRow, TurnCard,
};
use crate::part::{Choice, Fact, Graph, Link, Planned, Risk, Select};
use crate::view::names::Names;
use crate::view::{console, words};

/// The most characters of a first turn that stand for its conversation.
const TITLE: usize = 90;

pub(super) async fn find(
    State(web): State<Web>,
    headers: HeaderMap,
    Id(id): Id<ConversationId>,
) -> Answer {
    let signed_in = signed_in(&headers, &format!("/console/{id}"), &web).await?;
    let owned = Owned::Conversation(id);
    let (_, site) = web.app.member_context_of(&signed_in, owned).await?;
    Ok(go(&format!("/sites/{}/console/{id}", site.slug)))
}

pub(super) async fn list(desk: Desk) -> Answer {
    page(&blank(&desk, "").await?)
}

async fn blank(desk: &Desk, chosen: &str) -> Result<Console, WebError> {
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let wanted = desk.params.page(50);
    let app = &desk.web.app;
    let found = app.list_conversations(&desk.ctx, &wanted).await?;
    let choices = askable(desk).await?;
    Ok(Console {
        shell: desk.shell(Section::Console).await?,
        rows: (found.items.iter())
            .map(|overview| row(desk, &names, overview))
            .collect(),
        next: desk.params.next(&desk.at("console"), found.next.as_ref()),
        agents: (!choices.is_empty()).then(|| Select {
            name: "agent",
            label: "Agent",
            chosen: chosen.to_owned(),
            choices,
        }),
        message: String::new(),
        problems: Vec::new(),
        may_write: desk.may(MemberAct::Edit),
    })
}

/// The agents that may take turns on this site.
async fn askable(desk: &Desk) -> Result<Vec<Choice>, WebError> {
    let records = desk.web.app.list_agents(&desk.ctx).await?;
    let may = |record: &&AgentRecord| permissions(desk, record).contains(Scope::RunsWrite);
    let askable = records.iter().filter(may);
    Ok(askable
        .map(|record| Choice::new(record.agent.id.to_string(), record.agent.name.as_str()))
        .collect())
}

fn row(desk: &Desk, names: &Names, overview: &ConversationOverview) -> TalkRow {
    let conversation = &overview.conversation;
    let href = desk.at(&format!("console/{}", conversation.id));
    TalkRow {
        link: Link::new(href, title(overview.first.as_ref())),
        with: names.agent(conversation.agent),
        state: console::last(overview.last.as_ref()),
        turns: conversation.turns,
        at: desk.when(conversation.updated_at),
    }
}

/// What a conversation began with, in one line.
fn title(first: Option<&Turn>) -> String {
    let line = first.and_then(|turn| turn.message.lines().next());
    let line = line.unwrap_or("Nothing asked yet");
    if line.chars().count() <= TITLE {
        return line.to_owned();
    }
    let kept: String = line.chars().take(TITLE).collect();
    format!("{}…", kept.trim_end())
}

pub(super) async fn create(Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Edit)?;
    let (message, app) = (form.text("message"), &desk.web.app);
    let chosen = form.get("agent").unwrap_or_default();
    let problems = match chosen.parse::<AgentId>() {
        Err(_) => vec!["Choose the agent to ask.".to_owned()],
        Ok(_) if message.trim().is_empty() => vec!["Say what shall be done.".to_owned()],
        Ok(agent) => {
            let begun = app.create_conversation(&desk.ctx, agent).await?;
            app.add_turn(&desk.ctx, begun.id, message).await?;
            return Ok(go(&desk.at(&format!("console/{}", begun.id))));
        }
    };
    let shown = Console {
        message,
        problems,
        ..blank(&desk, chosen).await?
    };
    page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
}

pub(super) async fn show(Id(id): Id<ConversationId>, desk: Desk) -> Answer {
    page(&render(&desk, id).await?)
}

async fn render(desk: &Desk, id: ConversationId) -> Result<ConversationPage, WebError> {
    let record = desk.web.app.get_conversation(&desk.ctx, id).await?;
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let may_write = desk.may(MemberAct::Edit);
    let turns = record.turns.iter();
    Ok(ConversationPage {
        shell: desk.shell(Section::Console).await?,
        id: id.to_string(),
        title: title(record.turns.first()),
        with: names.agent(record.conversation.agent),
        turns: turns
            .map(|turn| turn_card(desk, &names, (turn, may_write)))
            .collect(),
        plan: record.plans.last().map(|plan| plan_card(desk, plan)),
        facts: facts(&record),
        runtime: runtime(record.runtime),
        message: String::new(),
        problems: Vec::new(),
        may_write,
    })
}

fn turn_card(desk: &Desk, names: &Names, (turn, may_write): (&Turn, bool)) -> TurnCard {
    let (ended, mut links) = (console::ended(turn), Vec::new());
    if let Some(run) = ended.and_then(|ended| ended.run) {
        links.push(Link::new(desk.at(&format!("runs/{run}")), "the run"));
    }
    if let Some(proposal) = ended.and_then(|ended| ended.proposal) {
        let href = desk.at(&format!("proposals/{proposal}"));
        links.push(Link::new(href, "the proposal"));
    }
    // A plan's step is opened again and given up where the plan stands.
    let is_own = may_write && turn.step.is_none();
    let is_over =
        |outcome: TurnOutcome| matches!(outcome, TurnOutcome::Completed | TurnOutcome::Cancelled);
    TurnCard {
        id: turn.id.to_string(),
        number: turn.number,
        by: names.who(turn.author),
        message: turn.message.clone(),
        state: console::turn(turn, desk.now),
        reply: ended
            .map(|ended| ended.reply.clone())
            .filter(|reply| !reply.is_empty()),
        note: console::note(turn),
        links,
        at: desk.when(turn.created_at),
        may_reopen: is_own && ended.is_some_and(|ended| !is_over(ended.outcome)),
        may_cancel: is_own && !matches!(turn.state, TurnState::Ended(_)),
    }
}

fn plan_card(desk: &Desk, record: &PlanRecord) -> PlanCard {
    let (plan, steps) = (&record.plan, record.steps.iter());
    let planned: Vec<Planned> = steps
        .clone()
        .map(|step| Planned {
            key: step.key.clone(),
            state: console::step(&step.state),
            depends_on: step.depends_on.clone(),
        })
        .collect();
    let may_change = desk.may(MemberAct::Edit) && plan.state == PlanState::Active;
    let title = format!("Plan “{}”, version {}", plan.goal, plan.version);
    PlanCard {
        id: plan.id.to_string(),
        goal: plan.goal.clone(),
        version: plan.version,
        state: console::plan(&plan.state, &record.steps),
        graph: Graph::new(title, &planned),
        steps: steps
            .map(|step| step_row(desk, (step, may_change)))
            .collect(),
        may_cancel: may_change,
    }
}

fn step_row(desk: &Desk, (step, may_change): (&Step, bool)) -> StepRow {
    let operation = step.operation.as_str().replace('_', " ");
    let is_stopped = matches!(
        step.state,
        StepState::Failed { .. } | StepState::Blocked { .. }
    );
    let proposal = step.proposal.map(|proposal| {
        let href = desk.at(&format!("proposals/{proposal}"));
        Link::new(href, "its proposal")
    });
    StepRow {
        id: step.id.to_string(),
        key: step.key.clone(),
        text: match step.title.as_str() {
            "" => operation,
            title => format!("{title} · {operation}"),
        },
        risk: Risk(step.risk),
        state: console::step(&step.state),
        retries: step.retry_count(),
        reason: step.state.reason().map(console::reason),
        proposal,
        may_reopen: may_change && is_stopped,
        may_cancel: may_change && !step.state.is_final(),
    }
}

fn facts(record: &ConversationRecord) -> Vec<Fact> {
    let mut facts = vec![Fact::new("Program", harness_name(record.agent.harness))];
    match &record.conversation.binding {
        Some(binding) => facts.push(Fact::new("Session", binding.tip.as_str())),
        None => facts.push(Fact::new("Session", "bound at the first claim")),
    }
    let began = words::minute(record.conversation.created_at);
    facts.push(Fact::new("Began", began));
    facts
}

fn runtime(availability: Availability) -> RuntimeCard {
    match availability {
        Availability::NotDiscovered => RuntimeCard::None,
        Availability::Available {
            link,
            command,
            profile_name,
        } => RuntimeCard::Open {
            link,
            command,
            profile: profile_name,
        },
        Availability::Unavailable {
            message, remedy, ..
        } => RuntimeCard::Closed {
            reason: words::capital(&message),
            remedy: remedy.to_owned(),
        },
    }
}

pub(super) async fn add_turn(Id(id): Id<ConversationId>, Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Edit)?;
    let message = form.text("message");
    let added = desk.web.app.add_turn(&desk.ctx, id, message.clone()).await;
    match added {
        Ok(turn) => Ok(go(&desk.at(&format!("console/{id}#turn-{}", turn.number)))),
        Err(error @ ql_app::Error::Invalid(_)) => {
            let shown = ConversationPage {
                message,
                problems: lines(&error),
                ..render(&desk, id).await?
            };
            page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn reopen_turn(
    Id(id): Id<ConversationId>,
    Part(part): Part<TurnId>,
    Action { desk, .. }: Action,
) -> Answer {
    desk.require(MemberAct::Edit)?;
    desk.web.app.reopen_turn(&desk.ctx, part).await?;
    Ok(back(&desk, id))
}

pub(super) async fn cancel_turn(
    Id(id): Id<ConversationId>,
    Part(part): Part<TurnId>,
    Action { desk, .. }: Action,
) -> Answer {
    desk.require(MemberAct::Edit)?;
    desk.web.app.cancel_turn(&desk.ctx, part).await?;
    Ok(back(&desk, id))
}

pub(super) async fn cancel_plan(
    Id(id): Id<ConversationId>,
    Part(part): Part<PlanId>,
    Action { desk, .. }: Action,
) -> Answer {
    desk.require(MemberAct::Edit)?;
    desk.web.app.cancel_plan(&desk.ctx, part).await?;
    Ok(back(&desk, id))
}

pub(super) async fn reopen_step(
    Id(id): Id<ConversationId>,
    Part(part): Part<StepId>,
    Action { desk, .. }: Action,
) -> Answer {
    desk.require(MemberAct::Edit)?;
    desk.web.app.reopen_step(&desk.ctx, part).await?;
    Ok(back(&desk, id))
}

pub(super) async fn answer_step(
    Id(id): Id<ConversationId>,
    Part(part): Part<StepId>,
    Action { desk, form }: Action,
) -> Answer {
    desk.require(MemberAct::Edit)?;
    let answer = form.text("message");
    desk.web.app.answer_step(&desk.ctx, part, answer).await?;
    Ok(back(&desk, id))
}

pub(super) async fn cancel_step(
    Id(id): Id<ConversationId>,
    Part(part): Part<StepId>,
    Action { desk, .. }: Action,
) -> Answer {
    desk.require(MemberAct::Edit)?;
    desk.web.app.cancel_step(&desk.ctx, part).await?;
    Ok(back(&desk, id))
}

fn back(desk: &Desk, id: ConversationId) -> axum::response::Response {
    go(&desk.at(&format!("console/{id}?notice=saved")))
}
