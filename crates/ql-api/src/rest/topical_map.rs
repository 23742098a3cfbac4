//! The topical map.

use ql_app::topical_map::{Edge as Join, EdgeKind, Filter, MapPage, StoredNode};
use ql_core::id::{BriefId, ContentId, NodeId};
use ql_core::topical_map::{NodeKind, NodeStatus};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::answer::Text;
use super::route::{Answered, Call, Route, get};
use crate::input::argument::{self, Paging};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_topical_map",
            "/sites/{site}/topical-map",
            "Lists the nodes of the topical map, the oldest first, with the edges at them",
            list,
        ),
        get(
            "get_topical_node",
            "/sites/{site}/topical-map/{id}",
            "A node in any status, with the edges at it",
            show,
        ),
    ]
}

/// A page of the map.
#[derive(Serialize, JsonSchema)]
struct Nodes {
    /// 0 where there is no map yet.
    map_version: i64,
    items: Vec<Node>,
    edges: Vec<Edge>,
    /// Where the next page starts; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A node.
#[derive(Serialize, JsonSchema)]
struct Node {
    id: Text<NodeId>,
    key: String,
    /// pillar, cluster or page.
    kind: Text<NodeKind>,
    title: String,
    query: Option<String>,
    intent: Option<String>,
    /// The key of the node above.
    parent: Option<String>,
    template: Option<String>,
    /// planned, briefed, drafted, published or retired.
    status: Text<NodeStatus>,
    brief_id: Option<Text<BriefId>>,
    content_id: Option<Text<ContentId>>,
}

/// A join of two nodes.
#[derive(Serialize, JsonSchema)]
struct Edge {
    /// parent: `from` stands above `to`; `internal_link`: an approved proposal set the link in a draft.
    kind: &'static str,
    from: Text<NodeId>,
    to: Text<NodeId>,
    /// A link's words.
    anchor: Option<String>,
}

impl From<MapPage> for Nodes {
    fn from(page: MapPage) -> Self {
        Self {
            map_version: page.version,
            items: page.nodes.items.into_iter().map(Into::into).collect(),
            edges: page.edges.into_iter().map(Into::into).collect(),
            next_cursor: page.nodes.next.map(|cursor| cursor.encode()),
        }
    }
}

impl From<StoredNode> for Node {
    fn from(stored: StoredNode) -> Self {
        let node = stored.node;
        Self {
            id: Text(stored.id),
            key: stored.key,
            kind: Text(node.kind),
            title: node.title,
            query: node.query,
            intent: node.intent,
            parent: node.parent,
            template: node.template,
            status: Text(stored.status),
            brief_id: stored.brief.map(Text),
            content_id: stored.content.map(Text),
        }
    }
}

impl From<Join> for Edge {
    fn from(join: Join) -> Self {
        let (kind, anchor) = match join.kind {
            EdgeKind::Parent => ("parent", None),
            EdgeKind::Link { anchor } => ("internal_link", Some(anchor)),
        };
        Self {
            kind,
            from: Text(join.from),
            to: Text(join.to),
            anchor,
        }
    }
}

/// Which nodes to list.
#[derive(Deserialize, JsonSchema)]
struct Query {
    /// Only nodes of this kind.
    #[schemars(schema_with = "kind")]
    #[serde(default)]
    kind: Option<NodeKind>,
    /// Only nodes that stand so; all but retired ones when left out.
    #[schemars(schema_with = "status")]
    #[serde(default)]
    status: Option<NodeStatus>,
    #[serde(flatten)]
    paging: Paging,
}

fn kind(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(NodeKind::ALL.map(NodeKind::as_str))
}

pub(super) fn status(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(NodeStatus::ALL.map(NodeStatus::as_str))
}

async fn list(call: Call<Query>) -> Answered<Nodes> {
    let page = call.query.paging.request::<NodeId>()?;
    let ctx = call.on_site().await?;
    let filter = Filter {
        kind: call.query.kind,
        status: call.query.status,
    };
    Ok(call
        .app()
        .list_topical_map(&ctx, filter, &page)
        .await?
        .into())
}

async fn show(call: Call) -> Answered<Nodes> {
    let (ctx, id) = (call.on_site().await?, call.id("node")?);
    Ok(call.app().get_topical_node(&ctx, id).await?.into())
}
