//! `/api/v1`: everything the dashboard does, as JSON, for a member's session or personal token.
//!
//! One file per noun; its `routes` are one table, from which requests are served and the `OpenAPI`
//! document is made. A handler reads its input, calls one use case and renders.

mod agent;
mod answer;
mod audit;
mod brief;
mod connection;
mod console;
mod content;
mod cookie;
mod decision;
mod draft;
mod evidence;
mod form;
mod gate;
mod ledger;
mod member;
mod openapi;
mod organization;
mod policy;
mod preview;
mod proposal;
mod refusal;
mod reverification;
mod revision;
mod route;
mod run;
mod session;
mod site;
mod source;
mod strategy;
mod template;
mod token;
mod topical_map;
mod upload;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::response::IntoResponse as _;
use axum::routing::any;
use ql_app::App;
use ql_core::id::MemberId;
use serde_json::Value;

use self::gate::Gate;
use self::route::Route;
use crate::edge::body::BodyLimit;
use crate::edge::origin::OriginPolicy;
use crate::edge::rate::{Rate, RateLimit};
use crate::problem::ProblemDocument;

/// Where the API begins.
pub const PREFIX: &str = "/api/v1";

/// What an operator may set about the API.
#[derive(Debug, Clone)]
pub struct RestConfig {
    /// Hosts and origins that are served.
    pub origins: OriginPolicy,
    /// Size and time of a body.
    pub body: BodyLimit,
    /// Size of an artifact that is taken piece by piece, and time of each piece.
    pub upload: BodyLimit,
    /// Failed authentications per peer; none means no limit.
    pub failed_authentications: Option<Rate>,
    /// Attempts of a member to prove itself by its password; none means no limit.
    pub passwords: Option<Rate>,
}

impl Default for RestConfig {
    /// Loopback alone, 1 MiB in 30 s, artifacts of 1 GiB, 600 failed authentications a minute with bursts of 300, ten
    /// passwords a minute.
    fn default() -> Self {
        Self {
            origins: OriginPolicy::loopback(),
            body: BodyLimit {
                bytes: 1 << 20,
                time: Duration::from_secs(30),
            },
            upload: BodyLimit {
                bytes: 1 << 30,
                time: Duration::from_secs(30),
            },
            failed_authentications: Some(Rate {
                per_minute: 600,
                burst: 300,
            }),
            passwords: Some(Rate {
                per_minute: 10,
                burst: 10,
            }),
        }
    }
}

/// What every handler works with.
struct Rest {
    app: App,
    passwords: Option<RateLimit<MemberId>>,
}

/// Every route of the API.
fn routes() -> Vec<Route> {
    [
        session::routes(),
        token::routes(),
        organization::routes(),
        member::routes(),
        agent::routes(),
        connection::routes(),
        site::routes(),
        policy::routes(),
        template::routes(),
        content::routes(),
        draft::routes(),
        revision::routes(),
        preview::routes(),
        evidence::routes(),
        form::routes(),
        reverification::routes(),
        source::routes(),
        run::routes(),
        proposal::routes(),
        decision::routes(),
        topical_map::routes(),
        strategy::routes(),
        brief::routes(),
        console::routes(),
        audit::routes(),
        ledger::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The method and the path of every route, as the `OpenAPI` document names them.
pub fn table() -> Vec<(String, String)> {
    let name = |route: Route| (route.method.to_string(), format!("{PREFIX}{}", route.path));
    routes().into_iter().map(name).collect()
}

/// The API's description as an `OpenAPI` 3.1 document.
pub fn openapi() -> Value {
    openapi::document(&routes())
}

/// The routes of the API.
pub fn router(app: App, config: RestConfig) -> Router {
    let passwords = config.passwords.map(RateLimit::new);
    let rest = Arc::new(Rest {
        app: app.clone(),
        passwords,
    });
    let gate = Arc::new(Gate::new(app, config));
    let mut by_path: BTreeMap<&'static str, Vec<Route>> = BTreeMap::new();
    for route in routes() {
        by_path.entry(route.path).or_default().push(route);
    }
    let mut router = Router::new();
    for (path, served) in by_path {
        let (rest, gate, served) = (Arc::clone(&rest), Arc::clone(&gate), Arc::new(served));
        let serve = move |request: Request| {
            let (rest, gate, served) = (Arc::clone(&rest), Arc::clone(&gate), Arc::clone(&served));
            async move { gate.serve(&rest, &served, request).await }
        };
        router = router.route(&format!("{PREFIX}{path}"), any(serve));
    }
    let document = openapi().to_string();
    let openapi = move |request: Request| {
        let (gate, document) = (Arc::clone(&gate), document.clone());
        async move {
            let (parts, _): (Parts, _) = request.into_parts();
            gate.publish(&parts, document)
        }
    };
    router
        .route(&format!("{PREFIX}/openapi.json"), any(openapi))
        .route(PREFIX, any(no_route))
        .route(&format!("{PREFIX}/{{*path}}"), any(no_route))
}

async fn no_route() -> axum::response::Response {
    ProblemDocument::no_route("GET /api/v1/openapi.json lists every call").into_response()
}
