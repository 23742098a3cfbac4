//! One revision, its preview, and any two compared.

use askama::Template as _;
use axum::response::{Html, IntoResponse as _};
use http::header::CONTENT_SECURITY_POLICY;
use ql_app::Error;
use ql_app::content::ContentView;
use ql_core::content::Revision;
use ql_core::id::{ContentId, RevisionId};
use ql_core::page::PageRequest;
use ql_core::template::Template;
use serde_json::Value;

use super::content::marks;
use crate::diff::Diff;
use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, page};
use crate::edge::params::{Id, Part};
use crate::edge::security::PREVIEW;
use crate::labels;
use crate::page::{Compare, MadeFrom, RevisionPage, Section, Side};
use crate::part::{Digest, Link};
use crate::preview::Preview;
use crate::view::names::Names;
use crate::view::revision::{chip, content_link, path, public, revision_path, template};

/// An item at one of its revisions.
async fn at(
    desk: &Desk,
    content: ContentId,
    id: RevisionId,
) -> Result<(ContentView, Revision), WebError> {
    let mut view = desk
        .web
        .app
        .get_content(&desk.ctx, content, Some(id))
        .await?;
    let revision = view.revision.take().ok_or(Error::NotFound("revision"))?;
    Ok((view, revision))
}

pub(super) async fn show(
    Id(content): Id<ContentId>,
    Part(id): Part<RevisionId>,
    desk: Desk,
) -> Answer {
    let (view, revision) = at(&desk, content, id).await?;
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let item = &view.stored.item;
    let template = template(&desk, &item.template, Some(revision.template_version)).await?;
    let here = desk.at(&format!("content/{content}"));
    let compare = before(&desk, &revision).await?.map(|before| {
        let href = format!("{here}/compare?from={}&to={id}", before.id);
        Link::new(href, format!("Compare with #{}", before.number))
    });
    page(&RevisionPage {
        shell: desk.shell(Section::Content).await?,
        content: content_link(&desk, content, &path(&revision.slug)),
        chip: chip(&desk, &revision),
        title: template.title_of(&revision.fields),
        marks: marks(item, id),
        by: names.who(revision.author),
        via: names.via(revision.author),
        run: revision
            .run
            .map(|run| Link::new(desk.at(&format!("runs/{run}")), "open the run")),
        note: revision.note.clone(),
        at: desk.when(revision.created_at),
        sha256: Digest::new("hash", revision.sha256.to_string()),
        preview: format!("{}/preview", revision_path(&desk, content, id)),
        address: public(&desk, &path(&revision.slug)),
        json: format!("{:#}", revision.fields),
        compare,
        brief: brief(&desk, id).await?,
        sources: sources(&desk, id).await?,
    })
}

/// The brief that a revision answered.
async fn brief(desk: &Desk, revision: RevisionId) -> Result<Option<Link>, WebError> {
    let app = &desk.web.app;
    let found = app.find_revision_brief(&desk.ctx, revision);
    Ok(found.await?.map(|state| {
        let href = desk.at(&format!("briefs/{}", state.brief.id));
        Link::new(href, state.brief.document.title)
    }))
}

/// The records that a revision was written from.
async fn sources(desk: &Desk, id: RevisionId) -> Result<Vec<MadeFrom>, WebError> {
    let found = desk.web.app.list_revision_sources(&desk.ctx, id).await?;
    let made_from = found.into_iter().map(|source| MadeFrom {
        link: Link::new(desk.at(&format!("sources/{}", source.package)), source.key),
        sha256: Digest::new("hash", source.sha256.to_string()),
    });
    Ok(made_from.collect())
}

/// The revision that this one started from, or else the one numbered before it.
async fn before(desk: &Desk, revision: &Revision) -> Result<Option<Revision>, WebError> {
    if let Some(parent) = revision.parent {
        return Ok(Some(desk.web.app.get_revision(&desk.ctx, parent).await?));
    }
    let request = PageRequest::new(Some(PageRequest::MAX), None);
    let found = desk
        .web
        .app
        .list_revisions(&desk.ctx, revision.content, &request)
        .await?;
    Ok(found
        .items
        .into_iter()
        .find(|other| other.number < revision.number))
}

pub(super) async fn preview(
    Id(content): Id<ContentId>,
    Part(id): Part<RevisionId>,
    desk: Desk,
) -> Answer {
    let (view, revision) = at(&desk, content, id).await?;
    let item = &view.stored.item;
    let template = template(&desk, &item.template, Some(revision.template_version)).await?;
    render_preview(&template, &revision.fields, item.locale.as_str())
}

/// A document of agent-made content: it runs nothing and reaches nothing.
pub(super) fn render_preview(template: &Template, fields: &Value, locale: &str) -> Answer {
    let html = Preview::new(template, fields, locale).render()?;
    Ok(([(CONTENT_SECURITY_POLICY, PREVIEW)], Html(html)).into_response())
}

pub(super) async fn compare(Id(content): Id<ContentId>, desk: Desk) -> Answer {
    let picked = |name| desk.params.parse::<RevisionId>(name);
    let here = desk.at(&format!("content/{content}"));
    let (Some(from), Some(to)) = (picked("from"), picked("to")) else {
        return Err(Error::invalid("", "required", "pick two revisions to compare").into());
    };
    let (view, old) = at(&desk, content, from).await?;
    let (_, new) = at(&desk, content, to).await?;
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let item = &view.stored.item;
    let template = template(&desk, &item.template, Some(new.template_version)).await?;
    let side = |revision: &Revision| Side {
        chip: chip(&desk, revision),
        marks: marks(item, revision.id),
        by: names.who(revision.author),
        at: desk.when(revision.created_at),
    };
    page(&Compare {
        shell: desk.shell(Section::Content).await?,
        content: content_link(&desk, content, &path(&new.slug)),
        swap: format!("{here}/compare?from={to}&to={from}"),
        diff: Diff::between(&old.fields, &new.fields, &labels::ordered(&template)),
        slugs: (old.slug != new.slug).then(|| (path(&old.slug), path(&new.slug))),
        old: side(&old),
        new: side(&new),
    })
}
