//! Evidence that is looked at again, and what people make of what was found.

use ql_app::Result;
use ql_app::reverification::{Filter, NewResolution, ReviewView};
use ql_app::session::Owned;
use ql_core::id::{
    AttemptId, ClaimId, ContentId, EvidenceId, JobId, MemberId, ReviewId, RevisionId,
};
use ql_core::reverification as domain;
use ql_core::reverification::{Resolution, TargetState};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Nothing, Route, delete, get, post, put};
use crate::input::argument::{self, Paging, parsed};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_reverification",
            "/sites/{site}/reverification",
            "Lists the evidence that is looked at again, with its due job, last look and open review",
            list,
        ),
        put(
            "set_reverification",
            "/evidence/{id}/reverification",
            "Has evidence looked at again every so many days",
            set,
        ),
        delete(
            "stop_reverification",
            "/evidence/{id}/reverification",
            "Has evidence looked at no more; what was seen stays",
            stop,
        ),
        post(
            "run_reverification_now",
            "/evidence/{id}/reverification/run-now",
            "Has evidence looked at now",
            run_now,
        ),
        get(
            "list_reverification_attempts",
            "/evidence/{id}/reverification/attempts",
            "Lists the looks at a piece of evidence with what was seen, newest first",
            attempts,
        ),
        get(
            "list_evidence_reviews",
            "/sites/{site}/evidence-reviews",
            "Lists the reviews of evidence that wasn't as it had been, newest first",
            reviews,
        ),
        get(
            "get_evidence_review",
            "/evidence-reviews/{id}",
            "A review with what was expected and what was found",
            review,
        ),
        post(
            "resolve_evidence_review",
            "/evidence-reviews/{id}/resolution",
            "Closes a review with what a member makes of it",
            resolve,
        ),
    ]
}

/// Evidence that is looked at again.
#[derive(Serialize, JsonSchema)]
struct Target {
    evidence_id: Text<EvidenceId>,
    claim_id: Text<ClaimId>,
    content_id: Text<ContentId>,
    revision_id: Text<RevisionId>,
    cadence_days: i64,
    /// scheduled, due, running, `needs_review` or stopped.
    state: Text<&'static str>,
    job: Option<Job>,
    last_attempt: Option<Look>,
    open_review: Option<Open>,
}

/// The job that looks next.
#[derive(Serialize, JsonSchema)]
struct Job {
    id: Text<JobId>,
    due_at: Instant,
    /// How often it was claimed.
    attempts: i64,
}

/// How a look ended.
#[derive(Serialize, JsonSchema)]
struct Look {
    id: Text<AttemptId>,
    /// The how-manieth claim of its job it was.
    number: i64,
    at: Instant,
    outcome: Text<&'static str>,
    reason: Option<String>,
}

/// A review that waits for a person.
#[derive(Serialize, JsonSchema)]
struct Open {
    id: Text<ReviewId>,
    outcome: Text<&'static str>,
    opened_at: Instant,
}

/// A look with what was seen.
#[derive(Serialize, JsonSchema)]
struct Attempt {
    #[serde(flatten)]
    look: Look,
    job_id: Text<JobId>,
    /// What was seen: address, status, media type, bytes, the words' SHA-256 and the passage found.
    observation: Value,
}

/// A review.
#[derive(Serialize, JsonSchema)]
struct Review {
    id: Text<ReviewId>,
    evidence_id: Text<EvidenceId>,
    attempt_id: Text<AttemptId>,
    outcome: Text<&'static str>,
    opened_at: Instant,
    /// null while it waits for a person.
    resolution: Option<Text<&'static str>>,
    note: Option<String>,
    /// null where the server closed it.
    member_id: Option<Text<MemberId>>,
    resolved_at: Option<Instant>,
}

/// A review with what was expected and what was found.
#[derive(Serialize, JsonSchema)]
struct ReviewRecord {
    #[serde(flatten)]
    review: Review,
    claim_id: Text<ClaimId>,
    content_id: Text<ContentId>,
    revision_id: Text<RevisionId>,
    claim: String,
    source_url: Option<String>,
    /// The excerpt, as it was taken from the source.
    expected: Option<String>,
    attempt: Attempt,
}

impl From<domain::Target> for Target {
    fn from(target: domain::Target) -> Self {
        Self {
            evidence_id: Text(target.evidence),
            claim_id: Text(target.claim),
            content_id: Text(target.content),
            revision_id: Text(target.revision),
            cadence_days: target.cadence_days,
            state: Text(target.state.as_str()),
            job: target.job.map(|job| Job {
                id: Text(job.id),
                due_at: Instant(job.due_at),
                attempts: job.attempts,
            }),
            last_attempt: target.attempt.map(Into::into),
            open_review: target.review.map(|review| Open {
                id: Text(review.id),
                outcome: Text(review.outcome.as_str()),
                opened_at: Instant(review.opened_at),
            }),
        }
    }
}

impl From<domain::AttemptStatus> for Look {
    fn from(status: domain::AttemptStatus) -> Self {
        Self {
            id: Text(status.id),
            number: status.number,
            at: Instant(status.at),
            outcome: Text(status.outcome.as_str()),
            reason: status.reason,
        }
    }
}

impl Attempt {
    fn of(attempt: domain::Attempt) -> Result<Self> {
        Ok(Self {
            look: attempt.status.into(),
            job_id: Text(attempt.job),
            observation: serde_json::to_value(attempt.observation)?,
        })
    }
}

impl From<domain::Review> for Review {
    fn from(review: domain::Review) -> Self {
        let closed = review.closed.as_ref();
        Self {
            id: Text(review.id),
            evidence_id: Text(review.evidence),
            attempt_id: Text(review.attempt),
            outcome: Text(review.outcome.as_str()),
            opened_at: Instant(review.opened_at),
            resolution: closed.map(|closed| Text(closed.resolution.as_str())),
            member_id: closed.and_then(|closed| closed.member).map(Text),
            resolved_at: closed.map(|closed| Instant(closed.at)),
            note: review.closed.map(|closed| closed.note),
        }
    }
}

impl ReviewRecord {
    fn of(view: ReviewView) -> Result<Self> {
        let evidence = view.evidence();
        Ok(Self {
            claim_id: Text(view.claim.id),
            content_id: Text(view.claim.content),
            revision_id: Text(view.claim.revision),
            claim: view.claim.text.clone(),
            source_url: evidence.map(|evidence| evidence.source_url.clone()),
            expected: evidence.map(|evidence| evidence.excerpt.clone()),
            review: view.review.into(),
            attempt: Attempt::of(view.attempt)?,
        })
    }
}

/// Which targets to list.
#[derive(Deserialize, JsonSchema)]
struct Targets {
    /// Only those that stand so.
    #[schemars(schema_with = "state")]
    #[serde(default)]
    state: Option<TargetState>,
    /// Only those that are due before this instant.
    #[schemars(schema_with = "argument::instant")]
    #[serde(default)]
    due_before: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// Which page of a list.
#[derive(Deserialize, JsonSchema)]
struct Pages {
    #[serde(flatten)]
    paging: Paging,
}

/// Which reviews to list.
#[derive(Deserialize, JsonSchema)]
struct Reviews {
    /// Only those that wait for a person, or only those that don't.
    #[serde(default)]
    open: Option<bool>,
    #[serde(flatten)]
    paging: Paging,
}

/// How often evidence is looked at again.
#[derive(Deserialize, JsonSchema)]
struct NewCadence {
    /// 1 to 365.
    cadence_days: i64,
}

/// What a member makes of a review.
#[derive(Deserialize, JsonSchema)]
struct Resolved {
    /// holds: the source still bears the claim; outdated: the claim needs another source or other
    /// words; dismissed: nothing to act on.
    #[schemars(schema_with = "resolution")]
    resolution: Resolution,
    /// Why.
    note: String,
}

fn state(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(TargetState::ALL.map(TargetState::as_str))
}

fn resolution(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(Resolution::BY_MEMBERS.map(Resolution::as_str))
}

fn evidence_id<Q, B>(call: &Call<Q, B>) -> Result<EvidenceId> {
    call.id("evidence")
}

fn review_id<Q, B>(call: &Call<Q, B>) -> Result<ReviewId> {
    call.id("evidence review")
}

async fn list(call: Call<Targets>) -> Answered<List<Target>> {
    let page = call.query.paging.request::<EvidenceId>()?;
    let due_before = call.query.due_before.as_deref();
    let filter = Filter {
        state: call.query.state,
        due_before: due_before
            .map(|text| parsed("/due_before", text))
            .transpose()?,
        ..Filter::default()
    };
    let ctx = call.on_site().await?;
    let targets = call.app().list_reverification(&ctx, filter, &page).await?;
    Ok(List::page(targets, Target::from))
}

async fn set(call: Call<Nothing, NewCadence>) -> Answered<Target> {
    let id = evidence_id(&call)?;
    let ctx = call.on_site_of(Owned::Evidence(id)).await?;
    let days = call.body.cadence_days;
    Ok(call.app().set_reverification(&ctx, id, days).await?.into())
}

async fn stop(call: Call) -> Answered<()> {
    let id = evidence_id(&call)?;
    let ctx = call.on_site_of(Owned::Evidence(id)).await?;
    call.app().stop_reverification(&ctx, id).await?;
    Ok(())
}

async fn run_now(call: Call) -> Answered<Target> {
    let id = evidence_id(&call)?;
    let ctx = call.on_site_of(Owned::Evidence(id)).await?;
    Ok(call.app().run_reverification_now(&ctx, id).await?.into())
}

async fn attempts(call: Call<Pages>) -> Answered<List<Attempt>> {
    let id = evidence_id(&call)?;
    let page = call.query.paging.request::<AttemptId>()?;
    let ctx = call.on_site_of(Owned::Evidence(id)).await?;
    let app = call.app();
    let found = app.list_reverification_attempts(&ctx, id, &page).await?;
    let next = found.next;
    let items: Result<Vec<Attempt>> = found.items.into_iter().map(Attempt::of).collect();
    let page = ql_core::page::Page {
        items: items?,
        next,
    };
    Ok(List::page(page, std::convert::identity))
}

async fn reviews(call: Call<Reviews>) -> Answered<List<Review>> {
    let page = call.query.paging.request::<ReviewId>()?;
    let ctx = call.on_site().await?;
    let open = call.query.open;
    let reviews = call.app().list_evidence_reviews(&ctx, open, &page).await?;
    Ok(List::page(reviews, Review::from))
}

async fn review(call: Call) -> Answered<ReviewRecord> {
    let id = review_id(&call)?;
    let ctx = call.on_site_of(Owned::EvidenceReview(id)).await?;
    let view = call.app().get_evidence_review(&ctx, id).await?;
    Ok(ReviewRecord::of(view)?)
}

async fn resolve(call: Call<Nothing, Resolved>) -> Answered<ReviewRecord> {
    let review = review_id(&call)?;
    let ctx = call.on_site_of(Owned::EvidenceReview(review)).await?;
    let new = NewResolution {
        review,
        resolution: call.body.resolution,
        note: call.body.note.clone(),
    };
    let view = call.app().resolve_evidence_review(&ctx, new).await?;
    Ok(ReviewRecord::of(view)?)
}
