//! Items of a lifecycle proposal of either kind, as arguments.

use ql_app::Result;
use ql_core::proposal::{ArchivedAt, LifecycleAction, LifecycleItem, PublishItem};
use schemars::JsonSchema;
use serde::Deserialize;

use super::argument::{self, Combination, parsed};
use super::publication::{self, Publication};

/// What to do with a content item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Publish,
    Unpublish,
    Archive,
    Restore,
}

/// One content item and what to do with it.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Item {
    /// As the kind admits.
    action: Action,
    /// The item.
    #[schemars(schema_with = "argument::id")]
    content_id: String,
    /// publish: the item's current draft.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    revision_id: Option<String>,
    /// publish: when; on approval when left out.
    #[schemars(schema_with = "argument::instant")]
    #[serde(default)]
    publish_at: Option<String>,
    /// With `publish_at`: its IANA time zone.
    #[schemars(length(min = 1, max = 64))]
    #[serde(default)]
    time_zone: Option<String>,
    /// archive, restore: the item's `archived_at` now; none where it is null.
    #[serde(default)]
    archived_at: Option<String>,
}

/// The items of a `publish_lifecycle`; `at` is where they are.
pub(crate) fn publications(items: Vec<Item>, at: &str) -> Result<Vec<PublishItem>> {
    let plain = items.into_iter().enumerate();
    let plain: Result<Vec<Publication>> = plain
        .map(|(index, item)| item.publication(&format!("{at}/{index}")))
        .collect();
    publication::read(plain?, at)
}

/// The items of a `content_lifecycle`; `at` is where they are.
pub(crate) fn archivings(items: Vec<Item>, at: &str) -> Result<Vec<LifecycleItem>> {
    let items = items.into_iter().enumerate();
    items
        .map(|(index, item)| item.archiving(&format!("{at}/{index}")))
        .collect()
}

impl Item {
    fn publication(self, at: &str) -> Result<Publication> {
        let mut combination = Combination::under(at);
        combination.refuse(
            "kind publish_lifecycle",
            [("/archived_at", self.archived_at.is_some())],
        );
        let action = match self.action {
            Action::Publish => Some(publication::Action::Publish),
            Action::Unpublish => Some(publication::Action::Unpublish),
            Action::Archive | Action::Restore => None,
        };
        let because =
            "here it's publish or unpublish; archive and restore are of content_lifecycle";
        let action = combination.required("/action", action, because);
        Ok(Publication {
            action: combination.finish(action)?,
            content_id: self.content_id,
            revision_id: self.revision_id,
            publish_at: self.publish_at,
            time_zone: self.time_zone,
        })
    }

    fn archiving(self, at: &str) -> Result<LifecycleItem> {
        let mut combination = Combination::under(at);
        let given = [
            ("/revision_id", self.revision_id.is_some()),
            ("/publish_at", self.publish_at.is_some()),
            ("/time_zone", self.time_zone.is_some()),
        ];
        combination.refuse("kind content_lifecycle", given);
        let action = match self.action {
            Action::Archive => Some(LifecycleAction::Archive),
            Action::Restore => Some(LifecycleAction::Restore),
            Action::Publish | Action::Unpublish => None,
        };
        let because =
            "here it's archive or restore; publish and unpublish are of publish_lifecycle";
        let action = combination.required("/action", action, because);
        let because = "say none, or the instant that list_content shows";
        let archived_at = combination.required("/archived_at", self.archived_at, because);
        let (action, archived_at) = combination.finish(action.zip(archived_at))?;
        Ok(LifecycleItem {
            action,
            content_id: argument::named("content item", &self.content_id)?,
            archived_at: ArchivedAt(match archived_at.as_str() {
                "none" => None,
                instant => Some(parsed(&format!("{at}/archived_at"), instant)?),
            }),
        })
    }
}
