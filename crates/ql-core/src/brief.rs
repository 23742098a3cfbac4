//! Content briefs: what a page of the topical map shall be, commissioned once and never changed.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::canon;
use crate::hash::Digest;
use crate::id::{BriefId, ContentId, NodeId, ProposalId, RevisionId};
use crate::time::Timestamp;
use crate::topical_map::{Map, NodeKind, NodeStatus};

/// A brief as it was commissioned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brief {
    /// Identity.
    pub id: BriefId,
    /// The page of the map that it asks for.
    pub node: NodeId,
    /// The proposal whose approval commissioned it.
    pub proposal: ProposalId,
    /// What it asks for.
    pub document: BriefDocument,
    /// The SHA-256 of the document's canonical JSON.
    pub sha256: Digest,
    /// When it was commissioned.
    pub created_at: Timestamp,
}

/// What a brief asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BriefDocument {
    /// The key of the page's node.
    pub node_key: String,
    /// The version of the map that commissioned it.
    pub map_version: i64,
    /// The working title.
    pub title: String,
    /// The search that the page answers.
    pub query: Option<String>,
    /// What whoever searches wants.
    pub intent: Option<String>,
    /// The key of the template that the page is written in.
    pub template: String,
    /// The nodes above, the topmost first.
    pub above: Vec<Neighbour>,
    /// Pages beside it, which it should not repeat and may link to; at most twenty.
    pub beside: Vec<Neighbour>,
}

/// A node near the brief's page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Its key.
    pub key: String,
    /// Its kind.
    pub kind: NodeKind,
    /// What it is called.
    pub title: String,
}

const MOST_BESIDE: usize = 20;

impl BriefDocument {
    /// The brief of a page of a map, to be written in a template; none where the map has no such page.
    pub fn of(map: &Map, key: &str, template: &str) -> Option<Self> {
        let node = map
            .nodes
            .get(key)
            .filter(|node| node.kind == NodeKind::Page)?;
        let neighbour = |(key, node): (&str, &crate::topical_map::Node)| Neighbour {
            key: key.to_owned(),
            kind: node.kind,
            title: node.title.clone(),
        };
        let siblings = node
            .parent
            .as_deref()
            .into_iter()
            .flat_map(|parent| map.children(parent));
        let pages = siblings.filter(|(other, node)| *other != key && node.kind == NodeKind::Page);
        Some(Self {
            node_key: key.to_owned(),
            map_version: map.version,
            title: node.title.clone(),
            query: node.query.clone(),
            intent: node.intent.clone(),
            template: template.to_owned(),
            above: map.above(key).into_iter().map(neighbour).collect(),
            beside: pages.take(MOST_BESIDE).map(neighbour).collect(),
        })
    }

    /// The SHA-256 of its canonical JSON.
    pub fn sha256(&self) -> Digest {
        canon::digest(&json!(self))
    }
}

/// The draft that answered a brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefDraft {
    /// The content item.
    pub content: ContentId,
    /// Its first draft.
    pub revision: RevisionId,
    /// The proposal whose approval accepted it.
    pub proposal: ProposalId,
}

/// A brief with where its page stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefState {
    /// The brief.
    pub brief: Brief,
    /// The draft that answered it; none while it waits.
    pub draft: Option<BriefDraft>,
    /// Where the page stands; never `planned`.
    pub status: NodeStatus,
}
