//! Revisions as chips, and the templates that they were written against.

use ql_app::Error;
use ql_core::content::Revision;
use ql_core::id::{ContentId, RevisionId};
use ql_core::slug::Slug;
use ql_core::template::Template;

use crate::edge::desk::Desk;
use crate::edge::error::WebError;
use crate::part::{Link, RevisionChip};

/// A revision's chip, which leads to its page.
pub(crate) fn chip(desk: &Desk, revision: &Revision) -> RevisionChip {
    RevisionChip::new(revision.number, revision.sha256.to_string()).to(revision_path(
        desk,
        revision.content,
        revision.id,
    ))
}

/// The address of a revision's page.
pub(crate) fn revision_path(desk: &Desk, content: ContentId, id: RevisionId) -> String {
    desk.at(&format!("content/{content}/revisions/{id}"))
}

/// An item's link, in the words of its path.
pub(crate) fn content_link(desk: &Desk, content: ContentId, path: &str) -> Link {
    Link::new(desk.at(&format!("content/{content}")), path)
}

/// A slug as the path that people see.
pub(crate) fn path(slug: &Slug) -> String {
    format!("/{slug}")
}

/// The public address of a path.
pub(crate) fn public(desk: &Desk, path: &str) -> String {
    format!("{}{path}", desk.site.base_url.trim_end_matches('/'))
}

/// A template in the version that a revision was written against; the newest one where none is
/// named.
pub(crate) async fn template(
    desk: &Desk,
    key: &str,
    version: Option<i64>,
) -> Result<Template, WebError> {
    let versions = desk.web.app.list_template_versions(&desk.ctx, key).await?;
    let mut all = versions.into_iter();
    let found = all.find(|template| version.is_none_or(|version| template.version == version));
    Ok(found.ok_or(Error::NotFound("template"))?)
}
