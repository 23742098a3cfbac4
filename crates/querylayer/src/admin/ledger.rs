//! What the operator asks of the ledger.

use anyhow::{Result, anyhow};
use ql_app::App;
use ql_app::session::SiteRef;
use ql_core::id::EntryId;
use ql_core::ledger::Subject;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::said;

/// A request about the ledger.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LedgerRequest {
    /// Whether this server signs, and how far everything is signed.
    Status,
    /// The latest checkpoint.
    Checkpoint,
    /// Put a new key in the place of the one that signs.
    RotateKey,
    /// A bundle.
    Export {
        /// A run, a proposal, a site by its id or slug, or an organization.
        subject: String,
        /// The earlier checkpoint to begin at, by how many entries it covers.
        since: Option<u64>,
    },
    /// The proof of one entry.
    Prove {
        /// The entry.
        entry: EntryId,
    },
}

/// Carries a request out.
///
/// # Errors
/// The refusal of the use case, with its remedy.
pub(super) async fn run(app: &App, uid: u32, request: LedgerRequest) -> Result<Value> {
    match request {
        LedgerRequest::Status => {
            let signing = said(app.check_signing().await)?;
            let waiting = said(app.vitals().await)?.waiting_entries;
            Ok(
                json!({"signs": signing.is_sound(), "signing": signing.to_string(), "waiting": waiting}),
            )
        }
        LedgerRequest::Checkpoint => checkpoint(app).await,
        LedgerRequest::RotateKey => {
            let key = said(app.rotate_ledger_key(uid).await)?;
            let keys = said(app.ledger_keys().await)?.ok_or_else(|| anyhow!("no key was made"))?;
            Ok(json!({"key": key.with_name(keys.origin()), "number": keys.number()}))
        }
        LedgerRequest::Export { subject, since } => {
            let subject = find_subject(app, uid, &subject).await?;
            let ctx = said(app.operator_context_for(uid, subject).await)?;
            Ok(json!({"text": said(app.export_ledger(&ctx, subject, since).await)?}))
        }
        LedgerRequest::Prove { entry } => Ok(json!({"text": said(app.prove_entry(entry).await)?})),
    }
}

/// What a text names: something by its id, or a site by its slug.
async fn find_subject(app: &App, uid: u32, named: &str) -> Result<Subject> {
    if let Ok(subject) = named.parse() {
        return Ok(subject);
    }
    let site = SiteRef::parse(named);
    let (_, site) = said(app.operator_site_context(uid, &site).await)?;
    Ok(Subject::Site(site.id))
}

/// The latest checkpoint, over everything that is there where this server can sign it.
async fn checkpoint(app: &App) -> Result<Value> {
    said(app.sign_what_waits().await)?;
    let (latest, keys) = (
        said(app.latest_checkpoint().await)?,
        said(app.ledger_keys().await)?,
    );
    let (Some(latest), Some(keys)) = (latest, keys) else {
        return Err(anyhow!(
            "nothing was signed yet; the first entry of the ledger brings the first checkpoint"
        ));
    };
    Ok(json!({
        "checkpoint": latest.note,
        "size": latest.checkpoint.size,
        "signed_at": latest.signed_at,
        "key": keys.current().0.with_name(keys.origin()),
    }))
}
