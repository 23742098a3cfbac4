//! Payloads of proposals, as arguments.

use ql_app::Result;
use ql_core::proposal::{ContentRevision, CreateContent, Items, MAX_ITEMS, Payload, ProposalKind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::argument::{self, Combination};
use super::change::ChangeArguments;
use super::lifecycle::{Item, archivings, publications};

/// The members of every kind's payload.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct PayloadArguments {
    /// A template's key.
    #[serde(default)]
    template: Option<String>,
    /// The site's when left out.
    #[serde(default)]
    locale: Option<String>,
    /// The item to revise.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    content_id: Option<String>,
    /// Its current draft.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    base_revision_id: Option<String>,
    /// The page's address.
    #[serde(default)]
    slug: Option<String>,
    #[serde(flatten)]
    change: ChangeArguments,
    /// Done all or none.
    #[schemars(length(min = 1, max = 100))]
    #[serde(default)]
    items: Option<Vec<Item>>,
}

const _: () = assert!(MAX_ITEMS == 100, "the published bound is the domain's");

impl PayloadArguments {
    /// The payload of a kind; members that others alone take are refused.
    pub(crate) fn read(self, kind: ProposalKind) -> Result<Payload> {
        match kind {
            ProposalKind::CreateContent => self.create_content().map(Payload::CreateContent),
            ProposalKind::ContentRevision => self.content_revision().map(Payload::ContentRevision),
            ProposalKind::PublishLifecycle => {
                let items = publications(self.only_items(kind)?, "/payload/items")?;
                Ok(Payload::PublishLifecycle(Items { items }))
            }
            ProposalKind::ContentLifecycle => {
                let items = archivings(self.only_items(kind)?, "/payload/items")?;
                Ok(Payload::ContentLifecycle(Items { items }))
            }
        }
    }

    fn create_content(self) -> Result<CreateContent> {
        let mut combination = Combination::under("/payload");
        combination.refuse(
            "kind create_content",
            [
                ("/content_id", self.content_id.is_some()),
                ("/base_revision_id", self.base_revision_id.is_some()),
                ("/items", self.items.is_some()),
            ],
        );
        let because = "create_content names the template of the new item";
        let template = combination.required("/template", self.template, because);
        let change = self.change.of_new(&mut combination);
        let (template, fields) = combination.finish(template.zip(change))?;
        let (slug, locale) = (self.slug, self.locale);
        Ok(CreateContent {
            template,
            slug,
            locale,
            translation_group: None,
            fields,
        })
    }

    fn content_revision(self) -> Result<ContentRevision> {
        let mut combination = Combination::under("/payload");
        combination.refuse(
            "kind content_revision",
            [
                ("/template", self.template.is_some()),
                ("/locale", self.locale.is_some()),
                ("/items", self.items.is_some()),
            ],
        );
        let because = "content_revision names the item";
        let content = combination.required("/content_id", self.content_id, because);
        let because = "name the current draft, from which the change starts";
        let base = combination.required("/base_revision_id", self.base_revision_id, because);
        let change = self.change.of_existing(&mut combination);
        let ((content, base), change) = combination.finish(content.zip(base).zip(change))?;
        Ok(ContentRevision {
            content_id: argument::named("content item", &content)?,
            base_revision_id: argument::named("revision", &base)?,
            slug: self.slug,
            change,
        })
    }

    fn only_items(self, kind: ProposalKind) -> Result<Vec<Item>> {
        let beside = format!("kind {kind}");
        let mut combination = Combination::under("/payload");
        combination.refuse(
            &beside,
            [
                ("/template", self.template.is_some()),
                ("/locale", self.locale.is_some()),
                ("/content_id", self.content_id.is_some()),
                ("/base_revision_id", self.base_revision_id.is_some()),
                ("/slug", self.slug.is_some()),
            ],
        );
        combination.refuse(&beside, self.change.given());
        let items = combination.required("/items", self.items, "name the content items");
        combination.finish(items)
    }
}
