//! The topical map as a tree that can be drawn: which nodes are shown, below which others.

mod detail;
mod overview;

use std::collections::{BTreeMap, BTreeSet};

use ql_app::topical_map::{EdgeKind, StoredNode, WholeMap};
use ql_core::fold::fold;
use ql_core::id::NodeId;
use ql_core::topical_map::{NodeKind, NodeStatus};

use crate::page::Picture;
use crate::part::{Pill, Tone};

/// The most pages that are drawn with their titles; more are drawn as marks.
const MOST_TITLES: usize = 60;

/// Where a page stands, as a state.
pub(crate) fn status(status: NodeStatus) -> Pill {
    let (tone, word) = match status {
        NodeStatus::Planned => (Tone::Quiet, "Planned"),
        NodeStatus::Briefed => (Tone::Proposed, "Briefed"),
        NodeStatus::Drafted => (Tone::Needs, "Drafted"),
        NodeStatus::Published => (Tone::Live, "Published"),
        NodeStatus::Retired => (Tone::Stopped, "Retired"),
    };
    Pill::new(tone, word)
}

/// The icon that stands for where a page stands.
pub(crate) const fn icon(status: NodeStatus) -> &'static str {
    match status {
        NodeStatus::Planned => "planned",
        NodeStatus::Briefed => "brief",
        NodeStatus::Drafted => "edit",
        NodeStatus::Published => "live",
        NodeStatus::Retired => "stopped",
    }
}

/// A node with the shown ones below it.
#[derive(Debug)]
pub(crate) struct Branch<'a> {
    /// The node.
    pub(crate) node: &'a StoredNode,
    /// Those below it, clusters first, then pages, by title.
    pub(crate) below: Vec<Branch<'a>>,
}

impl Branch<'_> {
    /// How many pages stand below it, and how many of them are live.
    pub(crate) fn pages(&self) -> (usize, usize) {
        self.below.iter().fold((0, 0), |(all, live), branch| {
            let (more, more_live) = branch.pages();
            let page = branch.node.node.kind == NodeKind::Page;
            let is_live = page && branch.node.status == NodeStatus::Published;
            (
                all + more + usize::from(page),
                live + more_live + usize::from(is_live),
            )
        })
    }
}

/// Which nodes are shown.
#[derive(Debug, Default, Clone)]
pub(crate) struct Shown {
    /// Those with these words in their title, key or query.
    pub(crate) query: Option<String>,
    /// Those that stand so; all but retired ones when none.
    pub(crate) status: Option<NodeStatus>,
    /// The node with this key and those below it.
    pub(crate) under: Option<String>,
}

/// The shown part of a map, from the top. A node that is shown brings those above it along.
pub(crate) fn forest<'a>(whole: &'a WholeMap, shown: &Shown) -> Vec<Branch<'a>> {
    let by_key: BTreeMap<&str, &StoredNode> = whole
        .map
        .nodes
        .iter()
        .map(|node| (node.key.as_str(), node))
        .collect();
    let mut kept = BTreeSet::new();
    for node in whole.map.nodes.iter().filter(|node| matches(node, shown)) {
        let line: Vec<&str> = line(&by_key, node).collect();
        let inside = shown
            .under
            .as_deref()
            .is_none_or(|under| line.contains(&under));
        if inside {
            kept.extend(line);
        }
    }
    let mut children: BTreeMap<Option<&str>, Vec<&StoredNode>> = BTreeMap::new();
    for key in &kept {
        let Some(node) = by_key.get(key) else {
            continue;
        };
        let parent = node
            .node
            .parent
            .as_deref()
            .filter(|parent| kept.contains(parent));
        children.entry(parent).or_default().push(node);
    }
    branches(&children, None)
}

fn matches(node: &StoredNode, shown: &Shown) -> bool {
    let stands = match shown.status {
        Some(status) => node.status == status,
        None => node.status != NodeStatus::Retired,
    };
    let has = |words: &String| {
        let query = node.node.query.as_deref().unwrap_or_default();
        fold(&format!("{}\n{}\n{query}", node.node.title, node.key)).contains(&fold(words))
    };
    stands && shown.query.as_ref().is_none_or(has)
}

/// The keys of a node and of those above it.
fn line<'a>(
    by_key: &'a BTreeMap<&'a str, &'a StoredNode>,
    node: &'a StoredNode,
) -> impl Iterator<Item = &'a str> {
    let above = |node: &&'a StoredNode| by_key.get(node.node.parent.as_deref()?).copied();
    let line = std::iter::successors(Some(node), above);
    line.take(NodeKind::ALL.len()).map(|node| node.key.as_str())
}

fn branches<'a>(
    children: &BTreeMap<Option<&'a str>, Vec<&'a StoredNode>>,
    parent: Option<&'a str>,
) -> Vec<Branch<'a>> {
    let mut nodes = children.get(&parent).cloned().unwrap_or_default();
    nodes.sort_by_key(|node| (node.node.kind, fold(&node.node.title)));
    let branch = |node: &'a StoredNode| Branch {
        node,
        below: branches(children, Some(node.key.as_str())),
    };
    nodes.into_iter().map(branch).collect()
}

/// The internal links between shown nodes, by their ends.
fn links(whole: &WholeMap) -> impl Iterator<Item = (NodeId, NodeId)> {
    let links = whole
        .edges
        .iter()
        .filter(|edge| matches!(edge.kind, EdgeKind::Link { .. }));
    links.map(|edge| (edge.from, edge.to))
}

/// The pictures of a forest: one for wide windows, one for narrow ones. `at` gives addresses.
pub(crate) fn pictures(
    whole: &WholeMap,
    forest: &[Branch<'_>],
    at: &dyn Fn(&str) -> String,
) -> Vec<Picture> {
    let pages: usize = forest.iter().map(|branch| branch.pages().0).sum();
    if pages > MOST_TITLES {
        vec![
            overview::draw(forest, at, overview::WIDE),
            overview::draw(forest, at, overview::NARROW),
        ]
    } else {
        let links: Vec<(NodeId, NodeId)> = links(whole).collect();
        vec![detail::wide(forest, &links, at), detail::narrow(forest, at)]
    }
}

/// A title cut so that it takes at most so many pixels, at about so many a character.
fn fitted(text: &str, pixels: u32, per_character: u32) -> String {
    let most = (pixels / per_character) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

/// How many of the pages below a node are live: in words where it is a pillar.
fn counted(kind: NodeKind, (live, all): (usize, usize)) -> String {
    match kind {
        NodeKind::Pillar => format!("{live} of {all} live"),
        NodeKind::Cluster | NodeKind::Page => format!("{live}/{all}"),
    }
}

/// What a node is called and where it stands, for whoever doesn't see the picture.
fn said(node: &StoredNode) -> String {
    let kind = node.node.kind;
    match kind {
        NodeKind::Page => format!(
            "{}, {}",
            node.node.title,
            status(node.status).word.to_lowercase()
        ),
        NodeKind::Pillar | NodeKind::Cluster => format!("{}, {kind}", node.node.title),
    }
}

/// The address of what a node opens: a page its own page, others the part of the map below them.
fn opens(node: &StoredNode, at: &dyn Fn(&str) -> String) -> String {
    match node.node.kind {
        NodeKind::Page => at(&format!("topical-map/{}", node.id)),
        NodeKind::Pillar | NodeKind::Cluster => at(&format!("topical-map?under={}", node.key)),
    }
}
