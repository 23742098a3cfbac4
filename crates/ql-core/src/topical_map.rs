//! The topical map: what the site shall be about, as pillars, clusters and pages.
//!
//! A version is the sum of the operations before it. [`Map::apply`] is the only way from one version
//! to the next; where a page stands (briefed, drafted, published) isn't part of a version.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

mod operation;

pub use self::operation::{AddNode, Operation, UpdateNode, is_node_key};

/// The most nodes of one map.
pub const MAX_NODES: usize = 5_000;

/// What a node of the map is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// A subject of its own, at the top.
    Pillar,
    /// A part of a pillar.
    Cluster,
    /// One page of a cluster or pillar.
    Page,
}

impl NodeKind {
    /// Every kind, from the top down.
    pub const ALL: [Self; 3] = [Self::Pillar, Self::Cluster, Self::Page];

    /// The kind's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pillar => "pillar",
            Self::Cluster => "cluster",
            Self::Page => "page",
        }
    }

    /// What a node of this kind may stand under; nothing for what stands at the top.
    const fn parents(self) -> &'static [Self] {
        match self {
            Self::Pillar => &[],
            Self::Cluster => &[Self::Pillar],
            Self::Page => &[Self::Cluster, Self::Pillar],
        }
    }
}

/// Where the page of a node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeStatus {
    /// It is on the map.
    Planned,
    /// A brief asks for it.
    Briefed,
    /// It has a draft and isn't live.
    Drafted,
    /// It is live.
    Published,
    /// It was taken off the map.
    Retired,
}

impl NodeStatus {
    /// Every status, in the order of a page's life.
    pub const ALL: [Self; 5] = [
        Self::Planned,
        Self::Briefed,
        Self::Drafted,
        Self::Published,
        Self::Retired,
    ];

    /// The status's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Briefed => "briefed",
            Self::Drafted => "drafted",
            Self::Published => "published",
            Self::Retired => "retired",
        }
    }
}

/// A text that names none of the values it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected one of {0}")]
pub struct UnknownWord(&'static str);

impl FromStr for NodeKind {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let mut all = Self::ALL.into_iter();
        all.find(|kind| kind.as_str() == text)
            .ok_or(UnknownWord("pillar, cluster, page"))
    }
}

impl FromStr for NodeStatus {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let mut all = Self::ALL.into_iter();
        all.find(|status| status.as_str() == text)
            .ok_or(UnknownWord("planned, briefed, drafted, published, retired"))
    }
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for NodeStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the map says of one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// What it is called.
    pub title: String,
    /// The search that it answers.
    pub query: Option<String>,
    /// What whoever searches wants, such as `informational`.
    pub intent: Option<String>,
    /// The key of the template that its page is written in; only pages have one.
    pub template: Option<String>,
    /// The key of the node it stands under; none for a pillar.
    pub parent: Option<String>,
    /// Whether it was taken off the map.
    pub retired: bool,
}

impl Node {
    /// Only pages are written, so only they have a template.
    fn unfit_template(&self) -> Option<Problem> {
        let kind = self.kind;
        let unfit = self.template.is_some() && kind != NodeKind::Page;
        let message = format!("a {kind} has no page of its own, so it has no template");
        unfit.then(|| Problem::new("/template", "combination", message))
    }
}

/// One version of a site's map.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Map {
    /// 0 where there is no map yet.
    pub version: i64,
    /// The nodes by their keys, retired ones included.
    pub nodes: BTreeMap<String, Node>,
}

/// What one operation does to one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeChange {
    /// The node's key.
    pub key: String,
    /// What it was; none for a new one.
    pub before: Option<Node>,
    /// What it becomes.
    pub after: Node,
}

impl Map {
    /// The next version, with what each operation did, in order.
    ///
    /// # Errors
    /// Everything that doesn't fit, each with its pointer below `/operations`; an operation is
    /// judged on what the sound ones before it left.
    pub fn apply(&self, operations: &[Operation]) -> Result<(Self, Vec<NodeChange>), Vec<Problem>> {
        let mut next = Self {
            version: self.version + 1,
            nodes: self.nodes.clone(),
        };
        let mut changes = Vec::with_capacity(operations.len());
        let mut problems = Vec::new();
        if operations.is_empty() {
            let message = "expected at least one operation";
            problems.push(Problem::new("/operations", "required", message));
        }
        for (index, operation) in operations.iter().enumerate() {
            match next.step(operation) {
                Ok(change) => {
                    next.nodes.insert(change.key.clone(), change.after.clone());
                    changes.push(change);
                }
                Err(found) => {
                    let at = format!("/operations/{index}");
                    problems.extend(found.into_iter().map(|problem| problem.under(&at)));
                }
            }
        }
        if next.nodes.len() > MAX_NODES {
            let message = format!("a map holds at most {MAX_NODES} nodes");
            problems.push(Problem::new("/operations", "range", message));
        }
        if problems.is_empty() {
            Ok((next, changes))
        } else {
            Err(problems)
        }
    }

    fn step(&self, operation: &Operation) -> Result<NodeChange, Vec<Problem>> {
        let mut problems = operation.problems();
        let key = operation.key();
        let before = self.nodes.get(key);
        let after = match (operation, before) {
            (Operation::AddNode(_), Some(_)) => {
                let message = format!("the map has a node `{key}` already, perhaps retired");
                problems.push(Problem::new("/key", "duplicate_key", message));
                None
            }
            (Operation::AddNode(add), None) => Some(add.node()),
            (_, None) => {
                let message = format!("the map has no node `{key}`");
                problems.push(Problem::new("/key", "unknown_node", message));
                None
            }
            (_, Some(node)) if node.retired => {
                let message = format!("the node `{key}` is retired");
                problems.push(Problem::new("/key", "retired", message));
                None
            }
            (Operation::UpdateNode(update), Some(node)) => Some(update.of(node)),
            (Operation::MoveNode { parent, .. }, Some(node)) => Some(Node {
                parent: parent.clone(),
                ..node.clone()
            }),
            (Operation::RetireNode { .. }, Some(node)) => Some(Node {
                retired: true,
                ..node.clone()
            }),
        };
        if let Some(after) = &after {
            problems.extend(after.unfit_template());
            problems.extend(self.misplaced(key, before, after));
        }
        match after {
            Some(after) if problems.is_empty() => Ok(NodeChange {
                key: key.to_owned(),
                before: before.cloned(),
                after,
            }),
            _ => Err(problems),
        }
    }

    /// What is wrong with the place of a node, or with nothing being changed.
    fn misplaced(&self, key: &str, before: Option<&Node>, after: &Node) -> Vec<Problem> {
        if before == Some(after) {
            let message = format!("the node `{key}` is like this already");
            return vec![Problem::new("", "unchanged", message)];
        }
        if after.retired {
            return self.orphans(key);
        }
        if before.is_some_and(|before| before.parent == after.parent) {
            return Vec::new();
        }
        self.unfit_parent(key, after).into_iter().collect()
    }

    fn orphans(&self, key: &str) -> Vec<Problem> {
        let children: Vec<&str> = self.children(key).map(|(key, _)| key).collect();
        if children.is_empty() {
            return Vec::new();
        }
        let shown = children[..children.len().min(5)].join("`, `");
        let message =
            format!("the node `{key}` has children; move or retire them first: `{shown}`");
        vec![Problem::new("/key", "has_children", message)]
    }

    fn unfit_parent(&self, key: &str, node: &Node) -> Option<Problem> {
        let unfit = |code, message| Some(Problem::new("/parent", code, message));
        let (kind, allowed) = (node.kind, node.kind.parents());
        let names = || {
            allowed
                .iter()
                .map(|k| k.as_str())
                .collect::<Vec<_>>()
                .join(" or ")
        };
        let parent = match (&node.parent, allowed.is_empty()) {
            (None, true) => return None,
            (Some(_), true) => return unfit("parent_kind", format!("a {kind} stands at the top")),
            (None, false) => {
                return unfit("required", format!("a {kind} stands under a {}", names()));
            }
            (Some(parent), false) => parent,
        };
        match self.nodes.get(parent) {
            _ if self.is_below(parent, key) => {
                unfit("cycle", format!("`{parent}` is `{key}` or stands below it"))
            }
            None => unfit("unknown_parent", format!("the map has no node `{parent}`")),
            Some(above) if above.retired => {
                unfit("retired", format!("the node `{parent}` is retired"))
            }
            Some(above) if !allowed.contains(&above.kind) => {
                let found = above.kind;
                unfit(
                    "parent_kind",
                    format!(
                        "a {kind} stands under a {}, and `{parent}` is a {found}",
                        names()
                    ),
                )
            }
            Some(_) => None,
        }
    }

    /// Whether a node is another one or stands below it.
    fn is_below(&self, key: &str, above: &str) -> bool {
        let mut met = BTreeSet::new();
        let mut here = Some(key);
        while let Some(key) = here.filter(|key| met.insert(*key)) {
            if key == above {
                return true;
            }
            here = self.nodes.get(key).and_then(|node| node.parent.as_deref());
        }
        false
    }

    /// The living nodes right below one, by key.
    pub fn children<'a>(&'a self, key: &'a str) -> impl Iterator<Item = (&'a str, &'a Node)> {
        let living = self.nodes.iter().filter(|(_, node)| !node.retired);
        living
            .filter(move |(_, node)| node.parent.as_deref() == Some(key))
            .map(|(key, node)| (key.as_str(), node))
    }

    /// The nodes above one, the topmost first.
    pub fn above(&self, key: &str) -> Vec<(&str, &Node)> {
        let mut path = Vec::new();
        let mut here = self.nodes.get(key).and_then(|node| node.parent.as_deref());
        while let Some((key, node)) = here.and_then(|key| self.nodes.get_key_value(key)) {
            // A stored map has no cycle; a damaged one must not turn for ever.
            if path.len() > NodeKind::ALL.len() {
                break;
            }
            path.push((key.as_str(), node));
            here = node.parent.as_deref();
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests;
