//! Source packages: staged by agents, disposed of by members, written from by proposals.

use ql_core::access::{ReadContent, StageSources};
use ql_core::hash::Digest;
use ql_core::id::{RevisionId, RunId, SiteId, SourcePackageId};
use ql_core::page::{Page, PageRequest};
pub use ql_core::source::NewRecord;
use ql_core::source::{
    Counts, Disposal, Disposition, Examined, Finding, MAX_PACKAGE_BYTES, MAX_PAGE_BYTES,
    MAX_RECORDS, Provenance, SourcePackage, SourceRecord, Verdict, examine,
};
use ql_store::{Tx, source};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::idempotency::IdempotencyKey;
use crate::run::require_open;
use crate::text::Checks;

mod disposal;
mod usable;

pub use self::disposal::NewDisposal;
pub(crate) use self::usable::{sources_digest, usable_records};

/// A package to stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPackage {
    /// The open run.
    pub run: RunId,
    /// What it is called.
    pub name: String,
    /// Where its records come from.
    pub origin: String,
    /// The records, in their order.
    pub records: Vec<NewRecord>,
}

/// A package that was staged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedPackage {
    /// The package.
    pub package_id: SourcePackageId,
    /// How many records have which verdict.
    pub counts: Counts,
    /// The records, in the order they were given.
    pub records: Vec<StagedRecord>,
}

/// A record that was staged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedRecord {
    /// Its key.
    pub key: String,
    /// The SHA-256 of its body.
    pub sha256: Digest,
    /// What the checks say of it.
    pub verdict: Verdict,
    /// What they found.
    pub findings: Vec<Finding>,
}

/// Which records of a package to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordFilter {
    /// Those with this verdict; every one when absent.
    pub verdict: Option<Verdict>,
    /// Whether the bodies are asked for. A page then ends early where they would be more than
    /// [`MAX_PAGE_BYTES`] together.
    pub bodies: bool,
}

/// A package with everything that members decided about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageView {
    /// The package.
    pub package: SourcePackage,
    /// The decisions, oldest first.
    pub disposals: Vec<Disposal>,
}

impl NewPackage {
    fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.text("/name", &self.name, 200);
        checks.text("/origin", &self.origin, 2000);
        checks.that(
            (1..=MAX_RECORDS).contains(&self.records.len()),
            "/records",
            "range",
            format!("expected 1 to {MAX_RECORDS} records"),
        );
        let bytes: usize = self.records.iter().map(|record| record.body.len()).sum();
        checks.that(
            bytes <= MAX_PACKAGE_BYTES,
            "/records",
            "too_long",
            format!("expected at most {MAX_PACKAGE_BYTES} bytes of bodies, found {bytes}"),
        );
        for (index, record) in self.records.iter().enumerate() {
            checks.text(&format!("/records/{index}/key"), &record.key, 200);
            let media_type = format!("/records/{index}/media_type");
            checks.text(&media_type, &record.media_type, 120);
        }
        checks.finish()
    }
}

impl App {
    /// Stages a package in one of the calling agent's open runs. The checks mark what is wrong with a
    /// record; nothing but the package is written.
    pub async fn stage_source_package(
        &self,
        ctx: &OpContext,
        new: NewPackage,
        key: Option<IdempotencyKey>,
    ) -> Result<StagedPackage> {
        let authorized = ctx.authorize::<StageSources>()?;
        new.check()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let id = SourcePackageId::mint(scribe.ids(), scribe.at);
        let run = new.run;
        let examined = examine(&new.records);
        let package = package(id, &authorized.site(), (&new, &examined), &scribe);
        let records = records(id, new.records, examined);
        let ctx_inner = ctx.clone();
        self.mutate(ctx, key, scribe.at, move |tx| {
            require_open(tx, &ctx_inner, run)?;
            source::insert(tx, &authorized, &package, &records)?;
            let detail = json!({
                "package": id, "records": records.len(), "counts": package.counts,
                "records_sha256": sources_digest(&records),
            });
            let bytes = usize::try_from(package.bytes).unwrap_or(usize::MAX);
            scribe.run(tx, run, ("source_package.staged", detail), bytes)?;
            Ok(StagedPackage {
                package_id: id,
                counts: package.counts,
                records: records.iter().map(staged).collect(),
            })
        })
        .await
    }

    /// The site's packages, newest first.
    pub async fn list_source_packages(
        &self,
        ctx: &OpContext,
        disposition: Option<Disposition>,
        page: &PageRequest,
    ) -> Result<Page<SourcePackage>> {
        let site = ctx.authorize::<ReadContent>()?.site();
        let page = page.clone();
        self.store()
            .read(move |tx| Ok(source::list(tx, site, disposition, &page)?))
            .await
    }

    /// One package with what members decided about it.
    pub async fn get_source_package(
        &self,
        ctx: &OpContext,
        id: SourcePackageId,
    ) -> Result<PackageView> {
        let site = ctx.authorize::<ReadContent>()?.site();
        self.store()
            .read(move |tx| view_package(tx, site, id))
            .await
    }

    /// The records of a package, in their order.
    pub async fn list_source_records(
        &self,
        ctx: &OpContext,
        package: SourcePackageId,
        filter: RecordFilter,
        page: &PageRequest,
    ) -> Result<Page<SourceRecord>> {
        let site = ctx.authorize::<ReadContent>()?.site();
        let foreign = |cursor: &ql_core::page::Cursor| cursor.id != package.to_string();
        if page.after.as_ref().is_some_and(foreign) {
            let message = ql_core::page::InvalidCursor.to_string();
            return Err(Error::invalid("/cursor", "format", message));
        }
        let page = page.clone();
        self.store()
            .read(move |tx| {
                require_package(tx, site, package)?;
                let records = source::records(tx, package, filter.verdict, &page)?;
                Ok(if filter.bodies {
                    within_bytes(records)
                } else {
                    records
                })
            })
            .await
    }

    /// From which source records a revision was written; none when it wasn't.
    pub async fn list_revision_sources(
        &self,
        ctx: &OpContext,
        revision: RevisionId,
    ) -> Result<Vec<Provenance>> {
        let site = ctx.authorize::<ReadContent>()?.site();
        self.store()
            .read(move |tx| Ok(source::provenance(tx, site, revision)?))
            .await
    }
}

fn package(
    id: SourcePackageId,
    site: &SiteId,
    (new, examined): (&NewPackage, &[Examined]),
    scribe: &Scribe,
) -> SourcePackage {
    let bytes: usize = new.records.iter().map(|record| record.body.len()).sum();
    SourcePackage {
        id,
        site: *site,
        name: new.name.clone(),
        origin: new.origin.clone(),
        author: scribe.actor,
        run: new.run,
        counts: Counts::of(examined.iter().map(|record| record.verdict)),
        bytes: i64::try_from(bytes).unwrap_or(i64::MAX),
        created_at: scribe.at,
        disposition: Disposition::Pending,
    }
}

fn records(
    package: SourcePackageId,
    new: Vec<NewRecord>,
    examined: Vec<Examined>,
) -> Vec<SourceRecord> {
    let all = (0_i64..).zip(new.into_iter().zip(examined));
    all.map(|(position, (new, examined))| SourceRecord {
        package,
        position,
        key: new.key,
        media_type: new.media_type,
        body: new.body,
        declared_sha256: new.sha256,
        sha256: examined.sha256,
        verdict: examined.verdict,
        findings: examined.findings,
        disposition: Disposition::Pending,
        reason: String::new(),
    })
    .collect()
}

fn staged(record: &SourceRecord) -> StagedRecord {
    StagedRecord {
        key: record.key.clone(),
        sha256: record.sha256,
        verdict: record.verdict,
        findings: record.findings.clone(),
    }
}

fn require_package(tx: &mut Tx<'_>, site: SiteId, id: SourcePackageId) -> Result<SourcePackage> {
    source::find(tx, site, id)?.ok_or(Error::NotFound("source package"))
}

fn view_package(tx: &mut Tx<'_>, site: SiteId, id: SourcePackageId) -> Result<PackageView> {
    Ok(PackageView {
        package: require_package(tx, site, id)?,
        disposals: source::disposals(tx, id)?,
    })
}

/// Ends a page where its bodies would become more than a page gives; one record is always on it.
fn within_bytes(mut page: Page<SourceRecord>) -> Page<SourceRecord> {
    let mut bytes = 0;
    let fits = page.items.iter().take_while(|record| {
        bytes += record.body.len();
        bytes <= MAX_PAGE_BYTES
    });
    let keep = fits.count().max(1);
    if keep < page.items.len() {
        page.items.truncate(keep);
        page.next = page.items.last().map(source::after_record);
    }
    page
}
