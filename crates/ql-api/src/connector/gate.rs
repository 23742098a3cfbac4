//! The way of a connector's call to its handler: where it comes from, with which token, what it
//! carries. Every refusal is a problem document.

use std::pin::Pin;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use ql_app::{App, Error, OpContext, Unauthenticated};
use ql_core::id::ConnectionId;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::edge::credential::{self, Credential};
use crate::edge::guard::FailureGuard;
use crate::edge::peer::Peer;
use crate::edge::rate::RateLimit;
use crate::input::schema::closed;
use crate::input::shape::{Findings, Shape};
use crate::mcp::McpConfig;
use crate::problem::ProblemDocument;
use ql_core::json;

/// A call that was let in, with its input.
pub(super) struct Call<B> {
    pub(super) app: App,
    pub(super) ctx: OpContext,
    pub(super) body: B,
}

type Answering = Pin<Box<dyn Future<Output = Result<Vec<u8>, Error>> + Send>>;

/// One call: how its input is checked, and what carries it out.
pub(super) struct Handler {
    shape: Shape,
    call: Box<dyn Fn(Call<Value>) -> Answering + Send + Sync>,
}

impl Handler {
    pub(super) fn of<B, A, F, R>(handler: F) -> Self
    where
        B: DeserializeOwned + JsonSchema + Send + 'static,
        A: Serialize + 'static,
        F: Fn(Call<B>) -> R + Copy + Send + Sync + 'static,
        R: Future<Output = Result<A, Error>> + Send + 'static,
    {
        let call = move |call: Call<Value>| -> Answering {
            Box::pin(async move {
                let typed = Call {
                    body: serde_json::from_value(call.body)?,
                    app: call.app,
                    ctx: call.ctx,
                };
                Ok(serde_json::to_vec(&handler(typed).await?)?)
            })
        };
        Self {
            shape: Shape::compile(&closed::<B>()).expect("a test compiles every schema"),
            call: Box::new(call),
        }
    }
}

/// What lets connectors in.
pub(super) struct Gate {
    app: App,
    config: McpConfig,
    calls: Option<RateLimit<ConnectionId>>,
    failures: Option<FailureGuard>,
}

impl Gate {
    pub(super) fn new(app: App, config: McpConfig) -> Self {
        Self {
            calls: config.calls.map(RateLimit::new),
            failures: config.failed_authentications.map(FailureGuard::new),
            app,
            config,
        }
    }

    /// Answers one request. The credential leaves it before anything else happens.
    pub(super) async fn serve(&self, handler: &Handler, request: Request) -> Response {
        let (mut parts, body) = request.into_parts();
        let credential = credential::take(&mut parts.headers);
        let answered = self.answer(handler, (parts, body), credential).await;
        let mut response = match answered {
            Ok(json) => {
                let media = HeaderValue::from_static("application/json");
                ([(header::CONTENT_TYPE, media)], json).into_response()
            }
            Err(document) => document.into_response(),
        };
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    async fn answer(
        &self,
        handler: &Handler,
        (parts, body): (Parts, Body),
        credential: Credential,
    ) -> Result<Vec<u8>, ProblemDocument> {
        let origin = self.config.origins.check(&parts.uri, &parts.headers);
        origin.map_err(|_| refused(StatusCode::FORBIDDEN, "forbidden_origin"))?;
        if parts.method != Method::POST {
            return Err(refused(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
            ));
        }
        let limit = self.config.body;
        let announced = limit.check_announced(&parts.headers);
        let admitted = match announced {
            Err(_) => Err(refused(StatusCode::PAYLOAD_TOO_LARGE, "body_refused")),
            Ok(()) => self.admit(&parts, credential).await,
        };
        let ctx = match admitted {
            Ok(ctx) => ctx,
            Err(document) => {
                limit.drain(&parts.headers, body).await;
                return Err(document);
            }
        };
        let text = limit.read(body).await;
        let text = text.map_err(|_| refused(StatusCode::PAYLOAD_TOO_LARGE, "body_refused"))?;
        let body =
            json::read(&text).map_err(|_| refused(StatusCode::BAD_REQUEST, "malformed_json"))?;
        let body = checked(handler, body)?;
        let call = Call {
            app: self.app.clone(),
            ctx,
            body,
        };
        Ok((handler.call)(call).await?)
    }

    async fn admit(
        &self,
        parts: &Parts,
        credential: Credential,
    ) -> Result<OpContext, ProblemDocument> {
        let Credential::Bearer(token) = credential else {
            return Err(refused(StatusCode::UNAUTHORIZED, "unauthenticated"));
        };
        let peer = Peer::of(&parts.extensions);
        if let Some(guard) = &self.failures {
            let admitted = guard.admit(peer, &token, self.app.now());
            admitted.map_err(too_many)?;
        }
        match (
            self.app.authenticate_connection(&token).await,
            &self.failures,
        ) {
            (Ok(ctx), guard) => {
                if let Some(guard) = guard {
                    guard.succeeded(&token);
                }
                if let Some(limit) = &self.calls {
                    let counted = limit.count(ctx.agent()?.connection, self.app.now());
                    counted.map_err(too_many)?;
                }
                Ok(ctx)
            }
            (Err(Unauthenticated::Unavailable), _) => {
                Err(refused(StatusCode::SERVICE_UNAVAILABLE, "unavailable"))
            }
            (Err(Unauthenticated::Refused), guard) => {
                if let Some(guard) = guard {
                    guard.failed(peer, &token, self.app.now());
                }
                Err(refused(StatusCode::UNAUTHORIZED, "unauthenticated"))
            }
        }
    }
}

/// The body, checked against the call's schema.
fn checked(handler: &Handler, mut body: Value) -> Result<Value, Error> {
    let mut found = Findings::default();
    handler.shape.check(&mut body, "", &mut found);
    if found.problems.is_empty() {
        Ok(body)
    } else {
        Err(Error::Invalid(found.problems))
    }
}

fn too_many(wait: Duration) -> ProblemDocument {
    let seconds = crate::mcp::whole_seconds(wait);
    refused(StatusCode::TOO_MANY_REQUESTS, "rate_limited").with_retry_after(seconds)
}

/// What is said to a call that reached no use case.
fn refused(status: StatusCode, code: &'static str) -> ProblemDocument {
    let (detail, remedy) = match code {
        "unauthenticated" => (
            "the agent's token wasn't sent, or isn't valid",
            "Send the connection's token as Authorization: Bearer qla_…; an administrator can issue a new one.",
        ),
        "rate_limited" => (
            "these calls come too fast",
            "Wait as long as Retry-After says.",
        ),
        "unavailable" => (
            "the server can't check credentials at the moment",
            "Try again in a moment.",
        ),
        "method_not_allowed" => ("only POST is served here", "Post a JSON object."),
        "malformed_json" => (
            "the body isn't JSON that means one thing",
            "Post a JSON object.",
        ),
        "body_refused" => (
            "the body is too large, or came too slowly",
            "Send less at once.",
        ),
        _ => (
            "this server doesn't answer to that host or origin",
            "Use its public address.",
        ),
    };
    ProblemDocument::new(status, code, detail, remedy)
}
