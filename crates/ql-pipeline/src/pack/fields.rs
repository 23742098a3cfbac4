//! The fields of a table, taken one by one: whatever is wrong with each is said at once, and what
//! nobody took is unknown.

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::problem::{At, Code, Problems};
use super::source::Lines;

/// The fields of one table that weren't taken yet.
#[derive(Debug)]
pub struct Fields<'p, 'i> {
    left: DeTable<'i>,
    lines: &'p Lines,
    at: At<'static>,
    problems: &'p mut Problems,
}

impl<'p, 'i> Fields<'p, 'i> {
    /// The fields of the table that stands at a place of a file.
    pub(crate) fn new(
        left: DeTable<'i>,
        lines: &'p Lines,
        at: At<'static>,
        problems: &'p mut Problems,
    ) -> Self {
        Self {
            left,
            lines,
            at,
            problems,
        }
    }

    /// A field that must be there.
    pub fn need<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        let Some(value) = self.left.remove(name) else {
            let message = format!("`{name}` is missing");
            self.problems.add(&self.at, Code::Required, message);
            return None;
        };
        self.value(name, value)
    }

    /// A field that may be left out.
    pub fn or_default<T: DeserializeOwned + Default>(&mut self, name: &str) -> Option<T> {
        let Some(value) = self.left.remove(name) else {
            return Some(T::default());
        };
        self.value(name, value)
    }

    /// A text that must be there and say something.
    pub fn words(&mut self, name: &str) -> Option<String> {
        let words: String = self.need(name)?;
        if words.trim().is_empty() {
            let message = format!("`{name}` is empty");
            let at = self.at.within(name);
            self.problems.add(&at, Code::Required, message);
        }
        Some(words)
    }

    /// A table within this one, read by `read`.
    pub fn inner<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Fields<'_, 'i>) -> Option<T>,
    ) -> Option<T> {
        let at = self.at.within(name);
        match self.left.remove(name).map(Spanned::into_inner) {
            Some(DeValue::Table(table)) => {
                let mut fields = Fields::new(table, self.lines, at, &mut *self.problems);
                let read = read(&mut fields);
                fields.end();
                read
            }
            Some(_) => {
                let message = format!("`{name}` is a table");
                self.problems.add(&at, Code::Value, message);
                None
            }
            None => {
                let message = format!("`{name}` is missing");
                self.problems.add(&self.at, Code::Required, message);
                None
            }
        }
    }

    /// The tables of an array, each read by `read`; none where the array isn't there.
    pub fn each(&mut self, name: &str, mut read: impl FnMut(&mut Fields<'_, 'i>)) {
        let Some(value) = self.left.remove(name) else {
            return;
        };
        let at = self.at.within(name);
        let DeValue::Array(items) = value.into_inner() else {
            let message = format!("entries begin with `[[{name}]]`");
            self.problems.add(&at, Code::Value, message);
            return;
        };
        for (index, item) in items.into_iter().enumerate() {
            let at = at.within(index);
            let DeValue::Table(table) = item.into_inner() else {
                let message = format!("an entry is a table that begins with `[[{name}]]`");
                self.problems.add(&at, Code::Value, message);
                continue;
            };
            let mut fields = Fields::new(table, self.lines, at, &mut *self.problems);
            read(&mut fields);
            fields.end();
        }
    }

    /// Whether a field is there and wasn't taken yet.
    pub fn has(&self, name: &str) -> bool {
        self.left.contains_key(name)
    }

    /// Says what is wrong with a field; with the whole table where the name is empty.
    pub fn wrong(&mut self, name: &str, message: impl Into<String>) {
        let at = match name {
            "" => self.at.clone(),
            name => self.at.within(name),
        };
        self.problems.add(&at, Code::Value, message);
    }

    /// Says which fields nobody took.
    pub fn end(self) {
        for key in self.left.keys() {
            let name = key.get_ref();
            let at = self.at.within(ql_core::problem::escape(name));
            let message = format!("there is no field `{name}` here");
            self.problems.add(&at, Code::UnknownField, message);
        }
    }

    fn value<T: DeserializeOwned>(&mut self, name: &str, value: Spanned<DeValue<'i>>) -> Option<T> {
        let read = T::deserialize(ValueDeserializer::from(value));
        let error = match read {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        let at = self.at.within(name);
        let at = at.on_line(error.span().map(|span| self.lines.line(span.start)));
        let message = format!("`{name}`: {}", error.message());
        self.problems.add(&at, Code::Value, message);
        None
    }
}
