//! Approval policies: versions of data.

use ql_core::access::{Authorized, ChangeAuthority};
use ql_core::hash::Digest;
use ql_core::id::SiteId;
use ql_core::policy::Policy;
use ql_core::time::Timestamp;

use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO policies (site_id, version, document, digest, author, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    CURRENT = "SELECT version, document, digest, created_at FROM policies WHERE site_id = $1 \
        ORDER BY version DESC LIMIT 1";
    LIST = "SELECT version, document, digest, created_at FROM policies WHERE site_id = $1 ORDER BY version DESC";
}

/// One version of a site's policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyVersion {
    /// 1 for the first; 0 for the default that a site without a stored policy has.
    pub version: i64,
    /// What it says.
    pub policy: Policy,
    /// Its digest.
    pub digest: Digest,
    /// When it was made.
    pub created_at: Timestamp,
}

fn read(row: &mut Row) -> Result<PolicyVersion> {
    Ok(PolicyVersion {
        version: row.int()?,
        policy: row.from_json()?,
        digest: row.digest()?,
        created_at: row.time()?,
    })
}

/// Adds the version after the latest.
pub fn insert(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ChangeAuthority>,
    version: &PolicyVersion,
) -> Result<()> {
    let document = serde_json::to_string(&version.policy)
        .map_err(|e| crate::StoreError::Bug(e.to_string()))?;
    tx.execute_one(
        INSERT,
        &[
            Arg::text(authorized.site()),
            version.version.into(),
            document.into(),
            (&version.digest).into(),
            authorized.actor().to_text().into(),
            version.created_at.into(),
        ],
    )
}

/// The policy in force; the default where none was stored.
pub fn current(tx: &mut Tx<'_>, site: SiteId) -> Result<PolicyVersion> {
    if let Some(mut row) = tx.find(CURRENT, &[Arg::text(site)])? {
        return read(&mut row);
    }
    let policy = Policy::default();
    let digest = policy.digest();
    Ok(PolicyVersion {
        version: 0,
        policy,
        digest,
        created_at: Timestamp::from_micros(0),
    })
}

/// Every stored version, newest first.
pub fn list(tx: &mut Tx<'_>, site: SiteId) -> Result<Vec<PolicyVersion>> {
    tx.list(LIST, &[Arg::text(site)], read)
}
