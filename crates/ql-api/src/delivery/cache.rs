//! What lets caches keep an answer and know when to let go of it (RFC 9110, RFC 9111).

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use http_body_util::{BodyExt as _, Empty};
use ql_core::id::SiteId;

use super::Asked;

/// The tags by which a cache is told what to let go of, one list of names.
const CACHE_TAG: HeaderName = HeaderName::from_static("cache-tag");

/// An answer may be kept, and is asked about every time it is used: a publication shows at once.
const REVALIDATED: HeaderValue = HeaderValue::from_static("public, max-age=0, must-revalidate");

/// What an answer is told apart by: a strong entity tag, and the tags of what is in it.
pub(super) struct Identity {
    etag: HeaderValue,
    tags: HeaderValue,
}

impl Identity {
    /// An answer told apart by `version`, with the tags of its site and of `more`.
    pub(super) fn new(version: &str, site: SiteId, more: &str) -> Self {
        let value =
            |text: String| HeaderValue::try_from(text).expect("identifiers and keys are ASCII");
        Self {
            etag: value(format!("\"{version}\"")),
            tags: value(format!("ql:site:{site}{more}")),
        }
    }

    /// Whether the caller holds exactly this answer already.
    pub(super) fn is_held(&self, asked: Asked<'_>) -> bool {
        let mut held = asked.headers.get_all(header::IF_NONE_MATCH).iter();
        held.any(|value| names(value.as_bytes(), self.etag.as_bytes()))
    }

    /// The answer that there is nothing new.
    pub(super) fn not_modified(self) -> Response {
        let mut response = Response::new(nothing());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        self.mark(response.headers_mut());
        response
    }

    /// The whole answer.
    pub(super) fn answer(self, media_type: &'static str, body: Vec<u8>) -> Response {
        let mut response = Response::new(Body::from(body));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        self.mark(headers);
        response
    }

    fn mark(self, headers: &mut HeaderMap) {
        headers.insert(header::ETAG, self.etag);
        headers.insert(CACHE_TAG, self.tags);
        headers.insert(header::CACHE_CONTROL, REVALIDATED);
    }
}

/// No body, and no word about its length: mapping makes the length unknown, since that of the
/// answer which isn't sent again is another.
fn nothing() -> Body {
    Body::new(Empty::<Bytes>::new().map_frame(|frame| frame))
}

/// Whether the caller asks only for what is new.
pub(super) fn is_conditional(asked: Asked<'_>) -> bool {
    asked.headers.contains_key(header::IF_NONE_MATCH)
}

/// Whether an `If-None-Match` value names `etag`, compared weakly as the header asks.
fn names(value: &[u8], etag: &[u8]) -> bool {
    value.split(|byte| *byte == b',').any(|tag| {
        let tag = tag.trim_ascii();
        tag == b"*" || tag.strip_prefix(b"W/").unwrap_or(tag) == etag
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn entity_tags_are_compared_one_by_one_and_weakly() {
        assert!(names(b"\"a\"", b"\"a\""));
        assert!(names(b"\"b\" , W/\"a\"", b"\"a\""));
        assert!(names(b"*", b"\"a\""));
        assert!(!names(b"\"ab\"", b"\"a\""));
        assert!(!names(b"a", b"\"a\""));
        assert!(!names(b"", b"\"a\""));
    }
}
