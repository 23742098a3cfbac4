//! What an address says: identifiers in its path, filters in its query.

use std::convert::Infallible;
use std::str::FromStr;

use axum::extract::{FromRequestParts, Query, RawPathParams};
use http::request::Parts;
use ql_core::page::{Cursor, PageRequest};

use super::error::{WebError, percent};

/// The identifier in the path: `{id}`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Id<T>(pub(crate) T);

/// The second identifier in the path: `{part}`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<T>(pub(crate) T);

impl<S: Send + Sync, T: FromStr> FromRequestParts<S> for Id<T> {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, WebError> {
        named(parts, state, "id").await.map(Self)
    }
}

impl<S: Send + Sync, T: FromStr> FromRequestParts<S> for Part<T> {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, WebError> {
        named(parts, state, "part").await.map(Self)
    }
}

/// Reads one named piece of the path.
pub(crate) async fn named<S: Send + Sync, T: FromStr>(
    parts: &mut Parts,
    state: &S,
    name: &str,
) -> Result<T, WebError> {
    let params = RawPathParams::from_request_parts(parts, state).await;
    let params = params.map_err(|_| WebError::NotFound)?;
    let found = params.iter().find(|(key, _)| *key == name);
    found
        .and_then(|(_, value)| value.parse().ok())
        .ok_or(WebError::NotFound)
}

/// The query of the address, as it came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Params(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Params {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let read = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        Ok(Self(read.map(|Query(pairs)| pairs).unwrap_or_default()))
    }
}

impl Params {
    /// The value of `name`, unless it's empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self
            .0
            .iter()
            .find(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    /// The value of `name`, read; none where it's absent or no such value.
    pub(crate) fn parse<T: FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }

    /// The text of `name`, for showing it again.
    pub(crate) fn text(&self, name: &str) -> String {
        self.get(name).unwrap_or_default().to_owned()
    }

    /// The page of a list that the address asks for.
    pub(crate) fn page(&self, limit: u32) -> PageRequest {
        PageRequest::new(Some(limit), self.parse("cursor"))
    }

    /// `path` with this query, in which `changes` take the place of what stood there.
    pub(crate) fn address(&self, path: &str, changes: &[(&str, &str)]) -> String {
        let kept = self.0.iter().filter(|(key, _)| {
            key != "notice" && changes.iter().all(|(changed, _)| changed != key)
        });
        let kept = kept.map(|(key, value)| (key.as_str(), value.as_str()));
        let pairs = kept
            .chain(changes.iter().copied())
            .filter(|(_, value)| !value.is_empty());
        let query: Vec<String> = pairs
            .map(|(key, value)| format!("{key}={}", percent(value)))
            .collect();
        if query.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{}", query.join("&"))
        }
    }

    /// The address of the next page of a list.
    pub(crate) fn next(&self, path: &str, next: Option<&Cursor>) -> Option<String> {
        next.map(|cursor| self.address(path, &[("cursor", &cursor.encode())]))
    }

    /// Whether any of `names` narrows the list.
    pub(crate) fn any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.get(name).is_some())
    }
}
