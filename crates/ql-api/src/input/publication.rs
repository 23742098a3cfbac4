//! Items of a publication, as arguments.

use ql_app::Result;
use ql_core::proposal::PublishItem;
use schemars::JsonSchema;
use serde::Deserialize;

use super::argument::{self, Combination, parsed};

/// What to do with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    Publish,
    Unpublish,
}

/// One page and what to do with it.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Publication {
    /// Put a revision live, or take the page off the site.
    pub(crate) action: Action,
    /// The item.
    #[schemars(schema_with = "argument::id")]
    pub(crate) content_id: String,
    /// publish: the item's current draft.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    pub(crate) revision_id: Option<String>,
    /// publish: when to go live; on approval when left out.
    #[schemars(schema_with = "argument::instant")]
    #[serde(default)]
    pub(crate) publish_at: Option<String>,
    /// With `publish_at`: its IANA time zone, such as Europe/Amsterdam.
    #[schemars(length(min = 1, max = 64))]
    #[serde(default)]
    pub(crate) time_zone: Option<String>,
}

/// Reads every item; `at` is where they are.
pub(crate) fn read(items: Vec<Publication>, at: &str) -> Result<Vec<PublishItem>> {
    let items = items.into_iter().enumerate();
    items
        .map(|(index, item)| item.read(&format!("{at}/{index}")))
        .collect()
}

impl Publication {
    fn read(self, at: &str) -> Result<PublishItem> {
        match self.action {
            Action::Publish => self.publish(at),
            Action::Unpublish => self.unpublish(at),
        }
    }

    fn publish(self, at: &str) -> Result<PublishItem> {
        let mut combination = Combination::under(at);
        let because = "publish names exactly the revision to put live";
        let revision = combination.required("/revision_id", self.revision_id, because);
        let revision = combination.finish(revision)?;
        let publish_at = self
            .publish_at
            .map(|text| parsed(&format!("{at}/publish_at"), &text));
        Ok(PublishItem::Publish {
            content_id: argument::named("content item", &self.content_id)?,
            revision_id: argument::named("revision", &revision)?,
            publish_at: publish_at.transpose()?,
            time_zone: self.time_zone,
        })
    }

    fn unpublish(self, at: &str) -> Result<PublishItem> {
        let mut combination = Combination::under(at);
        let given = [
            ("/revision_id", self.revision_id.is_some()),
            ("/publish_at", self.publish_at.is_some()),
            ("/time_zone", self.time_zone.is_some()),
        ];
        combination.refuse("action unpublish, which targets what is live", given);
        combination.finish(Some(()))?;
        let content_id = argument::named("content item", &self.content_id)?;
        Ok(PublishItem::Unpublish { content_id })
    }
}
