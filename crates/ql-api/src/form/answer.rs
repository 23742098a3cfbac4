//! What a visitor is told.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use ql_app::form::{PublicForm, Received};
use ql_app::{App, Error};
use ql_core::form::{Decision, Reason};
use serde::Serialize;

use super::body::Sent;
use super::page::Page;
use crate::problem::ProblemDocument;

#[derive(Serialize)]
struct Told {
    ok: bool,
    decision: Decision,
    message: &'static str,
    reasons: Vec<Why>,
}

#[derive(Serialize)]
struct Why {
    code: Reason,
    message: &'static str,
}

/// What became of a post, in words for whoever sent it.
pub(super) const fn message(decision: Decision) -> &'static str {
    match decision {
        Decision::Accepted => "Thank you. Your message has arrived.",
        Decision::Held => {
            "Thank you. Your message has arrived, and somebody will look at it first."
        }
        Decision::Rejected => "Your message was not taken.",
    }
}

const fn status(decision: Decision) -> StatusCode {
    match decision {
        Decision::Accepted => StatusCode::CREATED,
        Decision::Held => StatusCode::ACCEPTED,
        Decision::Rejected => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

/// The answer to a post.
pub(super) fn received(
    app: &App,
    form: &PublicForm,
    sent: &Sent,
    outcome: Result<Received, Error>,
) -> Response {
    match outcome {
        Ok(received) if sent.wants_page => page(app, form, sent, &received),
        Ok(received) => told(&received),
        Err(Error::Invalid(problems)) if sent.wants_page => {
            match Page::again(app, form, sent, &problems) {
                Ok(page) => page.answer(StatusCode::UNPROCESSABLE_ENTITY),
                Err(error) => ProblemDocument::from(error).into_response(),
            }
        }
        Err(error) => ProblemDocument::from(error).into_response(),
    }
}

fn told(received: &Received) -> Response {
    let why = |code: &Reason| Why {
        code: *code,
        message: code.describe(),
    };
    let told = Told {
        ok: received.decision != Decision::Rejected,
        decision: received.decision,
        message: message(received.decision),
        reasons: received.reasons.iter().map(why).collect(),
    };
    (status(received.decision), axum::Json(told)).into_response()
}

/// A page for the visitor; a post that arrived goes on to the site's own page where one is named.
fn page(app: &App, form: &PublicForm, sent: &Sent, received: &Received) -> Response {
    if received.decision != Decision::Rejected
        && let Some(next) = next(form, sent)
    {
        return (StatusCode::SEE_OTHER, [(header::LOCATION, next)]).into_response();
    }
    match Page::thanks(app, form, sent, received) {
        Ok(page) => page.answer(status(received.decision)),
        Err(error) => ProblemDocument::from(error).into_response(),
    }
}

/// The address of the page to go on to: a path of the form's own site, and never anywhere else.
fn next(form: &PublicForm, sent: &Sent) -> Option<HeaderValue> {
    let path = sent.next.as_deref()?;
    let is_path = path.starts_with('/')
        && !path.starts_with("//")
        && path
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let base = form.site.base_url.trim_end_matches('/');
    HeaderValue::from_str(&format!("{base}{path}"))
        .ok()
        .filter(|_| is_path)
}
