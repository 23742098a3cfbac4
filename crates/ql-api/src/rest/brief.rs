//! Content briefs.

use ql_core::brief::BriefState;
use ql_core::hash::Digest;
use ql_core::id::{BriefId, ContentId, NodeId, ProposalId, RevisionId};
use ql_core::topical_map::NodeStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Route, get};
use super::topical_map::status;
use crate::input::argument::Paging;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_briefs",
            "/sites/{site}/briefs",
            "Lists the content briefs, newest first",
            list,
        ),
        get(
            "get_brief",
            "/sites/{site}/briefs/{id}",
            "A content brief",
            show,
        ),
    ]
}

/// A brief with where its page stands.
#[derive(Serialize, JsonSchema)]
struct Brief {
    id: Text<BriefId>,
    node_id: Text<NodeId>,
    /// briefed, drafted, published or retired.
    status: Text<NodeStatus>,
    /// What it asks for, as it was commissioned.
    document: Value,
    /// Of the document's canonical JSON.
    sha256: Text<Digest>,
    /// The proposal whose approval commissioned it.
    commissioned_by: Text<ProposalId>,
    commissioned_at: Instant,
    /// The page that answered it.
    content_id: Option<Text<ContentId>>,
    revision_id: Option<Text<RevisionId>>,
}

impl From<BriefState> for Brief {
    fn from(state: BriefState) -> Self {
        let draft = state.draft.as_ref();
        Self {
            id: Text(state.brief.id),
            node_id: Text(state.brief.node),
            status: Text(state.status),
            document: json!(state.brief.document),
            sha256: Text(state.brief.sha256),
            commissioned_by: Text(state.brief.proposal),
            commissioned_at: Instant(state.brief.created_at),
            content_id: draft.map(|draft| Text(draft.content)),
            revision_id: draft.map(|draft| Text(draft.revision)),
        }
    }
}

/// Which briefs to list.
#[derive(Deserialize, JsonSchema)]
struct Query {
    /// Only briefs whose page stands so.
    #[schemars(schema_with = "status")]
    #[serde(default)]
    status: Option<NodeStatus>,
    #[serde(flatten)]
    paging: Paging,
}

async fn list(call: Call<Query>) -> Answered<List<Brief>> {
    let page = call.query.paging.request::<BriefId>()?;
    let ctx = call.on_site().await?;
    let briefs = call
        .app()
        .list_briefs(&ctx, call.query.status, &page)
        .await?;
    Ok(List::page(briefs, Brief::from))
}

async fn show(call: Call) -> Answered<Brief> {
    let (ctx, id) = (call.on_site().await?, call.id("brief")?);
    Ok(call.app().get_brief(&ctx, id).await?.into())
}
