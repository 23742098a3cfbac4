//! Public forms: what a site asks its visitors, and what they may send (contract §9).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::FormId;
use crate::key::is_key;
use crate::problem::{Problem, escape};
use crate::time::Timestamp;

mod rules;
mod screen;
mod submission;

pub use rules::{Action, Rules, TextRule};
pub use screen::{Fill, Observed, Reason, Screening, screen};
pub use submission::{Decision, Mark, Standing, Submission};

/// The hidden field that people don't see and robots fill in.
pub const HONEYPOT: &str = "ql_website";
/// The field that carries the fill token.
pub const FILL_TOKEN: &str = "ql_token";
/// The field that names the page of the site to go to afterwards.
pub const NEXT: &str = "ql_next";
/// The most fields that a form has.
pub const MAX_FIELDS: usize = 40;
/// The most characters that one field takes.
pub const MAX_LENGTH: u32 = 20_000;

/// One version of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Identity, the same for every version.
    pub id: FormId,
    /// The site-wide key, which its address ends in.
    pub key: String,
    /// 1 for the first.
    pub version: i64,
    /// The name people see.
    pub title: String,
    /// What it asks, in order.
    pub fields: Vec<Field>,
    /// How its posts are screened.
    pub rules: Rules,
    /// When the version was made.
    pub created_at: Timestamp,
}

/// One question of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The name that posts use.
    pub key: String,
    /// What visitors read; the key when empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// What it takes.
    #[serde(default, rename = "type")]
    pub kind: FieldKind,
    /// Whether every post must have it.
    #[serde(default)]
    pub required: bool,
    /// The most characters it takes; 200 for a line and 5,000 for a text when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
}

/// What a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// One line.
    #[default]
    Text,
    /// An e-mail address.
    Email,
    /// A web address.
    Url,
    /// Several lines.
    LongText,
}

impl FieldKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Text, Self::Email, Self::Url, Self::LongText];

    /// The kind's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Email => "email",
            Self::Url => "url",
            Self::LongText => "long_text",
        }
    }

    const fn max_length(self) -> u32 {
        match self {
            Self::Text | Self::Email | Self::Url => 200,
            Self::LongText => 5_000,
        }
    }
}

impl std::str::FromStr for FieldKind {
    type Err = UnknownFieldKind;

    fn from_str(text: &str) -> Result<Self, UnknownFieldKind> {
        let known = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        known.ok_or(UnknownFieldKind)
    }
}

/// A text that names no kind of field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected text, email, url or long_text")]
pub struct UnknownFieldKind;

impl Field {
    /// What visitors read beside it.
    pub fn label(&self) -> &str {
        if self.label.is_empty() {
            &self.key
        } else {
            &self.label
        }
    }

    /// The most characters it takes.
    pub fn max_length(&self) -> u32 {
        self.max_length.unwrap_or(self.kind.max_length())
    }

    fn check(&self, at: &str, problems: &mut Vec<Problem>) {
        if !is_key(&self.key) || self.key.starts_with("ql_") {
            problems.push(Problem::new(
                format!("{at}/key"),
                "format",
                "expected a-z, 0-9, _ and -, beginning with a letter, at most 64 characters, and not with ql_",
            ));
        }
        if self.label.chars().count() > 200 {
            problems.push(Problem::new(
                format!("{at}/label"),
                "too_long",
                "expected at most 200 characters",
            ));
        }
        if !(1..=MAX_LENGTH).contains(&self.max_length()) {
            problems.push(Problem::new(
                format!("{at}/max_length"),
                "range",
                format!("expected 1 to {MAX_LENGTH}"),
            ));
        }
    }

    fn check_value(&self, value: &str, problems: &mut Vec<Problem>) {
        let pointer = format!("/{}", escape(&self.key));
        let length = value.chars().count();
        let most = self.max_length();
        if length > most as usize {
            let message = format!("expected at most {most} characters, found {length}");
            problems.push(Problem::new(pointer, "too_long", message));
        } else if value.contains('\0') {
            problems.push(Problem::new(
                pointer,
                "control_character",
                "a NUL character isn't text",
            ));
        } else if !value.is_empty() && !self.kind.takes(value) {
            let expected = match self.kind {
                FieldKind::Text | FieldKind::LongText => "a single line",
                FieldKind::Email => "an e-mail address such as name@example.org",
                FieldKind::Url => "an address that begins with https:// or http://",
            };
            problems.push(Problem::new(
                pointer,
                "format",
                format!("expected {expected}"),
            ));
        }
    }
}

impl FieldKind {
    fn takes(self, value: &str) -> bool {
        match self {
            Self::LongText => true,
            Self::Text => !value.contains(['\n', '\r']),
            Self::Email => {
                let parts = value.split_once('@');
                !value.contains(char::is_whitespace)
                    && parts.is_some_and(|(name, host)| {
                        !name.is_empty() && host.contains('.') && !host.contains('@')
                    })
            }
            Self::Url => {
                let rest = value
                    .strip_prefix("https://")
                    .or_else(|| value.strip_prefix("http://"));
                rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace))
            }
        }
    }
}

/// Everything that is wrong with a form's questions.
pub fn check_fields(fields: &[Field]) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !(1..=MAX_FIELDS).contains(&fields.len()) {
        problems.push(Problem::new(
            "/fields",
            "range",
            format!("expected 1 to {MAX_FIELDS} fields"),
        ));
    }
    for (index, field) in fields.iter().enumerate() {
        let at = format!("/fields/{index}");
        field.check(&at, &mut problems);
        if fields[..index].iter().any(|other| other.key == field.key) {
            let message = format!("another field is called `{}` already", field.key);
            problems.push(Problem::new(format!("{at}/key"), "duplicate", message));
        }
    }
    problems
}

/// What a visitor sent, by field.
pub type Answers = BTreeMap<String, String>;

impl Form {
    /// Checks what was sent against the questions; answers that are empty are left out.
    ///
    /// # Errors
    /// Everything that is wrong, by the field's name.
    pub fn read(&self, mut sent: Answers) -> Result<Answers, Vec<Problem>> {
        let mut problems = Vec::new();
        for name in sent.keys() {
            if !self.fields.iter().any(|field| field.key == *name) {
                let known: Vec<&str> = self.fields.iter().map(|field| field.key.as_str()).collect();
                let message = format!("this form asks for {}", known.join(", "));
                let pointer = format!("/{}", escape(name));
                problems.push(Problem::new(pointer, "unknown_field", message));
            }
        }
        for field in &self.fields {
            match sent.get(&field.key) {
                Some(value) if !value.trim().is_empty() => field.check_value(value, &mut problems),
                Some(_) | None if field.required => problems.push(Problem::new(
                    format!("/{}", escape(&field.key)),
                    "required",
                    "this must be filled in",
                )),
                Some(_) | None => {}
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        sent.retain(|_, value| !value.trim().is_empty());
        Ok(sent)
    }
}

#[cfg(test)]
mod tests {
    use super::{Answers, Field, FieldKind, Form, Rules, check_fields};
    use crate::id::{FormId, IdGen};
    use crate::time::Timestamp;

    struct OneId;

    impl IdGen for OneId {
        fn next(&self, _: Timestamp) -> u128 {
            1
        }

        fn fill(&self, _: &mut [u8]) {}
    }

    fn field(key: &str, kind: FieldKind, required: bool) -> Field {
        Field {
            key: key.into(),
            label: String::new(),
            kind,
            required,
            max_length: None,
        }
    }

    fn form() -> Form {
        Form {
            id: FormId::mint(&OneId, Timestamp::from_micros(1)),
            key: "contact".into(),
            version: 1,
            title: "Contact".into(),
            fields: vec![
                field("name", FieldKind::Text, true),
                field("email", FieldKind::Email, true),
                field("site", FieldKind::Url, false),
                field("message", FieldKind::LongText, false),
            ],
            rules: Rules::default(),
            created_at: Timestamp::from_micros(1),
        }
    }

    fn sent(pairs: &[(&str, &str)]) -> Answers {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(own).collect()
    }

    #[test]
    fn a_whole_post_is_kept_and_empty_answers_are_left_out() {
        let read = form().read(sent(&[
            ("name", "Ada"),
            ("email", "ada@example.org"),
            ("site", " "),
            ("message", "Two\nlines"),
        ]));
        let kept = sent(&[
            ("name", "Ada"),
            ("email", "ada@example.org"),
            ("message", "Two\nlines"),
        ]);
        assert_eq!(read, Ok(kept));
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let long = "x".repeat(5_001);
        let refused = form().read(sent(&[
            ("name", " "),
            ("email", "ada at example.org"),
            ("site", "javascript:alert(1)"),
            ("message", &long),
            ("phone", "1"),
        ]));
        let said: Vec<String> = refused
            .expect_err("nothing is right")
            .into_iter()
            .map(|problem| format!("{} {}: {}", problem.pointer, problem.code, problem.message))
            .collect();
        insta::assert_snapshot!(said.join("\n"), @r"
        /phone unknown_field: this form asks for name, email, site, message
        /name required: this must be filled in
        /email format: expected an e-mail address such as name@example.org
        /site format: expected an address that begins with https:// or http://
        /message too_long: expected at most 5000 characters, found 5001
        ");
    }

    #[test]
    fn a_form_whose_questions_cant_be_asked_says_why() {
        let mut fields = vec![
            field("ql_token", FieldKind::Text, true),
            field("name", FieldKind::Text, true),
            field("name", FieldKind::Text, true),
        ];
        fields[1].max_length = Some(0);
        let said: Vec<String> = check_fields(&fields)
            .into_iter()
            .map(|problem| format!("{} {}", problem.pointer, problem.code))
            .collect();
        assert_eq!(
            said,
            [
                "/fields/0/key format",
                "/fields/1/max_length range",
                "/fields/2/key duplicate"
            ]
        );
        assert_eq!(check_fields(&[])[0].pointer, "/fields");
    }
}
