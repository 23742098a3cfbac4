//! Payloads of proposals, as arguments.

use ql_app::Result;
use ql_core::proposal::{
    ContentBriefDraft, ContentRevision, ContentSourceDraft, CreateContent, Items, Links, MAX_ITEMS,
    Payload, ProposalKind, TopicalMapChange, TopicalStrategy,
};
use ql_core::source::MAX_RECORDS;
use schemars::JsonSchema;
use serde::Deserialize;

use super::argument::{self, Combination};
use super::change::ChangeArguments;
use super::lifecycle::{Item, archivings, publications};
use super::link::{self, LinkArguments};
use super::operation::{self, OperationArguments};

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
    /// The map's version now; 0 before the first.
    #[schemars(range(min = 0))]
    #[serde(default)]
    base_map_version: Option<i64>,
    /// In order, all or none.
    #[schemars(length(min = 1, max = 100))]
    #[serde(default)]
    operations: Option<Vec<OperationArguments>>,
    /// One draft for each page that gets some.
    #[schemars(length(min = 1, max = 100))]
    #[serde(default)]
    links: Option<Vec<LinkArguments>>,
    /// Each new or rejected.
    #[schemars(length(min = 1, max = 100))]
    #[serde(default)]
    opportunity_ids: Option<Vec<String>>,
    /// The brief that the draft answers.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    brief_id: Option<String>,
    /// Of sources.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    package_id: Option<String>,
    /// Of its records.
    #[schemars(length(min = 1, max = 100))]
    #[serde(default)]
    record_keys: Option<Vec<String>>,
}

const _: () = assert!(
    MAX_ITEMS == 100 && MAX_RECORDS == 100,
    "the published bounds are the domain's"
);

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
            ProposalKind::TopicalMapChange => {
                self.topical_map_change().map(Payload::TopicalMapChange)
            }
            ProposalKind::InternalLink => self.internal_link().map(Payload::InternalLink),
            ProposalKind::TopicalStrategy => self.topical_strategy().map(Payload::TopicalStrategy),
            ProposalKind::ContentBriefDraft => {
                self.content_brief_draft().map(Payload::ContentBriefDraft)
            }
            ProposalKind::ContentSourceDraft => {
                self.content_source_draft().map(Payload::ContentSourceDraft)
            }
        }
    }

    fn create_content(self) -> Result<CreateContent> {
        let changed = ["/fields", "/merge_patch", "/edits"];
        let takes = [&changed[..], &["/template", "/slug", "/locale"]].concat();
        let mut combination = self.only(ProposalKind::CreateContent, &takes);
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
        let changed = ["/fields", "/merge_patch", "/edits"];
        let takes = [&changed[..], &["/content_id", "/base_revision_id", "/slug"]].concat();
        let mut combination = self.only(ProposalKind::ContentRevision, &takes);
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
        let mut combination = self.only(kind, &["/items"]);
        let items = combination.required("/items", self.items, "name the content items");
        combination.finish(items)
    }

    fn topical_map_change(self) -> Result<TopicalMapChange> {
        let kind = ProposalKind::TopicalMapChange;
        let mut combination = self.only(kind, &["/base_map_version", "/operations"]);
        let because = "name the map's version, from which the change starts";
        let base = combination.required("/base_map_version", self.base_map_version, because);
        let operations = combination.required("/operations", self.operations, "name the changes");
        let (base_map_version, operations) = combination.finish(base.zip(operations))?;
        Ok(TopicalMapChange {
            base_map_version,
            operations: operation::read(operations, "/payload/operations")?,
        })
    }

    fn internal_link(self) -> Result<Links> {
        let mut combination = self.only(ProposalKind::InternalLink, &["/links"]);
        let links = combination.required("/links", self.links, "name the links");
        let links = link::read(combination.finish(links)?)?;
        Ok(Links { links })
    }

    fn topical_strategy(self) -> Result<TopicalStrategy> {
        let mut combination = self.only(ProposalKind::TopicalStrategy, &["/opportunity_ids"]);
        let because = "name the opportunities";
        let ids = combination.required("/opportunity_ids", self.opportunity_ids, because);
        let ids = combination.finish(ids)?;
        let ids = ids.iter().map(|id| argument::named("opportunity", id));
        Ok(TopicalStrategy {
            opportunity_ids: ids.collect::<Result<_>>()?,
        })
    }

    fn content_brief_draft(self) -> Result<ContentBriefDraft> {
        let takes = ["/fields", "/merge_patch", "/edits", "/brief_id", "/slug"];
        let mut combination = self.only(ProposalKind::ContentBriefDraft, &takes);
        let brief = combination.required("/brief_id", self.brief_id, "name the brief");
        let fields = self.change.of_new(&mut combination);
        let (brief, fields) = combination.finish(brief.zip(fields))?;
        Ok(ContentBriefDraft {
            brief_id: argument::named("brief", &brief)?,
            fields,
            slug: self.slug,
        })
    }

    fn content_source_draft(self) -> Result<ContentSourceDraft> {
        let changed = ["/fields", "/merge_patch", "/edits"];
        let own = ["/package_id", "/record_keys", "/template", "/slug"];
        let takes = [&changed[..], &own].concat();
        let mut combination = self.only(ProposalKind::ContentSourceDraft, &takes);
        let because = "name the staged package";
        let package = combination.required("/package_id", self.package_id, because);
        let because = "name the records that the draft is written from";
        let keys = combination.required("/record_keys", self.record_keys, because);
        let because = "content_source_draft names the template of the new item";
        let template = combination.required("/template", self.template, because);
        let fields = self.change.of_new(&mut combination);
        let read = package.zip(keys).zip(template.zip(fields));
        let ((package, record_keys), (template, fields)) = combination.finish(read)?;
        Ok(ContentSourceDraft {
            package_id: argument::named("source package", &package)?,
            record_keys,
            template,
            slug: self.slug,
            fields,
        })
    }

    /// Refuses the members that a kind doesn't take.
    fn only(&self, kind: ProposalKind, takes: &[&str]) -> Combination {
        let given = [
            ("/template", self.template.is_some()),
            ("/locale", self.locale.is_some()),
            ("/content_id", self.content_id.is_some()),
            ("/base_revision_id", self.base_revision_id.is_some()),
            ("/slug", self.slug.is_some()),
            ("/items", self.items.is_some()),
            ("/base_map_version", self.base_map_version.is_some()),
            ("/operations", self.operations.is_some()),
            ("/links", self.links.is_some()),
            ("/opportunity_ids", self.opportunity_ids.is_some()),
            ("/brief_id", self.brief_id.is_some()),
            ("/package_id", self.package_id.is_some()),
            ("/record_keys", self.record_keys.is_some()),
        ];
        let given = given.into_iter().chain(self.change.given());
        let mut combination = Combination::under("/payload");
        let others = given.filter(|(name, _)| !takes.contains(name));
        combination.refuse(&format!("kind {kind}"), others);
        combination
    }
}
