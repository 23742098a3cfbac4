//! The links between pages that approved proposals set.

use ql_core::access::{ActAsServer, Authorized};
use ql_core::id::{ContentId, ProposalId, RevisionId, SiteId};
use ql_core::internal_link::Link;
use ql_core::time::Timestamp;

use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO internal_links (proposal_id, position, site_id, source_id, revision_id, target_id, anchor, \
        created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    LIST = "SELECT source_id, target_id, anchor, revision_id FROM internal_links WHERE site_id = $1 \
        ORDER BY proposal_id, position LIMIT 10000";
}

/// A link that an approved proposal set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLink {
    /// The page that has it.
    pub source: ContentId,
    /// The page it goes to.
    pub target: ContentId,
    /// Its words.
    pub anchor: String,
    /// The draft that got it.
    pub revision: RevisionId,
}

/// Notes that a proposal set its link of this number in a draft.
pub fn insert(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ActAsServer>,
    (proposal, position): (ProposalId, i64),
    (link, draft): (&Link, RevisionId),
    at: Timestamp,
) -> Result<()> {
    let args = [
        Arg::text(proposal),
        position.into(),
        Arg::text(authorized.site()),
        Arg::text(link.source_content_id),
        Arg::text(draft),
        Arg::text(link.target_content_id),
        (&link.anchor).into(),
        at.into(),
    ];
    tx.execute_one(INSERT, &args)
}

/// The site's links, the oldest first; at most ten thousand.
pub fn list(tx: &mut Tx<'_>, site: SiteId) -> Result<Vec<StoredLink>> {
    tx.list(LIST, &[Arg::text(site)], |row: &mut Row| {
        Ok(StoredLink {
            source: row.parse()?,
            target: row.parse()?,
            anchor: row.text()?,
            revision: row.parse()?,
        })
    })
}
