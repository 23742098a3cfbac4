//! What the answers of many calls share.

use std::borrow::Cow;
use std::fmt::Display;

use ql_core::page::Page;
use ql_core::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// A value that is written as its text, such as an identifier or a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Text<T>(pub(super) T);

impl<T: Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<T> JsonSchema for Text<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// An instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instant(pub(super) Timestamp);

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl JsonSchema for Instant {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Instant".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// A list, or one page of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct List<T> {
    items: Vec<T>,
    /// Where the next page starts; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl<T> List<T> {
    /// A whole list.
    pub(super) fn of<U>(items: impl IntoIterator<Item = U>, render: impl FnMut(U) -> T) -> Self {
        Self {
            items: items.into_iter().map(render).collect(),
            next_cursor: None,
        }
    }

    /// One page of a list.
    pub(super) fn page<U>(page: Page<U>, render: impl FnMut(U) -> T) -> Self {
        Self {
            next_cursor: page.next.map(|cursor| cursor.encode()),
            ..Self::of(page.items, render)
        }
    }
}
