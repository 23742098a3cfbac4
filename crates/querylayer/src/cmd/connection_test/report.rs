//! What was looked at, and how it is printed.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use super::Code;
use super::address::shown;
use crate::output;

/// Something that is wrong, with the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: Code,
    pub(super) wrong: String,
    pub(super) remedy: String,
}

impl Fault {
    pub(super) fn new(code: Code, wrong: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            code,
            wrong: wrong.into(),
            remedy: remedy.into(),
        }
    }
}

/// What was found, check by check.
#[derive(Debug, Default)]
pub(super) struct Report {
    checks: Vec<(&'static str, Result<String, Fault>)>,
}

impl Report {
    /// Writes down how a check came out, and gives what it found.
    pub(super) fn take<T>(
        &mut self,
        check: &'static str,
        looked: Result<(T, String), Fault>,
    ) -> Option<T> {
        match looked {
            Ok((found, says)) => {
                self.note(check, says);
                Some(found)
            }
            Err(fault) => {
                self.fault(check, fault);
                None
            }
        }
    }

    /// Writes down that a check is well.
    pub(super) fn note(&mut self, check: &'static str, says: impl Into<String>) {
        self.checks.push((check, Ok(says.into())));
    }

    /// Writes down what is wrong.
    pub(super) fn fault(&mut self, check: &'static str, fault: Fault) {
        self.checks.push((check, Err(fault)));
    }

    /// Prints it all; the exit code says whether all is well.
    pub(super) fn print(&self, url: &str, as_json: bool) -> Result<ExitCode> {
        let well = self.checks.iter().all(|(_, outcome)| outcome.is_ok());
        if as_json {
            let checks: Value = self.checks.iter().map(row).collect();
            output::print(
                &json!({"ok": well, "url": shown(url), "checks": checks}),
                true,
            )?;
        } else {
            for (check, outcome) in &self.checks {
                output::line(&match outcome {
                    Ok(says) => format!("ok  {check}: {says}"),
                    Err(fault) => format!("NOT {check}: {}. {}", fault.wrong, fault.remedy),
                })?;
            }
        }
        Ok(if well {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

fn row((check, outcome): &(&'static str, Result<String, Fault>)) -> Value {
    match outcome {
        Ok(says) => json!({"check": check, "ok": true, "says": says}),
        Err(fault) => json!({
            "check": check, "ok": false, "code": fault.code.as_str(), "says": fault.wrong, "remedy": fault.remedy,
        }),
    }
}

/// A foreign text as one line for a terminal: without control characters, and not too long.
pub(super) fn plain(text: &str) -> String {
    let mut clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(200)
        .collect();
    clean.truncate(clean.trim_end().len());
    clean
}
