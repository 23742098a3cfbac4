//! What use cases answer, in few words.

use std::fmt::Debug;

use ql_app::{Error, Result};

/// The code of a refusal.
pub(crate) fn code<T: Debug>(answer: Result<T>) -> &'static str {
    answer.expect_err("a refusal").code()
}

/// `ok`, or the code of a refusal.
pub(crate) fn outcome<T>(answer: &Result<T>) -> &'static str {
    answer.as_ref().err().map_or("ok", Error::code)
}

/// Everything that is wrong with an input, line by line.
pub(crate) fn problems<T: Debug>(answer: Result<T>) -> String {
    match answer.expect_err("a refusal") {
        Error::Invalid(problems) => {
            let lines = problems
                .iter()
                .map(|p| format!("{} {}: {}", p.pointer, p.code, p.message));
            lines.collect::<Vec<_>>().join("\n")
        }
        other => panic!("refused for another reason: {other:?}"),
    }
}
