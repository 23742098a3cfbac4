//! What is answered when a request isn't carried out: always a page, with what to do.

use askama::Template;
use axum::response::{Html, IntoResponse, Redirect, Response};
use http::StatusCode;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, RETRY_AFTER};
use ql_app::Error;

use crate::page::{Again, ErrorPage};
use crate::part::Link;
use crate::view::words::capital;

/// What a handler answers.
pub(crate) type Answer = Result<Response, WebError>;

/// Why a handler doesn't answer with its page.
#[derive(Debug)]
pub(crate) enum WebError {
    /// Nobody is signed in; the address to come back to.
    SignedOut(String),
    /// The cookie didn't come along with a link from another site; the address to go to again.
    ComeAgain(String),
    /// The form didn't come from a page of this session.
    ForeignForm,
    /// The form can't be read.
    BadForm(String),
    /// The address leads nowhere.
    NotFound,
    /// The address doesn't take this method.
    Method,
    /// Too many failed passwords; the seconds to wait.
    TooMany(u64),
    /// A use case said no.
    App(Error),
    /// A template failed.
    Template(askama::Error),
}

impl From<Error> for WebError {
    fn from(error: Error) -> Self {
        Self::App(error)
    }
}

impl From<askama::Error> for WebError {
    fn from(error: askama::Error) -> Self {
        Self::Template(error)
    }
}

/// Renders a page.
pub(crate) fn page(page: &impl Template) -> Answer {
    page_with(StatusCode::OK, page)
}

/// Renders a page under a status.
pub(crate) fn page_with(status: StatusCode, page: &impl Template) -> Answer {
    Ok((status, Html(page.render()?)).into_response())
}

/// A file to keep: its name, what it is, and what is in it.
pub(crate) fn file(name: &str, media: &'static str, text: String) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [
        (CONTENT_TYPE, media.to_owned()),
        (CONTENT_DISPOSITION, disposition),
    ];
    (headers, text).into_response()
}

/// Sends the browser on after a form was carried out.
pub(crate) fn go(address: &str) -> Response {
    Redirect::to(address).into_response()
}

/// The HTTP status that says what a use case's refusal says.
pub(crate) const fn status(error: &Error) -> StatusCode {
    match error {
        Error::NotFound(_) => StatusCode::NOT_FOUND,
        Error::Denied(_) | Error::MayNotApprove(_) | Error::ReauthenticationRequired => {
            StatusCode::FORBIDDEN
        }
        Error::SignInFailed(_) => StatusCode::UNAUTHORIZED,
        Error::Invalid(_) | Error::ScopeExceedsPermission { .. } | Error::LastOwner => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        Error::RunClosed(_)
        | Error::RunLimitExceeded
        | Error::StaleRevision { .. }
        | Error::StaleMap { .. }
        | Error::ImportRunning
        | Error::Archived
        | Error::SlugTaken(_)
        | Error::IdempotencyConflict
        | Error::DigestMismatch { .. }
        | Error::AlreadyApproved
        | Error::InvalidTransition(_)
        | Error::InvalidTurnTransition(_)
        | Error::InvalidStepTransition(_)
        | Error::InvalidStageTransition(_)
        | Error::NoTask { .. }
        | Error::LeaseLost(_)
        | Error::SessionRefused(_)
        | Error::RuntimeUnavailable(_)
        | Error::NeedsProposal { .. }
        | Error::PlanStands { .. }
        | Error::NameTaken(_)
        | Error::Conflict => StatusCode::CONFLICT,
        Error::Unsigned(_) | Error::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
        Error::Fault(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// A refusal as one sentence or two, for a form that is shown again.
pub(crate) fn sentence(error: &Error) -> String {
    let message = capital(&error.message());
    let stop = if message.ends_with('.') { "" } else { "." };
    format!("{message}{stop} {}", error.remedy())
}

/// Everything that is wrong with an input, a line each.
pub(crate) fn lines(error: &Error) -> Vec<String> {
    match error {
        Error::Invalid(problems) => problems
            .iter()
            .map(|problem| match problem.pointer.as_str() {
                "" => problem.message.clone(),
                pointer => format!("{}: {}", pointer.trim_start_matches('/'), problem.message),
            })
            .collect(),
        other => vec![sentence(other)],
    }
}

impl IntoResponse for WebError {
    fn into_response(self) -> Response {
        match self {
            Self::SignedOut(next) => {
                let next: String = percent(&next);
                Redirect::to(&format!("/sign-in?next={next}")).into_response()
            }
            Self::ComeAgain(next) => match page(&Again { next }) {
                Ok(shown) => shown,
                Err(error) => error.into_response(),
            },
            Self::TooMany(seconds) => (
                [(RETRY_AFTER, seconds.to_string())],
                show(&too_many(seconds)),
            )
                .into_response(),
            Self::App(Error::NotFound(_)) | Self::NotFound => show(&ErrorPage::not_found()),
            Self::App(error) => show(&refusal(&error)),
            Self::ForeignForm => show(&foreign_form()),
            Self::BadForm(why) => show(&bad_form(why)),
            Self::Method => show(&method()),
            Self::Template(error) => {
                tracing::error!(%error, "a page can't be rendered");
                show(&refusal(&Error::Fault(error.to_string())))
            }
        }
    }
}

fn show(page: &ErrorPage) -> Response {
    let status = StatusCode::from_u16(page.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    match page.render() {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => {
            tracing::error!(%error, "the error page can't be rendered");
            (status, page.message.clone()).into_response()
        }
    }
}

fn refusal(error: &Error) -> ErrorPage {
    if let Some(internal) = error.internal() {
        tracing::error!(internal, "a use case failed");
    }
    let title = match error {
        Error::Denied(_) | Error::MayNotApprove(_) => "You may not do that",
        Error::Fault(_) => "The server failed",
        Error::Unavailable(_) => "Not at this moment",
        Error::ReauthenticationRequired => "Your password is needed again",
        Error::Invalid(_) => "Something in it doesn't fit",
        _ => "That can't be done as things stand",
    };
    ErrorPage {
        status: status(error).as_u16(),
        title: title.into(),
        message: lines(error).join(". "),
        // What the database didn't answer may have been kept all the same.
        kept: (!matches!(error, Error::Unavailable(_))).then(|| "Nothing was changed.".into()),
        remedy: error.remedy(),
        links: vec![Link::new("/", "Open the inbox")],
    }
}

fn foreign_form() -> ErrorPage {
    ErrorPage {
        status: 403,
        title: "The form is out of date".into(),
        message: "It didn't come from a page of your present session: you signed in again \
                  meanwhile, or another site sent it."
            .into(),
        kept: Some("Nothing was changed.".into()),
        remedy: "Go back, load the page again and send the form from there.".into(),
        links: vec![Link::new("/", "Open the inbox")],
    }
}

fn bad_form(why: String) -> ErrorPage {
    ErrorPage {
        status: 400,
        title: "The form can't be read".into(),
        message: why,
        kept: Some("Nothing was changed.".into()),
        remedy: "Go back, load the page again and send the form from there.".into(),
        links: vec![Link::new("/", "Open the inbox")],
    }
}

fn method() -> ErrorPage {
    ErrorPage {
        status: 405,
        title: "That address doesn't take this".into(),
        message: "It is a place to read from or to send a form to, not both.".into(),
        kept: Some("Nothing was changed.".into()),
        remedy: "Open the page that has the form.".into(),
        links: vec![Link::new("/", "Open the inbox")],
    }
}

fn too_many(seconds: u64) -> ErrorPage {
    ErrorPage {
        status: 429,
        title: "Too many attempts".into(),
        message: "Ten passwords in five minutes were wrong.".into(),
        kept: None,
        remedy: format!("Wait {seconds} seconds, then try again."),
        links: vec![Link::new("/sign-in", "Sign in")],
    }
}

/// Percent-encodes everything but letters, digits and what an address's path is made of.
pub(crate) fn percent(text: &str) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a text doesn't fail.
            let _: Result<(), std::fmt::Error> = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
