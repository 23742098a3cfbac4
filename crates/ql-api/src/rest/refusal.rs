//! What turns a request away before any use case is called.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use ql_app::Error;

use crate::edge::body::{BodyLimit, BodyRefusal};
use crate::edge::origin::OriginRefusal;
use crate::problem::ProblemDocument;
use ql_core::json::Rejected;

/// Why a request isn't carried out.
pub(super) enum TurnedAway {
    Origin(OriginRefusal),
    Method(Vec<Method>),
    NoCredential,
    BadCredential,
    CannotAuthenticate,
    TooManyFailures(Duration),
    Csrf,
    NotJson,
    Body(BodyRefusal, BodyLimit),
    Malformed(Rejected),
    Document(Box<ProblemDocument>),
}

impl From<ProblemDocument> for TurnedAway {
    fn from(document: ProblemDocument) -> Self {
        Self::Document(Box::new(document))
    }
}

impl From<Error> for TurnedAway {
    fn from(error: Error) -> Self {
        Self::Document(Box::new(error.into()))
    }
}

impl IntoResponse for TurnedAway {
    fn into_response(self) -> Response {
        let mut headers = HeaderMap::new();
        let document = match self {
            Self::Document(document) => *document,
            Self::Origin(refusal) => origin(&refusal),
            Self::Method(allowed) => {
                let names: Vec<&str> = allowed.iter().map(Method::as_str).collect();
                let names = names.join(", ");
                let allow = HeaderValue::try_from(&names).expect("names of methods are ASCII");
                headers.insert(header::ALLOW, allow);
                method(&names)
            }
            Self::NoCredential => {
                headers.insert(header::WWW_AUTHENTICATE, CHALLENGE);
                unauthenticated("no credential was sent")
            }
            Self::BadCredential => {
                headers.insert(header::WWW_AUTHENTICATE, INVALID_TOKEN);
                unauthenticated("the credential isn't valid")
            }
            Self::CannotAuthenticate => unavailable(),
            Self::TooManyFailures(wait) => {
                too_many(wait, "too many failed authentications from this address")
            }
            Self::Csrf => csrf(),
            Self::NotJson => not_json(),
            Self::Body(refusal, limit) => body(refusal, limit),
            Self::Malformed(rejected) => malformed(rejected),
        };
        let mut response = document.into_response();
        response.headers_mut().extend(headers);
        response
    }
}

const CHALLENGE: HeaderValue = HeaderValue::from_static(r#"Bearer realm="querylayer""#);
const INVALID_TOKEN: HeaderValue =
    HeaderValue::from_static(r#"Bearer realm="querylayer", error="invalid_token""#);

/// Something happens too often.
pub(super) fn too_many(wait: Duration, what: &str) -> ProblemDocument {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    let remedy = format!("Wait {seconds} s and try again.");
    ProblemDocument::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", what, remedy)
        .with_retry_after(seconds)
}

fn origin(refusal: &OriginRefusal) -> ProblemDocument {
    const REMEDY: &str = "Use the address that the server is configured for.";
    let (status, code, detail) = match refusal {
        OriginRefusal::NoHost => (
            StatusCode::BAD_REQUEST,
            "bad_host",
            "the Host header is missing or unreadable",
        ),
        OriginRefusal::Host => (
            StatusCode::FORBIDDEN,
            "host_refused",
            "this server isn't configured to be reached under this Host name",
        ),
        OriginRefusal::Origin => (
            StatusCode::FORBIDDEN,
            "origin_refused",
            "this server isn't configured to be called by pages of this Origin",
        ),
    };
    ProblemDocument::new(status, code, detail, REMEDY)
}

fn method(allowed: &str) -> ProblemDocument {
    ProblemDocument::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this path isn't served for this method",
        format!("Use {allowed}."),
    )
}

fn unauthenticated(detail: &str) -> ProblemDocument {
    ProblemDocument::new(
        StatusCode::UNAUTHORIZED,
        "unauthenticated",
        detail,
        "Sign in on the dashboard and send its session cookie, or send a personal token as `Authorization: Bearer qlp_…`.",
    )
}

fn unavailable() -> ProblemDocument {
    ProblemDocument::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "unavailable",
        "the server can't check credentials at the moment",
        "Try again in a moment.",
    )
}

fn csrf() -> ProblemDocument {
    ProblemDocument::new(
        StatusCode::FORBIDDEN,
        "csrf_token_required",
        "a session changes something only with its CSRF token, which is missing or isn't this session's",
        "Send the csrf_token of GET /api/v1/session in the X-CSRF-Token header.",
    )
}

fn not_json() -> ProblemDocument {
    ProblemDocument::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "unsupported_media_type",
        "the Content-Type header says something else than application/json, or nothing",
        "Send the body as application/json.",
    )
}

/// Why a body isn't taken.
pub(super) fn body(refusal: BodyRefusal, limit: BodyLimit) -> ProblemDocument {
    let (status, code, detail) = match refusal {
        BodyRefusal::TooLarge => (
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!("the body is larger than {} bytes", limit.bytes),
        ),
        BodyRefusal::TooSlow => (
            StatusCode::REQUEST_TIMEOUT,
            "body_too_slow",
            format!("the body didn't arrive within {} s", limit.time.as_secs()),
        ),
        BodyRefusal::Broken => (
            StatusCode::BAD_REQUEST,
            "body_broken",
            "the body broke off".to_owned(),
        ),
    };
    ProblemDocument::new(status, code, detail, "Send a smaller body, at once.")
}

fn malformed(rejected: Rejected) -> ProblemDocument {
    const REMEDY: &str = "Send one JSON object in UTF-8; nothing was changed.";
    match rejected {
        Rejected::Malformed { pointer, message } => {
            let detail = format!("the body isn't valid JSON: {message}");
            let problem = ql_core::problem::Problem::new(pointer, "malformed", message);
            ProblemDocument::new(StatusCode::BAD_REQUEST, "malformed_json", detail, REMEDY)
                .with_problems(vec![problem])
        }
        Rejected::Refused { problems, .. } => {
            let detail = "the JSON breaks a rule by which one text means one value";
            ProblemDocument::new(StatusCode::BAD_REQUEST, "refused_json", detail, REMEDY)
                .with_problems(problems)
        }
    }
}
