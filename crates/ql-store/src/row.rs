//! Values on their way into and out of statements.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::time::Timestamp;
use serde_json::Value;

use crate::error::{Result, StoreError};

/// A parameter of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg<'a> {
    /// SQL NULL.
    Null,
    /// A 64-bit integer.
    Int(i64),
    /// A text.
    Text(Cow<'a, str>),
    /// Bytes.
    Blob(Cow<'a, [u8]>),
}

impl Arg<'_> {
    /// A value by its text, such as an identifier.
    pub fn text(value: impl Display) -> Self {
        Self::Text(Cow::Owned(value.to_string()))
    }

    /// An optional value by its text.
    pub fn opt_text(value: Option<impl Display>) -> Self {
        value.map_or(Self::Null, Self::text)
    }
}

impl<'a> From<&'a str> for Arg<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Arg<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<Option<&'a str>> for Arg<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Self::Null, Self::from)
    }
}

impl From<String> for Arg<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<i64> for Arg<'_> {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<Option<i64>> for Arg<'_> {
    fn from(number: Option<i64>) -> Self {
        number.map_or(Self::Null, Self::Int)
    }
}

impl From<u32> for Arg<'_> {
    fn from(number: u32) -> Self {
        Self::Int(i64::from(number))
    }
}

impl From<bool> for Arg<'_> {
    fn from(flag: bool) -> Self {
        Self::Int(i64::from(flag))
    }
}

impl From<Timestamp> for Arg<'_> {
    fn from(at: Timestamp) -> Self {
        Self::Int(at.as_micros())
    }
}

impl From<Option<Timestamp>> for Arg<'_> {
    fn from(at: Option<Timestamp>) -> Self {
        at.map_or(Self::Null, Self::from)
    }
}

impl<'a> From<&'a Digest> for Arg<'a> {
    fn from(digest: &'a Digest) -> Self {
        Self::Blob(Cow::Borrowed(digest.as_bytes()))
    }
}

/// A value as the JSON that a column holds.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Bug(error.to_string()))
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// SQL NULL.
    Null,
    /// A 64-bit integer.
    Int(i64),
    /// A text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

/// One row of an answer, read from left to right.
#[derive(Debug)]
pub struct Row {
    cells: std::vec::IntoIter<Cell>,
    column: usize,
}

impl Row {
    /// A row of these cells.
    pub fn new(cells: Vec<Cell>) -> Self {
        Self {
            cells: cells.into_iter(),
            column: 0,
        }
    }

    fn next(&mut self) -> Result<Cell> {
        self.column += 1;
        self.cells.next().ok_or_else(|| self.corrupt("a column"))
    }

    /// The error of a value that isn't what was expected at the column read last.
    pub fn corrupt(&self, expected: impl Display) -> StoreError {
        StoreError::Corrupt {
            column: self.column.saturating_sub(1),
            reason: format!("expected {expected}"),
        }
    }

    /// The next cell as an integer.
    pub fn int(&mut self) -> Result<i64> {
        match self.next()? {
            Cell::Int(number) => Ok(number),
            Cell::Null | Cell::Text(_) | Cell::Blob(_) => Err(self.corrupt("an integer")),
        }
    }

    /// The next cell as an integer or NULL.
    pub fn opt_int(&mut self) -> Result<Option<i64>> {
        match self.next()? {
            Cell::Int(number) => Ok(Some(number)),
            Cell::Null => Ok(None),
            Cell::Text(_) | Cell::Blob(_) => Err(self.corrupt("an integer or NULL")),
        }
    }

    /// The next cell as a text.
    pub fn text(&mut self) -> Result<String> {
        match self.next()? {
            Cell::Text(text) => Ok(text),
            Cell::Null | Cell::Int(_) | Cell::Blob(_) => Err(self.corrupt("a text")),
        }
    }

    /// The next cell as a text or NULL.
    pub fn opt_text(&mut self) -> Result<Option<String>> {
        match self.next()? {
            Cell::Text(text) => Ok(Some(text)),
            Cell::Null => Ok(None),
            Cell::Int(_) | Cell::Blob(_) => Err(self.corrupt("a text or NULL")),
        }
    }

    /// The next cell as a truth value.
    pub fn flag(&mut self) -> Result<bool> {
        Ok(self.int()? != 0)
    }

    /// The next cell as an instant.
    pub fn time(&mut self) -> Result<Timestamp> {
        self.int().map(Timestamp::from_micros)
    }

    /// The next cell as an instant or NULL.
    pub fn opt_time(&mut self) -> Result<Option<Timestamp>> {
        Ok(self.opt_int()?.map(Timestamp::from_micros))
    }

    /// The next column as bytes.
    pub fn blob(&mut self) -> Result<Vec<u8>> {
        match self.next()? {
            Cell::Blob(bytes) => Ok(bytes),
            _ => Err(self.corrupt("bytes")),
        }
    }

    /// The next cell as a digest.
    pub fn digest(&mut self) -> Result<Digest> {
        match self.next()? {
            Cell::Blob(bytes) => Digest::from_bytes(&bytes).ok_or_else(|| self.corrupt("32 bytes")),
            Cell::Null | Cell::Int(_) | Cell::Text(_) => Err(self.corrupt("32 bytes")),
        }
    }

    /// The next cell as a digest or NULL.
    pub fn opt_digest(&mut self) -> Result<Option<Digest>> {
        match self.next()? {
            Cell::Null => Ok(None),
            Cell::Blob(bytes) => Digest::from_bytes(&bytes)
                .map(Some)
                .ok_or_else(|| self.corrupt("32 bytes or NULL")),
            Cell::Int(_) | Cell::Text(_) => Err(self.corrupt("32 bytes or NULL")),
        }
    }

    /// The next cell as what its text parses to.
    pub fn parse<T: FromStr>(&mut self) -> Result<T>
    where
        T::Err: Display,
    {
        let text = self.text()?;
        text.parse().map_err(|error| self.corrupt(error))
    }

    /// The next cell as what its text parses to, or NULL.
    pub fn opt_parse<T: FromStr>(&mut self) -> Result<Option<T>>
    where
        T::Err: Display,
    {
        let text = self.opt_text()?;
        text.map(|text| text.parse().map_err(|error| self.corrupt(error)))
            .transpose()
    }

    /// The next cell as an actor.
    pub fn actor(&mut self) -> Result<Actor> {
        let text = self.text()?;
        Actor::from_text(&text).ok_or_else(|| self.corrupt("an actor"))
    }

    /// The next cell as the actor that its text names, or NULL.
    pub fn opt_actor(&mut self) -> Result<Option<Actor>> {
        let text = self.opt_text()?;
        text.map(|text| Actor::from_text(&text).ok_or_else(|| self.corrupt("an actor")))
            .transpose()
    }

    /// The next cell as JSON.
    pub fn json(&mut self) -> Result<Value> {
        let text = self.text()?;
        serde_json::from_str(&text).map_err(|error| self.corrupt(error))
    }

    /// The next cell as JSON, where it isn't empty.
    pub fn opt_json(&mut self) -> Result<Option<Value>> {
        let text = self.opt_text()?;
        text.map(|text| serde_json::from_str(&text).map_err(|error| self.corrupt(error)))
            .transpose()
    }

    /// The next cell as a value that its JSON holds.
    pub fn from_json<T: serde::de::DeserializeOwned>(&mut self) -> Result<T> {
        let text = self.text()?;
        serde_json::from_str(&text).map_err(|error| self.corrupt(error))
    }
}
