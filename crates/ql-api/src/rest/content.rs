//! A site's content items.

use ql_app::Result;
use ql_app::content::{ContentRecord, ContentView, Filter, StoredItem};
use ql_app::decision::NewRollBack;
use ql_core::content::ContentStatus;
use ql_core::id::{ContentId, RevisionId, TranslationGroupId};
use ql_core::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Instant, List, Text};
use super::proposal::{Proposal, Summary};
use super::revision::Revision;
use super::route::{Answered, Call, Nothing, Route, get, post};
use crate::input::argument::{self, Paging, named, parsed};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_content",
            "/sites/{site}/content",
            "Lists the site's content items, newest first; archived ones only when asked for",
            list,
        ),
        get(
            "get_content",
            "/sites/{site}/content/{id}",
            "An item with its draft, what is live and the newest proposals about it",
            show,
        ),
        post(
            "roll_back",
            "/sites/{site}/content/{id}/rollback",
            "Puts a revision live again that was live before; needs a fresh re-authentication",
            roll_back,
        ),
    ]
}

/// An item and where it stands.
#[derive(Serialize, JsonSchema)]
struct Item {
    id: Text<ContentId>,
    title: String,
    /// draft, published, `published_with_draft` or archived.
    status: Text<ContentStatus>,
    template: String,
    locale: String,
    translation_group_id: Text<TranslationGroupId>,
    /// The address of the current draft.
    slug: String,
    /// The address that the public sees it at.
    live_slug: Option<String>,
    current_draft_revision_id: Text<RevisionId>,
    current_draft_number: i64,
    published_revision_id: Option<Text<RevisionId>>,
    archived_at: Option<Instant>,
    created_at: Instant,
    updated_at: Instant,
    /// The current draft's fields, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<Value>,
}

impl From<StoredItem> for Item {
    fn from(stored: StoredItem) -> Self {
        let item = stored.item;
        Self {
            id: Text(item.id),
            status: Text(item.status()),
            locale: item.locale.to_string(),
            translation_group_id: Text(item.translation_group),
            slug: stored.draft_slug.to_string(),
            live_slug: stored.live_slug.map(|slug| slug.to_string()),
            current_draft_revision_id: Text(item.current_draft),
            current_draft_number: stored.draft_number,
            published_revision_id: item.published.map(Text),
            archived_at: item.archived_at.map(Instant),
            created_at: Instant(item.created_at),
            updated_at: Instant(item.updated_at),
            title: item.title,
            template: item.template,
            fields: None,
        }
    }
}

impl From<ContentView> for Item {
    fn from(view: ContentView) -> Self {
        Self {
            fields: view.revision.map(|revision| revision.fields),
            ..view.stored.into()
        }
    }
}

/// Which items to list.
#[derive(Deserialize, JsonSchema)]
struct Wanted {
    /// Only items that stand so.
    #[schemars(schema_with = "status")]
    #[serde(default)]
    status: Option<String>,
    /// Only items of the template with this key.
    #[schemars(length(min = 1, max = 64))]
    #[serde(default)]
    template: Option<String>,
    /// Only items whose title or slug contains this text; case and accents don't matter.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    query: Option<String>,
    /// Only items with exactly this slug, in their draft or live.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    slug: Option<String>,
    /// Only items in this language.
    #[schemars(length(min = 2, max = 35))]
    #[serde(default)]
    locale: Option<String>,
    /// Only items that changed at or after this instant.
    #[schemars(schema_with = "argument::instant")]
    #[serde(default)]
    updated_since: Option<Timestamp>,
    /// Whether to give the current draft's fields too.
    #[serde(default)]
    include_fields: bool,
    #[serde(flatten)]
    paging: Paging,
}

fn status(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(ContentStatus::ALL.map(ContentStatus::as_str))
}

impl Wanted {
    fn filter(&self) -> Result<Filter> {
        let status = self.status.as_deref().map(|text| parsed("/status", text));
        let locale = self.locale.as_deref().map(|text| parsed("/locale", text));
        Ok(Filter {
            status: status.transpose()?,
            template: self.template.clone(),
            query: self.query.clone(),
            slug: self.slug.clone(),
            locale: locale.transpose()?,
            updated_since: self.updated_since,
        })
    }
}

async fn list(call: Call<Wanted>) -> Answered<List<Item>> {
    let ctx = call.on_site().await?;
    let page = call.query.paging.request::<ContentId>()?;
    let (filter, fields) = (call.query.filter()?, call.query.include_fields);
    let found = call
        .app()
        .list_content(&ctx, &filter, &page, fields)
        .await?;
    Ok(List::page(found, Item::from))
}

/// An item with its history's ends.
#[derive(Serialize, JsonSchema)]
struct Record {
    #[serde(flatten)]
    item: Item,
    /// The current draft.
    draft: Revision,
    /// What is live.
    live: Option<Revision>,
    /// The fifty newest proposals about it.
    proposals: Vec<Summary>,
}

impl From<ContentRecord> for Record {
    fn from(record: ContentRecord) -> Self {
        Self {
            item: record.stored.into(),
            draft: record.draft.into(),
            live: record.live.map(Into::into),
            proposals: record.proposals.iter().map(Into::into).collect(),
        }
    }
}

async fn show(call: Call) -> Answered<Record> {
    let (ctx, id) = (call.on_site().await?, call.id("content item")?);
    Ok(call.app().get_content_record(&ctx, id).await?.into())
}

/// A page to move back.
#[derive(Deserialize, JsonSchema)]
struct RollBack {
    /// The revision that shall be live again.
    #[schemars(schema_with = "argument::id")]
    to_revision_id: String,
    /// Why, for the record.
    #[schemars(length(min = 1, max = 4000))]
    comment: String,
}

async fn roll_back(call: Call<Nothing, RollBack>) -> Answered<Proposal> {
    let (ctx, content) = (call.on_site().await?, call.id("content item")?);
    let new = NewRollBack {
        content,
        to: named("revision", &call.body.to_revision_id)?,
        comment: call.body.comment,
    };
    let app = &call.rest.app;
    Ok(Proposal::of(app, app.roll_back(&ctx, new).await?))
}
