//! `querylayer_list_content`: finds content and reads it.

use ql_app::Error;
use ql_app::content::{ContentView, Filter};
use ql_core::content::{ContentStatus, Revision};
use ql_core::hash::Digest;
use ql_core::id::{ContentId, RevisionId, RunId, TranslationGroupId};
use ql_core::page::Page;
use ql_core::scope::Scope;
use ql_core::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::input::argument::{self, Combination, Paging, parsed};
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct ListContent;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Archived ones are listed on demand alone.
    #[schemars(schema_with = "status")]
    #[serde(default)]
    status: Option<String>,
    /// A template's key.
    #[serde(default)]
    template: Option<String>,
    /// A part of title or slug; case and accents don't matter.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    query: Option<String>,
    /// Exactly this slug, in the draft or live.
    #[serde(default)]
    slug: Option<String>,
    /// A language, such as pt-BR.
    #[serde(default)]
    locale: Option<String>,
    /// This item, in any status, instead of a list.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    content_id: Option<String>,
    /// With `content_id`: not its current draft but this.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    revision_id: Option<String>,
    /// Return the fields too; they can be long.
    #[serde(default)]
    include_fields: bool,
    /// Changed at or after this instant.
    #[schemars(schema_with = "argument::instant")]
    #[serde(default)]
    updated_since: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

fn status(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(ContentStatus::ALL.map(ContentStatus::as_str))
}

/// Its answer.
#[derive(Serialize)]
pub(crate) struct Output {
    items: Vec<Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize)]
struct Item {
    content_id: ContentId,
    title: String,
    status: &'static str,
    template: String,
    locale: String,
    translation_group_id: TranslationGroupId,
    slug: String,
    live_slug: Option<String>,
    current_draft_revision_id: RevisionId,
    current_draft_number: i64,
    published_revision_id: Option<RevisionId>,
    archived_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<RevisionFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<Value>,
}

#[derive(Serialize)]
struct RevisionFacts {
    revision_id: RevisionId,
    number: i64,
    slug: String,
    sha256: Digest,
    template_version: i64,
    author: Value,
    run_id: Option<RunId>,
    parent_revision_id: Option<RevisionId>,
    change_note: String,
    created_at: Timestamp,
}

impl Tool<Product> for ListContent {
    const NAME: &'static str = "querylayer_list_content";
    const TITLE: &'static str = "List and read content";
    const DESCRIPTION: &'static str = "Lists the site's content, newest first, or reads one item (content_id). Before changing an item read it with include_fields: current_draft_revision_id is the base_revision_id for querylayer_create_draft, published_revision_id is what the public sees.";
    const SCOPES: &'static [Scope] = &[Scope::ContentRead];
    const EFFECT: Effect = Effect::Reads;
    type Params = Params;
    type Output = Output;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, .. }: Call<Params>,
    ) -> Result<Output, Failure> {
        let Some(content) = &params.content_id else {
            if params.revision_id.is_some() {
                let message = "belongs to content_id, which is missing";
                return Err(Error::invalid("/revision_id", "combination", message).into());
            }
            let page = params.paging.request::<ContentId>()?;
            let filter = params.filter()?;
            let found = product
                .app
                .list_content(caller.ctx(), &filter, &page, params.include_fields)
                .await?;
            return Ok(Output::of(found, params.include_fields));
        };
        params.refuse_filters()?;
        let revision = params
            .revision_id
            .as_deref()
            .map(|id| argument::named("revision", id));
        let content = argument::named("content item", content)?;
        let view = product
            .app
            .get_content(caller.ctx(), content, revision.transpose()?)
            .await?;
        Ok(Output::of(
            Page {
                items: vec![view],
                next: None,
            },
            params.include_fields,
        ))
    }
}

impl Params {
    fn filter(&self) -> Result<Filter, Failure> {
        let status = self.status.as_deref().map(|text| parsed("/status", text));
        let locale = self.locale.as_deref().map(|text| parsed("/locale", text));
        let since = self
            .updated_since
            .as_deref()
            .map(|text| parsed("/updated_since", text));
        Ok(Filter {
            status: status.transpose()?,
            template: self.template.clone(),
            query: self.query.clone(),
            slug: self.slug.clone(),
            locale: locale.transpose()?,
            updated_since: since.transpose()?,
        })
    }

    /// One item is asked for, so nothing may narrow a list.
    fn refuse_filters(&self) -> Result<(), Failure> {
        let mut combination = Combination::default();
        combination.refuse(
            "content_id",
            [
                ("/status", self.status.is_some()),
                ("/template", self.template.is_some()),
                ("/query", self.query.is_some()),
                ("/slug", self.slug.is_some()),
                ("/locale", self.locale.is_some()),
                ("/updated_since", self.updated_since.is_some()),
            ],
        );
        Ok(combination.finish(Some(()))?)
    }
}

impl Output {
    fn of(page: Page<ContentView>, include_fields: bool) -> Self {
        Self {
            items: page
                .items
                .into_iter()
                .map(|view| Item::of(view, include_fields))
                .collect(),
            next_cursor: page.next.map(|cursor| cursor.encode()),
        }
    }
}

impl Item {
    fn of(ContentView { stored, revision }: ContentView, include_fields: bool) -> Self {
        let status = stored.item.status().as_str();
        let item = stored.item;
        let (facts, fields) = revision.map(RevisionFacts::of).unzip();
        Self {
            content_id: item.id,
            title: item.title,
            status,
            template: item.template,
            locale: item.locale.to_string(),
            translation_group_id: item.translation_group,
            slug: stored.draft_slug.to_string(),
            live_slug: stored.live_slug.map(|slug| slug.to_string()),
            current_draft_revision_id: item.current_draft,
            current_draft_number: stored.draft_number,
            published_revision_id: item.published,
            archived_at: item.archived_at,
            created_at: item.created_at,
            updated_at: item.updated_at,
            revision: facts,
            fields: fields.filter(|_| include_fields),
        }
    }
}

impl RevisionFacts {
    /// What is known about a revision, and its fields.
    fn of(revision: Revision) -> (Self, Value) {
        let facts = Self {
            revision_id: revision.id,
            number: revision.number,
            slug: revision.slug.to_string(),
            sha256: revision.sha256,
            template_version: revision.template_version,
            author: revision.author.to_json(),
            run_id: revision.run,
            parent_revision_id: revision.parent,
            change_note: revision.note,
            created_at: revision.created_at,
        };
        (facts, revision.fields)
    }
}
