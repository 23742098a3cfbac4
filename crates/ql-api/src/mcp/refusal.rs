//! Requests that never reach a method, each answered in JSON-RPC shape.

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::json;

use super::message::Invalid;
use super::rpc::{
    self, FORBIDDEN, INTERNAL_ERROR, INVALID_REQUEST, Id, RATE_LIMITED, RpcError, UNAUTHENTICATED,
};
use crate::edge::body::{BodyLimit, BodyRefusal};
use crate::edge::origin::OriginRefusal;

/// Why a request is turned away.
pub(crate) enum TurnedAway {
    Origin(OriginRefusal),
    Method,
    NoCredential,
    BadCredential,
    CannotAuthenticate,
    TooManyFailures(Duration),
    TooManyCalls(Option<Id>, Duration),
    NotAcceptable,
    NotJson,
    Body(BodyRefusal, BodyLimit),
    Message(Invalid),
}

impl TurnedAway {
    pub(crate) fn into_response(self) -> Response {
        match self {
            Self::Origin(refusal) => origin(&refusal),
            Self::Method => method(),
            Self::NoCredential => unauthenticated(
                r#"Bearer realm="querylayer""#,
                "no bearer token was sent: put the connection's token into the Authorization header as `Bearer qla_…`; if a variable should have filled it in, that variable was empty",
            ),
            Self::BadCredential => unauthenticated(
                r#"Bearer realm="querylayer", error="invalid_token""#,
                "the token isn't valid: an administrator can issue a new connection on the dashboard",
            ),
            Self::CannotAuthenticate => plain(
                StatusCode::SERVICE_UNAVAILABLE,
                INTERNAL_ERROR,
                "the server can't check credentials at the moment; try again",
            ),
            Self::TooManyFailures(wait) => rate_limited(
                None,
                wait,
                "too many failed authentications from this address",
            ),
            Self::TooManyCalls(id, wait) => {
                rate_limited(id.as_ref(), wait, "this connection's calls come too fast")
            }
            Self::NotAcceptable => plain(
                StatusCode::NOT_ACCEPTABLE,
                INVALID_REQUEST,
                "answers are application/json, which the Accept header rules out",
            ),
            Self::NotJson => plain(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                INVALID_REQUEST,
                "post application/json; the Content-Type header says something else or nothing",
            ),
            Self::Body(refusal, limit) => body(refusal, limit),
            Self::Message(invalid) => {
                rpc::failed(StatusCode::BAD_REQUEST, invalid.id.as_ref(), &invalid.error)
            }
        }
    }
}

fn plain(status: StatusCode, code: i32, message: &str) -> Response {
    rpc::failed(status, None, &RpcError::new(code, message))
}

fn origin(refusal: &OriginRefusal) -> Response {
    match refusal {
        OriginRefusal::NoHost => plain(
            StatusCode::BAD_REQUEST,
            INVALID_REQUEST,
            "the Host header is missing or unreadable",
        ),
        OriginRefusal::Host => plain(
            StatusCode::FORBIDDEN,
            FORBIDDEN,
            "this server isn't configured to be reached under this Host name; its operator sets the address with --public-url",
        ),
        OriginRefusal::Origin => plain(
            StatusCode::FORBIDDEN,
            FORBIDDEN,
            "this server isn't configured to be called by pages of this Origin",
        ),
    }
}

fn method() -> Response {
    let mut response = plain(
        StatusCode::METHOD_NOT_ALLOWED,
        INVALID_REQUEST,
        "only POST is served here: there are no sessions to end and no streams to open",
    );
    response
        .headers_mut()
        .insert(header::ALLOW, HeaderValue::from_static("POST"));
    response
}

fn unauthenticated(challenge: &'static str, message: &str) -> Response {
    let error =
        RpcError::new(UNAUTHENTICATED, message).with_data(json!({ "code": "unauthenticated" }));
    let mut response = rpc::failed(StatusCode::UNAUTHORIZED, None, &error);
    response.headers_mut().insert(
        header::WWW_AUTHENTICATE,
        HeaderValue::from_static(challenge),
    );
    response
}

fn rate_limited(id: Option<&Id>, wait: Duration, what: &str) -> Response {
    let seconds = whole_seconds(wait);
    let error = RpcError::new(
        RATE_LIMITED,
        format!("{what}; wait {seconds} s and try again"),
    )
    .with_data(json!({ "code": "rate_limited", "retry_after_seconds": seconds }));
    let mut response = rpc::failed(StatusCode::TOO_MANY_REQUESTS, id, &error);
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// The wait in whole seconds, rounded up.
pub(crate) fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

fn body(refusal: BodyRefusal, limit: BodyLimit) -> Response {
    match refusal {
        BodyRefusal::TooLarge => plain(
            StatusCode::PAYLOAD_TOO_LARGE,
            INVALID_REQUEST,
            &format!(
                "the body is larger than {} bytes, the most that is accepted",
                limit.bytes
            ),
        ),
        BodyRefusal::TooSlow => plain(
            StatusCode::REQUEST_TIMEOUT,
            INVALID_REQUEST,
            &format!("the body didn't arrive within {} s", limit.time.as_secs()),
        ),
        BodyRefusal::Broken => plain(
            StatusCode::BAD_REQUEST,
            INVALID_REQUEST,
            "the body broke off",
        ),
    }
}
