//! Claims and their evidence.

use ql_core::access::{Authorized, WriteEvidence};
use ql_core::actor::Actor;
use ql_core::evidence::{Claim, Evidence};
use ql_core::id::{ClaimId, ContentId, EvidenceId, RevisionId, SiteId};
use ql_core::page::{Cursor, Page, PageRequest};

use crate::run::AFTER_ALL;
use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO claims (id, site_id, content_id, revision_id, text, pointer, author, run_id, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    INSERT_EVIDENCE = "INSERT INTO evidence (id, claim_id, position, source_url, title, publisher, excerpt, \
        excerpt_sha256, locator, retrieved_at, stance) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    LIST = "SELECT id, content_id, revision_id, text, pointer, author, run_id, created_at FROM claims \
        WHERE site_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    LIST_BY_CONTENT = "SELECT id, content_id, revision_id, text, pointer, author, run_id, created_at FROM claims \
        WHERE site_id = $1 AND id < $2 AND content_id = $4 ORDER BY id DESC LIMIT $3";
    LIST_BY_REVISION = "SELECT id, content_id, revision_id, text, pointer, author, run_id, created_at FROM claims \
        WHERE site_id = $1 AND id < $2 AND revision_id = $4 ORDER BY id DESC LIMIT $3";
    FIND = "SELECT id, content_id, revision_id, text, pointer, author, run_id, created_at FROM claims \
        WHERE site_id = $1 AND id = $2";
    CLAIM_OF = "SELECT c.id, c.content_id, c.revision_id, c.text, c.pointer, c.author, c.run_id, c.created_at \
        FROM claims c JOIN evidence e ON e.claim_id = c.id WHERE c.site_id = $1 AND e.id = $2";
    EVIDENCE = "SELECT id, source_url, title, publisher, excerpt, excerpt_sha256, locator, retrieved_at, stance \
        FROM evidence WHERE claim_id = $1 ORDER BY position";
}

/// Which claims to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    /// Every claim of the site.
    #[default]
    All,
    /// Those of one item.
    Content(ContentId),
    /// Those of one revision.
    Revision(RevisionId),
}

fn read(row: &mut Row) -> Result<Claim> {
    let id = row.parse()?;
    let content = row.parse()?;
    let revision = row.parse()?;
    let text = row.text()?;
    let pointer = row.opt_text()?;
    let author = Actor::from_text(&row.text()?).ok_or_else(|| row.corrupt("an actor"))?;
    let run = row.opt_parse()?;
    Ok(Claim {
        id,
        content,
        revision,
        text,
        pointer,
        author,
        run,
        created_at: row.time()?,
        evidence: Vec::new(),
    })
}

fn read_evidence(row: &mut Row) -> Result<Evidence> {
    Ok(Evidence {
        id: row.parse()?,
        source_url: row.text()?,
        title: row.text()?,
        publisher: row.opt_text()?,
        excerpt: row.text()?,
        excerpt_sha256: row.digest()?,
        locator: row.opt_text()?,
        retrieved_at: row.time()?,
        stance: row.parse()?,
    })
}

/// Adds a claim with its evidence.
pub fn insert(
    tx: &mut Tx<'_>,
    authorized: &Authorized<WriteEvidence>,
    claim: &Claim,
) -> Result<()> {
    tx.execute_one(
        INSERT,
        &[
            Arg::text(claim.id),
            Arg::text(authorized.site()),
            Arg::text(claim.content),
            Arg::text(claim.revision),
            (&claim.text).into(),
            claim.pointer.as_deref().into(),
            authorized.actor().to_text().into(),
            Arg::opt_text(claim.run),
            claim.created_at.into(),
        ],
    )?;
    for (position, evidence) in (0_i64..).zip(&claim.evidence) {
        insert_evidence(tx, claim.id, position, evidence)?;
    }
    Ok(())
}

fn insert_evidence(
    tx: &mut Tx<'_>,
    claim: ClaimId,
    position: i64,
    evidence: &Evidence,
) -> Result<()> {
    tx.execute_one(
        INSERT_EVIDENCE,
        &[
            Arg::text(evidence.id),
            Arg::text(claim),
            position.into(),
            (&evidence.source_url).into(),
            (&evidence.title).into(),
            evidence.publisher.as_deref().into(),
            (&evidence.excerpt).into(),
            (&evidence.excerpt_sha256).into(),
            evidence.locator.as_deref().into(),
            evidence.retrieved_at.into(),
            evidence.stance.as_str().into(),
        ],
    )
}

/// The site's claims with their evidence, newest first.
pub fn list(
    tx: &mut Tx<'_>,
    site: SiteId,
    filter: Filter,
    page: &PageRequest,
) -> Result<Page<Claim>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let base = [Arg::text(site), before.into(), (page.limit() + 1).into()];
    let [a, b, c] = base.clone();
    let mut claims = match filter {
        Filter::All => tx.list(LIST, &base, read)?,
        Filter::Content(content) => {
            tx.list(LIST_BY_CONTENT, &[a, b, c, Arg::text(content)], read)?
        }
        Filter::Revision(revision) => {
            tx.list(LIST_BY_REVISION, &[a, b, c, Arg::text(revision)], read)?
        }
    };
    for claim in &mut claims {
        claim.evidence = tx.list(EVIDENCE, &[Arg::text(claim.id)], read_evidence)?;
    }
    Ok(Page::cut(claims, page, |claim| Cursor {
        key: claim.created_at.as_micros(),
        id: claim.id.to_string(),
    }))
}

/// One claim of the site with its evidence.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: ClaimId) -> Result<Option<Claim>> {
    let row = tx.find(FIND, &[Arg::text(site), Arg::text(id)])?;
    row.map(|row| with_evidence(tx, row)).transpose()
}

/// The claim of the site that a piece of evidence bears on, with all its evidence.
pub fn find_claim_of(tx: &mut Tx<'_>, site: SiteId, id: EvidenceId) -> Result<Option<Claim>> {
    let row = tx.find(CLAIM_OF, &[Arg::text(site), Arg::text(id)])?;
    row.map(|row| with_evidence(tx, row)).transpose()
}

fn with_evidence(tx: &mut Tx<'_>, mut row: Row) -> Result<Claim> {
    let mut claim = read(&mut row)?;
    claim.evidence = tx.list(EVIDENCE, &[Arg::text(claim.id)], read_evidence)?;
    Ok(claim)
}
