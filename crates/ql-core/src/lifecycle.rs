//! The preconditions of publication: what must still hold when an approved proposal is carried out.

use crate::content::ContentItem;
use crate::id::{ContentId, RevisionId};
use crate::proposal::{ArchivedAt, LifecycleAction, LifecycleItem, PublishItem, Resolved};

/// When a precondition is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// At approval: the revision must still be the newest draft.
    Approval,
    /// At a scheduled instant: what is live must still be what it was.
    Instant,
    /// In a roll-back, which names an earlier revision on purpose.
    RollBack,
}

/// Why a proposal can't be carried out as it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum StaleReason {
    /// The item is put away.
    #[error("the item was archived")]
    Archived,
    /// Somebody wrote a newer draft.
    #[error("a newer draft than the proposed revision was written")]
    DraftMoved,
    /// Another revision is live than the approver saw.
    #[error("what is live changed since this was proposed")]
    LiveMoved,
    /// Another item holds the address.
    #[error("another page holds the proposed address now")]
    SlugTaken,
    /// The fields don't fit the template as it is now.
    #[error("the fields don't fit the template's current version")]
    TemplateMismatch,
    /// There is nothing live to take away.
    #[error("the page isn't live")]
    NotLive,
    /// A live page can't be put away.
    #[error("the page is live and must be unpublished first")]
    StillLive,
    /// The archived state isn't the one that was seen.
    #[error("the item's archived state changed since this was proposed")]
    ArchivedStateMoved,
    /// The topical map has a newer version.
    #[error("the topical map changed since this was proposed")]
    MapMoved,
    /// The draft that would be written isn't the one that was seen.
    #[error("what a link points to moved, so the draft would not be the one that was seen")]
    LinkMoved,
    /// The brief has its draft.
    #[error("another draft for the same brief was accepted")]
    BriefAnswered,
    /// The brief's page was taken off the topical map.
    #[error("the brief's page was retired from the topical map")]
    BriefRetired,
    /// A record that the draft is written from was rejected or superseded.
    #[error("a source record was rejected or superseded since this was proposed")]
    SourceNotUsable,
    /// The page belongs to a production, and this isn't what its gate sealed.
    #[error("this isn't what the release gate of its production sealed")]
    NotAsSealed,
}

impl StaleReason {
    /// A stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Archived => "archived",
            Self::DraftMoved => "draft_moved",
            Self::LiveMoved => "live_moved",
            Self::SlugTaken => "slug_taken",
            Self::TemplateMismatch => "template_mismatch",
            Self::NotLive => "not_live",
            Self::StillLive => "still_live",
            Self::ArchivedStateMoved => "archived_state_moved",
            Self::MapMoved => "map_moved",
            Self::LinkMoved => "link_moved",
            Self::BriefAnswered => "brief_answered",
            Self::BriefRetired => "brief_retired",
            Self::SourceNotUsable => "source_not_usable",
            Self::NotAsSealed => "not_as_sealed",
        }
    }
}

/// What the store knows about one item now.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The item.
    pub item: &'a ContentItem,
    /// The item that holds the proposed address, where one does.
    pub slug_holder: Option<ContentId>,
    /// Whether the proposed revision's fields fit the template's current version.
    pub fits_template: bool,
}

/// Checks one publication or unpublication.
pub fn check_publish(
    item: &PublishItem,
    seen: &Resolved,
    facts: &Facts<'_>,
    moment: Moment,
) -> Result<(), StaleReason> {
    let now = facts.item;
    match item {
        PublishItem::Publish { revision_id, .. } => {
            check_publication(*revision_id, seen, facts, moment)
        }
        PublishItem::Unpublish { .. } if now.published.is_none() => Err(StaleReason::NotLive),
        PublishItem::Unpublish { .. } if now.published != seen.live_revision_id => {
            Err(StaleReason::LiveMoved)
        }
        PublishItem::Unpublish { .. } => Ok(()),
    }
}

fn check_publication(
    revision: RevisionId,
    seen: &Resolved,
    facts: &Facts<'_>,
    moment: Moment,
) -> Result<(), StaleReason> {
    let now = facts.item;
    if now.archived_at.is_some() {
        return Err(StaleReason::Archived);
    }
    if now.published != seen.live_revision_id {
        return Err(StaleReason::LiveMoved);
    }
    if moment == Moment::Approval && now.current_draft != revision {
        return Err(StaleReason::DraftMoved);
    }
    if facts.slug_holder.is_some_and(|holder| holder != now.id) {
        return Err(StaleReason::SlugTaken);
    }
    if !facts.fits_template {
        return Err(StaleReason::TemplateMismatch);
    }
    Ok(())
}

/// Checks one archiving or restoring.
pub fn check_lifecycle(item: &LifecycleItem, now: &ContentItem) -> Result<(), StaleReason> {
    if ArchivedAt(now.archived_at) != item.archived_at {
        return Err(StaleReason::ArchivedStateMoved);
    }
    match item.action {
        LifecycleAction::Archive if now.archived_at.is_some() => {
            Err(StaleReason::ArchivedStateMoved)
        }
        LifecycleAction::Archive if now.published.is_some() => Err(StaleReason::StillLive),
        LifecycleAction::Restore if now.archived_at.is_none() => {
            Err(StaleReason::ArchivedStateMoved)
        }
        LifecycleAction::Archive | LifecycleAction::Restore => Ok(()),
    }
}
