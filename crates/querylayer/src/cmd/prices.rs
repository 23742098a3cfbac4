//! Prices of models: taken from a public list.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use ql_core::hash::Digest;
use ql_core::time::{Clock as _, SystemClock};
use ql_pipeline::price::litellm::{self, Imported};
use ql_pipeline::price::{self, Prices};
use serde_json::json;

use crate::output;

/// Prices of models.
#[derive(Debug, Subcommand)]
pub enum PricesCommand {
    /// Write a table of prices from LiteLLM's `model_prices_and_context_window.json`
    #[command(after_help = "Examples:
  querylayer prices import model_prices_and_context_window.json --out prices.toml --model 'gpt-5*' --model 'claude-*'")]
    Import(Import),
}

/// What to import.
#[derive(Debug, Clone, Args)]
pub struct Import {
    /// The list
    file: PathBuf,
    /// The table to write; a file that is there already stays
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Models to take, by the names that the list gives them; `*` and `?` stand for others
    #[arg(long, value_name = "GLOB")]
    model: Vec<String>,
    /// The day on which the list held, `YYYY-MM-DD`; today when not given
    #[arg(long, value_name = "DATE")]
    as_of: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Carries a command out.
///
/// # Errors
/// The list can't be read, has none of the models, or the table can't be written.
pub fn run(command: PricesCommand) -> Result<()> {
    match command {
        PricesCommand::Import(import) => take(&import),
    }
}

fn take(command: &Import) -> Result<()> {
    let shown = command.file.display();
    let text = fs::read_to_string(&command.file);
    let text = text.with_context(|| format!("{shown} can't be read"))?;
    let imported = litellm::read(&text, &command.model);
    let imported = imported.with_context(|| format!("{shown} isn't LiteLLM's list of prices"))?;
    if imported.models.is_empty() {
        bail!("{shown} has no price that was asked for; nothing was written");
    }
    let today = || {
        SystemClock
            .now()
            .to_string()
            .chars()
            .take("2026-12-01".len())
            .collect()
    };
    let as_of = command.as_of.clone().unwrap_or_else(today);
    let name = command
        .file
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let source = format!("{name} of LiteLLM, SHA-256 {}", Digest::of(text.as_bytes()));
    let table = price::write(&as_of, &source, &imported.models);
    let prices = Prices::read(&table)?;
    write(command, &table)?;
    tell(command, &imported, &prices)
}

/// Entries that somebody wrote by hand are never written over.
fn write(command: &Import, table: &str) -> Result<()> {
    let shown = command.out.display();
    let file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&command.out);
    let mut file = file.with_context(|| format!("{shown} can't be made anew"))?;
    std::io::Write::write_all(&mut file, table.as_bytes())
        .with_context(|| format!("{shown} can't be written"))
}

fn tell(command: &Import, imported: &Imported, prices: &Prices) -> Result<()> {
    let remarks: Vec<String> = imported.remarks.iter().map(ToString::to_string).collect();
    let answer = json!({
        "prices": imported.models.len(), "as_of": prices.as_of, "sha256": prices.sha256,
        "remarks": remarks,
    });
    if command.json {
        return output::print(&answer, true);
    }
    for remark in &remarks {
        output::line(remark)?;
    }
    let (count, out) = (imported.models.len(), command.out.display());
    output::line(&format!(
        "{count} prices as of {} are in {out}",
        prices.as_of
    ))
}
