//! Policy packs: checked, hashed and compared.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use ql_pipeline::pack::problem::Unfit;
use ql_pipeline::pack::{Pack, diff, folder, manifest};
use serde_json::{Value, json};

use crate::output;

/// Policy packs.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Say everything that keeps a pack from being used
    #[command(after_help = "Examples:
  querylayer policy lint packs/biblical-teaching")]
    Lint {
        /// The pack's folder
        folder: PathBuf,
        #[command(flatten)]
        print: Print,
    },
    /// Print the digests that tasks carry, and those of the files
    #[command(after_help = "Examples:
  querylayer policy hash packs/biblical-teaching")]
    Hash {
        /// The pack's folder
        folder: PathBuf,
        #[command(flatten)]
        print: Print,
    },
    /// Say what is different between two packs, one line per change
    #[command(after_help = "Examples:
  querylayer policy diff packs/biblical-teaching ../new/biblical-teaching")]
    Diff {
        /// The folder of the older pack
        old: PathBuf,
        /// The folder of the newer pack
        new: PathBuf,
        #[command(flatten)]
        print: Print,
    },
}

/// How a command prints.
#[derive(Debug, Clone, Args)]
pub struct Print {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Carries a command out; the exit code of `lint` says whether the pack is fit for use.
///
/// # Errors
/// A folder that can't be read, or a pack that isn't fit where one is needed.
pub fn run(command: PolicyCommand) -> Result<ExitCode> {
    match command {
        PolicyCommand::Lint { folder, print } => return lint(&folder, &print),
        PolicyCommand::Hash { folder, print } => hash(&folder, &print)?,
        PolicyCommand::Diff { old, new, print } => compare(&old, &new, &print)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn lint(folder: &Path, print: &Print) -> Result<ExitCode> {
    match folder::open(folder)? {
        Ok(pack) => {
            output::print(&about(&pack), print.json)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(unfit) if print.json => {
            output::print(&json!({"ok": false, "problems": unfit.problems}), true)?;
            Ok(ExitCode::FAILURE)
        }
        Err(unfit) => {
            output::line(&unfit.to_string())?;
            Ok(ExitCode::FAILURE)
        }
    }
}

/// What is said of a pack that is fit.
fn about(pack: &Pack) -> Value {
    json!({
        "ok": true,
        "name": pack.name,
        "version": pack.version,
        "roles": pack.roles.len(),
        "stages": pack.stages.len(),
        "rules": pack.rules.len(),
        "doctrines": pack.doctrines.len(),
        "disputed": pack.disputed.len(),
        "translations": pack.translations.len(),
        "policy_pack_sha256": pack.sha256,
    })
}

fn hash(folder: &Path, print: &Print) -> Result<()> {
    let pack = fit(folder)?;
    let files = manifest::manifest(&pack.files);
    if print.json {
        let answer = json!({
            "constitution_sha256": pack.constitution_sha256,
            "policy_pack_sha256": pack.sha256,
            "files": files,
        });
        return output::print(&answer, true);
    }
    // As sha256sum prints them.
    for file in &pack.files {
        output::line(&format!("{}  {}", file.sha256, file.path))?;
    }
    output::line(&format!("{}  policy_pack_sha256", pack.sha256))
}

fn compare(old: &Path, new: &Path, print: &Print) -> Result<()> {
    let changes = diff(&fit(old)?, &fit(new)?);
    if print.json {
        return output::print(&json!(changes), true);
    }
    for change in &changes {
        output::line(&change.to_string())?;
    }
    Ok(())
}

/// The pack in a folder.
fn fit(folder: &Path) -> Result<Pack> {
    let loaded: Result<Pack, Unfit> = folder::open(folder)?;
    loaded.map_err(|unfit| anyhow::Error::new(unfit).context(folder.display().to_string()))
}
