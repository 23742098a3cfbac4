//! References and quotations of Scripture: read, found, checked.

mod answer;
mod batch;

use std::collections::HashMap;
use std::fs;
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::{Args, Subcommand};
use ql_scripture::corpus::library::Library;
use ql_scripture::quote::{Claim, check};
use ql_scripture::reference::Settings;
use ql_scripture::undeclared::{Known, find};
use ql_scripture::{Language, Reader, Scheme};
use serde_json::{Value, json};

use crate::output;
use crate::shelf::Shelf;

/// References and quotations of Scripture.
#[derive(Debug, Subcommand)]
pub enum ScriptureCommand {
    /// Read a declared reference
    #[command(after_help = "Examples:
  querylayer scripture parse 'Matt 5:3-7, 9'
  querylayer scripture parse --batch < references.jsonl   lines such as {\"text\": \"Ps 23\"}")]
    Parse {
        /// The reference
        #[arg(required_unless_present = "batch")]
        text: Option<String>,
        #[command(flatten)]
        how: How,
    },
    /// Find the references in prose
    #[command(after_help = "Examples:
  querylayer scripture find sermon.txt
  querylayer scripture find - < sermon.txt
  querylayer scripture find --batch < texts.jsonl         lines such as {\"text\": \"see John 3:16\"}")]
    Find {
        /// The file; `-` is standard input
        #[arg(required_unless_present = "batch")]
        file: Option<PathBuf>,
        #[command(flatten)]
        how: How,
    },
    /// Check that a quotation is what it claims to be
    #[command(after_help = "Examples:
  querylayer scripture check --ref 'John 11:35' --edition kjv 'Jesus wept.'
  querylayer scripture check --batch < quotations.jsonl   lines such as {\"ref\": \"John 11:35\", \"edition\": \"kjv\", \"text\": \"Jesus wept.\"}")]
    Check {
        /// The passage
        #[arg(long = "ref", value_name = "REF", required_unless_present = "batch")]
        reference: Option<String>,
        /// The edition
        #[arg(long, value_name = "ID", required_unless_present = "batch")]
        edition: Option<String>,
        /// The quotation
        #[arg(required_unless_present = "batch")]
        text: Option<String>,
        #[command(flatten)]
        how: How,
    },
    /// Find quotations in prose that nobody declared
    #[command(after_help = "Examples:
  querylayer scripture scan sermon.txt
  querylayer scripture scan sermon.txt --edition kjv --edition bsb
  querylayer scripture scan --batch < texts.jsonl         lines such as {\"text\": \"...\", \"declared\": [[10, 42]]}")]
    Scan {
        /// The file; `-` is standard input
        #[arg(required_unless_present = "batch")]
        file: Option<PathBuf>,
        /// Which editions; all when none is named
        #[arg(long, value_name = "ID")]
        edition: Vec<String>,
        #[command(flatten)]
        how: How,
    },
}

/// How references are read, where editions are, and how the command prints.
#[derive(Debug, Clone, Args)]
pub struct How {
    /// Read JSON lines from standard input and answer each with one
    #[arg(long)]
    batch: bool,
    /// The languages of book names: en, es, de, fr, pt, it
    #[arg(long, value_name = "CODE", default_value = "en")]
    language: Vec<String>,
    /// Whose numbers references have; an edition's own for `check`
    #[arg(long, value_name = "NAME", default_value = "english")]
    versification: String,
    #[command(flatten)]
    shelf: Shelf,
}

/// Carries a command out; the exit code says whether a reference could be read, and whether a
/// quotation is verified.
///
/// # Errors
/// A file, a folder or a setting that can't be used.
pub fn run(command: ScriptureCommand) -> Result<ExitCode> {
    match command {
        ScriptureCommand::Parse { text, how } => {
            let reader = how.reader(how.scheme()?)?;
            let work = |line: batch::Text| Ok(parsed(&reader, &line.text));
            one_or_batch(&how, text.map(|text| batch::Text { text }), work)
        }
        ScriptureCommand::Find { file, how } => {
            let reader = how.reader(how.scheme()?)?;
            let work = |line: batch::Text| Ok(found(&reader, &line.text));
            let text = file.as_deref().map(contents).transpose()?;
            one_or_batch(&how, text.map(|text| batch::Text { text }), work)
        }
        ScriptureCommand::Check {
            reference,
            edition,
            text,
            how,
        } => {
            let desk = Desk::new(&how)?;
            let claim = reference.zip(edition).zip(text);
            let claim = claim.map(|((reference, edition), text)| batch::Quotation {
                reference,
                edition,
                text,
            });
            one_or_batch(&how, claim, |claim| desk.check(&claim))
        }
        ScriptureCommand::Scan { file, edition, how } => {
            let library = how.shelf.library(&edition)?;
            let reader = how.reader(how.scheme()?)?;
            let text = file.as_deref().map(contents).transpose()?;
            let prose = text.map(|text| batch::Prose {
                text,
                declared: Vec::new(),
            });
            one_or_batch(&how, prose, |prose| Ok(scanned(&library, &reader, &prose)))
        }
    }
}

/// Answers what was asked on the command line, or every line of standard input.
fn one_or_batch<T: serde::de::DeserializeOwned>(
    how: &How,
    asked: Option<T>,
    work: impl Fn(T) -> Result<Value>,
) -> Result<ExitCode> {
    let Some(asked) = asked.filter(|_| !how.batch) else {
        return batch::run(work);
    };
    let answer = work(asked)?;
    output::print(&answer, how.shelf.json)?;
    Ok(if answer["ok"] == false {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn contents(path: &Path) -> Result<String> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text)?;
        return Ok(text);
    }
    fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))
}

impl How {
    fn scheme(&self) -> Result<Scheme> {
        Scheme::from_name(&self.versification).ok_or_else(|| {
            anyhow!(
                "there is no versification `{}`; name english, hebrew, septuagint or vulgate",
                self.versification
            )
        })
    }

    fn reader(&self, scheme: Scheme) -> Result<Reader> {
        let languages = self.language.iter().map(|code| {
            Language::from_code(code).ok_or_else(|| {
                anyhow!("there are no book names in `{code}`; name en, es, de, fr, pt or it")
            })
        });
        Ok(Reader::new(Settings {
            languages: languages.collect::<Result<_>>()?,
            scheme,
            ..Settings::default()
        }))
    }
}

/// Editions with a reader for the numbers of each.
struct Desk {
    library: Library,
    readers: HashMap<String, Reader>,
}

impl Desk {
    fn new(how: &How) -> Result<Self> {
        let library = how.shelf.library(&[])?;
        let readers = library.iter().map(|corpus| {
            let scheme = Scheme::from_name(&corpus.manifest().versification);
            let reader = how.reader(scheme.unwrap_or(Scheme::English))?;
            Ok((corpus.id().to_owned(), reader))
        });
        let readers = readers.collect::<Result<_>>()?;
        Ok(Self { library, readers })
    }

    fn check(&self, quotation: &batch::Quotation) -> Result<Value> {
        let reader = self.readers.get(&quotation.edition).ok_or_else(|| {
            let known: Vec<&str> = self
                .library
                .iter()
                .map(ql_scripture::corpus::Corpus::id)
                .collect();
            anyhow!(
                "there is no edition `{}`; there are {}",
                quotation.edition,
                known.join(", ")
            )
        })?;
        let passage = match reader.parse(&quotation.reference) {
            Ok(reference) => reference.passage(),
            Err(error) => return Ok(answer::not_a_reference(&error)),
        };
        let answer = check(
            &self.library,
            &Claim {
                edition: &quotation.edition,
                passage: &passage,
                text: &quotation.text,
            },
        )?;
        Ok(answer::quotation(&answer))
    }
}

fn parsed(reader: &Reader, text: &str) -> Value {
    match reader.parse(text) {
        Ok(reference) => answer::reference(&reference),
        Err(error) => answer::not_a_reference(&error),
    }
}

fn found(reader: &Reader, text: &str) -> Value {
    let hits: Vec<Value> = reader
        .find(text)
        .map(|hit| answer::hit(text, &hit))
        .collect();
    json!({"ok": true, "references": hits})
}

fn scanned(library: &Library, reader: &Reader, prose: &batch::Prose) -> Value {
    let references: Vec<Range<usize>> = reader.find(&prose.text).map(|hit| hit.bytes).collect();
    let declared = prose.declared.iter().map(|(start, end)| *start..*end);
    let declared: Vec<Range<usize>> = declared.collect();
    let known = Known {
        declared: &declared,
        references: &references,
    };
    let findings = find(library, &prose.text, known).into_iter();
    let findings: Vec<Value> = findings
        .map(|finding| answer::finding(&prose.text, &finding))
        .collect();
    json!({"ok": true, "quotations": findings})
}
