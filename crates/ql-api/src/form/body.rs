//! What a visitor sent, as JSON or as a browser's form.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use percent_encoding::percent_decode;
use ql_app::Error;
use ql_core::form::{Answers, FILL_TOKEN, HONEYPOT, NEXT};
use ql_core::problem::{Problem, escape};
use serde_json::Value;

use crate::edge::body::{BodyLimit, BodyRefusal};
use crate::problem::ProblemDocument;
use ql_core::json::{self, Rejected};

/// A post, taken apart.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) answers: Answers,
    pub(super) honeypot: Option<String>,
    pub(super) fill_token: Option<String>,
    /// The page of the site to go to afterwards.
    pub(super) next: Option<String>,
    /// Whether a person looks at the answer in a browser.
    pub(super) wants_page: bool,
}

impl Sent {
    pub(super) async fn read(
        headers: &HeaderMap,
        body: Body,
        limit: BodyLimit,
    ) -> Result<Self, ProblemDocument> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let media = text(header::CONTENT_TYPE).unwrap_or_default();
        let media = media.split(';').next().unwrap_or_default().trim();
        let accepts = text(header::ACCEPT).unwrap_or_default();
        let bytes = limit.read(body).await.map_err(refused)?;
        match media.to_ascii_lowercase().as_str() {
            "application/json" => Ok(Self::of(read_json(&bytes)?, false)),
            "application/x-www-form-urlencoded" => {
                Ok(Self::of(read_form(&bytes)?, accepts.contains("text/html")))
            }
            _ => Err(ProblemDocument::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "a form is sent as application/json or application/x-www-form-urlencoded",
                "Set the content type to one of the two.",
            )),
        }
    }

    fn of(mut fields: BTreeMap<String, String>, wants_page: bool) -> Self {
        Self {
            honeypot: fields.remove(HONEYPOT),
            fill_token: fields.remove(FILL_TOKEN).filter(|token| !token.is_empty()),
            next: fields.remove(NEXT),
            answers: fields,
            wants_page,
        }
    }
}

fn refused(refusal: BodyRefusal) -> ProblemDocument {
    let (status, code, detail) = match refusal {
        BodyRefusal::TooLarge => (
            StatusCode::PAYLOAD_TOO_LARGE,
            "payload_too_large",
            "a post has at most 256 KiB",
        ),
        BodyRefusal::TooSlow => (
            StatusCode::REQUEST_TIMEOUT,
            "request_timeout",
            "the post took longer than ten seconds to arrive",
        ),
        BodyRefusal::Broken => (
            StatusCode::BAD_REQUEST,
            "broken_request",
            "the post broke off",
        ),
    };
    ProblemDocument::new(status, code, detail, "Send it again; nothing was kept.")
}

fn read_json(bytes: &[u8]) -> Result<BTreeMap<String, String>, Error> {
    let value = match json::read(bytes) {
        Ok(value) => value,
        Err(Rejected::Malformed { pointer, message }) => {
            return Err(Error::invalid(pointer, "json", message));
        }
        Err(Rejected::Refused { problems, .. }) => return Err(Error::Invalid(problems)),
    };
    let Value::Object(members) = value else {
        return Err(Error::invalid(
            "",
            "type",
            "expected an object of texts by field",
        ));
    };
    let (mut fields, mut problems) = (BTreeMap::new(), Vec::new());
    for (name, value) in members {
        match value {
            Value::String(text) => drop(fields.insert(name, text)),
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                let pointer = format!("/{}", escape(&name));
                problems.push(Problem::new(pointer, "type", "expected a text"));
            }
        }
    }
    if problems.is_empty() {
        Ok(fields)
    } else {
        Err(Error::Invalid(problems))
    }
}

fn read_form(bytes: &[u8]) -> Result<BTreeMap<String, String>, Error> {
    let (mut fields, mut problems) = (BTreeMap::new(), Vec::new());
    let pairs = bytes.split(|byte| *byte == b'&');
    for pair in pairs.filter(|pair| !pair.is_empty()) {
        let mut halves = pair.splitn(2, |byte| *byte == b'=');
        let mut half = || decoded(halves.next().unwrap_or_default());
        let (Some(name), Some(value)) = (half(), half()) else {
            let message = "the form isn't percent-encoded UTF-8";
            problems.push(Problem::new("", "encoding", message));
            continue;
        };
        let pointer = format!("/{}", escape(&name));
        if fields.insert(name, value.replace("\r\n", "\n")).is_some() {
            problems.push(Problem::new(pointer, "duplicate", "the field stands twice"));
        }
    }
    if problems.is_empty() {
        Ok(fields)
    } else {
        Err(Error::Invalid(problems))
    }
}

fn decoded(text: &[u8]) -> Option<String> {
    let spaced: Vec<u8> = text
        .iter()
        .map(|byte| if *byte == b'+' { b' ' } else { *byte })
        .collect();
    let bytes: Vec<u8> = percent_decode(&spaced).collect();
    String::from_utf8(bytes).ok()
}
