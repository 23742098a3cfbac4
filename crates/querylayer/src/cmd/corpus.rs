//! Editions of Scripture: taken in, listed, checked and shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use ql_core::time::{Clock as _, SystemClock};
use ql_scripture::corpus::folder;
use ql_scripture::corpus::import::{File, Format, Imported, Reading, Tradition, import};
use ql_scripture::corpus::manifest::{Description, Manifest};
use ql_scripture::reference::Settings;
use ql_scripture::{Reader, Scheme};
use serde_json::{Value, json};

use crate::output;
use crate::shelf::Shelf;

/// Editions of Scripture.
#[derive(Debug, Subcommand)]
pub enum CorpusCommand {
    /// Take in an edition from USFM, OSIS, lines of text or JSON lines
    #[command(after_help = "Examples:
  querylayer corpus import kjv.tsv --id kjv --name 'King James Version' --language en --licence 'public domain outside the United Kingdom' --source 'where I have it from'
  querylayer corpus import usfm/*.usfm --id mine --name Mine --language en --licence 'by letter of 3 May' --source publisher")]
    Import(Box<Import>),
    /// List the editions
    List {
        #[command(flatten)]
        shelf: Shelf,
    },
    /// Check that editions are what was imported
    Verify {
        /// Which editions; all when none is named
        ids: Vec<String>,
        #[command(flatten)]
        shelf: Shelf,
    },
    /// Show what is known of an edition, or its text of a passage
    #[command(after_help = "Examples:
  querylayer corpus show kjv
  querylayer corpus show kjv 'John 3:16-18'")]
    Show {
        /// The edition
        id: String,
        /// The passage whose text is shown
        passage: Option<String>,
        #[command(flatten)]
        shelf: Shelf,
    },
}

/// What to take in, and what is to be known of it.
#[derive(Debug, Args)]
pub struct Import {
    /// The files of the edition
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// usfm, osis, tsv or jsonl; by the end of the files' names when not given
    #[arg(long)]
    format: Option<Format>,
    /// A short name for the edition
    #[arg(long)]
    id: String,
    /// The edition's name in full
    #[arg(long)]
    name: String,
    /// The language as a BCP 47 tag
    #[arg(long)]
    language: String,
    /// The licence
    #[arg(long)]
    licence: String,
    /// What differs by country
    #[arg(long, default_value = "")]
    jurisdictions: String,
    /// Whose numbers the edition has: english, hebrew, septuagint or vulgate
    #[arg(long, default_value = "english")]
    versification: String,
    /// Where the text came from
    #[arg(long)]
    source: String,
    /// Take the words that are read instead of those that are written, where OSIS has both
    #[arg(long)]
    qere: bool,
    /// Refuse files with another SHA-256
    #[arg(long, value_name = "HEX")]
    sha256: Option<String>,
    #[command(flatten)]
    shelf: Shelf,
}

/// Carries a command out.
///
/// # Errors
/// The refusal with everything that is wrong, or a folder that can't be worked on.
pub fn run(command: CorpusCommand) -> Result<ExitCode> {
    match command {
        CorpusCommand::Import(import) => take(&import)?,
        CorpusCommand::List { shelf } => list(&shelf)?,
        CorpusCommand::Verify { ids, shelf } => return verify(&ids, &shelf),
        CorpusCommand::Show { id, passage, shelf } => show(&id, passage.as_deref(), &shelf)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn take(command: &Import) -> Result<()> {
    let imported = read(command)?;
    let found = &imported.normal.manifest.source_sha256;
    if let Some(wanted) = command.sha256.as_ref().filter(|wanted| *wanted != found) {
        bail!("the files have the SHA-256 {found}, not {wanted}; nothing was imported");
    }
    let at = folder::save(&command.shelf.folder(), &imported.normal)?;
    let mut answer = about(&imported.normal.manifest);
    answer["folder"] = json!(at);
    answer["left_out"] = json!(imported.report.left_out);
    answer["empty"] = json!(imported.report.empty);
    let remarks = imported.report.remarks.iter();
    answer["remarks"] = remarks.map(ToString::to_string).collect();
    output::print(&answer, command.shelf.json)
}

fn read(command: &Import) -> Result<Imported> {
    let mut names = Vec::new();
    let mut contents = Vec::new();
    for path in &command.files {
        let name = path.file_name().unwrap_or(path.as_os_str());
        names.push(name.to_string_lossy().into_owned());
        let bytes = fs::read(path).with_context(|| format!("{} can't be read", path.display()))?;
        contents.push(bytes);
    }
    let by_name = || Format::of_file(names.first()?);
    let format = command.format.or_else(by_name);
    let format = format.context("the file's name doesn't say its format; give it with --format")?;
    let files = names.iter().zip(&contents);
    let files: Vec<File<'_>> = files.map(|(name, bytes)| File { name, bytes }).collect();
    let tradition = if command.qere {
        Tradition::Read
    } else {
        Tradition::Written
    };
    let reading = Reading { format, tradition };
    Ok(import(reading, &files, description(command))?)
}

fn description(command: &Import) -> Description {
    let now = SystemClock.now().to_string();
    Description {
        id: command.id.clone(),
        name: command.name.clone(),
        language: command.language.clone(),
        licence: command.licence.clone(),
        jurisdictions: command.jurisdictions.clone(),
        versification: command.versification.clone(),
        source: command.source.clone(),
        imported: now.chars().take("2026-12-01".len()).collect(),
    }
}

/// What is said of an edition in lists.
fn about(manifest: &Manifest) -> Value {
    json!({
        "id": manifest.id,
        "name": manifest.name,
        "language": manifest.language,
        "versification": manifest.versification,
        "verses": manifest.verses,
        "licence": manifest.licence,
        "sha256": manifest.sha256,
    })
}

fn list(shelf: &Shelf) -> Result<()> {
    let manifests = folder::list(&shelf.folder())?;
    let manifests: Result<Vec<Manifest>, _> = manifests
        .iter()
        .map(|path| folder::manifest(path))
        .collect();
    let editions: Value = manifests?.iter().map(about).collect();
    output::print(&editions, shelf.json)
}

/// Loads each edition; the exit code says whether all of them hold.
fn verify(ids: &[String], shelf: &Shelf) -> Result<ExitCode> {
    let editions = shelf.editions(ids)?;
    let found: Vec<Value> = editions.iter().map(|path| verified(path)).collect();
    let holds = found.iter().all(|of| of["ok"] == true);
    output::print(&found.into(), shelf.json)?;
    Ok(if holds {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn verified(path: &Path) -> Value {
    let id = path.file_name().unwrap_or_default().to_string_lossy();
    match folder::open(path) {
        Ok(corpus) => json!({
            "id": id,
            "ok": true,
            "verses": corpus.manifest().verses,
            "sha256": corpus.manifest().sha256,
            "wrong": null,
        }),
        Err(error) => json!({
            "id": id,
            "ok": false,
            "verses": null,
            "sha256": null,
            "wrong": error.to_string(),
        }),
    }
}

fn show(id: &str, passage: Option<&str>, shelf: &Shelf) -> Result<()> {
    let path = shelf.folder().join(id);
    let Some(passage) = passage else {
        let manifest = folder::manifest(&path)?;
        return output::print(&json!(manifest), shelf.json);
    };
    let corpus = folder::open(&path)?;
    let scheme = Scheme::from_name(&corpus.manifest().versification).unwrap_or(Scheme::English);
    let reader = Reader::new(Settings {
        scheme,
        ..Settings::default()
    });
    let passage = reader.parse(passage)?.passage();
    let spans = passage.spans().iter();
    let verses = spans.flat_map(|span| corpus.passage(*span));
    let verses: Vec<Value> = verses
        .map(|(span, text)| json!({"verse": span.to_string(), "text": text}))
        .collect();
    if verses.is_empty() {
        bail!("`{id}` doesn't have {passage}");
    }
    output::print(&verses.into(), shelf.json)
}
