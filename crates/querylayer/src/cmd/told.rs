//! What a demonstration tells: step by step, and whether each held.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use crate::output;

/// One step that held, or didn't.
struct Step {
    name: &'static str,
    said: String,
    held: bool,
}

/// What was told so far.
pub(super) struct Told {
    steps: Vec<Step>,
    json: bool,
}

impl Told {
    /// Nothing yet; with `json` all of it is printed at the end as one object.
    pub(super) const fn new(json: bool) -> Self {
        Self {
            steps: Vec::new(),
            json,
        }
    }

    /// Tells one step.
    pub(super) fn step(&mut self, name: &'static str, held: bool, said: String) -> Result<()> {
        self.steps.push(Step { name, said, held });
        let Some(step) = self.steps.last() else {
            return Ok(());
        };
        if !self.json {
            let mark = if held { "✓" } else { "✗" };
            output::line(&format!(
                "{mark} {:>2}. {}\n      {}",
                self.steps.len(),
                step.name,
                step.said
            ))?;
        }
        Ok(())
    }

    /// Ends the story: with `more` about it for programs, and its last words for people.
    pub(super) fn finish(self, more: &Value, last_words: &str) -> Result<ExitCode> {
        let held = self.steps.iter().all(|step| step.held);
        if self.json {
            let steps: Value = self
                .steps
                .iter()
                .map(|step| json!({"step": step.name, "held": step.held, "said": step.said}))
                .collect();
            let mut document = json!({"ok": held, "steps": steps});
            if let (Some(document), Some(more)) = (document.as_object_mut(), more.as_object()) {
                document.extend(more.clone());
            }
            output::print(&document, true)?;
        } else if held {
            output::line(&format!("\n{last_words}"))?;
        } else {
            output::line("\nNot every step held.")?;
        }
        Ok(if held {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}
