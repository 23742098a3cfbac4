//! The way of a request to its handler: where it comes from, who sends it, what it carries.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts as _, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use ql_app::{App, Error, SignedIn, Unauthenticated};
use serde_json::{Map, Value};

use super::cookie::cookie;
use super::refusal::TurnedAway;
use super::route::{Call, Route};
use super::upload::Upload;
use super::{Rest, RestConfig};
use crate::edge::credential::{self, Credential};
use crate::edge::guard::FailureGuard;
use crate::edge::peer::Peer;
use ql_core::json;

const CSRF: HeaderName = HeaderName::from_static("x-csrf-token");

/// What lets requests in.
pub(super) struct Gate {
    app: App,
    config: RestConfig,
    failures: Option<FailureGuard>,
}

impl Gate {
    pub(super) fn new(app: App, config: RestConfig) -> Self {
        let failures = config.failed_authentications.map(FailureGuard::new);
        Self {
            app,
            config,
            failures,
        }
    }

    /// Serves one request to a path, whose routes are told apart by their methods.
    pub(super) async fn serve(
        &self,
        rest: &Arc<Rest>,
        routes: &[Route],
        request: Request,
    ) -> Response {
        let (mut parts, body) = request.into_parts();
        let credential = credential::take(&mut parts.headers);
        // A path that doesn't decode has no parts, and names nothing.
        let path = RawPathParams::from_request_parts(&mut parts, &()).await;
        let path = path.iter().flatten();
        let path = path.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let arrived = Arrived {
            parts,
            body,
            credential,
            path: path.collect(),
        };
        let answered = self.answer(rest, routes, arrived).await;
        finished(answered.unwrap_or_else(TurnedAway::into_response))
    }

    /// Serves a document that everybody may read.
    pub(super) fn publish(&self, parts: &Parts, document: String) -> Response {
        let refusal = self.config.origins.check(&parts.uri, &parts.headers).err();
        let response = match (refusal, &parts.method) {
            (Some(refusal), _) => TurnedAway::Origin(refusal).into_response(),
            (None, &Method::GET | &Method::HEAD) => json_response(StatusCode::OK, document),
            (None, _) => TurnedAway::Method(vec![Method::GET, Method::HEAD]).into_response(),
        };
        finished(response)
    }

    async fn answer(
        &self,
        rest: &Arc<Rest>,
        routes: &[Route],
        arrived: Arrived,
    ) -> Result<Response, TurnedAway> {
        let Arrived {
            parts,
            body,
            credential,
            path,
        } = arrived;
        let checked = self.config.origins.check(&parts.uri, &parts.headers);
        checked.map_err(TurnedAway::Origin)?;
        let route = find(routes, &parts.method)?;
        let limit = if route.is_upload() {
            self.config.upload
        } else {
            self.config.body
        };
        let admitted = match limit.check_announced(&parts.headers) {
            Err(refusal) => Err(TurnedAway::Body(refusal, limit)),
            Ok(()) => self.admit(&parts, credential).await,
        };
        let signed_in = match admitted {
            Ok(signed_in) => signed_in,
            Err(refusal) => {
                limit.drain(&parts.headers, body).await;
                return Err(refusal);
            }
        };
        if route.is_upload() {
            let upload = Upload::new(&parts.headers, body, limit);
            let rest = Arc::clone(rest);
            return receive(route, &parts, (rest, signed_in, path), upload).await;
        }
        let (query, body) = self.input(route, &parts, body).await?;
        let call = Call {
            rest: Arc::clone(rest),
            signed_in,
            path,
            query,
            body,
        };
        let answer = route.answer(call).await?;
        Ok(response(route.status, route.media, answer))
    }

    /// Who sends a request. A session that changes something carries its CSRF token as well.
    async fn admit(&self, parts: &Parts, credential: Credential) -> Result<SignedIn, TurnedAway> {
        let presented = match credential {
            Credential::Bearer(token) => Presented::Token(token),
            Credential::None => cookie(&parts.headers, self.app.session_cookie())
                .map(Presented::Session)
                .ok_or(TurnedAway::NoCredential)?,
        };
        let signed_in = self.authenticate(parts, &presented).await?;
        let safe = matches!(parts.method, Method::GET | Method::HEAD);
        let csrf = parts
            .headers
            .get(CSRF)
            .and_then(|value| value.to_str().ok());
        let proven = csrf.is_some_and(|csrf| signed_in.has_csrf(csrf));
        match presented {
            Presented::Session(_) if !safe && !proven => Err(TurnedAway::Csrf),
            Presented::Session(_) | Presented::Token(_) => Ok(signed_in),
        }
    }

    async fn authenticate(
        &self,
        parts: &Parts,
        presented: &Presented,
    ) -> Result<SignedIn, TurnedAway> {
        let secret = presented.secret();
        let guard = self
            .failures
            .as_ref()
            .map(|guard| (guard, Peer::of(&parts.extensions)));
        if let Some((guard, peer)) = &guard {
            guard
                .admit(*peer, secret, self.app.now())
                .map_err(TurnedAway::TooManyFailures)?;
        }
        let found = match presented {
            Presented::Session(secret) => self.app.authenticate_session(secret).await,
            Presented::Token(token) => self.app.authenticate_personal_token(token).await,
        };
        match (found, guard) {
            (Ok(signed_in), guard) => {
                if let Some((guard, _)) = guard {
                    guard.succeeded(secret);
                }
                Ok(signed_in)
            }
            (Err(Unauthenticated::Unavailable), _) => Err(TurnedAway::CannotAuthenticate),
            (Err(Unauthenticated::Refused), guard) => {
                if let Some((guard, peer)) = guard {
                    guard.failed(peer, secret, self.app.now());
                }
                Err(TurnedAway::BadCredential)
            }
        }
    }

    /// The query and the body, both read strictly; everything wrong with either is said at once.
    async fn input(
        &self,
        route: &Route,
        parts: &Parts,
        body: Body,
    ) -> Result<(Value, Value), TurnedAway> {
        let query = route.query.read_query(parts.uri.query());
        let body = route.body.check(self.body(route, parts, body).await?);
        match (query, body) {
            (Ok(query), Ok(body)) => Ok((query, body)),
            (query, body) => {
                let mut problems = query.err().unwrap_or_default();
                problems.extend(body.err().unwrap_or_default());
                Err(Error::Invalid(problems).into())
            }
        }
    }

    async fn body(&self, route: &Route, parts: &Parts, body: Body) -> Result<Value, TurnedAway> {
        let nothing = Value::Object(Map::new());
        if matches!(parts.method, Method::GET | Method::HEAD) {
            return Ok(nothing);
        }
        let limit = self.config.body;
        let text = limit.read(body).await;
        let text = text.map_err(|refusal| TurnedAway::Body(refusal, limit))?;
        if text.is_empty() && route.body.is_empty() {
            return Ok(nothing);
        }
        if !is_json(&parts.headers) {
            return Err(TurnedAway::NotJson);
        }
        json::read(&text).map_err(TurnedAway::Malformed)
    }
}

/// Hands a body on that is taken piece by piece.
async fn receive(
    route: &Route,
    parts: &Parts,
    (rest, signed_in, path): (Arc<Rest>, SignedIn, Vec<(String, String)>),
    mut body: Upload,
) -> Result<Response, TurnedAway> {
    let query = match route.query.read_query(parts.uri.query()) {
        Ok(query) => query,
        Err(problems) => {
            body.forget().await;
            return Err(Error::Invalid(problems).into());
        }
    };
    let call = Call {
        rest,
        signed_in,
        path,
        query,
        body,
    };
    let answer = route.receive(call).await?;
    Ok(response(route.status, route.media, answer))
}

struct Arrived {
    parts: Parts,
    body: Body,
    credential: Credential,
    path: Vec<(String, String)>,
}

/// The secret that a request came with.
enum Presented {
    Session(String),
    Token(String),
}

impl Presented {
    fn secret(&self) -> &str {
        match self {
            Self::Session(secret) | Self::Token(secret) => secret,
        }
    }
}

fn find<'r>(routes: &'r [Route], method: &Method) -> Result<&'r Route, TurnedAway> {
    // HEAD is GET without the body, which the router takes off.
    let wanted = match *method {
        Method::HEAD => &Method::GET,
        _ => method,
    };
    let found = routes.iter().find(|route| route.method == *wanted);
    found.ok_or_else(|| {
        let mut allowed: Vec<Method> = routes.iter().map(|route| route.method.clone()).collect();
        if allowed.contains(&Method::GET) {
            allowed.push(Method::HEAD);
        }
        TurnedAway::Method(allowed)
    })
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE);
    let value = value.and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

fn json_response(status: StatusCode, body: impl Into<Body>) -> Response {
    response(status, "application/json", body)
}

fn response(status: StatusCode, media: &'static str, body: impl Into<Body>) -> Response {
    let body = match status {
        StatusCode::NO_CONTENT => Body::empty(),
        _ => body.into(),
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    if status != StatusCode::NO_CONTENT {
        let media = HeaderValue::from_static(media);
        response.headers_mut().insert(header::CONTENT_TYPE, media);
    }
    response
}

/// What every answer says to browsers and caches: keep nothing, guess nothing.
fn finished(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}
