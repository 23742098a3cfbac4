//! What can be done to a topical map, as a proposal says it.

use serde::{Deserialize, Serialize};

use super::{Node, NodeKind};
use crate::problem::Problem;

/// One change of a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Operation {
    /// A node that is new.
    AddNode(AddNode),
    /// Another title, query, intent or template; what is absent stays.
    UpdateNode(UpdateNode),
    /// Another parent.
    MoveNode {
        /// The node.
        key: String,
        /// The node it shall stand under.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
    },
    /// The node is taken off the map; its key stays taken.
    RetireNode {
        /// The node.
        key: String,
    },
}

/// A node to add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddNode {
    /// Its key, which never changes.
    pub key: String,
    /// What it is.
    pub kind: NodeKind,
    /// What it is called.
    pub title: String,
    /// The search that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// What whoever searches wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// The node it stands under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The template that its page is written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
}

/// What a node shall say.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UpdateNode {
    /// The node.
    pub key: String,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The search that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// What whoever searches wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// The template that its page is written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
}

impl AddNode {
    pub(super) fn node(&self) -> Node {
        Node {
            kind: self.kind,
            title: self.title.trim().to_owned(),
            query: self.query.clone(),
            intent: self.intent.clone(),
            template: self.template.clone(),
            parent: self.parent.clone(),
            retired: false,
        }
    }
}

impl UpdateNode {
    pub(super) fn of(&self, node: &Node) -> Node {
        let or = |new: &Option<String>, old: &Option<String>| new.clone().or_else(|| old.clone());
        let title = self.title.as_deref().map(str::trim);
        Node {
            title: title.unwrap_or(&node.title).to_owned(),
            query: or(&self.query, &node.query),
            intent: or(&self.intent, &node.intent),
            template: or(&self.template, &node.template),
            ..node.clone()
        }
    }
}

/// Whether a text can be a node's key.
pub fn is_node_key(text: &str) -> bool {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    let first = text.bytes().next();
    text.len() <= 100
        && first.is_some_and(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().all(allowed)
}

impl Operation {
    /// The operation's name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::AddNode(_) => "add_node",
            Self::UpdateNode(_) => "update_node",
            Self::MoveNode { .. } => "move_node",
            Self::RetireNode { .. } => "retire_node",
        }
    }

    /// The node that it is about.
    pub fn key(&self) -> &str {
        match self {
            Self::AddNode(add) => &add.key,
            Self::UpdateNode(update) => &update.key,
            Self::MoveNode { key, .. } | Self::RetireNode { key } => key,
        }
    }

    /// What is wrong with its texts, whatever the map says.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        match self {
            Self::AddNode(add) => {
                if !is_node_key(&add.key) {
                    let message = "expected a key: a-z, 0-9, _ and -, at most 100 characters";
                    problems.push(Problem::new("/key", "format", message));
                }
                problems.extend(text("/title", Some(&add.title), 200));
                problems.extend(text("/query", add.query.as_ref(), 300));
                problems.extend(text("/intent", add.intent.as_ref(), 100));
            }
            Self::UpdateNode(update) => {
                problems.extend(text("/title", update.title.as_ref(), 200));
                problems.extend(text("/query", update.query.as_ref(), 300));
                problems.extend(text("/intent", update.intent.as_ref(), 100));
            }
            Self::MoveNode { .. } | Self::RetireNode { .. } => {}
        }
        problems
    }
}

fn text(pointer: &str, text: Option<&String>, max: usize) -> Option<Problem> {
    let text = text?;
    let length = text.chars().count();
    if text.trim().is_empty() {
        let message = "expected a text that isn't empty";
        return Some(Problem::new(pointer, "required", message));
    }
    (length > max).then(|| {
        let message = format!("expected at most {max} characters, found {length}");
        Problem::new(pointer, "too_long", message)
    })
}
