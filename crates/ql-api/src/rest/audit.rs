//! The audit trail.

use ql_app::audit::{Entry as LedgerEntry, Filter, Verification};
use ql_core::id::EntryId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Route, get, post};
use crate::input::argument::Paging;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_audit",
            "/sites/{site}/audit",
            "Lists what happened on the site, newest first",
            list,
        ),
        post(
            "verify_ledger",
            "/sites/{site}/ledger/verify",
            "Follows every chain of the ledger from its first entry to its recorded end",
            verify,
        ),
    ]
}

/// One entry of the ledger.
#[derive(Serialize, JsonSchema)]
pub(super) struct Entry {
    id: Text<EntryId>,
    /// The chain it belongs to: a run, a proposal, a site or an organization.
    subject: String,
    /// Its place in the chain.
    seq: i64,
    /// What happened, such as proposal.approved.
    kind: String,
    /// Who did it: `type` is agent, member, operator or system.
    actor: Value,
    at: Instant,
    detail: Value,
}

impl From<LedgerEntry> for Entry {
    fn from(entry: LedgerEntry) -> Self {
        Self {
            id: Text(entry.id),
            subject: entry.subject,
            seq: entry.seq,
            kind: entry.kind,
            actor: entry.actor.to_json(),
            at: Instant(entry.at),
            detail: entry.detail,
        }
    }
}

/// Which entries to list.
#[derive(Deserialize, JsonSchema)]
struct Query {
    /// Only entries whose kind begins so, such as proposal. or connection.revoked.
    #[schemars(length(min = 1, max = 64))]
    #[serde(default)]
    kind: Option<String>,
    /// Only entries whose actor begins so, such as member: or agent: with an id.
    #[schemars(length(min = 1, max = 128))]
    #[serde(default)]
    actor: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

async fn list(call: Call<Query>) -> Answered<List<Entry>> {
    let page = call.query.paging.request::<EntryId>()?;
    let ctx = call.on_site().await?;
    let filter = Filter {
        kind: call.query.kind.clone(),
        actor: call.query.actor.clone(),
    };
    let entries = call.app().list_audit(&ctx, &filter, &page).await?;
    Ok(List::page(entries, Entry::from))
}

/// What a check of the ledger found.
#[derive(Serialize, JsonSchema)]
struct Verified {
    /// Whether nothing is wrong.
    sound: bool,
    chains: u64,
    entries: u64,
    /// Everything that is wrong, in words.
    broken: Vec<String>,
}

impl From<Verification> for Verified {
    fn from(found: Verification) -> Self {
        Self {
            sound: found.broken.is_empty(),
            chains: found.chains,
            entries: found.entries,
            broken: found.broken.iter().map(ToString::to_string).collect(),
        }
    }
}

async fn verify(call: Call) -> Answered<Verified> {
    let ctx = call.on_site().await?;
    Ok(call.app().verify_ledger(&ctx).await?.into())
}
