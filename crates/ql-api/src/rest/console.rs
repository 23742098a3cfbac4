//! The agent console: conversations with agents, their turns, and the plans that they work on.

use ql_app::conversation::{ConversationOverview, ConversationRecord, PlanRecord};
use ql_app::runtime::Availability;
use ql_app::session::Owned;
use ql_core::actor::Harness;
use ql_core::conversation::Conversation as Stored;
use ql_core::id::{AgentId, ConversationId, PlanId, ProposalId, RunId, SiteId, StepId, TurnId};
use ql_core::step::Step as StoredStep;
use ql_core::turn::{Turn as StoredTurn, TurnOutcome, TurnState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Nothing, Route, get, post};
use crate::input::argument::{Paging, named};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = conversations();
    routes.extend(changes());
    routes
}

fn conversations() -> Vec<Route> {
    vec![
        get(
            "list_conversations",
            "/sites/{site}/console/conversations",
            "Lists the site's conversations with agents, newest first",
            list,
        ),
        post(
            "create_conversation",
            "/console/conversations",
            "Begins a conversation with an agent on a site",
            create,
        )
        .created(),
        get(
            "get_conversation",
            "/console/conversations/{id}",
            "A conversation with its turns, its plans and their steps, and whether the agent's runtime is there",
            show,
        ),
        post(
            "add_turn",
            "/console/conversations/{id}/turns",
            "Writes the next turn, which the agent gets when the turns before are over",
            add_turn,
        )
        .created(),
        get(
            "get_plan",
            "/console/plans/{id}",
            "A version of a plan with its steps",
            show_plan,
        ),
    ]
}

fn changes() -> Vec<Route> {
    vec![
        post(
            "reopen_turn",
            "/console/turns/{id}/reopen",
            "Opens a turn again that failed, was blocked or waits for an answer",
            reopen_turn,
        ),
        post(
            "cancel_turn",
            "/console/turns/{id}/cancel",
            "Stops a turn that isn't over",
            cancel_turn,
        ),
        post(
            "cancel_plan",
            "/console/plans/{id}/cancel",
            "Gives up every step of a plan that isn't done",
            cancel_plan,
        ),
        post(
            "reopen_step",
            "/console/steps/{id}/reopen",
            "Opens a failed or blocked step again, with a fresh count of attempts",
            reopen_step,
        ),
        post(
            "answer_step",
            "/console/steps/{id}/answer",
            "Answers a step that stopped, and opens it again",
            answer_step,
        ),
        post(
            "cancel_step",
            "/console/steps/{id}/cancel",
            "Gives a step up, and with it whatever depends on it",
            cancel_step,
        ),
    ]
}

/// A conversation with an agent.
#[derive(Serialize, JsonSchema)]
struct Conversation {
    id: Text<ConversationId>,
    site: Text<SiteId>,
    agent: Text<AgentId>,
    /// The session that it was bound to first; null before the first claim that names one.
    root_session_id: Option<String>,
    /// The session that it is bound to now.
    session_id: Option<String>,
    /// How many turns it has.
    turn_count: i64,
    /// A number that grows with every change.
    version: i64,
    created_at: Instant,
    updated_at: Instant,
}

impl From<Stored> for Conversation {
    fn from(conversation: Stored) -> Self {
        let binding = conversation.binding;
        Self {
            id: Text(conversation.id),
            site: Text(conversation.site),
            agent: Text(conversation.agent),
            root_session_id: binding.as_ref().map(|binding| binding.root.clone()),
            session_id: binding.map(|binding| binding.tip),
            turn_count: conversation.turns,
            version: conversation.version,
            created_at: Instant(conversation.created_at),
            updated_at: Instant(conversation.updated_at),
        }
    }
}

/// A conversation in a list.
#[derive(Serialize, JsonSchema)]
struct Overview {
    #[serde(flatten)]
    conversation: Conversation,
    /// Its newest turn.
    last_turn: Option<Turn>,
}

impl From<ConversationOverview> for Overview {
    fn from(overview: ConversationOverview) -> Self {
        Self {
            conversation: overview.conversation.into(),
            last_turn: overview.last.map(Turn::from),
        }
    }
}

/// A conversation with everything that came of it.
#[derive(Serialize, JsonSchema)]
struct Record {
    #[serde(flatten)]
    conversation: Conversation,
    harness: Text<Harness>,
    runtime: Runtime,
    /// Its newest turns, oldest first.
    turns: Vec<Turn>,
    /// The steps of the newest version of its plans, in order.
    steps: Vec<Step>,
    /// Every version of its plans, oldest first.
    plans: Vec<Plan>,
}

impl From<ConversationRecord> for Record {
    fn from(record: ConversationRecord) -> Self {
        let newest = record.plans.last().map(|record| record.steps.clone());
        Self {
            conversation: record.conversation.into(),
            harness: Text(record.agent.harness),
            runtime: record.runtime.into(),
            turns: record.turns.into_iter().map(Turn::from).collect(),
            steps: newest.into_iter().flatten().map(Step::from).collect(),
            plans: record.plans.into_iter().map(Plan::from).collect(),
        }
    }
}

/// Whether the agent's own session can be gone to.
#[derive(Serialize, JsonSchema)]
struct Runtime {
    /// `available`, `unavailable`, or `not_discovered` for a harness that isn't discovered.
    state: &'static str,
    /// The address that opens the session.
    link: Option<String>,
    /// The command that resumes it.
    command: Option<String>,
    profile_name: Option<String>,
    /// The stable code of why there is none.
    reason: Option<&'static str>,
    message: Option<String>,
    remedy: Option<&'static str>,
}

impl From<Availability> for Runtime {
    fn from(availability: Availability) -> Self {
        let nothing = Self {
            state: "not_discovered",
            link: None,
            command: None,
            profile_name: None,
            reason: None,
            message: None,
            remedy: None,
        };
        match availability {
            Availability::NotDiscovered => nothing,
            Availability::Available {
                link,
                command,
                profile_name,
            } => Self {
                state: "available",
                link: Some(link),
                command,
                profile_name: Some(profile_name),
                ..nothing
            },
            Availability::Unavailable {
                reason,
                message,
                remedy,
            } => Self {
                state: "unavailable",
                reason: Some(reason),
                message: Some(message),
                remedy: Some(remedy),
                ..nothing
            },
        }
    }
}

/// A turn.
#[derive(Serialize, JsonSchema)]
struct Turn {
    id: Text<TurnId>,
    /// Its place in the conversation, from 1.
    number: i64,
    /// Who wrote it: member:… or system, for a plan's step.
    author: String,
    /// The plan's step that it delivers.
    step_id: Option<Text<StepId>>,
    message: String,
    /// queued, leased, or the outcome it ended with.
    state: &'static str,
    outcome: Option<Text<TurnOutcome>>,
    /// What the agent said at its end.
    reply: Option<String>,
    /// How often it was claimed since a person last opened it.
    attempts: i64,
    /// Why it last came back or stopped: a stable code.
    reason: Option<String>,
    /// What the worker that gave it back said.
    returned_with: Option<String>,
    lease_expires_at: Option<Instant>,
    run_id: Option<Text<RunId>>,
    proposal_id: Option<Text<ProposalId>>,
    created_at: Instant,
    ended_at: Option<Instant>,
}

impl From<StoredTurn> for Turn {
    fn from(turn: StoredTurn) -> Self {
        let state = turn.state.as_str();
        let (lease, ended) = match turn.state {
            TurnState::Queued => (None, None),
            TurnState::Leased(lease) => (Some(lease), None),
            TurnState::Ended(ended) => (None, Some(ended)),
        };
        Self {
            id: Text(turn.id),
            number: turn.number,
            author: turn.author.to_text(),
            step_id: turn.step.map(Text),
            message: turn.message,
            state,
            outcome: ended.as_ref().map(|ended| Text(ended.outcome)),
            attempts: turn.attempts,
            reason: turn.reason,
            returned_with: turn.returned_with,
            lease_expires_at: lease.map(|lease| Instant(lease.until)),
            run_id: ended.as_ref().and_then(|ended| ended.run).map(Text),
            proposal_id: ended.as_ref().and_then(|ended| ended.proposal).map(Text),
            created_at: Instant(turn.created_at),
            ended_at: ended.as_ref().map(|ended| Instant(ended.at)),
            reply: ended.map(|ended| ended.reply),
        }
    }
}

/// A version of a plan.
#[derive(Serialize, JsonSchema)]
struct Plan {
    id: Text<PlanId>,
    conversation_id: Text<ConversationId>,
    goal: String,
    /// From 1.
    version: i64,
    replaces_plan_id: Option<Text<PlanId>>,
    /// active, finished or superseded.
    state: &'static str,
    steps: Vec<Step>,
    created_at: Instant,
}

impl From<PlanRecord> for Plan {
    fn from(record: PlanRecord) -> Self {
        let plan = record.plan;
        Self {
            id: Text(plan.id),
            conversation_id: Text(plan.conversation),
            goal: plan.goal,
            version: plan.version,
            replaces_plan_id: plan.replaces.map(Text),
            state: plan.state.as_str(),
            steps: record.steps.into_iter().map(Step::from).collect(),
            created_at: Instant(plan.created_at),
        }
    }
}

/// A step of a plan.
#[derive(Serialize, JsonSchema)]
struct Step {
    id: Text<StepId>,
    plan_id: Text<PlanId>,
    key: String,
    title: String,
    operation: &'static str,
    /// The server's judgement.
    risk: &'static str,
    depends_on: Vec<String>,
    input: Value,
    /// waiting, ready, offered, running, `awaiting_approval`, succeeded, failed, blocked or cancelled.
    state: &'static str,
    /// How often it was tried again since a person last opened it.
    retry_count: i64,
    turn_id: Option<Text<TurnId>>,
    proposal_id: Option<Text<ProposalId>>,
    run_id: Option<Text<RunId>>,
    /// What the agent said last.
    result: String,
    /// Why it stopped: a stable code, and in words.
    reason: Option<String>,
    explanation: Option<String>,
}

impl From<StoredStep> for Step {
    fn from(step: StoredStep) -> Self {
        Self {
            id: Text(step.id),
            plan_id: Text(step.plan),
            operation: step.operation.as_str(),
            risk: step.risk.as_str(),
            state: step.state.as_str(),
            retry_count: step.retry_count(),
            reason: step.state.reason().map(|reason| reason.code.clone()),
            explanation: step.state.reason().map(|r| r.explanation.clone()),
            key: step.key,
            title: step.title,
            depends_on: step.depends_on,
            input: step.input,
            turn_id: step.turn.map(Text),
            proposal_id: step.proposal.map(Text),
            run_id: step.run.map(Text),
            result: step.summary,
        }
    }
}

/// A conversation to begin.
#[derive(Deserialize, JsonSchema)]
struct NewConversation {
    /// The agent's id.
    agent: String,
    /// The site's id or its slug.
    site: String,
}

/// What is said.
#[derive(Deserialize, JsonSchema)]
struct Message {
    /// In words.
    #[schemars(length(min = 1, max = 20000))]
    message: String,
}

async fn list(call: Call<Paging>) -> Answered<List<Overview>> {
    let page = call.query.request::<ConversationId>()?;
    let ctx = call.on_site().await?;
    let found = call.app().list_conversations(&ctx, &page).await?;
    Ok(List::page(found, Overview::from))
}

async fn create(call: Call<Nothing, NewConversation>) -> Answered<Conversation> {
    let ctx = call.on(&call.body.site).await?;
    let agent = named("agent", &call.body.agent)?;
    let begun = call.app().create_conversation(&ctx, agent).await?;
    Ok(begun.into())
}

async fn show(call: Call) -> Answered<Record> {
    let id = call.id("conversation")?;
    let ctx = call.on_site_of(Owned::Conversation(id)).await?;
    Ok(call.app().get_conversation(&ctx, id).await?.into())
}

async fn add_turn(call: Call<Nothing, Message>) -> Answered<Turn> {
    let id = call.id("conversation")?;
    let ctx = call.on_site_of(Owned::Conversation(id)).await?;
    let app = &call.rest.app;
    Ok(app.add_turn(&ctx, id, call.body.message).await?.into())
}

async fn reopen_turn(call: Call) -> Answered<Turn> {
    let id = call.id("turn")?;
    let ctx = call.on_site_of(Owned::Turn(id)).await?;
    Ok(call.app().reopen_turn(&ctx, id).await?.into())
}

async fn cancel_turn(call: Call) -> Answered<Turn> {
    let id = call.id("turn")?;
    let ctx = call.on_site_of(Owned::Turn(id)).await?;
    Ok(call.app().cancel_turn(&ctx, id).await?.into())
}

async fn show_plan(call: Call) -> Answered<Plan> {
    let id = call.id("plan")?;
    let ctx = call.on_site_of(Owned::Plan(id)).await?;
    Ok(call.app().get_plan(&ctx, id).await?.into())
}

async fn cancel_plan(call: Call) -> Answered<Plan> {
    let id = call.id("plan")?;
    let ctx = call.on_site_of(Owned::Plan(id)).await?;
    Ok(call.app().cancel_plan(&ctx, id).await?.into())
}

async fn reopen_step(call: Call) -> Answered<Plan> {
    let id = call.id("step")?;
    let ctx = call.on_site_of(Owned::Step(id)).await?;
    Ok(call.app().reopen_step(&ctx, id).await?.into())
}

async fn answer_step(call: Call<Nothing, Message>) -> Answered<Plan> {
    let id = call.id("step")?;
    let ctx = call.on_site_of(Owned::Step(id)).await?;
    let app = &call.rest.app;
    Ok(app.answer_step(&ctx, id, call.body.message).await?.into())
}

async fn cancel_step(call: Call) -> Answered<Plan> {
    let id = call.id("step")?;
    let ctx = call.on_site_of(Owned::Step(id)).await?;
    Ok(call.app().cancel_step(&ctx, id).await?.into())
}
