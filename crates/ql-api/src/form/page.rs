//! The form as a page of its own, for visitors whose browser runs no script.

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use ql_app::form::{PublicForm, Received};
use ql_app::{App, Error};
use ql_core::form::{Decision, FieldKind};
use ql_core::problem::{Problem, escape};

use super::answer::message;
use super::body::Sent;
use super::origin_of;

/// A form, or what became of it.
#[derive(Debug, Template)]
#[template(path = "form.html")]
pub(super) struct Page {
    language: String,
    site: String,
    home: String,
    title: String,
    action: String,
    /// What is said above the form.
    notice: Option<Notice>,
    /// What is asked; nothing once the post has arrived.
    inputs: Vec<Input>,
    token: String,
    next: String,
    policy: String,
}

#[derive(Debug)]
struct Notice {
    is_bad: bool,
    text: String,
    lines: Vec<String>,
}

#[derive(Debug)]
struct Input {
    key: String,
    label: String,
    kind: &'static str,
    is_long: bool,
    required: bool,
    max_length: u32,
    value: String,
    problem: Option<String>,
}

impl Page {
    /// The form, empty.
    pub(super) fn fresh(app: &App, form: &PublicForm) -> Result<Self, Error> {
        Self::asking(app, form, None)
    }

    /// The form as it was sent, with a token, to be sent once more.
    pub(super) fn confirm(app: &App, form: &PublicForm, sent: &Sent) -> Result<Self, Error> {
        let seconds = form.form.rules.min_fill_seconds;
        let text = format!(
            "Please look it over and send it once more, in {seconds} seconds or later. This keeps robots out without spying on you."
        );
        Ok(Self {
            notice: Some(Notice {
                is_bad: false,
                text,
                lines: Vec::new(),
            }),
            ..Self::asking(app, form, Some(sent))?
        })
    }

    /// The form as it was sent, with what is wrong beside each field.
    pub(super) fn again(
        app: &App,
        form: &PublicForm,
        sent: &Sent,
        problems: &[Problem],
    ) -> Result<Self, Error> {
        let mut page = Self::asking(app, form, Some(sent))?;
        let mut lines = Vec::new();
        for problem in problems {
            let pointer = problem.pointer.trim_start_matches('/');
            let message = format!("{}.", problem.message);
            match page.inputs.iter_mut().find(|i| escape(&i.key) == pointer) {
                Some(input) => input.problem = Some(message),
                None => lines.push(format!("{pointer}: {message}")),
            }
        }
        page.notice = Some(Notice {
            is_bad: true,
            text: "Not sent yet. Nothing you wrote is lost.".to_owned(),
            lines,
        });
        Ok(page)
    }

    /// What became of the post; a rejected one stays in the form.
    pub(super) fn thanks(
        app: &App,
        form: &PublicForm,
        sent: &Sent,
        received: &Received,
    ) -> Result<Self, Error> {
        let is_bad = received.decision == Decision::Rejected;
        let mut page = Self::asking(app, form, Some(sent))?;
        let because = |line: String| format!("Because {line}.");
        let reasons = received.reasons.iter();
        let lines = reasons.map(|reason| because(reason.describe().to_owned()));
        page.notice = Some(Notice {
            is_bad,
            text: message(received.decision).to_owned(),
            lines: if is_bad { lines.collect() } else { Vec::new() },
        });
        if !is_bad {
            page.inputs.clear();
        }
        Ok(page)
    }

    fn asking(app: &App, form: &PublicForm, sent: Option<&Sent>) -> Result<Self, Error> {
        let (site, form) = (&form.site, &form.form);
        let value = |key: &str| sent.and_then(|sent| sent.answers.get(key)).cloned();
        let input = |field: &ql_core::form::Field| Input {
            key: field.key.clone(),
            label: field.label().to_owned(),
            kind: match field.kind {
                FieldKind::Text | FieldKind::LongText => "text",
                FieldKind::Email => "email",
                FieldKind::Url => "url",
            },
            is_long: field.kind == FieldKind::LongText,
            required: field.required,
            max_length: field.max_length(),
            value: value(&field.key).unwrap_or_default(),
            problem: None,
        };
        let origin = origin_of(&site.base_url);
        Ok(Self {
            language: site.locale.clone(),
            site: site.name.clone(),
            home: site.base_url.clone(),
            title: form.title.clone(),
            action: format!("/forms/{}/{}", site.slug, form.key),
            notice: None,
            inputs: form.fields.iter().map(input).collect(),
            token: app.fill_token(form)?.token,
            next: sent.and_then(|sent| sent.next.clone()).unwrap_or_default(),
            policy: format!(
                "default-src 'none'; style-src 'self'; form-action 'self' {origin}; frame-ancestors 'self' {origin}; base-uri 'none'"
            ),
        })
    }

    /// The page as an answer.
    pub(super) fn answer(&self, status: StatusCode) -> Response {
        let html = match self.render() {
            Ok(html) => html,
            Err(error) => {
                let error = Error::Fault(format!("the form's page: {error}"));
                return crate::problem::ProblemDocument::from(error).into_response();
            }
        };
        let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
        let mut response = (status, headers, html).into_response();
        // An address that can't stand in a header would open the page to other sites' frames.
        let policy = HeaderValue::from_str(&self.policy)
            .unwrap_or(HeaderValue::from_static("default-src 'none'; sandbox"));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        response
    }
}
