//! What executing a proposal does.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ProposalKind;
use crate::edit::Change;
use crate::id::{
    BriefId, ContentId, OpportunityId, RevisionId, SourcePackageId, TranslationGroupId,
};
use crate::internal_link::Link;
use crate::time::Timestamp;
use crate::topical_map::Operation;

/// What executing a proposal does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Payload {
    /// For [`ProposalKind::CreateContent`].
    CreateContent(CreateContent),
    /// For [`ProposalKind::ContentRevision`].
    ContentRevision(ContentRevision),
    /// For [`ProposalKind::PublishLifecycle`].
    PublishLifecycle(Items<PublishItem>),
    /// For [`ProposalKind::ContentLifecycle`].
    ContentLifecycle(Items<LifecycleItem>),
    /// For [`ProposalKind::TopicalMapChange`].
    TopicalMapChange(TopicalMapChange),
    /// For [`ProposalKind::InternalLink`].
    InternalLink(Links),
    /// For [`ProposalKind::TopicalStrategy`].
    TopicalStrategy(TopicalStrategy),
    /// For [`ProposalKind::ContentBriefDraft`].
    ContentBriefDraft(ContentBriefDraft),
    /// For [`ProposalKind::ContentSourceDraft`].
    ContentSourceDraft(ContentSourceDraft),
}

impl Payload {
    /// The kind that this payload belongs to.
    pub const fn kind(&self) -> ProposalKind {
        match self {
            Self::CreateContent(_) => ProposalKind::CreateContent,
            Self::ContentRevision(_) => ProposalKind::ContentRevision,
            Self::PublishLifecycle(_) => ProposalKind::PublishLifecycle,
            Self::ContentLifecycle(_) => ProposalKind::ContentLifecycle,
            Self::TopicalMapChange(_) => ProposalKind::TopicalMapChange,
            Self::InternalLink(_) => ProposalKind::InternalLink,
            Self::TopicalStrategy(_) => ProposalKind::TopicalStrategy,
            Self::ContentBriefDraft(_) => ProposalKind::ContentBriefDraft,
            Self::ContentSourceDraft(_) => ProposalKind::ContentSourceDraft,
        }
    }

    /// Reads the stored JSON of a payload of `kind`.
    pub fn from_json(kind: ProposalKind, value: Value) -> Result<Self, serde_json::Error> {
        Ok(match kind {
            ProposalKind::CreateContent => Self::CreateContent(serde_json::from_value(value)?),
            ProposalKind::ContentRevision => Self::ContentRevision(serde_json::from_value(value)?),
            ProposalKind::PublishLifecycle => {
                Self::PublishLifecycle(serde_json::from_value(value)?)
            }
            ProposalKind::ContentLifecycle => {
                Self::ContentLifecycle(serde_json::from_value(value)?)
            }
            ProposalKind::TopicalMapChange => {
                Self::TopicalMapChange(serde_json::from_value(value)?)
            }
            ProposalKind::InternalLink => Self::InternalLink(serde_json::from_value(value)?),
            ProposalKind::TopicalStrategy => Self::TopicalStrategy(serde_json::from_value(value)?),
            ProposalKind::ContentBriefDraft => {
                Self::ContentBriefDraft(serde_json::from_value(value)?)
            }
            ProposalKind::ContentSourceDraft => {
                Self::ContentSourceDraft(serde_json::from_value(value)?)
            }
        })
    }

    /// The payload as JSON.
    ///
    /// # Panics
    /// Never: every key of a payload is a text.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("payloads have string keys and no failing serializer")
    }

    /// How many things it touches.
    pub fn item_count(&self) -> usize {
        match self {
            Self::CreateContent(_)
            | Self::ContentRevision(_)
            | Self::ContentBriefDraft(_)
            | Self::ContentSourceDraft(_) => 1,
            Self::PublishLifecycle(list) => list.items.len(),
            Self::ContentLifecycle(list) => list.items.len(),
            Self::TopicalMapChange(change) => change.operations.len(),
            Self::InternalLink(set) => set.links.len(),
            Self::TopicalStrategy(strategy) => strategy.opportunity_ids.len(),
        }
    }

    /// The instant its publications are meant for; none for at once.
    pub fn publish_at(&self) -> Option<Timestamp> {
        match self {
            Self::PublishLifecycle(list) => list.items.iter().find_map(PublishItem::publish_at),
            Self::CreateContent(_)
            | Self::ContentRevision(_)
            | Self::ContentLifecycle(_)
            | Self::TopicalMapChange(_)
            | Self::InternalLink(_)
            | Self::TopicalStrategy(_)
            | Self::ContentBriefDraft(_)
            | Self::ContentSourceDraft(_) => None,
        }
    }
}

/// Several things that are done all or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Items<T> {
    /// The things.
    pub items: Vec<T>,
}

/// A new version of the topical map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicalMapChange {
    /// The version that the change starts from; 0 where there is no map yet.
    pub base_map_version: i64,
    /// The changes, in order.
    pub operations: Vec<Operation>,
}

/// Links to set in drafts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links {
    /// The links.
    pub links: Vec<Link>,
}

/// Opportunities to take into the topical map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicalStrategy {
    /// The opportunities.
    pub opportunity_ids: Vec<OpportunityId>,
}

/// The first draft of the page that a brief asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContentBriefDraft {
    /// The brief.
    pub brief_id: BriefId,
    /// The fields, by the schema of the brief's template.
    pub fields: Value,
    /// The address; made from the title when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
}

/// A new item with its first draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CreateContent {
    /// The template's key.
    pub template: String,
    /// The address; made from the title when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The language; the site's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// The translation group to join; a new one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation_group: Option<TranslationGroupId>,
    /// The fields.
    pub fields: Value,
}

/// A new item with its first draft, written from staged source records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContentSourceDraft {
    /// The package.
    pub package_id: SourcePackageId,
    /// The records it is written from.
    pub record_keys: Vec<String>,
    /// The template's key.
    pub template: String,
    /// The address; made from the title when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The fields.
    pub fields: Value,
}

impl ContentSourceDraft {
    /// The item that it creates.
    pub fn creation(&self) -> CreateContent {
        CreateContent {
            template: self.template.clone(),
            slug: self.slug.clone(),
            locale: None,
            translation_group: None,
            fields: self.fields.clone(),
        }
    }
}

/// A new draft of an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContentRevision {
    /// The item.
    pub content_id: ContentId,
    /// The draft that the change starts from.
    pub base_revision_id: RevisionId,
    /// A new address; the base's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The change.
    #[serde(flatten)]
    pub change: Change,
}

/// One live pointer to move or take away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum PublishItem {
    /// Put exactly this revision live.
    Publish {
        /// The item.
        content_id: ContentId,
        /// The revision.
        revision_id: RevisionId,
        /// When; at once when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        publish_at: Option<Timestamp>,
        /// The IANA zone in which the time was meant, for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time_zone: Option<String>,
    },
    /// Take whatever is live off the site.
    Unpublish {
        /// The item.
        content_id: ContentId,
    },
}

impl PublishItem {
    /// The item.
    pub const fn content(&self) -> ContentId {
        match self {
            Self::Publish { content_id, .. } | Self::Unpublish { content_id } => *content_id,
        }
    }

    /// When it is meant to happen; none for at once.
    pub const fn publish_at(&self) -> Option<Timestamp> {
        match self {
            Self::Publish { publish_at, .. } => *publish_at,
            Self::Unpublish { .. } => None,
        }
    }
}

/// One item to put away or bring back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LifecycleItem {
    /// What to do.
    pub action: LifecycleAction,
    /// The item.
    pub content_id: ContentId,
    /// The item's archived state that the proposer saw.
    pub archived_at: ArchivedAt,
}

/// Putting away or bringing back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LifecycleAction {
    /// Put away.
    Archive,
    /// Bring back; never live.
    Restore,
}

/// An archived state: `none` or the exact instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchivedAt(pub Option<Timestamp>);

impl Serialize for ArchivedAt {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            None => serializer.serialize_str("none"),
            Some(at) => at.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ArchivedAt {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "none" {
            return Ok(Self(None));
        }
        text.parse()
            .map(|at| Self(Some(at)))
            .map_err(serde::de::Error::custom)
    }
}
