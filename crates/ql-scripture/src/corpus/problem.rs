//! What is wrong with a text, and where.

use std::fmt;

use serde::Serialize;

/// Where in which file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The name of the file, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The verse or the verses, in the OSIS form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verse: Option<String>,
}

impl Place {
    /// A line, from 1.
    pub fn line(line: usize) -> Self {
        Self {
            line: u32::try_from(line).ok(),
            ..Self::default()
        }
    }

    /// The same place, in which this verse stands.
    #[must_use]
    pub fn at(self, verse: impl fmt::Display) -> Self {
        Self {
            verse: Some(verse.to_string()),
            ..self
        }
    }

    /// The same place, in this file.
    #[must_use]
    pub fn within(self, file: &str) -> Self {
        Self {
            file: Some(file.to_owned()),
            ..self
        }
    }
}

/// As in `kjv.tsv, line 3, Gen.1.3`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!("line {line}"));
        let parts = [self.file.clone(), line, self.verse.clone()];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

/// One thing that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Where it is.
    pub place: Place,
    /// What kind of thing it is, for programs.
    pub code: &'static str,
    /// What it is, for people.
    pub message: String,
}

impl Problem {
    /// A problem of a kind at a place.
    pub fn new(code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            code,
            message: message.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.to_string();
        if place.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{place}: {}", self.message)
    }
}
