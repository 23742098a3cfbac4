//! `querylayer_list_evidence_reverification`: follows whether evidence still stands.

use ql_app::reverification::Filter;
use ql_core::id::{AttemptId, ClaimId, ContentId, EvidenceId, JobId, ReviewId, RevisionId};
use ql_core::page::Page;
use ql_core::reverification::{AttemptStatus, DueJob, OpenReview, Outcome, Target, TargetState};
use ql_core::scope::Scope;
use ql_core::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::input::argument::{self, Paging, parsed};
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct ListEvidenceReverification;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Those that stand so.
    #[schemars(schema_with = "state")]
    #[serde(default)]
    state: Option<TargetState>,
    /// Those due before.
    #[schemars(schema_with = "argument::instant")]
    #[serde(default)]
    due_before: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

fn state(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(TargetState::ALL.map(TargetState::as_str))
}

/// Its answer: where each target stands, and nothing of what its source says.
#[derive(Serialize)]
pub(crate) struct Output {
    targets: Vec<View>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize)]
struct View {
    evidence_id: EvidenceId,
    claim_id: ClaimId,
    content_id: ContentId,
    revision_id: RevisionId,
    cadence_days: i64,
    state: TargetState,
    job: Option<JobView>,
    last_attempt: Option<AttemptView>,
    open_review: Option<ReviewView>,
}

#[derive(Serialize)]
struct JobView {
    job_id: JobId,
    due_at: Timestamp,
    attempts: i64,
}

#[derive(Serialize)]
struct AttemptView {
    attempt_id: AttemptId,
    number: i64,
    at: Timestamp,
    outcome: Outcome,
    reason: Option<String>,
}

#[derive(Serialize)]
struct ReviewView {
    review_id: ReviewId,
    outcome: Outcome,
    opened_at: Timestamp,
}

impl Tool<Product> for ListEvidenceReverification {
    const NAME: &'static str = "querylayer_list_evidence_reverification";
    const TITLE: &'static str = "List evidence re-verification";
    const DESCRIPTION: &'static str = "Lists the evidence that is looked at again at a cadence: when it is due, how the last look ended (unchanged, changed, excerpt_missing, moved, gone, unreachable, blocked, inconclusive) and whether a person has yet to review it. What the source says now and what reviewers write isn't told. Read the evidence itself with querylayer_list_evidence; where it is outdated, propose a revision.";
    const SCOPES: &'static [Scope] = &[Scope::ContentRead];
    const EFFECT: Effect = Effect::Reads;
    type Params = Params;
    type Output = Output;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, .. }: Call<Params>,
    ) -> Result<Output, Failure> {
        let page = params.paging.request::<EvidenceId>()?;
        let due_before = params.due_before.map(|text| parsed("/due_before", &text));
        let filter = Filter {
            state: params.state,
            due_before: due_before.transpose()?,
            ..Filter::default()
        };
        let targets = product
            .app
            .list_reverification(caller.ctx(), filter, &page)
            .await?;
        Ok(Output::of(targets))
    }
}

impl Output {
    fn of(page: Page<Target>) -> Self {
        Self {
            targets: page.items.into_iter().map(View::of).collect(),
            next_cursor: page.next.map(|cursor| cursor.encode()),
        }
    }
}

impl View {
    fn of(target: Target) -> Self {
        Self {
            evidence_id: target.evidence,
            claim_id: target.claim,
            content_id: target.content,
            revision_id: target.revision,
            cadence_days: target.cadence_days,
            state: target.state,
            job: target.job.map(JobView::of),
            last_attempt: target.attempt.map(AttemptView::of),
            open_review: target.review.map(ReviewView::of),
        }
    }
}

impl JobView {
    fn of(job: DueJob) -> Self {
        Self {
            job_id: job.id,
            due_at: job.due_at,
            attempts: job.attempts,
        }
    }
}

impl AttemptView {
    fn of(attempt: AttemptStatus) -> Self {
        Self {
            attempt_id: attempt.id,
            number: attempt.number,
            at: attempt.at,
            outcome: attempt.outcome,
            reason: attempt.reason,
        }
    }
}

impl ReviewView {
    fn of(review: OpenReview) -> Self {
        Self {
            review_id: review.id,
            outcome: review.outcome,
            opened_at: review.opened_at,
        }
    }
}
