//! A JSON reader that refuses what other readers quietly repair.
//!
//! What is read here is hashed, compared and shown to approvers, so one text must mean one value
//! (RFC 7493, I-JSON): no object names a member twice, no number is beyond what a double holds as
//! a whole number, no string holds NUL (which one of the databases refuses), and nothing is nested
//! deeper than [`MAX_DEPTH`]. Everything that breaks these rules is reported at once.

use std::fmt;

use crate::problem::{Problem, escape};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The deepest nesting of arrays and objects that is read.
pub const MAX_DEPTH: usize = 64;

/// The largest whole number that every JSON reader keeps exactly: 2^53.
const MAX_EXACT: u64 = 1 << 53;

/// How many broken rules one report names.
const MAX_PROBLEMS: usize = 20;

/// A text that isn't JSON, or is JSON that breaks the rules of this module.
#[derive(Debug, Clone, PartialEq)]
pub enum Rejected {
    /// The text isn't JSON.
    Malformed {
        /// JSON pointer (RFC 6901) to the value in which reading stopped.
        pointer: String,
        /// What was met, with line and column.
        message: String,
    },
    /// The text is JSON and breaks at least one rule.
    Refused {
        /// The value as far as it was understood: the first of two equal names stands.
        value: Value,
        /// Each broken rule, in the order of the text.
        problems: Vec<Problem>,
    },
}

/// Reads one JSON text.
///
/// # Errors
/// [`Rejected::Malformed`] for what isn't JSON (lone surrogates and invalid UTF-8 included),
/// [`Rejected::Refused`] with every broken rule otherwise.
pub fn read(text: &[u8]) -> Result<Value, Rejected> {
    let mut notes = Notes::default();
    let mut reader = serde_json::Deserializer::from_slice(text);
    let seed = Strict {
        notes: &mut notes,
        path: Path::Root,
        depth: 0,
    };
    let read = seed
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value));
    match read {
        Ok(value) if notes.problems.is_empty() => Ok(value),
        Ok(value) => Err(Rejected::Refused {
            value,
            problems: notes.problems,
        }),
        Err(error) => Err(Rejected::Malformed {
            pointer: notes.stopped_at.unwrap_or_default(),
            message: error.to_string(),
        }),
    }
}

#[derive(Default)]
struct Notes {
    problems: Vec<Problem>,
    stopped_at: Option<String>,
}

impl Notes {
    fn problem(&mut self, path: &Path<'_>, code: &'static str, message: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems
                .push(Problem::new(path.to_string(), code, message));
        }
    }

    /// The innermost value reports first, and its place is the one that is kept.
    fn stopped(&mut self, path: &Path<'_>) {
        self.stopped_at.get_or_insert_with(|| path.to_string());
    }
}

/// Where the reader is: a list along the call stack that costs nothing until it's printed.
#[derive(Clone, Copy)]
enum Path<'p> {
    Root,
    Member(&'p Path<'p>, &'p str),
    Element(&'p Path<'p>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(parent, name) => {
                write!(f, "{parent}/{}", escape(name))
            }
            Self::Element(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}

struct Strict<'n, 'p> {
    notes: &'n mut Notes,
    path: Path<'p>,
    depth: usize,
}

impl Strict<'_, '_> {
    fn string(&mut self, text: String) -> Value {
        if text.contains('\0') {
            self.notes.problem(
                &self.path,
                "nul",
                "the string holds NUL (\\u0000), which is refused",
            );
        }
        Value::String(text)
    }

    fn whole(&mut self, magnitude: u64, number: Number) -> Value {
        if magnitude > MAX_EXACT {
            self.inexact(&number);
        }
        Value::Number(number)
    }

    fn inexact(&mut self, number: &Number) {
        let message =
            format!("{number} is beyond ±2^53 and isn't exact in JSON; send it as a string");
        self.notes.problem(&self.path, "inexact_number", message);
    }

    /// Whether one more level may be opened; notes it when not.
    fn may_descend(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            let message = format!("nesting is deeper than {MAX_DEPTH} levels");
            self.notes.problem(&self.path, "too_deep", message);
        }
        self.depth < MAX_DEPTH
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(mut self, value: u64) -> Result<Value, E> {
        Ok(self.whole(value, value.into()))
    }

    fn visit_i64<E>(mut self, value: i64) -> Result<Value, E> {
        Ok(self.whole(value.unsigned_abs(), value.into()))
    }

    fn visit_f64<E: serde::de::Error>(mut self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("number out of range"))?;
        if value.abs() > 9_007_199_254_740_992.0 {
            self.inexact(&number);
        }
        Ok(Value::Number(number))
    }

    fn visit_str<E>(mut self, text: &str) -> Result<Value, E> {
        Ok(self.string(text.to_owned()))
    }

    fn visit_string<E>(mut self, text: String) -> Result<Value, E> {
        Ok(self.string(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<Value, A::Error> {
        if !self.may_descend() {
            while elements.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Value::Null);
        }
        let mut array = Vec::new();
        loop {
            let path = Path::Element(&self.path, array.len());
            let seed = Strict {
                notes: self.notes,
                path,
                depth: self.depth + 1,
            };
            match elements.next_element_seed(seed) {
                Ok(Some(value)) => array.push(value),
                Ok(None) => return Ok(Value::Array(array)),
                Err(error) => {
                    self.notes.stopped(&path);
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Value, A::Error> {
        if !self.may_descend() {
            while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Value::Null);
        }
        let mut object = Map::new();
        while let Some(name) = members
            .next_key::<String>()
            .inspect_err(|_| self.notes.stopped(&self.path))?
        {
            let path = Path::Member(&self.path, &name);
            if name.contains('\0') {
                self.notes.problem(
                    &path,
                    "nul",
                    "the name holds NUL (\\u0000), which is refused",
                );
            }
            if object.contains_key(&name) {
                self.notes.problem(
                    &path,
                    "duplicate_key",
                    "the name stands twice in this object",
                );
            }
            let seed = Strict {
                notes: self.notes,
                path,
                depth: self.depth + 1,
            };
            let value = match members.next_value_seed(seed) {
                Ok(value) => value,
                Err(error) => {
                    self.notes.stopped(&path);
                    return Err(error);
                }
            };
            object.entry(name).or_insert(value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests;
