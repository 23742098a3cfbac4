//! The topical map, drawn, and one node of it.

use ql_app::topical_map::{EdgeKind, StoredNode, WholeMap};
use ql_core::id::NodeId;
use ql_core::topical_map::{NodeKind, NodeStatus};

use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, page};
use crate::edge::params::Id;
use crate::page::{Count, ListNode, Section, TopicalMap, TopicalNode};
use crate::part::{Fact, Link};
use crate::view::map::{Branch, Shown, forest, icon, pictures, status};

pub(super) async fn show(desk: Desk) -> Answer {
    let whole = desk.web.app.get_topical_map(&desk.ctx).await?;
    let shown = Shown {
        query: desk.params.get("q").map(str::to_owned),
        status: desk.params.parse("status"),
        under: desk.params.get("under").map(str::to_owned),
    };
    let part = shown.under.as_deref().and_then(|key| by_key(&whole, key));
    if shown.under.is_some() && part.is_none() {
        return Err(WebError::NotFound);
    }
    let forest = forest(&whole, &shown);
    let at = |path: &str| desk.at(path);
    let above = part.map(|node| ways_back(&desk, &whole, node));
    page(&TopicalMap {
        shell: desk.shell(Section::Map).await?,
        version: whole.map.version,
        part: part.map(|node| (node.node.title.clone(), node.node.kind.as_str())),
        above: above.unwrap_or_default(),
        query: desk.params.text("q"),
        under: desk.params.text("under"),
        counts: counts(&desk, &whole, &shown),
        pictures: pictures(&whole, &forest, &at),
        list: forest.iter().map(|branch| listed(&desk, branch)).collect(),
        is_filtered: shown.query.is_some() || shown.status.is_some(),
    })
}

fn by_key<'a>(whole: &'a WholeMap, key: &str) -> Option<&'a StoredNode> {
    whole.map.nodes.iter().find(|node| node.key == key)
}

fn by_id(whole: &WholeMap, id: NodeId) -> Option<&StoredNode> {
    whole.map.nodes.iter().find(|node| node.id == id)
}

/// The map and the nodes above one, the topmost first.
fn ways_back(desk: &Desk, whole: &WholeMap, node: &StoredNode) -> Vec<Link> {
    let map = Link::new(desk.at("topical-map"), "Topical map");
    std::iter::once(map)
        .chain(above(desk, whole, node))
        .collect()
}

fn above(desk: &Desk, whole: &WholeMap, node: &StoredNode) -> Vec<Link> {
    let mut links = Vec::new();
    let mut parent = node.node.parent.as_deref();
    while let Some(node) = parent.and_then(|key| by_key(whole, key)) {
        if links.len() > NodeKind::ALL.len() {
            break;
        }
        links.insert(0, part_link(desk, node));
        parent = node.node.parent.as_deref();
    }
    links
}

fn part_link(desk: &Desk, node: &StoredNode) -> Link {
    let href = desk.at(&format!("topical-map?under={}", node.key));
    Link::new(href, node.node.title.as_str())
}

fn node_link(desk: &Desk, node: &StoredNode) -> Link {
    let href = desk.at(&format!("topical-map/{}", node.id));
    Link::new(href, node.node.title.as_str())
}

/// How many of the map's pages stand where.
fn counts(desk: &Desk, whole: &WholeMap, shown: &Shown) -> Vec<Count> {
    let pages = || {
        whole
            .map
            .nodes
            .iter()
            .filter(|node| node.node.kind == NodeKind::Page)
    };
    let count = |wanted: NodeStatus| {
        let is_here = shown.status == Some(wanted);
        let value = if is_here { "" } else { wanted.as_str() };
        Count {
            status: status(wanted),
            icon: icon(wanted),
            number: pages().filter(|node| node.status == wanted).count(),
            href: desk
                .params
                .address(&desk.at("topical-map"), &[("status", value)]),
            is_here,
        }
    };
    NodeStatus::ALL
        .into_iter()
        .map(count)
        .filter(|count| count.number > 0 || count.is_here)
        .collect()
}

fn listed(desk: &Desk, branch: &Branch<'_>) -> ListNode {
    ListNode {
        link: node_link(desk, branch.node),
        kind: branch.node.node.kind.as_str(),
        status: status(branch.node.status),
        below: branch
            .below
            .iter()
            .map(|below| listed(desk, below))
            .collect(),
    }
}

pub(super) async fn node(Id(id): Id<NodeId>, desk: Desk) -> Answer {
    let whole = desk.web.app.get_topical_map(&desk.ctx).await?;
    let node = by_id(&whole, id).ok_or(WebError::NotFound)?;
    let below = whole.map.nodes.iter().filter(|other| {
        other.node.parent.as_deref() == Some(&node.key) && other.status != NodeStatus::Retired
    });
    let content = node
        .content
        .map(|content| Link::new(desk.at(&format!("content/{content}")), "Open the page"));
    page(&TopicalNode {
        shell: desk.shell(Section::Map).await?,
        title: node.node.title.clone(),
        kind: node.node.kind.as_str(),
        status: status(node.status),
        above: above(&desk, &whole, node),
        facts: facts(node),
        brief: node
            .brief
            .map(|brief| Link::new(desk.at(&format!("briefs/{brief}")), "Open the brief")),
        content,
        below: below
            .map(|below| ListNode {
                link: node_link(&desk, below),
                kind: below.node.kind.as_str(),
                status: status(below.status),
                below: Vec::new(),
            })
            .collect(),
        links_out: links(&desk, &whole, |from, to| (from == id).then_some(to)),
        links_in: links(&desk, &whole, |from, to| (to == id).then_some(from)),
    })
}

fn facts(node: &StoredNode) -> Vec<Fact> {
    let said =
        |label, text: &Option<String>| text.as_ref().map(|text| Fact::new(label, text.as_str()));
    let parts = [
        Some(Fact::new("Key", node.key.as_str())),
        said("Query", &node.node.query),
        said("Intent", &node.node.intent),
        said("Template", &node.node.template),
        (node.status == NodeStatus::Retired).then(|| Fact::new("Status", "Retired")),
    ];
    parts.into_iter().flatten().collect()
}

/// The links of which `other` gives the other end.
fn links(
    desk: &Desk,
    whole: &WholeMap,
    other: impl Fn(NodeId, NodeId) -> Option<NodeId>,
) -> Vec<(Link, String)> {
    let links = whole.edges.iter().filter_map(|edge| {
        let EdgeKind::Link { anchor } = &edge.kind else {
            return None;
        };
        let end = by_id(whole, other(edge.from, edge.to)?)?;
        Some((node_link(desk, end), anchor.clone()))
    });
    links.collect()
}
