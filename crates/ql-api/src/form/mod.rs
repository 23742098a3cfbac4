//! Public forms: fetched, filled in and sent by visitors, without credentials and without scripts.

mod answer;
mod body;
mod page;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get};
use ql_app::App;
use ql_app::form::{Post, PublicForm};
use ql_app::session::SiteRef;
use serde_json::json;

use self::answer::received;
use self::body::Sent;
use self::page::Page;
use crate::edge::body::BodyLimit;
use crate::edge::peer::Peer;
use crate::problem::ProblemDocument;

/// The paths that are served, for documentation and for the test that visits each.
pub const ROUTES: [&str; 3] = [
    "/forms/{site}/{form}",
    "/forms/{site}/{form}/token",
    "/forms/form.css",
];

const STYLES: &str = include_str!("../../assets/form.css");

/// What a visitor may send: 256 KiB within ten seconds.
const LIMIT: BodyLimit = BodyLimit {
    bytes: 256 << 10,
    time: std::time::Duration::from_secs(10),
};

/// What every handler works with.
#[derive(Clone)]
struct Forms {
    app: App,
}

/// The routes of forms.
pub fn router(app: App) -> Router {
    Router::new()
        .route("/forms/form.css", get(styles))
        .route("/forms/{site}/{form}", any(form))
        .route("/forms/{site}/{form}/token", any(token))
        .with_state(Forms { app })
}

async fn styles() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/css; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=86400"),
    ];
    (headers, STYLES).into_response()
}

async fn form(
    State(forms): State<Forms>,
    Path((site, key)): Path<(String, String)>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let found = match admit(&forms, (&site, &key), &parts.headers).await {
        Ok(found) => found,
        Err(refused) => return refused.into_response(),
    };
    let origin = found.origin.clone();
    let mut response = match parts.method {
        Method::GET | Method::HEAD => shown(&forms, &found.form),
        Method::POST => {
            let network = Peer::of(&parts.extensions).to_string();
            send(&forms, found.form, (&parts.headers, body, network)).await
        }
        Method::OPTIONS => preflight(),
        _ => method_not_allowed("GET, HEAD, POST, OPTIONS"),
    };
    finish(response.headers_mut(), origin);
    response
}

async fn token(
    State(forms): State<Forms>,
    Path((site, key)): Path<(String, String)>,
    request: Request,
) -> Response {
    let found = match admit(&forms, (&site, &key), request.headers()).await {
        Ok(found) => found,
        Err(refused) => return refused.into_response(),
    };
    let mut response = match *request.method() {
        Method::GET | Method::HEAD => fresh_token(&forms, &found.form)
            .unwrap_or_else(|error| ProblemDocument::from(error).into_response()),
        Method::OPTIONS => preflight(),
        _ => method_not_allowed("GET, HEAD, OPTIONS"),
    };
    finish(response.headers_mut(), found.origin);
    response
}

/// A form that a request may reach, and the origin of the page that sent it.
struct Admitted {
    form: PublicForm,
    origin: Option<HeaderValue>,
}

/// Finds the form. Pages of the site itself and of this server may send it; another origin's may
/// not, and what isn't a browser names none.
async fn admit(
    forms: &Forms,
    (site, key): (&str, &str),
    headers: &HeaderMap,
) -> Result<Admitted, ProblemDocument> {
    let form = forms.app.public_form(&SiteRef::parse(site), key).await?;
    let Some(origin) = headers.get(header::ORIGIN) else {
        return Ok(Admitted { form, origin: None });
    };
    let own = [form.site.base_url.as_str(), &forms.app.config().public_url];
    if own.map(origin_of).iter().any(|own| origin == own.as_str()) {
        let origin = Some(origin.clone());
        return Ok(Admitted { form, origin });
    }
    Err(ProblemDocument::new(
        StatusCode::FORBIDDEN,
        "origin_refused",
        "this form is sent from pages of its own site alone",
        "Send it from a page under the site's base address, which its settings name.",
    ))
}

/// Scheme, host and port of an address, in lower case.
fn origin_of(address: &str) -> String {
    let parts: Vec<&str> = address.splitn(4, '/').take(3).collect();
    parts.join("/").to_ascii_lowercase()
}

fn shown(forms: &Forms, form: &PublicForm) -> Response {
    match Page::fresh(&forms.app, form) {
        Ok(page) => page.answer(StatusCode::OK),
        Err(error) => ProblemDocument::from(error).into_response(),
    }
}

fn fresh_token(forms: &Forms, form: &PublicForm) -> Result<Response, ql_app::Error> {
    let fill = forms.app.fill_token(&form.form)?;
    let told = json!({
        "token": fill.token, "not_before": fill.not_before, "expires_at": fill.expires_at,
    });
    Ok(axum::Json(told).into_response())
}

async fn send(
    forms: &Forms,
    form: PublicForm,
    (headers, body, network): (&HeaderMap, Body, String),
) -> Response {
    let sent = match Sent::read(headers, body, LIMIT).await {
        Ok(sent) => sent,
        Err(refused) => return refused.into_response(),
    };
    // A page without scripts can't fetch a token before it is sent, so the visitor gets the form
    // once more with one, filled in.
    if sent.wants_page && sent.fill_token.is_none() {
        return match Page::confirm(&forms.app, &form, &sent) {
            Ok(page) => page.answer(StatusCode::OK),
            Err(error) => ProblemDocument::from(error).into_response(),
        };
    }
    let post = Post {
        answers: sent.answers.clone(),
        honeypot: sent.honeypot.clone(),
        fill_token: sent.fill_token.clone(),
        network,
    };
    let outcome = forms.app.receive_post(form.clone(), post).await;
    received(&forms.app, &form, &sent, outcome)
}

fn preflight() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    let values = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, POST"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type, accept"),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    for (name, value) in values {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn method_not_allowed(allowed: &'static str) -> Response {
    let document = ProblemDocument::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "a form is fetched and sent",
        "Use GET for the form and its token, and POST to send it.",
    );
    let mut response = document.into_response();
    let allowed = HeaderValue::from_static(allowed);
    response.headers_mut().insert(header::ALLOW, allowed);
    response
}

fn finish(headers: &mut HeaderMap, origin: Option<HeaderValue>) {
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    let values = [
        (header::VARY, "origin, accept"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
    ];
    for (name, value) in values {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
