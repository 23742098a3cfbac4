//! Revisions of content items: immutable snapshots.

use ql_core::hash::Digest;
use ql_core::id::{ContentId, RevisionId, RunId};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Route, get};
use crate::input::argument::Paging;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_revisions",
            "/sites/{site}/content/{id}/revisions",
            "Lists an item's revisions with their fields, newest first",
            list,
        ),
        get(
            "get_revision",
            "/sites/{site}/revisions/{id}",
            "A revision with its fields",
            show,
        ),
    ]
}

/// An immutable snapshot of an item.
#[derive(Serialize, JsonSchema)]
pub(super) struct Revision {
    id: Text<RevisionId>,
    content_id: Text<ContentId>,
    number: i64,
    slug: String,
    fields: Value,
    sha256: Text<Digest>,
    template_version: i64,
    /// Who wrote it: `type` is agent, member, operator or system.
    author: Value,
    run_id: Option<Text<RunId>>,
    parent_revision_id: Option<Text<RevisionId>>,
    change_note: String,
    created_at: Instant,
}

impl From<ql_core::content::Revision> for Revision {
    fn from(revision: ql_core::content::Revision) -> Self {
        Self {
            id: Text(revision.id),
            content_id: Text(revision.content),
            number: revision.number,
            slug: revision.slug.to_string(),
            fields: revision.fields,
            sha256: Text(revision.sha256),
            template_version: revision.template_version,
            author: revision.author.to_json(),
            run_id: revision.run.map(Text),
            parent_revision_id: revision.parent.map(Text),
            change_note: revision.note,
            created_at: Instant(revision.created_at),
        }
    }
}

async fn list(call: Call<Paging>) -> Answered<List<Revision>> {
    let page = call.query.request::<RevisionId>()?;
    let (ctx, id) = (call.on_site().await?, call.id("content item")?);
    let revisions = call.app().list_revisions(&ctx, id, &page).await?;
    Ok(List::page(revisions, Revision::from))
}

async fn show(call: Call) -> Answered<Revision> {
    let (ctx, id) = (call.on_site().await?, call.id("revision")?);
    Ok(call.app().get_revision(&ctx, id).await?.into())
}
