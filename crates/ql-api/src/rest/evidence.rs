//! Claims and the evidence for them.

use ql_app::Result;
use ql_app::evidence::Filter;
use ql_core::evidence::Stance;
use ql_core::hash::Digest;
use ql_core::id::{ClaimId, ContentId, EvidenceId, RevisionId, RunId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Route, get};
use crate::input::argument::{self, Combination, Paging, named};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_evidence",
            "/sites/{site}/evidence",
            "Lists the claims of the site's content with their evidence, newest first",
            list,
        ),
        get(
            "get_claim",
            "/sites/{site}/evidence/{id}",
            "A claim with its evidence",
            show,
        ),
    ]
}

/// A statement of a revision, with what bears on it.
#[derive(Serialize, JsonSchema)]
struct Claim {
    id: Text<ClaimId>,
    content_id: Text<ContentId>,
    revision_id: Text<RevisionId>,
    #[serde(rename = "claim")]
    text: String,
    /// Where the fields make it, as a JSON pointer.
    pointer: Option<String>,
    /// Who recorded it: `type` is agent or member.
    author: Value,
    run_id: Option<Text<RunId>>,
    created_at: Instant,
    evidence: Vec<Evidence>,
}

/// One source.
#[derive(Serialize, JsonSchema)]
struct Evidence {
    id: Text<EvidenceId>,
    source_url: String,
    title: String,
    publisher: Option<String>,
    excerpt: String,
    locator: Option<String>,
    retrieved_at: Instant,
    /// Of the excerpt.
    sha256: Text<Digest>,
    /// supports, contradicts or context.
    stance: Text<Stance>,
}

impl From<ql_core::evidence::Claim> for Claim {
    fn from(claim: ql_core::evidence::Claim) -> Self {
        Self {
            id: Text(claim.id),
            content_id: Text(claim.content),
            revision_id: Text(claim.revision),
            text: claim.text,
            pointer: claim.pointer,
            author: claim.author.to_json(),
            run_id: claim.run.map(Text),
            created_at: Instant(claim.created_at),
            evidence: claim.evidence.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<ql_core::evidence::Evidence> for Evidence {
    fn from(evidence: ql_core::evidence::Evidence) -> Self {
        Self {
            id: Text(evidence.id),
            source_url: evidence.source_url,
            title: evidence.title,
            publisher: evidence.publisher,
            excerpt: evidence.excerpt,
            locator: evidence.locator,
            retrieved_at: Instant(evidence.retrieved_at),
            sha256: Text(evidence.excerpt_sha256),
            stance: Text(evidence.stance),
        }
    }
}

/// Which claims to list.
#[derive(Deserialize, JsonSchema)]
struct Query {
    /// Only claims of this content item.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    content_id: Option<String>,
    /// Only claims of this revision.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    revision_id: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

impl Query {
    fn filter(&self) -> Result<Filter> {
        Ok(match (&self.content_id, &self.revision_id) {
            (None, None) => Filter::All,
            (Some(id), None) => Filter::Content(named("content item", id)?),
            (None, Some(id)) => Filter::Revision(named("revision", id)?),
            (Some(_), Some(_)) => {
                let mut combination = Combination::default();
                combination.refuse("revision_id", [("/content_id", true)]);
                return combination.finish(None);
            }
        })
    }
}

async fn list(call: Call<Query>) -> Answered<List<Claim>> {
    let page = call.query.paging.request::<ClaimId>()?;
    let (filter, ctx) = (call.query.filter()?, call.on_site().await?);
    let claims = call.app().list_evidence(&ctx, filter, &page).await?;
    Ok(List::page(claims, Claim::from))
}

async fn show(call: Call) -> Answered<Claim> {
    let (ctx, id) = (call.on_site().await?, call.id("claim")?);
    Ok(call.app().get_claim(&ctx, id).await?.into())
}
