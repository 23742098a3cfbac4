//! Checks of texts that people and agents give.

use ql_core::problem::Problem;

/// Collects what is wrong with an input, so that everything is said at once.
#[derive(Debug, Default)]
pub(crate) struct Checks(Vec<Problem>);

impl Checks {
    /// A text that must have 1 to `max` characters besides white space.
    pub(crate) fn text(&mut self, pointer: &str, text: &str, max: usize) {
        let length = text.chars().count();
        if text.trim().is_empty() {
            self.add(Problem::new(
                pointer,
                "required",
                "expected a text that isn't empty",
            ));
        } else if length > max {
            self.add(Problem::new(
                pointer,
                "too_long",
                format!("expected at most {max} characters, found {length}"),
            ));
        }
    }

    /// A text that may be empty and must have at most `max` characters.
    pub(crate) fn optional_text(&mut self, pointer: &str, text: &str, max: usize) {
        if !text.is_empty() {
            self.text(pointer, text, max);
        }
    }

    /// A condition, with what to say when it doesn't hold.
    pub(crate) fn that(
        &mut self,
        holds: bool,
        pointer: &str,
        code: &'static str,
        message: impl Into<String>,
    ) {
        if !holds {
            self.add(Problem::new(pointer, code, message));
        }
    }

    /// A value to be parsed; the problem is its error.
    pub(crate) fn parsed<T: std::str::FromStr>(&mut self, pointer: &str, text: &str) -> Option<T>
    where
        T::Err: std::fmt::Display,
    {
        text.parse()
            .map_err(|error: T::Err| self.add(Problem::new(pointer, "format", error.to_string())))
            .ok()
    }

    pub(crate) fn add(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    pub(crate) fn extend(&mut self, problems: impl IntoIterator<Item = Problem>) {
        self.0.extend(problems);
    }

    /// Everything in order, or all that isn't.
    pub(crate) fn finish(self) -> Result<(), crate::Error> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(crate::Error::Invalid(self.0))
        }
    }
}
