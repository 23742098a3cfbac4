//! Posted forms: read only when they carry the session's own token.
//!
//! Handlers can't reach a form in any other way; the plain extractors are banned in `clippy.toml`.

use axum::RequestExt as _;
use axum::extract::{FromRequest, FromRequestParts as _, Multipart, Request};
use axum::response::Response;
use http::HeaderMap;
use http::header::{CONTENT_TYPE, HOST, ORIGIN};
use ql_app::SignedIn;
use ql_core::hash::Digest;
use ql_core::token::same_fingerprint;

use super::cookie::Cookie;
use super::desk::{Desk, signed_in};
use super::error::WebError;
use crate::config::Web;

/// The most bytes of one form.
pub(crate) const LARGEST: usize = 2 << 20;

/// A form of which the token was right.
#[derive(Debug, Clone)]
pub(crate) struct Posted(Vec<(String, String)>);

/// A form that somebody who is signed in sent about a site.
#[derive(Debug)]
pub(crate) struct Action {
    pub(crate) desk: Desk,
    pub(crate) form: Posted,
}

/// A form that somebody who is signed in sent about themselves.
#[derive(Debug)]
pub(crate) struct OwnAction {
    pub(crate) signed_in: SignedIn,
    pub(crate) form: Posted,
    pub(crate) headers: HeaderMap,
}

/// A form that somebody sent who isn't signed in yet.
#[derive(Debug)]
pub(crate) struct OpenAction {
    pub(crate) form: Posted,
    pub(crate) peer: String,
}

impl Posted {
    /// The value of `name`, unless it's empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self
            .0
            .iter()
            .find(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    /// The text of `name`, with plain line ends.
    pub(crate) fn text(&self, name: &str) -> String {
        self.get(name).unwrap_or_default().replace("\r\n", "\n")
    }

    /// Every value of `name`.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let found = self.0.iter().filter(move |(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Everything as it came.
    pub(crate) fn pairs(&self) -> &[(String, String)] {
        &self.0
    }
}

impl FromRequest<Web> for Action {
    type Rejection = WebError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, WebError> {
        let (mut parts, body) = request.into_parts();
        let desk = Desk::from_request_parts(&mut parts, web).await?;
        let form = read(Request::from_parts(parts, body), web, desk.csrf()).await?;
        Ok(Self { desk, form })
    }
}

impl FromRequest<Web> for OwnAction {
    type Rejection = WebError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, WebError> {
        let headers = request.headers().clone();
        let signed_in = signed_in(&headers, "/", web).await?;
        let csrf = signed_in
            .session
            .as_ref()
            .map(|session| session.csrf.clone());
        let form = read(request, web, csrf.as_deref().unwrap_or_default()).await?;
        Ok(Self {
            signed_in,
            form,
            headers,
        })
    }
}

impl FromRequest<Web> for OpenAction {
    type Rejection = WebError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, WebError> {
        let token = Cookie::Form.read(request.headers(), &web.config);
        let peer = super::desk::peer(request.extensions());
        let form = read(request, web, token.as_deref().unwrap_or_default()).await?;
        Ok(Self { form, peer })
    }
}

/// Reads a form and checks its origin and its token.
async fn read(request: Request, web: &Web, expected: &str) -> Result<Posted, WebError> {
    if !is_own_origin(request.headers(), &web.config.public_url) {
        return Err(WebError::ForeignForm);
    }
    let is_multipart = request
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"multipart/form-data"));
    let pairs = if is_multipart {
        parts(request).await?
    } else {
        fields(request).await?
    };
    let form = Posted(pairs);
    if carries(form.get("csrf").unwrap_or_default(), expected) {
        Ok(form)
    } else {
        Err(WebError::ForeignForm)
    }
}

/// Whether a form carries the token that was expected of it.
pub(crate) fn carries(sent: &str, expected: &str) -> bool {
    let sent = Digest::of(sent.as_bytes());
    !expected.is_empty() && same_fingerprint(&sent, &Digest::of(expected.as_bytes()))
}

/// Whether a browser that says where the form stood names this very server.
pub(crate) fn is_own_origin(headers: &HeaderMap, public_url: &str) -> bool {
    let Some(origin) = headers
        .get(ORIGIN)
        .map(|value| value.to_str().unwrap_or_default())
    else {
        return true;
    };
    let host = headers
        .get(HOST)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let authority = origin
        .split_once("://")
        .map_or("", |(_, authority)| authority);
    origin == public_url || (!host.is_empty() && authority == host)
}

#[expect(
    clippy::disallowed_types,
    reason = "the one place where a form is read, to be checked"
)]
async fn fields(request: Request) -> Result<Vec<(String, String)>, WebError> {
    let read = request
        .extract::<axum::Form<Vec<(String, String)>>, _>()
        .await;
    let axum::Form(pairs) = read.map_err(|error| WebError::BadForm(error.body_text()))?;
    Ok(pairs)
}

async fn parts(request: Request) -> Result<Vec<(String, String)>, WebError> {
    let bad =
        |error: axum::extract::multipart::MultipartError| WebError::BadForm(error.body_text());
    let mut parts: Multipart = request.extract().await.map_err(
        |error: axum::extract::multipart::MultipartRejection| WebError::BadForm(error.body_text()),
    )?;
    let mut pairs = Vec::new();
    while let Some(part) = parts.next_field().await.map_err(bad)? {
        let name = part.name().unwrap_or_default().to_owned();
        pairs.push((name, part.text().await.map_err(bad)?));
    }
    Ok(pairs)
}

/// Sets the token that the next form of this browser sends back, and gives it.
pub(crate) fn fresh_token(web: &Web) -> String {
    let mut bytes = [0; 32];
    web.app.ids().fill(&mut bytes);
    Digest::of(&bytes).to_string()
}

/// Adds the token of a form that comes before a session to its page.
pub(crate) fn with_token(mut response: Response, web: &Web, token: &str) -> Response {
    Cookie::Form.set(&mut response, &web.config, token);
    response
}
