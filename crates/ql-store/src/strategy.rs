//! Imports of strategy artifacts: where they come from, how far they are and what was noted.

use ql_core::access::{ActAsServer, Authorized, ImportStrategy};
use ql_core::hash::Digest;
use ql_core::id::{ImportId, SiteId};
use ql_core::opportunity::{Counts, Import, ImportState, RowNote};
use ql_core::page::{Cursor, Page, PageRequest};
use ql_core::time::Timestamp;

use crate::run::AFTER_ALL;
use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO strategy_imports (id, site_id, source, tool, exported_at, media, member_id, map_version, \
        state, rows_read, rows_kept, rows_marked, rows_refused, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'receiving', 0, 0, 0, 0, $9, $9)";
    FIND = "SELECT id, source, tool, exported_at, media, member_id, created_at, map_version, state, finished_at, sha256, \
        reason, rows_read, rows_kept, rows_marked, rows_refused FROM strategy_imports WHERE site_id = $1 AND id = $2";
    LIST = "SELECT id, source, tool, exported_at, media, member_id, created_at, map_version, state, finished_at, sha256, \
        reason, rows_read, rows_kept, rows_marked, rows_refused FROM strategy_imports WHERE site_id = $1 AND id < $2 \
        ORDER BY id DESC LIMIT $3";
    COUNT = "UPDATE strategy_imports SET rows_read = $3, rows_kept = $4, rows_marked = $5, rows_refused = $6, \
        updated_at = $7 WHERE site_id = $1 AND id = $2 AND state = 'receiving'";
    COMPLETE = "UPDATE strategy_imports SET state = 'complete', sha256 = $3, finished_at = $4 \
        WHERE site_id = $1 AND id = $2 AND state = 'receiving'";
    FAIL = "UPDATE strategy_imports SET state = 'failed', reason = $3, finished_at = $4 \
        WHERE site_id = $1 AND id = $2 AND state = 'receiving'";
    LEFT = "SELECT id FROM strategy_imports WHERE site_id = $1 AND finished_at IS NULL AND updated_at < $2 \
        ORDER BY id LIMIT 10";
    RECEIVING = "SELECT COUNT(*) FROM strategy_imports WHERE site_id = $1 AND finished_at IS NULL";
    SAME_ARTIFACT = "SELECT COUNT(*) FROM strategy_imports WHERE site_id = $1 AND sha256 = $2 AND state = 'complete'";
    INSERT_NOTE = "INSERT INTO strategy_notes (import_id, position, line, code, cell) VALUES ($1, $2, $3, $4, $5)";
    NOTES = "SELECT n.line, n.code, n.cell FROM strategy_notes n JOIN strategy_imports i ON i.id = n.import_id \
        WHERE i.site_id = $1 AND i.id = $2 ORDER BY n.position";
}

/// The most notes that are kept of one import; further ones are counted alone.
pub const MAX_NOTES: i64 = 1_000;

fn read(row: &mut Row) -> Result<Import> {
    Ok(Import {
        id: row.parse()?,
        source: row.text()?,
        tool: row.text()?,
        exported_at: row.time()?,
        media: row.parse()?,
        member: row.parse()?,
        created_at: row.time()?,
        map_version: row.int()?,
        state: read_state(row)?,
        counts: Counts {
            read: row.int()?,
            kept: row.int()?,
            marked: row.int()?,
            refused: row.int()?,
        },
    })
}

fn read_state(row: &mut Row) -> Result<ImportState> {
    let name = row.text()?;
    let at = row.opt_time()?;
    let sha256 = row.opt_digest()?;
    let reason = row.opt_text()?;
    match (name.as_str(), at, sha256, reason) {
        ("receiving", ..) => Ok(ImportState::Receiving),
        ("complete", Some(at), Some(sha256), _) => Ok(ImportState::Complete { at, sha256 }),
        ("failed", Some(at), _, Some(reason)) => Ok(ImportState::Failed { at, reason }),
        _ => Err(row.corrupt("an import's state with what belongs to it")),
    }
}

/// Adds an import that receives its rows.
pub fn insert(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ImportStrategy>,
    import: &Import,
) -> Result<()> {
    let args = [
        Arg::text(import.id),
        Arg::text(authorized.site()),
        (&import.source).into(),
        (&import.tool).into(),
        import.exported_at.into(),
        import.media.as_str().into(),
        Arg::text(import.member),
        import.map_version.into(),
        import.created_at.into(),
    ];
    tx.execute_one(INSERT, &args)
}

/// Keeps how far an import is, with what was noted since the last time; `from` is how many notes
/// are kept already.
pub fn count(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ImportStrategy>,
    id: ImportId,
    (counts, at): (&Counts, Timestamp),
    (notes, from): (&[RowNote], i64),
) -> Result<()> {
    let args = [
        Arg::text(authorized.site()),
        Arg::text(id),
        counts.read.into(),
        counts.kept.into(),
        counts.marked.into(),
        counts.refused.into(),
        at.into(),
    ];
    tx.execute_one(COUNT, &args)?;
    for (position, note) in (from..MAX_NOTES).zip(notes) {
        let args = [
            Arg::text(id),
            position.into(),
            note.line.into(),
            note.code.as_str().into(),
            (&note.cell).into(),
        ];
        tx.execute_one(INSERT_NOTE, &args)?;
    }
    Ok(())
}

/// Lets everything of an import be seen; one that isn't receiving is a conflict.
pub fn complete(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ImportStrategy>,
    id: ImportId,
    (sha256, at): (&Digest, Timestamp),
) -> Result<()> {
    let site = Arg::text(authorized.site());
    tx.execute_one(COMPLETE, &[site, Arg::text(id), sha256.into(), at.into()])
}

/// Who may end an import early.
#[derive(Debug, Clone)]
pub enum Ender {
    /// The member who imports.
    Importer(Authorized<ImportStrategy>),
    /// The server, which waited long enough.
    Server(Authorized<ActAsServer>),
}

impl Ender {
    /// The site.
    pub fn site(&self) -> SiteId {
        match self {
            Self::Importer(authorized) => authorized.site(),
            Self::Server(authorized) => authorized.site(),
        }
    }
}

/// Ends an import that receives; false when it is no longer receiving.
pub fn fail(
    tx: &mut Tx<'_>,
    by: &Ender,
    id: ImportId,
    (reason, at): (&str, Timestamp),
) -> Result<bool> {
    let args = [
        Arg::text(by.site()),
        Arg::text(id),
        reason.into(),
        at.into(),
    ];
    Ok(tx.execute(FAIL, &args)? == 1)
}

/// The site's imports that received nothing since an instant; at most ten.
pub fn left(tx: &mut Tx<'_>, site: SiteId, since: Timestamp) -> Result<Vec<ImportId>> {
    tx.list(LEFT, &[Arg::text(site), since.into()], Row::parse)
}

/// Whether an import of the site receives rows now; a site receives one at a time.
pub fn is_receiving(tx: &mut Tx<'_>, site: SiteId) -> Result<bool> {
    Ok(tx.one(RECEIVING, &[Arg::text(site)])?.int()? > 0)
}

/// Whether the site has imported exactly these bytes before.
pub fn has_artifact(tx: &mut Tx<'_>, site: SiteId, sha256: &Digest) -> Result<bool> {
    let args = [Arg::text(site), sha256.into()];
    Ok(tx.one(SAME_ARTIFACT, &args)?.int()? > 0)
}

/// The import with this id, where it is one of the site's.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: ImportId) -> Result<Option<Import>> {
    tx.find(FIND, &[Arg::text(site), Arg::text(id)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The site's imports, newest first.
pub fn list(tx: &mut Tx<'_>, site: SiteId, page: &PageRequest) -> Result<Page<Import>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let args = [Arg::text(site), before.into(), (page.limit() + 1).into()];
    let rows = tx.list(LIST, &args, read)?;
    Ok(Page::cut(rows, page, |import| Cursor {
        key: import.created_at.as_micros(),
        id: import.id.to_string(),
    }))
}

/// What was noted about an import's rows, the first thousand.
pub fn notes(tx: &mut Tx<'_>, site: SiteId, id: ImportId) -> Result<Vec<RowNote>> {
    tx.list(NOTES, &[Arg::text(site), Arg::text(id)], |row| {
        Ok(RowNote {
            line: row.int()?,
            code: row.parse()?,
            cell: row.text()?,
        })
    })
}
