//! What looks like prompt injection in a text.

mod batch;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Subcommand;
use ql_pipeline::injection::{Detector, Finding, MOST_BYTES, Scan};
use serde_json::{Value, json};

use crate::output;

/// What looks like prompt injection in a text.
#[derive(Debug, Subcommand)]
pub enum InjectionCommand {
    /// Point at what looks like prompt injection; telemetry, and no proof that a text is harmless
    #[command(after_help = "Examples:
  querylayer injection scan page.html
  querylayer injection scan - --json < page.html
  querylayer injection scan --batch texts.jsonl         lines such as {\"id\": 7, \"text\": \"...\"}
  querylayer injection scan --batch - < texts.jsonl

Exit code: 0 nothing found, 1 something found, 2 something couldn't be read or scanned whole.")]
    Scan {
        /// The file; `-` is standard input
        #[arg(required_unless_present = "batch", conflicts_with = "batch")]
        file: Option<PathBuf>,
        /// A file of JSON lines, each answered with one; `-` is standard input
        #[arg(long, value_name = "FILE")]
        batch: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// How a scan ended. The greater of two stands for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Nothing,
    Found,
    Failed,
}

impl Outcome {
    /// A text that was scanned in part isn't free of anything.
    const fn of(scan: &Scan) -> Self {
        match (scan.findings.is_empty(), scan.complete) {
            (false, _) => Self::Found,
            (true, true) => Self::Nothing,
            (true, false) => Self::Failed,
        }
    }
}

/// Carries a command out. Whatever goes wrong ends with 2, since 1 means that something was found.
pub fn run(command: InjectionCommand) -> ExitCode {
    let InjectionCommand::Scan { file, batch, json } = command;
    let outcome = match (file, batch) {
        (_, Some(path)) => open(&path).and_then(batch::run),
        (Some(path), None) => one(&path, json),
        (None, None) => unreachable!("clap asks for one of them"),
    };
    match outcome {
        Ok(Outcome::Nothing) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::from(1),
        Ok(Outcome::Failed) => ExitCode::from(2),
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

#[expect(
    clippy::print_stderr,
    reason = "errors of commands go to standard error"
)]
fn complain(what: &str) {
    eprintln!("querylayer: {what}");
}

fn open(path: &Path) -> Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("{} can't be read", path.display()))?;
    Ok(Box::new(file))
}

fn one(path: &Path, json: bool) -> Result<Outcome> {
    let mut bytes = Vec::new();
    // One byte more than is scanned tells that there is more.
    let most = u64::try_from(MOST_BYTES)?.saturating_add(1);
    let input = open(path)?.take(most).read_to_end(&mut bytes);
    input.with_context(|| format!("{} can't be read", path.display()))?;
    let scan = Detector::new().scan(&String::from_utf8_lossy(&bytes));
    if json {
        output::line(&answer(&scan).to_string())?;
    } else {
        output::line(&told(&scan))?;
    }
    Ok(Outcome::of(&scan))
}

/// What a scan found, for programs.
fn answer(scan: &Scan) -> Value {
    json!({
        "found": !scan.findings.is_empty(),
        "findings": scan.findings,
        "scanned": scan.scanned,
        "complete": scan.complete,
    })
}

/// What a scan found, for people. The text itself isn't shown, since it may steer a terminal.
fn told(scan: &Scan) -> String {
    let line = |one: &Finding| {
        let Finding {
            start,
            end,
            explanation,
            ..
        } = one;
        let (code, family) = (one.code.as_str(), one.family.as_str());
        let layer = serde_json::to_value(one.layer).unwrap_or_default();
        let layer = layer.as_str().unwrap_or_default();
        format!("{start}..{end}  {code}  {family}  {layer}: {explanation}")
    };
    let mut lines: Vec<String> = scan.findings.iter().map(line).collect();
    if lines.is_empty() {
        lines.push("nothing found".to_owned());
    }
    if !scan.complete {
        lines.push(format!(
            "not all is told: {} bytes were scanned",
            scan.scanned
        ));
    }
    lines.join("\n")
}
