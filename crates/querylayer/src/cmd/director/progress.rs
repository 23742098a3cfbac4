//! How a production stands, drawn in lines, and watched until nothing more happens by itself.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use anyhow::Result;
use ql_core::id::ProductionId;
use serde_json::Value;

use super::remote::{ask, text};
use crate::admin::DirectorRequest;
use crate::cli::Place;
use crate::output;

/// How long to wait between looks.
const LOOK: Duration = Duration::from_secs(1);

/// A production in lines: its title, a line for each stage, and what it waits for.
pub(super) fn lines(view: &Value) -> Vec<String> {
    let stages = || view["stages"].as_array().into_iter().flatten();
    let done = stages().filter(|of| of["state"] == "passed").count();
    let all = stages().count();
    let mut lines = vec![
        format!("{}  {}", text(&view["title"]), text(&view["id"])),
        format!("{} {done}/{all} stages · {}", bar(done, all), money(view)),
    ];
    lines.extend(stages().map(stage));
    let waits = view["waits"].as_array().into_iter().flatten();
    lines.extend(waits.map(|of| format!("waits for {}", text(&of["told"]))));
    if view["is_done"] == true {
        lines.push("all of it is done".to_owned());
    }
    if view["has_ended"] == true {
        lines.push("it was ended".to_owned());
    }
    if view["is_policy_served"] == false {
        lines.push("the server's policy isn't its own, so nothing of it moves".to_owned());
    }
    lines.push(text(&view["page"]).to_owned());
    lines
}

fn bar(done: usize, all: usize) -> String {
    format!(
        "[{}{}]",
        "#".repeat(done),
        ".".repeat(all.saturating_sub(done))
    )
}

fn money(view: &Value) -> String {
    let dollars = |name: &str| {
        let micros = view[name].as_i64().unwrap_or_default();
        let amount = ql_pipeline::money::Micros::new(micros).unwrap_or_default();
        format!("${amount}")
    };
    format!(
        "{} of {} used",
        dollars("committed_micros"),
        dollars("budget_micros")
    )
}

fn stage(of: &Value) -> String {
    let state = text(&of["state"]);
    let mark = match state {
        "passed" => "✓",
        "needs_review" => "!",
        "ready" | "running" => ">",
        _ => " ",
    };
    let why = of["reason"].as_str().map(|why| why.replace('_', " "));
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    let verdict = of["verdict"].as_str();
    let verdict = verdict.map(|verdict| format!(" · {verdict}"));
    let found = match of["findings"].as_u64().unwrap_or_default() {
        0 => String::new(),
        1 => " · 1 finding".to_owned(),
        many => format!(" · {many} findings"),
    };
    format!(
        "{mark} {:<30} {}{why}{}{found}",
        text(&of["name"]),
        state.replace('_', " "),
        verdict.unwrap_or_default(),
    )
}

/// The lines of `now` that `before` doesn't have.
fn news<'n>(before: &[String], now: &'n [String]) -> Vec<&'n String> {
    now.iter().filter(|line| !before.contains(line)).collect()
}

/// Whether an agent or the server goes on with it.
fn is_moving(view: &Value) -> bool {
    let waits = view["waits"].as_array().into_iter().flatten();
    let mut moving = waits.filter(|of| matches!(text(&of["for"]), "agent" | "server"));
    view["is_policy_served"] != false && moving.next().is_some()
}

/// Shows how a production goes on until only people can: redrawn on a terminal, what is new line by
/// line elsewhere, one JSON object for each change with `--json`.
///
/// # Errors
/// No server of the folder runs, or it refuses.
pub(super) async fn watch(id: ProductionId, place: &Place) -> Result<()> {
    let is_drawn = std::io::stdout().is_terminal() && !place.json;
    let mut before: Option<(Value, Vec<String>)> = None;
    loop {
        let view = ask(DirectorRequest::Status(Some(id)), place).await?;
        let now = lines(&view);
        let known = before.as_ref().map(|(view, _)| view);
        if known != Some(&view) {
            let shown = before.as_ref().map_or(&[][..], |(_, lines)| lines);
            if place.json {
                output::print(&view, true)?;
            } else if is_drawn {
                redraw(shown.len(), &now)?;
            } else {
                for line in news(shown, &now) {
                    output::line(line)?;
                }
            }
        }
        if !is_moving(&view) {
            return Ok(());
        }
        before = Some((view, now));
        tokio::time::sleep(LOOK).await;
    }
}

/// Draws lines over those that stand there.
fn redraw(standing: usize, lines: &[String]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if standing > 0 {
        write!(out, "\x1b[{standing}A\x1b[0J")?;
    }
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn view(state: &str, whom: &str) -> Value {
        json!({
            "id": "prd_1", "title": "The oldest plan", "page": "https://ql.example/p",
            "is_done": false, "is_policy_served": true,
            "budget_micros": 10_000_000, "committed_micros": 20_000,
            "waits": [{"for": whom, "told": "a review of Script written (blocked)"}],
            "stages": [
                {"name": "Topic approved", "state": "passed", "findings": 0},
                {"name": "Script written", "state": state, "reason": "blocked",
                    "verdict": "BLOCKED", "findings": 2},
                {"name": "Script audited", "state": "waiting", "findings": 0},
            ],
        })
    }

    #[test]
    fn a_production_stands_in_lines() {
        insta::assert_snapshot!(lines(&view("needs_review", "review")).join("\n"), @"
        The oldest plan  prd_1
        [#..] 1/3 stages · $0.02 of $10 used
        ✓ Topic approved                 passed
        ! Script written                 needs review: blocked · BLOCKED · 2 findings
          Script audited                 waiting
        waits for a review of Script written (blocked)
        https://ql.example/p
        ");
    }

    #[test]
    fn only_what_is_new_is_told_again() {
        let (before, now) = (
            lines(&view("running", "agent")),
            lines(&view("needs_review", "review")),
        );
        let told: Vec<&str> = news(&before, &now)
            .into_iter()
            .map(String::as_str)
            .collect();
        insta::assert_snapshot!(told.join("\n"), @"! Script written                 needs review: blocked · BLOCKED · 2 findings");
        assert!(is_moving(&view("running", "agent")));
        assert!(!is_moving(&view("needs_review", "review")));
    }
}
