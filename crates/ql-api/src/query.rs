//! Query strings, read strictly: every parameter is known, stands once and reads as what it should.

use std::fmt::Display;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use ql_app::Error;
use ql_core::page::{Cursor, PageRequest};
use ql_core::problem::{Problem, escape};

/// The parameters of one query string, with everything that is wrong with them.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    given: Vec<(String, String)>,
    problems: Vec<Problem>,
}

impl Parameters {
    /// Reads a query string in which only the `known` names may stand.
    pub(crate) fn read(query: Option<&str>, known: &[&str]) -> Self {
        let mut parameters = Self::default();
        let pairs = query.unwrap_or_default().split('&');
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            parameters.add(pair, known);
        }
        parameters
    }

    fn add(&mut self, pair: &str, known: &[&str]) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (Some(name), Some(value)) = (decoded(name), decoded(value)) else {
            return self.note("", "encoding", "the query isn't percent-encoded UTF-8");
        };
        if !known.contains(&name.as_str()) {
            self.note(&name, "unknown_parameter", unknown(known));
        } else if self.text(&name).is_some() {
            self.note(&name, "duplicate", "the parameter stands twice");
        } else if value.contains('\0') {
            self.note(&name, "nul", "the parameter holds NUL, which is refused");
        } else {
            self.given.push((name, value));
        }
    }

    /// A parameter as it stands.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.given
            .iter()
            .find(|(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }

    /// A parameter as what its text reads as.
    pub(crate) fn parsed<T: FromStr<Err: Display>>(&mut self, name: &str) -> Option<T> {
        match self.text(name)?.parse() {
            Ok(value) => Some(value),
            Err(error) => {
                let message = T::Err::to_string(&error);
                self.note(name, "format", message);
                None
            }
        }
    }

    /// The page of a list that `limit` and `cursor` ask for; `T` is what identifies its rows.
    pub(crate) fn page<T: FromStr>(&mut self) -> PageRequest {
        let limit = self.limit();
        let cursor: Option<Cursor> = self.parsed("cursor");
        if let Some(cursor) = &cursor
            && cursor.id.parse::<T>().is_err()
        {
            self.note("cursor", "format", ql_core::page::InvalidCursor.to_string());
        }
        PageRequest::new(limit, cursor)
    }

    /// How many rows are wanted.
    pub(crate) fn limit(&mut self) -> Option<u32> {
        let limit = self.text("limit")?.parse().ok();
        let known = limit.filter(|limit| (1..=PageRequest::MAX).contains(limit));
        if known.is_none() {
            let message = format!("expected a whole number from 1 to {}", PageRequest::MAX);
            self.note("limit", "range", message);
        }
        known
    }

    /// Notes what is wrong with a parameter.
    pub(crate) fn note(&mut self, name: &str, code: &'static str, message: impl Into<String>) {
        let pointer = format!("/{}", escape(name));
        self.problems.push(Problem::new(pointer, code, message));
    }

    /// The parameters, and everything that is wrong with them.
    pub(crate) fn into_parts(self) -> (Vec<(String, String)>, Vec<Problem>) {
        (self.given, self.problems)
    }

    /// Nothing wrong, or everything that is.
    pub(crate) fn finish(self) -> Result<(), Error> {
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(Error::Invalid(self.problems))
        }
    }
}

fn unknown(known: &[&str]) -> String {
    if known.is_empty() {
        return "isn't a query parameter here; there are none".to_owned();
    }
    let known = known.join(", ");
    format!("isn't a query parameter here; the parameters are {known}")
}

fn decoded(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    decoded.ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use ql_core::id::ContentId;

    use super::*;

    #[test]
    fn everything_wrong_is_said_at_once() {
        let query = "limit=0&colour=red&locale=EN&locale=fr&cursor=zz&%FF=1&q=%00";
        let known = ["limit", "locale", "cursor", "q"];
        let mut parameters = Parameters::read(Some(query), &known);
        let locale: Option<ql_core::content::Locale> = parameters.parsed("locale");
        parameters.page::<ContentId>();
        assert_eq!(locale, None);
        let (_, problems) = parameters.into_parts();
        let lines: Vec<String> = problems
            .iter()
            .map(|p| format!("{} {} {}", p.pointer, p.code, p.message))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        /colour unknown_parameter isn't a query parameter here; the parameters are limit, locale, cursor, q
        /locale duplicate the parameter stands twice
        / encoding the query isn't percent-encoded UTF-8
        /q nul the parameter holds NUL, which is refused
        /locale format expected a language tag such as en, pt-BR or zh-Hans
        /limit range expected a whole number from 1 to 100
        /cursor format this cursor wasn't made by this list; leave it out to start again
        ");
    }

    #[test]
    fn values_are_decoded_and_a_foreign_cursor_is_refused() {
        let mut parameters = Parameters::read(Some("query=caf%C3%A9+au+lait&"), &["query"]);
        assert_eq!(parameters.text("query"), Some("café au lait"));
        assert_eq!(parameters.page::<ContentId>(), PageRequest::default());
        let foreign = Cursor {
            key: 1,
            id: "run_1".to_owned(),
        };
        let query = format!("cursor={}", foreign.encode());
        let mut parameters = Parameters::read(Some(&query), &["cursor"]);
        parameters.page::<ContentId>();
        assert!(parameters.finish().is_err());
    }
}
