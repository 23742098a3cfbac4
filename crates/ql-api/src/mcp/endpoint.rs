//! One request from the socket to its answer.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request as HttpRequest;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use ql_core::id::ConnectionId;
use serde_json::json;

use super::McpConfig;
use super::answer::{Answer, Refusal};
use super::backend::{AuthenticationError, Backend, Caller};
use super::era;
use super::message::{self, Message, Request};
use super::methods::{Admitted, Methods, Results};
use super::refusal::{TurnedAway, whole_seconds};
use crate::edge::cors;
use crate::edge::credential::{self, Credential};
use crate::edge::guard::FailureGuard;
use crate::edge::peer::Peer;
use crate::edge::rate::RateLimit;

/// The endpoint with everything that it decides from.
pub(crate) struct Endpoint<B: Backend, M> {
    backend: B,
    methods: M,
    config: McpConfig,
    calls: Option<RateLimit<ConnectionId>>,
    failures: Option<FailureGuard>,
    results: Results,
}

impl<B: Backend, M: Methods<B>> Endpoint<B, M> {
    /// The endpoint of a backend, whose admitted requests `methods` answers.
    pub(crate) fn new(backend: B, methods: M, config: McpConfig) -> Arc<Self> {
        Arc::new(Self {
            calls: config.calls.map(RateLimit::new),
            failures: config.failed_authentications.map(FailureGuard::new),
            results: Results::new(),
            backend,
            methods,
            config,
        })
    }

    /// Answers one request. The credential leaves it before anything else happens.
    pub(crate) async fn serve(&self, request: HttpRequest) -> Response {
        let (mut parts, body) = request.into_parts();
        let credential = credential::take(&mut parts.headers);
        let origin = match self.config.origins.check(&parts.uri, &parts.headers) {
            Ok(origin) => origin,
            Err(refusal) => return TurnedAway::Origin(refusal).into_response(),
        };
        let mut response = if parts.method == Method::OPTIONS {
            cors::preflight(origin.is_some())
        } else {
            let answered = self.answer(parts, body, credential).await;
            answered.unwrap_or_else(TurnedAway::into_response)
        };
        if let Some(origin) = origin {
            cors::allow_origin(response.headers_mut(), origin);
        }
        response
    }

    async fn answer(
        &self,
        parts: Parts,
        body: Body,
        credential: Credential,
    ) -> Result<Response, TurnedAway> {
        if parts.method != Method::POST {
            return Err(TurnedAway::Method);
        }
        let limit = self.config.body;
        if let Err(refusal) = limit.check_announced(&parts.headers) {
            limit.drain(&parts.headers, body).await;
            return Err(TurnedAway::Body(refusal, limit));
        }
        let caller = match self.authenticate(&parts, credential).await {
            Ok(caller) => caller,
            Err(refusal) => {
                limit.drain(&parts.headers, body).await;
                return Err(refusal);
            }
        };
        let wait = self.count_call(&caller).err();
        check_content(&parts.headers)?;
        let text = limit
            .read(body)
            .await
            .map_err(|refusal| TurnedAway::Body(refusal, limit))?;
        match message::read(&text).map_err(TurnedAway::Message)? {
            Message::Notification => Ok(accepted()),
            Message::Request(request) => {
                if let Some(wait) = wait {
                    return self.too_fast(&parts.headers, request, wait);
                }
                let admitted = Admitted {
                    parts,
                    text,
                    request,
                    caller,
                };
                self.methods.answer(admitted).await
            }
        }
    }

    async fn authenticate(
        &self,
        parts: &Parts,
        credential: Credential,
    ) -> Result<B::Caller, TurnedAway> {
        let Credential::Bearer(token) = credential else {
            return Err(TurnedAway::NoCredential);
        };
        let guard = self
            .failures
            .as_ref()
            .map(|guard| (guard, Peer::of(&parts.extensions)));
        if let Some((guard, peer)) = &guard {
            guard
                .admit(*peer, &token, self.backend.now())
                .map_err(TurnedAway::TooManyFailures)?;
        }
        match (self.backend.authenticate(&token).await, guard) {
            (Ok(caller), guard) => {
                if let Some((guard, _)) = guard {
                    guard.succeeded(&token);
                }
                Ok(caller)
            }
            (Err(AuthenticationError::Unavailable), _) => Err(TurnedAway::CannotAuthenticate),
            (Err(AuthenticationError::Invalid), guard) => {
                if let Some((guard, peer)) = guard {
                    guard.failed(peer, &token, self.backend.now());
                }
                Err(TurnedAway::BadCredential)
            }
        }
    }

    fn count_call(&self, caller: &B::Caller) -> Result<(), Duration> {
        match &self.calls {
            Some(limit) => limit.count(caller.connection(), self.backend.now()),
            None => Ok(()),
        }
    }

    /// A call over the limit is an intended refusal, since harnesses count faults against the
    /// server; anything else has only HTTP to say it with.
    fn too_fast(
        &self,
        headers: &HeaderMap,
        request: Request,
        wait: Duration,
    ) -> Result<Response, TurnedAway> {
        let era = era::of(headers, &request).ok().flatten();
        let (Some(era), "tools/call") = (era, request.method.as_str()) else {
            return Err(TurnedAway::TooManyCalls(Some(request.id), wait));
        };
        let seconds = whole_seconds(wait);
        let refusal = Refusal {
            code: "rate_limited",
            message: "This connection's calls come too fast.".to_owned(),
            remedy: format!("Wait {seconds} s, then call again with the same arguments."),
            details: json!({ "retry_after_seconds": seconds }),
        };
        let refused = Answer::refusal(&refusal);
        Ok(self.results.of_tool(era, &request.id, &refused))
    }
}

/// Checks that JSON is sent and that JSON may be answered. A narrow `Accept` is tolerated: clients
/// that list only one of the two types of the specification, or anything at all, get JSON.
fn check_content(headers: &HeaderMap) -> Result<(), TurnedAway> {
    let essence = |value: &str| {
        value
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase()
    };
    let sent = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .map(essence);
    if sent.as_deref() != Some("application/json") {
        return Err(TurnedAway::NotJson);
    }
    let mut accepts = headers.get_all(header::ACCEPT).iter().peekable();
    let admitted = [
        "application/json",
        "text/event-stream",
        "application/*",
        "text/*",
        "*/*",
        "",
    ];
    let admits = |value: &HeaderValue| {
        let value = value.to_str().unwrap_or_default();
        value
            .split(',')
            .any(|range| admitted.contains(&essence(range).as_str()))
    };
    if accepts.peek().is_none() || accepts.any(admits) {
        return Ok(());
    }
    Err(TurnedAway::NotAcceptable)
}

fn accepted() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}
