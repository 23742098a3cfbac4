//! The ledger: checking it here and elsewhere, and taking parts of it along.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::{Args, Subcommand};
use ql_core::bundle::{self, Held, Report};
use ql_core::id::{EntryId, OrganizationId, ProposalId, RunId};
use ql_core::note::PublicKey;
use ql_core::proof;
use serde_json::{Value, json};

use crate::admin::{LedgerRequest, Request};
use crate::cli::Place;
use crate::cmd::admin;
use crate::output;

/// The ledger: what happened, tamper-evident.
#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// Check the ledger of a database, or a bundle or a proof from one, offline
    #[command(after_help = "Examples:
  querylayer ledger verify --data ./data
  querylayer ledger verify run.qlbundle --key 'querylayer.ledger/…+…+…'
  querylayer ledger verify run.qlbundle --checkpoint last-month.checkpoint")]
    Verify {
        /// The bundle or the proof; the whole database when not given
        file: Option<PathBuf>,
        /// The key that you know to be the ledger's
        #[arg(long, requires = "file")]
        key: Option<PublicKey>,
        /// A file with a checkpoint that you hold
        #[arg(long, value_name = "FILE", requires = "file")]
        checkpoint: Option<PathBuf>,
        #[command(flatten)]
        place: Place,
    },
    /// Write a part of the ledger into a bundle that can be checked offline
    #[command(after_help = "Examples:
  querylayer ledger export --run run_… -o run.qlbundle
  querylayer ledger export --site elmsea --since 1200 > site.qlbundle")]
    Export {
        #[command(flatten)]
        part: Part,
        /// Prove as well that the ledger only grew since the checkpoint over so many entries
        #[arg(long, value_name = "ENTRIES")]
        since: Option<u64>,
        /// The file to make; standard output when not given
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        place: Place,
    },
    /// Write the proof that one entry stands in the signed tree
    Prove {
        /// The entry's id
        entry: EntryId,
        /// The file to make; standard output when not given
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        place: Place,
    },
    /// Print the latest signed checkpoint, to be kept elsewhere
    Checkpoint {
        #[command(flatten)]
        place: Place,
    },
    /// Sign with a new key from now on; the old one's last word names it
    RotateKey {
        #[command(flatten)]
        place: Place,
    },
}

/// Which part of the ledger.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
pub struct Part {
    /// A run with its proposals
    #[arg(long, value_name = "ID")]
    run: Option<RunId>,
    /// A proposal
    #[arg(long, value_name = "ID")]
    proposal: Option<ProposalId>,
    /// A site's own chain, by the site's id or slug
    #[arg(long)]
    site: Option<String>,
    /// An organization's own chain
    #[arg(long, value_name = "ID")]
    organization: Option<OrganizationId>,
}

/// Carries a command out.
///
/// # Errors
/// The refusal, or a folder or file that can't be worked on.
pub async fn run(command: LedgerCommand) -> Result<ExitCode> {
    match command {
        LedgerCommand::Verify {
            file: None, place, ..
        } => verify_database(&place).await,
        LedgerCommand::Verify {
            file: Some(file),
            key,
            checkpoint,
            place,
        } => verify_file(&file, key, checkpoint.as_deref(), place.json),
        LedgerCommand::Export {
            part,
            since,
            output,
            place,
        } => {
            let Part {
                run,
                proposal,
                site,
                organization,
            } = part;
            let request = LedgerRequest::Export {
                subject: [
                    run.map(|id| id.to_string()),
                    proposal.map(|id| id.to_string()),
                ]
                .into_iter()
                .chain([site, organization.map(|id| id.to_string())])
                .flatten()
                .collect(),
                since,
            };
            text(request, "bundle", output.as_deref(), &place).await
        }
        LedgerCommand::Prove {
            entry,
            output,
            place,
        } => {
            text(
                LedgerRequest::Prove { entry },
                "proof",
                output.as_deref(),
                &place,
            )
            .await
        }
        LedgerCommand::Checkpoint { place } => {
            let latest = answer(LedgerRequest::Checkpoint, &place).await?;
            if place.json {
                output::print(&latest, true)?;
            } else {
                write(latest["checkpoint"].as_str().unwrap_or_default(), None)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        LedgerCommand::RotateKey { place } => {
            let rotated = answer(LedgerRequest::RotateKey, &place).await?;
            output::print(&rotated, place.json)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn answer(request: LedgerRequest, place: &Place) -> Result<Value> {
    admin::answer(Request::Ledger(request), place).await
}

/// Asks for a text and writes it where it is wanted.
async fn text(
    request: LedgerRequest,
    what: &str,
    target: Option<&Path>,
    place: &Place,
) -> Result<ExitCode> {
    let answer = answer(request, place).await?;
    let text = answer["text"]
        .as_str()
        .ok_or_else(|| anyhow!("the server answered without a {what}"))?;
    write(text, target)?;
    if let Some(target) = target {
        output::print(&json!({what: target, "bytes": text.len()}), place.json)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes to a new file, or to standard output.
fn write(text: &str, target: Option<&Path>) -> Result<()> {
    let Some(target) = target else {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes())?;
        return Ok(out.flush()?);
    };
    fs::File::create_new(target)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("{} can't be made", target.display()))
}

/// Checks the database's ledger; the exit code says whether all holds.
async fn verify_database(place: &Place) -> Result<ExitCode> {
    let found = admin::answer(Request::VerifyLedger, place).await?;
    output::print(&found, place.json)?;
    Ok(code(found["ok"] == true))
}

fn code(ok: bool) -> ExitCode {
    if ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Checks a bundle or a proof with nothing else at hand.
fn verify_file(
    file: &Path,
    key: Option<PublicKey>,
    checkpoint: Option<&Path>,
    json: bool,
) -> Result<ExitCode> {
    let read =
        |path: &Path| fs::read(path).with_context(|| format!("{} can't be read", path.display()));
    let bytes = read(file)?;
    let found = if bytes.starts_with(proof::FORMAT.as_bytes()) {
        verify_proof(&bytes, key)?
    } else {
        let held = checkpoint.map(read).transpose()?.map(String::from_utf8);
        let held = held.transpose().context("a checkpoint is a text")?;
        let held = Held {
            key,
            checkpoint: held.as_deref(),
        };
        match bundle::verify(&bytes, &held) {
            Ok(report) => proven(&report, &held),
            Err(refused) => {
                json!({"ok": false, "code": refused.code(), "wrong": refused.to_string()})
            }
        }
    };
    output::print(&found, json)?;
    Ok(code(found["ok"] == true))
}

fn verify_proof(bytes: &[u8], key: Option<PublicKey>) -> Result<Value> {
    let key = key.context("a proof names no keys; give the ledger's with --key")?;
    let text = std::str::from_utf8(bytes).context("a proof is a text")?;
    Ok(match proof::verify(text, &key) {
        Ok(proven) => json!({
            "ok": true,
            "ledger": proven.origin,
            "place": proven.index,
            "size": proven.checkpoint.size,
            "entry": proven.entry,
        }),
        Err(wrong) => json!({"ok": false, "code": "proof", "wrong": wrong.to_string()}),
    })
}

/// What a bundle proves, and what was compared with what the auditor holds.
fn proven(report: &Report, held: &Held<'_>) -> Value {
    let proposals: Value = (report.proposals.iter())
        .map(|proposal| {
            let approvals: Value = (proposal.approvals.iter())
                .map(|approval| {
                    json!({
                        "member": approval.member,
                        "digest": approval.digest,
                        "at": approval.at,
                        "own_proposal": approval.own_proposal,
                        "under_another_policy": approval.under_another_policy,
                    })
                })
                .collect();
            json!({"id": proposal.id, "kind": proposal.kind, "state": proposal.state, "approvals": approvals})
        })
        .collect();
    let signer = report.keys.last().map(|key| key.with_name(&report.origin));
    json!({
        "ok": true,
        "subject": report.subject,
        "outcome": report.outcome,
        "entries": report.entries,
        "proposals": proposals,
        "organization": report.organization,
        "exported_at": report.exported_at,
        "ledger": report.origin,
        "size": report.checkpoint.size,
        "key": signer,
        "key_compared": held.key.is_some(),
        "grown_since": report.since.map(|since| since.size),
        "checkpoint_compared": held.checkpoint.is_some(),
    })
}
