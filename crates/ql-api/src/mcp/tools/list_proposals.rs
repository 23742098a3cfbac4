//! `querylayer_list_proposals`: follows what was proposed.

use ql_app::App;
use ql_app::execution::Precondition;
use ql_app::proposal::{Filter, ProposalView, who_may_approve};
use ql_core::hash::Digest;
use ql_core::id::{ContentId, ProposalId, RunId};
use ql_core::lifecycle::StaleReason;
use ql_core::page::Page;
use ql_core::proposal::{Decision, Payload, ProposalKind, ProposalState, Resolved, Risk, Verdict};
use ql_core::scope::Scope;
use ql_core::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::input::argument::{self, Combination, Paging};
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct ListProposals;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Those that stand so.
    #[schemars(schema_with = "state")]
    #[serde(default)]
    state: Option<String>,
    /// Those of this kind.
    #[schemars(schema_with = "kind")]
    #[serde(default)]
    kind: Option<ProposalKind>,
    /// This one, with its payload.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    proposal_id: Option<String>,
    /// Those made in this run.
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

/// Its answer.
#[derive(Serialize)]
pub(crate) struct Output {
    proposals: Vec<View>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize)]
struct View {
    proposal_id: ProposalId,
    kind: ProposalKind,
    state: &'static str,
    reason: Option<String>,
    risk: Risk,
    title: String,
    rationale: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Payload>,
    resolved: Vec<Resolved>,
    digest: Digest,
    proposer: Value,
    run_id: Option<RunId>,
    who_may_approve: String,
    approvals: usize,
    approvals_needed: u32,
    decisions: Vec<DecisionView>,
    preconditions: Vec<PreconditionView>,
    dashboard_url: String,
    created_at: Timestamp,
    expires_at: Timestamp,
    due_at: Option<Timestamp>,
    settled_at: Option<Timestamp>,
}

#[derive(Serialize)]
struct DecisionView {
    decision: Verdict,
    comment: String,
    at: Timestamp,
}

#[derive(Serialize)]
struct PreconditionView {
    content_id: Option<ContentId>,
    holds: bool,
    reason: Option<&'static str>,
}

impl Tool<Product> for ListProposals {
    const NAME: &'static str = "querylayer_list_proposals";
    const TITLE: &'static str = "List proposals";
    const DESCRIPTION: &'static str = "Lists the site's proposals, newest first, with state, decisions and comments, who may approve and whether they can still be carried out. approved waits for its instant; stale: the world moved on, propose again from the current state; changes_requested: do what the comment asks, then propose again. Comments are a reviewer's words about this proposal.";
    const SCOPES: &'static [Scope] = &[Scope::RunsRead];
    const EFFECT: Effect = Effect::Reads;
    type Params = Params;
    type Output = Output;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, .. }: Call<Params>,
    ) -> Result<Output, Failure> {
        if let Some(id) = &params.proposal_id {
            params.refuse_filters()?;
            let found = product
                .app
                .get_proposal(caller.ctx(), argument::named("proposal", id)?)
                .await?;
            let proposals = vec![View::of(&product.app, found, true)];
            return Ok(Output {
                proposals,
                next_cursor: None,
            });
        }
        let filter = Filter {
            state: params.state.as_deref().and_then(state_name),
            kind: params.kind,
            run: params
                .run_id
                .as_deref()
                .map(|id| argument::named("run", id))
                .transpose()?,
            ..Filter::default()
        };
        let page = product
            .app
            .list_proposals(
                caller.ctx(),
                &filter,
                &params.paging.request::<ProposalId>()?,
            )
            .await?;
        Ok(Output::of(&product.app, page))
    }
}

/// The name of a state as the domain writes it; the schema admits no other.
fn state_name(text: &str) -> Option<&'static str> {
    ProposalState::NAMES.into_iter().find(|name| *name == text)
}

impl Params {
    fn refuse_filters(&self) -> Result<(), Failure> {
        let mut combination = Combination::default();
        combination.refuse(
            "proposal_id",
            [
                ("/state", self.state.is_some()),
                ("/kind", self.kind.is_some()),
                ("/run_id", self.run_id.is_some()),
            ],
        );
        Ok(combination.finish(Some(()))?)
    }
}

impl Output {
    fn of(app: &App, page: Page<ProposalView>) -> Self {
        Self {
            proposals: page
                .items
                .into_iter()
                .map(|view| View::of(app, view, false))
                .collect(),
            next_cursor: page.next.map(|cursor| cursor.encode()),
        }
    }
}

impl View {
    fn of(app: &App, view: ProposalView, with_payload: bool) -> Self {
        let approvals = view.approvals();
        let proposal = view.proposal;
        let due_at = match &proposal.state {
            ProposalState::Approved { due_at } => Some(*due_at),
            _ => proposal.payload.publish_at(),
        };
        Self {
            proposal_id: proposal.id,
            kind: proposal.payload.kind(),
            state: proposal.state.as_str(),
            reason: proposal.state.reason().map(str::to_owned),
            risk: proposal.risk,
            title: proposal.title,
            rationale: proposal.rationale,
            resolved: proposal.resolved,
            digest: view.digest,
            proposer: proposal.proposer.to_json(),
            run_id: proposal.run,
            who_may_approve: who_may_approve(&view.rule),
            approvals,
            approvals_needed: view.rule.approvals,
            decisions: view.decisions.into_iter().map(DecisionView::of).collect(),
            preconditions: view
                .preconditions
                .iter()
                .map(PreconditionView::of)
                .collect(),
            dashboard_url: app.dashboard_url(&format!("/proposals/{}", proposal.id)),
            created_at: proposal.created_at,
            expires_at: proposal.expires_at,
            due_at,
            settled_at: proposal.state.settled_at(),
            payload: with_payload.then_some(proposal.payload),
        }
    }
}

impl DecisionView {
    fn of(decision: Decision) -> Self {
        Self {
            decision: decision.verdict,
            comment: decision.comment,
            at: decision.at,
        }
    }
}

impl PreconditionView {
    fn of(precondition: &Precondition) -> Self {
        Self {
            content_id: precondition.content,
            holds: precondition.stale.is_none(),
            reason: precondition.stale.map(StaleReason::code),
        }
    }
}
