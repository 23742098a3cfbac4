//! The public site's side: what was approved, as JSON, without credentials.
//!
//! Every handler calls a delivery use case, and those begin at the live pointer, so nothing that
//! isn't live can be reached. The one exception is a preview link, which names one revision and is
//! signed by the server.

mod cache;
mod item;
mod list;
mod page;
mod preview;
mod selection;
mod sitemap;
mod sync;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use ql_app::App;
use ql_app::session::SiteRef;

use crate::problem::ProblemDocument;

/// The paths that are served, for documentation and for the test that visits each.
pub const ROUTES: [&str; 5] = [
    "/delivery/v1/sites/{site}/items",
    "/delivery/v1/sites/{site}/items/{slug}",
    "/delivery/v1/sites/{site}/sync",
    "/delivery/v1/sites/{site}/sitemap",
    "/delivery/v1/preview/{token}",
];

const PREFIX: &str = "/delivery/v1/";
const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// What is asked for.
#[derive(Clone, Copy)]
struct Asked<'r> {
    app: &'r App,
    query: Option<&'r str>,
    headers: &'r HeaderMap,
}

/// The routes of delivery.
pub fn router(app: App) -> Router {
    Router::new()
        .route("/delivery/v1", any(serve))
        .route("/delivery/v1/", any(serve))
        .route("/delivery/v1/{*path}", any(serve))
        .with_state(app)
}

async fn serve(State(app): State<App>, request: Request) -> Response {
    let (request, _) = request.into_parts();
    let mut response = match request.method {
        // The router takes the body off the answer to HEAD.
        Method::GET | Method::HEAD => answer(&app, &request).await,
        Method::OPTIONS => preflight(),
        _ => method_not_allowed(),
    };
    let headers = response.headers_mut();
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        HeaderValue::from_static("*"),
    );
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("etag, cache-tag"),
    );
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}

async fn answer(app: &App, request: &Parts) -> Response {
    let asked = Asked {
        app,
        query: request.uri.query(),
        headers: &request.headers,
    };
    let path = request.uri.path();
    let answered = route(asked, path.strip_prefix(PREFIX).unwrap_or_default()).await;
    answered.unwrap_or_else(IntoResponse::into_response)
}

/// Finds the handler of a path. Slugs, identifiers and tokens are plain ASCII, so a
/// percent-encoded path names nothing.
async fn route(asked: Asked<'_>, path: &str) -> Result<Response, ProblemDocument> {
    if let Some(token) = path.strip_prefix("preview/") {
        return preview::show(asked, token).await;
    }
    let Some((site, rest)) = path
        .strip_prefix("sites/")
        .and_then(|path| path.split_once('/'))
    else {
        return Err(no_route());
    };
    let site = SiteRef::parse(site);
    match rest {
        "items" => list::show(asked, &site).await,
        "sync" => sync::show(asked, &site).await,
        "sitemap" => sitemap::show(asked, &site).await,
        _ => match rest.strip_prefix("items/") {
            Some(slug) => item::show(asked, &site, slug).await,
            None => Err(no_route()),
        },
    }
}

fn no_route() -> ProblemDocument {
    ProblemDocument::no_route("a site has items, items/{slug}, sync and sitemap")
}

fn preflight() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ALLOW, METHODS);
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, HEAD"),
    );
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("if-none-match"),
    );
    headers.insert(
        header::ACCESS_CONTROL_MAX_AGE,
        HeaderValue::from_static("86400"),
    );
    response
}

fn method_not_allowed() -> Response {
    let document = ProblemDocument::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "delivery is only read",
        "Use GET or HEAD. Content is changed over /api/v1 and over MCP.",
    );
    let mut response = document.into_response();
    response.headers_mut().insert(header::ALLOW, METHODS);
    response
}
