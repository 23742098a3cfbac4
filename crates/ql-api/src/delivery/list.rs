//! `GET …/items`: the live pages, newest first.

use axum::response::Response;
use ql_app::delivery::Filter;
use ql_app::session::SiteRef;
use ql_core::id::{ContentId, SiteId};
use serde::Serialize;

use super::Asked;
use super::cache::{Identity, is_conditional};
use super::page::{Page, json};
use super::selection::Selection;
use crate::problem::ProblemDocument;
use crate::query::Parameters;

const PARAMETERS: [&str; 5] = ["template", "locale", "limit", "cursor", "fields"];

#[derive(Serialize)]
struct Answer {
    items: Vec<Page>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(super) async fn show(asked: Asked<'_>, site: &SiteRef) -> Result<Response, ProblemDocument> {
    let mut parameters = Parameters::read(asked.query, &PARAMETERS);
    let page = parameters.page::<ContentId>();
    let selection = Selection::read(&mut parameters);
    let filter = Filter {
        template: parameters.text("template").map(str::to_owned),
        locale: parameters.parsed("locale"),
    };
    parameters.finish()?;
    let (site, seq) = asked.app.public_site(site).await?;
    if is_conditional(asked) {
        let identity = identity(site.id, seq, &filter);
        if identity.is_held(asked) {
            return Ok(identity.not_modified());
        }
    }
    let found = asked.app.live_pages(&site, &filter, &page).await?;
    let items: ql_app::Result<Vec<Page>> = found
        .pages
        .items
        .into_iter()
        .map(|live| Page::of(live, &selection))
        .collect();
    let answer = Answer {
        items: items?,
        next_cursor: found.pages.next.map(|cursor| cursor.encode()),
    };
    Ok(identity(site.id, found.seq, &filter).answer("application/json", json(&answer)?))
}

/// A list is the same as long as nothing of the site went live or off: its address says the rest.
fn identity(site: SiteId, seq: i64, filter: &Filter) -> Identity {
    // A template that can't exist tags nothing; its list is empty.
    let template = filter.template.as_deref();
    let template = template.filter(|key| ql_core::key::is_key(key));
    let tags = template.map(|key| format!(",ql:template:{key}"));
    Identity::new(&format!("seq-{seq}"), site, &tags.unwrap_or_default())
}
