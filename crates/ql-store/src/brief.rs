//! Content briefs and the drafts that answered them.

use ql_core::access::{ActAsServer, Authorized};
use ql_core::brief::{Brief, BriefDraft, BriefState};
use ql_core::id::{BriefId, ContentId, ProposalId, RevisionId, SiteId};
use ql_core::page::{Cursor, Page, PageRequest};
use ql_core::time::Timestamp;
use ql_core::topical_map::NodeStatus;

use crate::run::AFTER_ALL;
use crate::topical_map::status;
use crate::{Arg, Result, Row, StoreError, Tx};

statements! {
    INSERT = "INSERT INTO content_briefs (id, site_id, node_id, proposal_id, document, sha256, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    FIND = "SELECT b.id, b.node_id, b.proposal_id, b.document, b.sha256, b.created_at, n.retired, \
        d.content_id, d.revision_id, d.proposal_id, c.live_id FROM content_briefs b \
        JOIN topical_nodes n ON n.id = b.node_id LEFT JOIN brief_drafts d ON d.brief_id = b.id \
        LEFT JOIN content_items c ON c.id = d.content_id WHERE b.site_id = $1 AND b.id = $2";
    LIST = "SELECT b.id, b.node_id, b.proposal_id, b.document, b.sha256, b.created_at, n.retired, \
        d.content_id, d.revision_id, d.proposal_id, c.live_id FROM content_briefs b \
        JOIN topical_nodes n ON n.id = b.node_id LEFT JOIN brief_drafts d ON d.brief_id = b.id \
        LEFT JOIN content_items c ON c.id = d.content_id WHERE b.site_id = $1 AND b.id < $2 \
        AND (CAST($3 AS TEXT) IS NULL OR $3 = CASE WHEN n.retired = 1 THEN 'retired' \
        WHEN c.live_id IS NOT NULL THEN 'published' WHEN d.content_id IS NOT NULL THEN 'drafted' ELSE 'briefed' END) \
        ORDER BY b.id DESC LIMIT $4";
    FIND_ANSWERED = "SELECT b.id, b.node_id, b.proposal_id, b.document, b.sha256, b.created_at, n.retired, \
        d.content_id, d.revision_id, d.proposal_id, c.live_id FROM content_revisions v \
        JOIN brief_drafts d ON d.content_id = v.content_id AND d.revision_id = v.id \
        JOIN content_briefs b ON b.id = d.brief_id JOIN topical_nodes n ON n.id = b.node_id \
        JOIN content_items c ON c.id = d.content_id WHERE v.site_id = $1 AND v.id = $2 AND b.site_id = $1";
    INSERT_DRAFT = "INSERT INTO brief_drafts (brief_id, content_id, revision_id, proposal_id, created_at) \
        VALUES ($1, $2, $3, $4, $5)";
}

fn read(row: &mut Row) -> Result<BriefState> {
    let brief = Brief {
        id: row.parse()?,
        node: row.parse()?,
        proposal: row.parse()?,
        document: row.from_json()?,
        sha256: row.digest()?,
        created_at: row.time()?,
    };
    let retired = row.flag()?;
    let content: Option<ContentId> = row.opt_parse()?;
    let revision: Option<RevisionId> = row.opt_parse()?;
    let accepted: Option<ProposalId> = row.opt_parse()?;
    let live = row.opt_text()?.is_some();
    let draft = content.zip(revision).zip(accepted);
    let draft = draft.map(|((content, revision), proposal)| BriefDraft {
        content,
        revision,
        proposal,
    });
    Ok(BriefState {
        status: status(retired, true, (draft.is_some(), live)),
        brief,
        draft,
    })
}

/// Commissions a brief; a page that has one is a conflict.
pub fn insert(tx: &mut Tx<'_>, authorized: &Authorized<ActAsServer>, brief: &Brief) -> Result<()> {
    let document = serde_json::to_string(&brief.document)
        .map_err(|error| StoreError::Bug(error.to_string()))?;
    let args = [
        Arg::text(brief.id),
        Arg::text(authorized.site()),
        Arg::text(brief.node),
        Arg::text(brief.proposal),
        document.into(),
        (&brief.sha256).into(),
        brief.created_at.into(),
    ];
    tx.execute_one(INSERT, &args)
}

/// Keeps the draft that answered a brief; a brief that has one is a conflict.
pub fn insert_draft(
    tx: &mut Tx<'_>,
    _: &Authorized<ActAsServer>,
    brief: BriefId,
    draft: &BriefDraft,
    at: Timestamp,
) -> Result<()> {
    let args = [
        Arg::text(brief),
        Arg::text(draft.content),
        Arg::text(draft.revision),
        Arg::text(draft.proposal),
        at.into(),
    ];
    tx.execute_one(INSERT_DRAFT, &args)
}

/// The brief with this id, where it is one of the site's.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: BriefId) -> Result<Option<BriefState>> {
    tx.find(FIND, &[Arg::text(site), Arg::text(id)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The brief that a revision was the answer to, where it is one of the site's.
pub fn find_answered(
    tx: &mut Tx<'_>,
    site: SiteId,
    revision: RevisionId,
) -> Result<Option<BriefState>> {
    tx.find(FIND_ANSWERED, &[Arg::text(site), Arg::text(revision)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The site's briefs, newest first; those whose page stands so, where that is asked for.
pub fn list(
    tx: &mut Tx<'_>,
    site: SiteId,
    status: Option<NodeStatus>,
    page: &PageRequest,
) -> Result<Page<BriefState>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let args = [
        Arg::text(site),
        before.into(),
        status.map(NodeStatus::as_str).into(),
        (page.limit() + 1).into(),
    ];
    let rows = tx.list(LIST, &args, read)?;
    Ok(Page::cut(rows, page, |state| Cursor {
        key: state.brief.created_at.as_micros(),
        id: state.brief.id.to_string(),
    }))
}
