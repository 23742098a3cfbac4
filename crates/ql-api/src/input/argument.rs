//! What the arguments of many tools and calls share.

use std::str::FromStr;

use ql_app::{Error, Result};
use ql_core::page::{Cursor, InvalidCursor, PageRequest};
use ql_core::problem::Problem;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// Which page of a list.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Paging {
    /// At most so many; 25 when left out.
    #[schemars(range(min = 1, max = 100))]
    #[serde(default)]
    limit: Option<u32>,
    /// The `next_cursor` of the page before.
    #[serde(default)]
    cursor: Option<String>,
}

impl Paging {
    /// The page asked for; `T` is what identifies the list's rows, so that a cursor of another
    /// list is refused.
    pub(crate) fn request<T: FromStr>(&self) -> Result<PageRequest> {
        let after = self
            .cursor
            .as_deref()
            .map(|text| parsed::<Cursor>("/cursor", text))
            .transpose()?;
        if after
            .as_ref()
            .is_some_and(|cursor| cursor.id.parse::<T>().is_err())
        {
            return Err(Error::invalid(
                "/cursor",
                "format",
                InvalidCursor.to_string(),
            ));
        }
        Ok(PageRequest::new(self.limit, after))
    }
}

/// A text that a type knows how to read; the refusal names its place.
pub(crate) fn parsed<T>(pointer: &str, text: &str) -> Result<T>
where
    T: FromStr<Err: std::fmt::Display>,
{
    text.parse()
        .map_err(|error: T::Err| Error::invalid(pointer, "format", error.to_string()))
}

/// What an identifier names. One of another form names nothing, and the answer is that of an
/// identifier that never existed.
pub(crate) fn named<T: FromStr>(what: &'static str, text: &str) -> Result<T> {
    text.parse().map_err(|_| Error::NotFound(what))
}

/// An identifier, whose form [`named`] looks at.
pub(crate) fn id(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string" })
}

/// An instant.
pub(crate) fn instant(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "date-time" })
}

/// A SHA-256 in hexadecimal.
pub(crate) fn sha256(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
}

/// A text out of a closed list.
pub(crate) fn one_of(choices: impl IntoIterator<Item = &'static str>) -> Schema {
    let choices: Vec<&str> = choices.into_iter().collect();
    json_schema!({ "type": "string", "enum": choices })
}

/// What is wrong with a combination of arguments, collected so that everything is said at once.
#[derive(Debug, Default)]
pub(crate) struct Combination {
    /// Where the arguments are; empty for the call's own.
    at: String,
    problems: Vec<Problem>,
}

impl Combination {
    /// Of the arguments at a JSON pointer.
    pub(crate) fn under(at: &str) -> Self {
        Self {
            at: at.to_owned(),
            problems: Vec::new(),
        }
    }

    /// Refuses arguments that have no meaning beside another one.
    pub(crate) fn refuse(
        &mut self,
        beside: &str,
        given: impl IntoIterator<Item = (&'static str, bool)>,
    ) {
        for (pointer, _) in given.into_iter().filter(|(_, given)| *given) {
            let message = format!("has no meaning beside {beside}; leave it out");
            let problem = Problem::new(pointer, "combination", message);
            self.problems.push(problem.under(&self.at));
        }
    }

    /// An argument that others make necessary; its absence is noted.
    pub(crate) fn required<T>(
        &mut self,
        pointer: &str,
        value: Option<T>,
        because: &str,
    ) -> Option<T> {
        if value.is_none() {
            let problem = Problem::new(pointer, "required", format!("is needed: {because}"));
            self.problems.push(problem.under(&self.at));
        }
        value
    }

    /// What was read, or everything that is wrong.
    pub(crate) fn finish<T>(self, read: Option<T>) -> Result<T> {
        match read {
            Some(value) if self.problems.is_empty() => Ok(value),
            _ => Err(Error::Invalid(self.problems)),
        }
    }
}
