//! `GET …/items/{slug}`: one live page.

use axum::response::Response;
use ql_app::Error;
use ql_app::delivery::Wanted;
use ql_app::session::SiteRef;
use ql_core::id::{ContentId, RevisionId, SiteId};
use ql_core::slug::Slug;

use super::Asked;
use super::cache::{Identity, is_conditional};
use super::page::{Page, json};
use super::selection::Selection;
use crate::problem::ProblemDocument;
use crate::query::Parameters;

pub(super) async fn show(
    asked: Asked<'_>,
    site: &SiteRef,
    slug: &str,
) -> Result<Response, ProblemDocument> {
    let mut parameters = Parameters::read(asked.query, &["locale", "fallback", "fields"]);
    let (locale, fallback) = (parameters.parsed("locale"), parameters.parsed("fallback"));
    let selection = Selection::read(&mut parameters);
    parameters.finish()?;
    let slug: Slug = slug.parse().map_err(|_| Error::NotFound("page"))?;
    let wanted = Wanted {
        site: site.clone(),
        slug,
        locale,
        fallback,
    };
    // Most calls hold the page already, and for those its revision is all that is looked up.
    if is_conditional(asked)
        && let Some(head) = asked.app.live_head(wanted.clone()).await?
    {
        let about = (head.content, head.revision);
        let identity = identity(head.site, about, &head.template, &selection);
        if identity.is_held(asked) {
            return Ok(identity.not_modified());
        }
    }
    let (site, live) = asked.app.live_page(wanted).await?;
    let about = (live.content, live.revision);
    let identity = identity(site, about, &live.template, &selection);
    let body = json(&Page::of(live, &selection)?)?;
    Ok(identity.answer("application/json", body))
}

fn identity(
    site: SiteId,
    (content, revision): (ContentId, RevisionId),
    template: &str,
    selection: &Selection,
) -> Identity {
    let mut version = revision.to_string();
    selection.mark(&mut version);
    let tags = format!(",ql:item:{content},ql:template:{template}");
    Identity::new(&version, site, &tags)
}
