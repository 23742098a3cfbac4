//! The published schema as a checker: what is advertised is what is enforced.
//!
//! The walk is closed-world. An object schema with `properties` admits those names and no others,
//! at every depth; one without `properties` is a free-form object. `null` means absent, except
//! inside free-form objects, where it's data. Every problem is reported, with its JSON pointer.

mod compile;

use std::collections::BTreeMap;

use ql_core::problem::{Problem, escape};
use ql_core::time::Timestamp;
use regex::Regex;
use serde_json::{Map, Value};

pub use self::compile::SchemaDefect;
use super::kind_of;

/// A compiled schema.
#[derive(Debug)]
pub(crate) enum Shape {
    Object(BTreeMap<String, Member>),
    FreeObject,
    Array {
        items: Box<Shape>,
        count: Range,
        unique: bool,
    },
    Text {
        length: Range,
        pattern: Option<Regex>,
        choices: Option<Vec<String>>,
        instant: bool,
    },
    Integer(Range),
    Boolean,
}

/// One name of an object.
#[derive(Debug)]
pub(crate) struct Member {
    shape: Shape,
    required: bool,
}

/// Bounds that both belong to what is allowed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Range {
    least: Option<i64>,
    most: Option<i64>,
}

/// What a check found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) problems: Vec<Problem>,
}

impl Findings {
    /// How many problems one answer names: more would only be noise.
    const MOST: usize = 50;

    pub(crate) fn note(&mut self, pointer: &str, code: &'static str, message: impl Into<String>) {
        if self.problems.len() < Self::MOST {
            self.problems.push(Problem::new(pointer, code, message));
        }
    }
}

impl Shape {
    /// Checks `value`, removes the members that are absent by being `null`, and notes every problem.
    pub(crate) fn check(&self, value: &mut Value, pointer: &str, found: &mut Findings) {
        match (self, value) {
            (Self::Object(members), Value::Object(object)) => {
                check_object(members, object, pointer, found);
            }
            (Self::FreeObject, Value::Object(_)) | (Self::Boolean, Value::Bool(_)) => {}
            (
                Self::Array {
                    items,
                    count,
                    unique,
                },
                Value::Array(array),
            ) => {
                if let Some(range) = count.broken_by(length(array.len())) {
                    let message = format!("has {} elements; expected {range}", array.len());
                    return found.note(pointer, "length", message);
                }
                for (index, element) in array.iter_mut().enumerate() {
                    items.check(element, &format!("{pointer}/{index}"), found);
                }
                if let Some(index) = unique.then(|| repeated(array)).flatten() {
                    let message = "stands in the list already; expected different elements";
                    found.note(&format!("{pointer}/{index}"), "repeated", message);
                }
            }
            (Self::Text { .. }, Value::String(text)) => {
                if let Some(message) = self.text_problem(text) {
                    found.note(pointer, "value", message);
                }
            }
            (Self::Integer(range), Value::Number(number)) if !number.is_f64() => {
                let value = number.as_i64().unwrap_or(i64::MAX);
                if let Some(range) = range.broken_by(value) {
                    found.note(pointer, "range", format!("is {number}; expected {range}"));
                }
            }
            (_, value) => {
                let message = format!("is {}; expected {}", kind_of(value), self.expected());
                found.note(pointer, "type", message);
            }
        }
    }

    fn text_problem(&self, text: &str) -> Option<String> {
        let Self::Text {
            length,
            pattern,
            choices,
            instant,
        } = self
        else {
            return None;
        };
        let characters = text.chars().count();
        if let Some(choices) = choices
            .as_ref()
            .filter(|choices| !choices.iter().any(|c| c == text))
        {
            return Some(format!(
                "is `{}`; expected one of {}",
                excerpt(text),
                choices.join(", ")
            ));
        }
        if let Some(range) = length.broken_by(self::length(characters)) {
            return Some(format!("has {characters} characters; expected {range}"));
        }
        if let Some(pattern) = pattern.as_ref().filter(|pattern| !pattern.is_match(text)) {
            return Some(format!(
                "is `{}`; expected a text that matches {pattern}",
                excerpt(text)
            ));
        }
        let no_instant = *instant && text.parse::<Timestamp>().is_err();
        no_instant.then(|| {
            format!(
                "is `{}`; expected an RFC 3339 instant such as 2026-11-30T12:00:00Z",
                excerpt(text)
            )
        })
    }

    fn expected(&self) -> &'static str {
        match self {
            Self::Object(_) | Self::FreeObject => "an object",
            Self::Array { .. } => "an array",
            Self::Text { .. } => "a string",
            Self::Integer(_) => "an integer",
            Self::Boolean => "a boolean",
        }
    }
}

fn check_object(
    members: &BTreeMap<String, Member>,
    object: &mut Map<String, Value>,
    pointer: &str,
    found: &mut Findings,
) {
    object.retain(|name, value| !(value.is_null() && members.contains_key(name)));
    for (name, value) in object.iter_mut() {
        let place = format!("{pointer}/{}", escape(name));
        match members.get(name) {
            Some(member) => member.shape.check(value, &place, found),
            None => found.note(&place, "unknown_field", unknown(members)),
        }
    }
    for (name, member) in members {
        if member.required && !object.contains_key(name) {
            let message = format!("is missing; expected {}", member.shape.expected());
            found.note(&format!("{pointer}/{}", escape(name)), "required", message);
        }
    }
}

fn unknown(members: &BTreeMap<String, Member>) -> String {
    let names: Vec<&str> = members.keys().map(String::as_str).collect();
    if names.is_empty() {
        return "isn't a field here; there are none".to_owned();
    }
    format!("isn't a field here; the fields are {}", names.join(", "))
}

fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn repeated(array: &[Value]) -> Option<usize> {
    (0..array.len()).find(|index| array[..*index].contains(&array[*index]))
}

/// A text short enough to be quoted back.
fn excerpt(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl Range {
    /// The allowed range in words, when `value` is outside.
    fn broken_by(self, value: i64) -> Option<String> {
        let below = self.least.is_some_and(|least| value < least);
        let above = self.most.is_some_and(|most| value > most);
        (below || above).then(|| match (self.least, self.most) {
            (Some(least), Some(most)) => format!("{least} to {most}"),
            (Some(least), None) => format!("at least {least}"),
            (_, most) => format!("at most {}", most.unwrap_or_default()),
        })
    }
}
