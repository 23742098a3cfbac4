//! What of the acknowledged drafts is in the database.

use std::collections::HashSet;

use anyhow::Result;
use tokio_postgres::Client;

use super::statements::{ADDRESSES, DRAFTS};

/// Acknowledged drafts against stored ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    /// Drafts that were answered with success.
    pub(crate) acknowledged: usize,
    /// Acknowledged ones that aren't stored.
    pub(crate) lost: usize,
    /// Stored ones that weren't acknowledged, or acknowledged more than once, or that share an
    /// address.
    pub(crate) doubled: usize,
}

/// Compares the revisions that were acknowledged in these runs with those that are stored.
pub(crate) async fn compare(
    client: &Client,
    runs: &[String],
    acknowledged: &[String],
) -> Result<Kept> {
    let mut stored = HashSet::new();
    for row in client.query(DRAFTS, &[&runs]).await? {
        stored.insert(row.try_get::<_, String>(0)?);
    }
    let addresses: i64 = client.query_one(ADDRESSES, &[&runs]).await?.try_get(0)?;
    let distinct: HashSet<&String> = acknowledged.iter().collect();
    let lost = distinct.iter().filter(|id| !stored.contains(**id)).count();
    let unexpected = stored.iter().filter(|id| !distinct.contains(id)).count();
    let repeated = acknowledged.len() - distinct.len();
    let shared = stored.len().saturating_sub(usize::try_from(addresses)?);
    Ok(Kept {
        acknowledged: acknowledged.len(),
        lost,
        doubled: unexpected + repeated + shared,
    })
}
