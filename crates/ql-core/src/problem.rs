//! What is wrong with an input, and where.

use serde::Serialize;

/// One thing wrong with one place of an input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// A JSON pointer (RFC 6901) to the place, empty for the whole.
    pub pointer: String,
    /// A stable code, such as `unknown_field`, `required`, `type`, `range`.
    pub code: &'static str,
    /// What is wrong and what is expected, in words.
    pub message: String,
}

impl Problem {
    /// A problem at `pointer`.
    pub fn new(pointer: impl Into<String>, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            code,
            message: message.into(),
        }
    }

    /// The same problem seen from one level up: `prefix` before its pointer.
    #[must_use]
    pub fn under(mut self, prefix: &str) -> Self {
        self.pointer.insert_str(0, prefix);
        self
    }
}

/// Escapes one object key for use in a JSON pointer.
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
