//! Staged source packages, what members decide about them, and what was written from them.

use ql_core::access::{ActAsServer, Authorized, DisposeSources, StageSources};
use ql_core::actor::Actor;
use ql_core::id::{RevisionId, SiteId, SourcePackageId};
use ql_core::page::{Cursor, Page, PageRequest};
use ql_core::source::{
    Counts, Disposal, Disposition, Provenance, SourcePackage, SourceRecord, Verdict,
};

use crate::run::AFTER_ALL;
use crate::{Arg, Result, Row, StoreError, Tx};

statements! {
    INSERT = "INSERT INTO source_packages (id, site_id, run_id, name, origin, author, valid, warning, invalid, bytes, \
        created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    INSERT_RECORD = "INSERT INTO source_records (package_id, position, key, media_type, body, declared_sha256, sha256, \
        verdict, findings) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    FIND = "SELECT p.id, p.site_id, p.run_id, p.name, p.origin, p.author, p.valid, p.warning, p.invalid, p.bytes, \
        p.created_at, d.disposition FROM source_packages p LEFT JOIN source_dispositions d ON d.package_id = p.id \
        AND d.seq = (SELECT MAX(x.seq) FROM source_dispositions x WHERE x.package_id = p.id AND x.position IS NULL) \
        WHERE p.id = $1 AND p.site_id = $2";
    SITE_OF = "SELECT site_id FROM source_packages WHERE id = $1";
    LIST = "SELECT p.id, p.site_id, p.run_id, p.name, p.origin, p.author, p.valid, p.warning, p.invalid, p.bytes, \
        p.created_at, d.disposition FROM source_packages p LEFT JOIN source_dispositions d ON d.package_id = p.id \
        AND d.seq = (SELECT MAX(x.seq) FROM source_dispositions x WHERE x.package_id = p.id AND x.position IS NULL) \
        WHERE p.site_id = $1 AND p.id < $2 AND (CAST($3 AS TEXT) IS NULL OR COALESCE(d.disposition, 'pending') = $3) \
        ORDER BY p.id DESC LIMIT $4";
    RECORDS = "SELECT r.package_id, r.position, r.key, r.media_type, r.body, r.declared_sha256, r.sha256, r.verdict, \
        r.findings, d.disposition, d.reason FROM source_records r LEFT JOIN source_dispositions d \
        ON d.package_id = r.package_id AND d.seq = (SELECT MAX(x.seq) FROM source_dispositions x \
        WHERE x.package_id = r.package_id AND (x.position IS NULL OR x.position = r.position)) \
        WHERE r.package_id = $1 AND r.position > $2 AND (CAST($3 AS TEXT) IS NULL OR r.verdict = $3) \
        ORDER BY r.position LIMIT $4";
    RECORD_BY_KEY = "SELECT r.package_id, r.position, r.key, r.media_type, r.body, r.declared_sha256, r.sha256, r.verdict, \
        r.findings, d.disposition, d.reason FROM source_records r LEFT JOIN source_dispositions d \
        ON d.package_id = r.package_id AND d.seq = (SELECT MAX(x.seq) FROM source_dispositions x \
        WHERE x.package_id = r.package_id AND (x.position IS NULL OR x.position = r.position)) \
        WHERE r.package_id = $1 AND r.key = $2 ORDER BY r.position LIMIT 1";
    DISPOSE = "INSERT INTO source_dispositions (package_id, seq, position, disposition, reason, member_id, at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    DISPOSALS = "SELECT seq, position, disposition, reason, member_id, at FROM source_dispositions \
        WHERE package_id = $1 ORDER BY seq";
    LAST_DISPOSAL = "SELECT CAST(COALESCE(MAX(seq), 0) AS BIGINT) FROM source_dispositions WHERE package_id = $1";
    INSERT_PROVENANCE = "INSERT INTO revision_sources (revision_id, package_id, position, sha256) VALUES ($1, $2, $3, $4)";
    PROVENANCE = "SELECT s.package_id, s.position, r.key, s.sha256 FROM revision_sources s JOIN source_records r \
        ON r.package_id = s.package_id AND r.position = s.position JOIN content_revisions v ON v.id = s.revision_id \
        WHERE s.revision_id = $1 AND v.site_id = $2 ORDER BY s.package_id, s.position";
}

fn read(row: &mut Row) -> Result<SourcePackage> {
    let id = row.parse()?;
    let site = row.parse()?;
    let run = row.parse()?;
    let name = row.text()?;
    let origin = row.text()?;
    let author = Actor::from_text(&row.text()?).ok_or_else(|| row.corrupt("an actor"))?;
    let counts = Counts {
        valid: row.int()?,
        warning: row.int()?,
        invalid: row.int()?,
    };
    Ok(SourcePackage {
        id,
        site,
        name,
        origin,
        author,
        run,
        counts,
        bytes: row.int()?,
        created_at: row.time()?,
        disposition: row.opt_parse()?.unwrap_or(Disposition::Pending),
    })
}

fn read_record(row: &mut Row) -> Result<SourceRecord> {
    Ok(SourceRecord {
        package: row.parse()?,
        position: row.int()?,
        key: row.text()?,
        media_type: row.text()?,
        body: row.text()?,
        declared_sha256: row.opt_digest()?,
        sha256: row.digest()?,
        verdict: row.parse()?,
        findings: row.from_json()?,
        disposition: row.opt_parse()?.unwrap_or(Disposition::Pending),
        reason: row.opt_text()?.unwrap_or_default(),
    })
}

/// Adds a package with its records.
pub fn insert(
    tx: &mut Tx<'_>,
    authorized: &Authorized<StageSources>,
    package: &SourcePackage,
    records: &[SourceRecord],
) -> Result<()> {
    let args = [
        Arg::text(package.id),
        Arg::text(authorized.site()),
        Arg::text(package.run),
        (&package.name).into(),
        (&package.origin).into(),
        authorized.actor().to_text().into(),
        package.counts.valid.into(),
        package.counts.warning.into(),
        package.counts.invalid.into(),
        package.bytes.into(),
        package.created_at.into(),
    ];
    tx.execute_one(INSERT, &args)?;
    let rows: Result<Vec<[Arg<'_>; 9]>> = records.iter().map(record_args).collect();
    let rows = rows?;
    let inserts: Vec<(&'static str, &[Arg<'_>])> =
        rows.iter().map(|row| (INSERT_RECORD, &row[..])).collect();
    tx.execute_each(&inserts)
}

fn record_args(record: &SourceRecord) -> Result<[Arg<'_>; 9]> {
    let findings = serde_json::to_string(&record.findings)
        .map_err(|error| StoreError::Bug(error.to_string()))?;
    Ok([
        Arg::text(record.package),
        record.position.into(),
        (&record.key).into(),
        (&record.media_type).into(),
        (&record.body).into(),
        record.declared_sha256.as_ref().map_or(Arg::Null, Arg::from),
        (&record.sha256).into(),
        record.verdict.as_str().into(),
        findings.into(),
    ])
}

/// The package with this id, where it is one of the site's.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: SourcePackageId) -> Result<Option<SourcePackage>> {
    tx.find(FIND, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The site that a package belongs to.
pub fn site_of(tx: &mut Tx<'_>, id: SourcePackageId) -> Result<Option<SiteId>> {
    tx.find(SITE_OF, &[Arg::text(id)])?
        .map(|mut row| row.parse())
        .transpose()
}

/// The site's packages, newest first; `disposition` narrows them.
pub fn list(
    tx: &mut Tx<'_>,
    site: SiteId,
    disposition: Option<Disposition>,
    page: &PageRequest,
) -> Result<Page<SourcePackage>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let args = [
        Arg::text(site),
        before.into(),
        disposition.map(Disposition::as_str).into(),
        (page.limit() + 1).into(),
    ];
    let packages = tx.list(LIST, &args, read)?;
    Ok(Page::cut(packages, page, |package| Cursor {
        key: package.created_at.as_micros(),
        id: package.id.to_string(),
    }))
}

/// The records of a package that was [found](find), in their order; `verdict` narrows them.
pub fn records(
    tx: &mut Tx<'_>,
    package: SourcePackageId,
    verdict: Option<Verdict>,
    page: &PageRequest,
) -> Result<Page<SourceRecord>> {
    let after = page.after.as_ref().map_or(-1, |cursor| cursor.key);
    let args = [
        Arg::text(package),
        after.into(),
        verdict.map(Verdict::as_str).into(),
        (page.limit() + 1).into(),
    ];
    let records = tx.list(RECORDS, &args, read_record)?;
    Ok(Page::cut(records, page, after_record))
}

/// The place after a record in the list of its package's.
pub fn after_record(record: &SourceRecord) -> Cursor {
    Cursor {
        key: record.position,
        id: record.package.to_string(),
    }
}

/// The first record with this key of a package that was [found](find).
pub fn find_record(
    tx: &mut Tx<'_>,
    package: SourcePackageId,
    key: &str,
) -> Result<Option<SourceRecord>> {
    tx.find(RECORD_BY_KEY, &[Arg::text(package), key.into()])?
        .map(|mut row| read_record(&mut row))
        .transpose()
}

/// Adds what a member decided about a package that was [found](find).
pub fn dispose(
    tx: &mut Tx<'_>,
    _authorized: &Authorized<DisposeSources>,
    package: SourcePackageId,
    disposal: &Disposal,
) -> Result<()> {
    tx.execute_one(
        DISPOSE,
        &[
            Arg::text(package),
            disposal.seq.into(),
            disposal.position.map_or(Arg::Null, Arg::from),
            disposal.disposition.as_str().into(),
            (&disposal.reason).into(),
            Arg::text(disposal.member),
            disposal.at.into(),
        ],
    )
}

/// How many decisions there are about a package.
pub fn last_disposal(tx: &mut Tx<'_>, package: SourcePackageId) -> Result<i64> {
    tx.one(LAST_DISPOSAL, &[Arg::text(package)])?.int()
}

/// Everything that members decided about a package that was [found](find), oldest first.
pub fn disposals(tx: &mut Tx<'_>, package: SourcePackageId) -> Result<Vec<Disposal>> {
    tx.list(DISPOSALS, &[Arg::text(package)], |row| {
        Ok(Disposal {
            seq: row.int()?,
            position: row.opt_int()?,
            disposition: row.parse()?,
            reason: row.text()?,
            member: row.parse()?,
            at: row.time()?,
        })
    })
}

/// Notes from which records the server wrote a revision.
pub fn insert_provenance(
    tx: &mut Tx<'_>,
    _authorized: &Authorized<ActAsServer>,
    revision: RevisionId,
    records: &[SourceRecord],
) -> Result<()> {
    for record in records {
        let args = [
            Arg::text(revision),
            Arg::text(record.package),
            record.position.into(),
            (&record.sha256).into(),
        ];
        tx.execute_one(INSERT_PROVENANCE, &args)?;
    }
    Ok(())
}

/// From which records a revision of the site was written.
pub fn provenance(tx: &mut Tx<'_>, site: SiteId, revision: RevisionId) -> Result<Vec<Provenance>> {
    tx.list(PROVENANCE, &[Arg::text(revision), Arg::text(site)], |row| {
        Ok(Provenance {
            package: row.parse()?,
            position: row.int()?,
            key: row.text()?,
            sha256: row.digest()?,
        })
    })
}
