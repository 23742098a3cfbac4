//! Proposals.

use ql_app::App;
use ql_app::execution::Precondition as Checked;
use ql_app::proposal::{Filter, NewProposal, ProposalView, Proposed, who_may_approve};
use ql_app::session::Owned;
use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::{ContentId, MemberId, ProposalId, RunId, SiteId};
use ql_core::proposal::{
    Decision as Decided, Proposal as Stored, ProposalKind, ProposalState, Resolved, Risk,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Nothing, Route, get, post};
use crate::input::argument::{self, Paging, named};
use crate::input::payload::PayloadArguments;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_proposals",
            "/sites/{site}/proposals",
            "Lists the site's proposals, newest first",
            list,
        ),
        post(
            "create_proposal",
            "/sites/{site}/proposals",
            "Puts a typed change before the people who decide",
            create,
        )
        .created(),
        get(
            "get_proposal",
            "/proposals/{id}",
            "A proposal with exactly what a decision is made on",
            show,
        ),
    ]
}

/// A proposal in one line.
#[derive(Serialize, JsonSchema)]
pub(super) struct Summary {
    id: Text<ProposalId>,
    site: Text<SiteId>,
    kind: Text<ProposalKind>,
    title: String,
    state: &'static str,
    /// Why it came to rest, where there is a reason.
    reason: Option<String>,
    risk: Text<Risk>,
    /// Who proposes: `type` is agent or member.
    proposer: Value,
    run_id: Option<Text<RunId>>,
    created_at: Instant,
    expires_at: Instant,
    /// When an approved one is carried out.
    due_at: Option<Instant>,
    settled_at: Option<Instant>,
}

impl From<&Stored> for Summary {
    fn from(proposal: &Stored) -> Self {
        let due_at = match &proposal.state {
            ProposalState::Approved { due_at } => Some(*due_at),
            _ => proposal.payload.publish_at(),
        };
        Self {
            id: Text(proposal.id),
            site: Text(proposal.site),
            kind: Text(proposal.kind()),
            title: proposal.title.clone(),
            state: proposal.state.as_str(),
            reason: proposal.state.reason().map(str::to_owned),
            risk: Text(proposal.risk),
            proposer: proposal.proposer.to_json(),
            run_id: proposal.run.map(Text),
            created_at: Instant(proposal.created_at),
            expires_at: Instant(proposal.expires_at),
            due_at: due_at.map(Instant),
            settled_at: proposal.state.settled_at().map(Instant),
        }
    }
}

/// A proposal as lists show it.
#[derive(Serialize, JsonSchema)]
struct Listed {
    #[serde(flatten)]
    summary: Summary,
    /// What a decision must name now.
    digest: Text<Digest>,
    approvals: usize,
    approvals_needed: u32,
    /// Whether it could be carried out now.
    preconditions_hold: bool,
}

impl From<ProposalView> for Listed {
    fn from(view: ProposalView) -> Self {
        Self {
            summary: (&view.proposal).into(),
            digest: Text(view.digest),
            approvals: view.approvals(),
            approvals_needed: view.rule.approvals,
            preconditions_hold: view.preconditions.iter().all(|p| p.stale.is_none()),
        }
    }
}

/// A proposal with everything that a decision is made on.
#[derive(Serialize, JsonSchema)]
pub(super) struct Proposal {
    #[serde(flatten)]
    listed: Listed,
    rationale: String,
    /// What is carried out.
    payload: Value,
    /// What each item of the payload stood for when it was proposed.
    #[schemars(with = "Vec<Value>")]
    resolved: Vec<Resolved>,
    /// What must hold to carry it out; empty once it came to rest.
    preconditions: Vec<Precondition>,
    decisions: Vec<Vote>,
    /// Who may approve it, in words.
    who_may_approve: String,
    dashboard_url: String,
}

/// One thing that must hold.
#[derive(Serialize, JsonSchema)]
struct Precondition {
    /// The item it is about; null for one that is still to be created.
    content_id: Option<Text<ContentId>>,
    holds: bool,
    /// A stable code of why it doesn't.
    reason: Option<&'static str>,
    /// The same in words.
    message: Option<String>,
}

impl From<&Checked> for Precondition {
    fn from(checked: &Checked) -> Self {
        Self {
            content_id: checked.content.map(Text),
            holds: checked.stale.is_none(),
            reason: checked.stale.map(ql_core::lifecycle::StaleReason::code),
            message: checked.stale.map(|reason| reason.to_string()),
        }
    }
}

/// What a member said.
#[derive(Serialize, JsonSchema)]
struct Vote {
    member: Text<MemberId>,
    decision: &'static str,
    digest: Text<Digest>,
    comment: String,
    /// Whether it decided its own proposal, being the only one who could.
    own_proposal: bool,
    /// Who made the sign-in link that its session was opened by, such as `member:mem_…`; null when a
    /// password opened it.
    let_in_by: Option<String>,
    at: Instant,
}

impl From<&Decided> for Vote {
    fn from(decided: &Decided) -> Self {
        Self {
            member: Text(decided.member),
            decision: decided.verdict.as_str(),
            digest: Text(decided.digest),
            comment: decided.comment.clone(),
            own_proposal: decided.own_proposal,
            let_in_by: decided.let_in_by.map(Actor::to_text),
            at: Instant(decided.at),
        }
    }
}

impl Proposal {
    pub(super) fn of(app: &App, view: ProposalView) -> Self {
        Self {
            rationale: view.proposal.rationale.clone(),
            payload: view.proposal.payload.to_json(),
            resolved: view.proposal.resolved.clone(),
            preconditions: view.preconditions.iter().map(Into::into).collect(),
            decisions: view.decisions.iter().map(Into::into).collect(),
            who_may_approve: who_may_approve(&view.rule),
            dashboard_url: app.dashboard_url(&format!("/proposals/{}", view.proposal.id)),
            listed: view.into(),
        }
    }
}

/// Which proposals to list.
#[derive(Deserialize, JsonSchema)]
struct Query {
    /// Only proposals that stand so.
    #[schemars(schema_with = "state")]
    #[serde(default)]
    state: Option<String>,
    /// Only proposals of this kind.
    #[schemars(schema_with = "kind")]
    #[serde(default)]
    kind: Option<ProposalKind>,
    /// Only proposals of this risk.
    #[schemars(schema_with = "risk")]
    #[serde(default)]
    risk: Option<Risk>,
    /// Only proposals made in this run.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    run_id: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

fn state(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(ProposalState::NAMES)
}

fn kind(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(ProposalKind::ALL.map(ProposalKind::as_str))
}

fn risk(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(Risk::ALL.map(Risk::as_str))
}

async fn list(call: Call<Query>) -> Answered<List<Listed>> {
    let page = call.query.paging.request::<ProposalId>()?;
    let ctx = call.on_site().await?;
    let state = call.query.state.as_deref();
    let run = call.query.run_id.as_deref();
    let filter = Filter {
        state: state.and_then(|text| ProposalState::NAMES.into_iter().find(|name| *name == text)),
        kind: call.query.kind,
        run: run.map(|id| named("run", id)).transpose()?,
        risk: call.query.risk,
        proposer: None,
    };
    let found = call.app().list_proposals(&ctx, &filter, &page).await?;
    Ok(List::page(found, Listed::from))
}

async fn show(call: Call) -> Answered<Proposal> {
    let id = call.id("proposal")?;
    let ctx = call.on_site_of(Owned::Proposal(id)).await?;
    Ok(Proposal::of(
        call.app(),
        call.app().get_proposal(&ctx, id).await?,
    ))
}

/// A proposal to make.
#[derive(Deserialize, JsonSchema)]
struct New {
    /// What is proposed; it decides which members of payload are needed.
    #[schemars(schema_with = "kind")]
    kind: ProposalKind,
    /// The proposal in one line; made from the payload when left out.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    title: Option<String>,
    /// Why, for the person who decides.
    #[schemars(length(min = 1, max = 4000))]
    rationale: String,
    /// What approval carries out.
    payload: PayloadArguments,
}

/// A proposal that waits for people.
#[derive(Serialize, JsonSchema)]
struct Made {
    id: Text<ProposalId>,
    kind: Text<ProposalKind>,
    risk: Text<Risk>,
    digest: Text<Digest>,
    expires_at: Instant,
    who_may_approve: String,
    dashboard_url: String,
    /// Whether an identical pending proposal of the same proposer was joined instead.
    joined: bool,
    /// Older pending proposals about the same pages that this one replaces.
    superseded: Vec<Text<ProposalId>>,
}

impl From<Proposed> for Made {
    fn from(proposed: Proposed) -> Self {
        Self {
            id: Text(proposed.proposal_id),
            kind: Text(proposed.kind),
            risk: Text(proposed.risk),
            digest: Text(proposed.digest),
            expires_at: Instant(proposed.expires_at),
            who_may_approve: proposed.who_may_approve,
            dashboard_url: proposed.dashboard_url,
            joined: proposed.joined,
            superseded: proposed.superseded.into_iter().map(Text).collect(),
        }
    }
}

async fn create(call: Call<Nothing, New>) -> Answered<Made> {
    let ctx = call.on_site().await?;
    let new = NewProposal {
        run: None,
        title: call.body.title,
        rationale: call.body.rationale,
        payload: call.body.payload.read(call.body.kind)?,
        pointer: "/payload",
    };
    Ok(call.rest.app.create_proposal(&ctx, new, None).await?.into())
}
