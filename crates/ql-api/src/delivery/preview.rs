//! `GET /delivery/v1/preview/{token}`: one exact revision for whoever holds its link.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use ql_app::preview::Preview;
use ql_core::hash::Digest;
use ql_core::id::{ContentId, RevisionId, SiteId};
use ql_core::time::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::Asked;
use super::page::json;
use crate::problem::ProblemDocument;
use crate::query::Parameters;

const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

#[derive(Serialize)]
struct Answer {
    site_id: SiteId,
    id: ContentId,
    revision_id: RevisionId,
    number: i64,
    template: String,
    slug: String,
    sha256: Digest,
    fields: Value,
    created_at: Timestamp,
    expires_at: Timestamp,
}

pub(super) async fn show(asked: Asked<'_>, token: &str) -> Result<Response, ProblemDocument> {
    Parameters::read(asked.query, &[]).finish()?;
    let Preview {
        site,
        revision,
        template,
        expires_at,
    } = asked.app.open_preview(token).await?;
    let answer = Answer {
        site_id: site,
        id: revision.content,
        revision_id: revision.id,
        number: revision.number,
        template,
        slug: revision.slug.to_string(),
        sha256: revision.sha256,
        fields: revision.fields,
        created_at: revision.created_at,
        expires_at,
    };
    let mut response = Response::new(Body::from(json(&answer)?));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
    headers.insert(ROBOTS, HeaderValue::from_static("noindex, nofollow"));
    Ok(response)
}
