//! Many texts in one process: JSON lines in, JSON lines out.

use std::io::{BufRead, BufReader, Read, Write as _};

use anyhow::Result;
use ql_pipeline::injection::Detector;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Outcome, answer, complain};

/// How many bytes a line may have.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// A text, and the name that its answer is to bear. What else a line holds doesn't matter.
#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    id: Value,
    text: String,
}

/// Answers each line with one. A line that is no row is answered with what is wrong with it, and named
/// on standard error; the rest is still done.
///
/// # Errors
/// Input or output is broken.
pub(super) fn run(input: impl Read) -> Result<Outcome> {
    let detector = Detector::new();
    let mut input = BufReader::new(input);
    let mut out = std::io::stdout().lock();
    let mut outcome = Outcome::Nothing;
    let mut line = Vec::new();
    let mut number = 0_u64;
    while let Some(whole) = next(&mut input, &mut line)? {
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let row = if whole {
            serde_json::from_slice::<Row>(&line).map_err(|error| error.to_string())
        } else {
            Err(format!("a line has at most {LONGEST_LINE} bytes"))
        };
        let (mut said, one) = match row {
            Ok(row) => scanned(&detector, row),
            Err(error) => {
                complain(&format!("line {number}: {error}"));
                (json!({"error": error}), Outcome::Failed)
            }
        };
        outcome = outcome.max(one);
        said["line"] = number.into();
        writeln!(out, "{said}")?;
    }
    Ok(outcome)
}

fn scanned(detector: &Detector, row: Row) -> (Value, Outcome) {
    let scan = detector.scan(&row.text);
    let mut said = answer(&scan);
    if !row.id.is_null() {
        said["id"] = row.id;
    }
    (said, Outcome::of(&scan))
}

/// Reads a line, or nothing at the end. Says whether the line is whole; the rest of one that is too
/// long is skipped.
fn next(input: &mut impl BufRead, line: &mut Vec<u8>) -> Result<Option<bool>> {
    line.clear();
    let most = u64::try_from(LONGEST_LINE)?;
    if input.by_ref().take(most).read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.len() < LONGEST_LINE || line.ends_with(b"\n") {
        return Ok(Some(true));
    }
    input.skip_until(b'\n')?;
    Ok(Some(false))
}
