//! A form as HTML for a page of the site, which needs no script.

use askama::Template;
use ql_app::Error;
use ql_core::form::{Field, FieldKind, Form};

#[derive(Template)]
#[template(path = "part/snippet.html")]
struct Snippet<'a> {
    action: &'a str,
    inputs: Vec<Input<'a>>,
}

struct Input<'a> {
    key: &'a str,
    label: &'a str,
    kind: &'static str,
    is_long: bool,
    required: bool,
    most: u32,
}

impl<'a> Input<'a> {
    fn of(field: &'a Field) -> Self {
        Self {
            key: &field.key,
            label: field.label(),
            kind: match field.kind {
                FieldKind::Text | FieldKind::LongText => "text",
                FieldKind::Email => "email",
                FieldKind::Url => "url",
            },
            is_long: field.kind == FieldKind::LongText,
            required: field.required,
            most: field.max_length(),
        }
    }
}

/// The form's HTML.
///
/// # Errors
/// The template failed.
pub(super) fn of(form: &Form, action: &str) -> Result<String, Error> {
    let inputs = form.fields.iter().map(Input::of).collect();
    let snippet = Snippet { action, inputs };
    let html = snippet.render();
    html.map_err(|error| Error::Fault(format!("a form's snippet: {error}")))
}
