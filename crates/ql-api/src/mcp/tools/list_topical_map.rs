//! `querylayer_list_topical_map`: reads what the site shall be about.

use ql_app::topical_map::{Edge, EdgeKind, Filter, MapPage, StoredNode};
use ql_core::id::{BriefId, ContentId, NodeId};
use ql_core::scope::Scope;
use ql_core::topical_map::{NodeKind, NodeStatus};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::input::argument::{self, Combination, Paging};
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct ListTopicalMap;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// This node, in any status.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    node_id: Option<String>,
    /// Nodes of this kind.
    #[schemars(schema_with = "kind")]
    #[serde(default)]
    kind: Option<NodeKind>,
    /// Nodes that stand so; all but retired ones when left out.
    #[schemars(schema_with = "status")]
    #[serde(default)]
    status: Option<NodeStatus>,
    #[serde(flatten)]
    paging: Paging,
}

fn kind(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(NodeKind::ALL.map(NodeKind::as_str))
}

fn status(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(NodeStatus::ALL.map(NodeStatus::as_str))
}

/// Its answer.
#[derive(Serialize)]
pub(crate) struct Output {
    map_version: i64,
    nodes: Vec<NodeView>,
    edges: Vec<EdgeView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize)]
struct NodeView {
    node_id: NodeId,
    key: String,
    kind: NodeKind,
    title: String,
    query: Option<String>,
    intent: Option<String>,
    parent: Option<String>,
    template: Option<String>,
    status: NodeStatus,
    brief_id: Option<BriefId>,
    content_id: Option<ContentId>,
}

#[derive(Serialize)]
struct EdgeView {
    kind: &'static str,
    from_node_id: NodeId,
    to_node_id: NodeId,
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor: Option<String>,
}

impl Tool<Product> for ListTopicalMap {
    const NAME: &'static str = "querylayer_list_topical_map";
    const TITLE: &'static str = "List the topical map";
    const DESCRIPTION: &'static str = "Lists the nodes of the site's topical map (pillars, clusters, pages), where each page stands, the edges at them (parent: from stands above to; internal_link: an approved proposal set it in a draft) and map_version. It is what the site shall be about; nothing in it was measured. Change it with querylayer_create_proposal, kind topical_map_change.";
    const SCOPES: &'static [Scope] = &[Scope::TopicalMapRead];
    const EFFECT: Effect = Effect::Reads;
    type Params = Params;
    type Output = Output;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, .. }: Call<Params>,
    ) -> Result<Output, Failure> {
        if let Some(id) = &params.node_id {
            let mut combination = Combination::default();
            let (kind, status) = (params.kind.is_some(), params.status.is_some());
            combination.refuse("node_id", [("/kind", kind), ("/status", status)]);
            combination.finish(Some(()))?;
            let id = argument::named("node", id)?;
            let found = product.app.get_topical_node(caller.ctx(), id).await?;
            return Ok(Output::of(found));
        }
        let filter = Filter {
            kind: params.kind,
            status: params.status,
        };
        let page = params.paging.request::<NodeId>()?;
        let listed = product
            .app
            .list_topical_map(caller.ctx(), filter, &page)
            .await?;
        Ok(Output::of(listed))
    }
}

impl Output {
    fn of(page: MapPage) -> Self {
        Self {
            map_version: page.version,
            nodes: page.nodes.items.into_iter().map(NodeView::of).collect(),
            edges: page.edges.into_iter().map(EdgeView::of).collect(),
            next_cursor: page.nodes.next.map(|cursor| cursor.encode()),
        }
    }
}

impl NodeView {
    fn of(stored: StoredNode) -> Self {
        let node = stored.node;
        Self {
            node_id: stored.id,
            key: stored.key,
            kind: node.kind,
            title: node.title,
            query: node.query,
            intent: node.intent,
            parent: node.parent,
            template: node.template,
            status: stored.status,
            brief_id: stored.brief,
            content_id: stored.content,
        }
    }
}

impl EdgeView {
    fn of(edge: Edge) -> Self {
        let (kind, anchor) = match edge.kind {
            EdgeKind::Parent => ("parent", None),
            EdgeKind::Link { anchor } => ("internal_link", Some(anchor)),
        };
        Self {
            kind,
            from_node_id: edge.from,
            to_node_id: edge.to,
            anchor,
        }
    }
}
