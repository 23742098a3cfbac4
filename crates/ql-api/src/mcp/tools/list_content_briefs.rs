//! `querylayer_list_content_briefs`: reads what pages are asked for.

use ql_core::brief::{BriefState, Neighbour};
use ql_core::hash::Digest;
use ql_core::id::{BriefId, ContentId, NodeId, ProposalId, RevisionId};
use ql_core::page::Page;
use ql_core::scope::Scope;
use ql_core::time::Timestamp;
use ql_core::topical_map::NodeStatus;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::input::argument::{self, Combination, Paging};
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct ListContentBriefs;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Briefs whose page stands so; briefed waits for a draft.
    #[schemars(schema_with = "status")]
    #[serde(default)]
    status: Option<NodeStatus>,
    /// This brief.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    brief_id: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// Where a page with a brief can stand.
fn status(_: &mut SchemaGenerator) -> Schema {
    let all = NodeStatus::ALL.into_iter();
    let briefed = all.filter(|status| *status != NodeStatus::Planned);
    argument::one_of(briefed.map(NodeStatus::as_str))
}

/// Its answer.
#[derive(Serialize)]
pub(crate) struct Output {
    briefs: Vec<View>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize)]
struct View {
    brief_id: BriefId,
    node_id: NodeId,
    node_key: String,
    status: NodeStatus,
    title: String,
    query: Option<String>,
    intent: Option<String>,
    template: String,
    above: Vec<Neighbour>,
    beside: Vec<Neighbour>,
    map_version: i64,
    sha256: Digest,
    commissioned_by: ProposalId,
    commissioned_at: Timestamp,
    content_id: Option<ContentId>,
    revision_id: Option<RevisionId>,
}

impl Tool<Product> for ListContentBriefs {
    const NAME: &'static str = "querylayer_list_content_briefs";
    const TITLE: &'static str = "List content briefs";
    const DESCRIPTION: &'static str = "Lists the briefs that approved topical work commissioned, newest first: title, query and intent of the page, the template it is written in, the nodes above it and the pages beside it. A brief never changes. Answer one that is briefed with querylayer_propose_content_brief_draft; content_id and revision_id name the draft that was accepted.";
    const SCOPES: &'static [Scope] = &[Scope::ContentRead];
    const EFFECT: Effect = Effect::Reads;
    type Params = Params;
    type Output = Output;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, .. }: Call<Params>,
    ) -> Result<Output, Failure> {
        if let Some(id) = &params.brief_id {
            let mut combination = Combination::default();
            combination.refuse("brief_id", [("/status", params.status.is_some())]);
            combination.finish(Some(()))?;
            let id = argument::named("brief", id)?;
            let found = product.app.get_brief(caller.ctx(), id).await?;
            return Ok(Output::of(Page {
                items: vec![found],
                next: None,
            }));
        }
        let page = params.paging.request::<BriefId>()?;
        let listed = product
            .app
            .list_briefs(caller.ctx(), params.status, &page)
            .await?;
        Ok(Output::of(listed))
    }
}

impl Output {
    fn of(page: Page<BriefState>) -> Self {
        Self {
            briefs: page.items.into_iter().map(View::of).collect(),
            next_cursor: page.next.map(|cursor| cursor.encode()),
        }
    }
}

impl View {
    fn of(state: BriefState) -> Self {
        let (brief, draft) = (state.brief, state.draft);
        let document = brief.document;
        Self {
            brief_id: brief.id,
            node_id: brief.node,
            node_key: document.node_key,
            status: state.status,
            title: document.title,
            query: document.query,
            intent: document.intent,
            template: document.template,
            above: document.above,
            beside: document.beside,
            map_version: document.map_version,
            sha256: brief.sha256,
            commissioned_by: brief.proposal,
            commissioned_at: brief.created_at,
            content_id: draft.as_ref().map(|draft| draft.content),
            revision_id: draft.as_ref().map(|draft| draft.revision),
        }
    }
}
