//! Many questions in one process: JSON lines in, JSON lines out.

use std::io::{BufRead as _, BufWriter, Write as _};
use std::process::ExitCode;

use anyhow::Result;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A text to be read or searched.
#[derive(Debug, Deserialize)]
pub(super) struct Text {
    pub(super) text: String,
}

/// A quotation with what it claims.
#[derive(Debug, Deserialize)]
pub(super) struct Quotation {
    #[serde(rename = "ref")]
    pub(super) reference: String,
    pub(super) edition: String,
    pub(super) text: String,
}

/// A text with the bytes of the quotations that were declared in it.
#[derive(Debug, Deserialize)]
pub(super) struct Prose {
    pub(super) text: String,
    #[serde(default)]
    pub(super) declared: Vec<(usize, usize)>,
}

/// A question, and the name that its answer is to bear.
#[derive(Debug, Deserialize)]
struct Line<T> {
    #[serde(default)]
    id: Value,
    #[serde(flatten)]
    question: T,
}

/// Answers each line of standard input with one line. What isn't a question is answered with what is
/// wrong with it, and the exit code says so at the end.
///
/// # Errors
/// Standard input or output is broken.
pub(super) fn run<T: DeserializeOwned>(work: impl Fn(T) -> Result<Value>) -> Result<ExitCode> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut code = ExitCode::SUCCESS;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let (id, answer) = match serde_json::from_str::<Line<T>>(&line) {
            Ok(line) => (line.id, work(line.question)),
            Err(error) => (Value::Null, Err(error.into())),
        };
        let mut answer = answer.unwrap_or_else(|error| {
            code = ExitCode::FAILURE;
            json!({"ok": false, "error": format!("{error:#}")})
        });
        if !id.is_null() {
            answer["id"] = id;
        }
        writeln!(out, "{answer}")?;
    }
    out.flush()?;
    Ok(code)
}
