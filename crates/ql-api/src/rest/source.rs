//! Staged source packages, and what members decide about them.

use ql_app::Result;
use ql_app::session::Owned;
use ql_app::source::{NewDisposal, PackageView, RecordFilter};
use ql_core::hash::Digest;
use ql_core::id::{MemberId, RunId, SourcePackageId};
use ql_core::source::{Counts, Disposal, Disposition, SourcePackage, SourceRecord, Verdict};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Nothing, Route, get, post};
use crate::input::argument::{self, Paging};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_source_packages",
            "/sites/{site}/source-packages",
            "Lists the site's staged source packages, newest first",
            list,
        ),
        get(
            "get_source_package",
            "/source-packages/{id}",
            "A staged package with everything that members decided about it",
            show,
        ),
        get(
            "list_source_records",
            "/source-packages/{id}/records",
            "Lists the records of a staged package in their order, with what the checks found",
            records,
        ),
        post(
            "dispose_sources",
            "/source-packages/{id}/dispositions",
            "Decides about a staged package, or about some of its records",
            dispose,
        )
        .created(),
    ]
}

/// A staged package.
#[derive(Serialize, JsonSchema)]
struct Package {
    id: Text<SourcePackageId>,
    name: String,
    /// Where its records come from, in the agent's words.
    origin: String,
    /// What members decided about the whole of it.
    disposition: Text<&'static str>,
    counts: Tally,
    /// Of all bodies together.
    bytes: i64,
    /// Who staged it.
    author: Value,
    run_id: Text<RunId>,
    created_at: Instant,
}

/// How many records have which verdict.
#[derive(Serialize, JsonSchema)]
struct Tally {
    valid: i64,
    warning: i64,
    invalid: i64,
}

/// A staged package with its history.
#[derive(Serialize, JsonSchema)]
struct PackageRecord {
    #[serde(flatten)]
    package: Package,
    /// Oldest first; the newest about a record, or about the whole package, is what holds.
    dispositions: Vec<Decided>,
}

/// What a member decided.
#[derive(Serialize, JsonSchema)]
struct Decided {
    seq: i64,
    /// The record's place from 0; null where it is about the whole package.
    position: Option<i64>,
    disposition: Text<&'static str>,
    reason: String,
    member_id: Text<MemberId>,
    at: Instant,
}

/// One record.
#[derive(Serialize, JsonSchema)]
struct Record {
    /// Its place in the package, from 0.
    position: i64,
    key: String,
    media_type: String,
    bytes: usize,
    /// As the agent named it.
    declared_sha256: Option<Text<Digest>>,
    /// Of the body's UTF-8.
    sha256: Text<Digest>,
    verdict: Text<&'static str>,
    findings: Vec<Found>,
    disposition: Text<&'static str>,
    /// Why, in the member's words.
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

/// One thing that a check found.
#[derive(Serialize, JsonSchema)]
struct Found {
    code: Text<&'static str>,
    /// The line of the body, where it is in one place.
    line: Option<u32>,
    message: &'static str,
}

impl From<Counts> for Tally {
    fn from(counts: Counts) -> Self {
        Self {
            valid: counts.valid,
            warning: counts.warning,
            invalid: counts.invalid,
        }
    }
}

impl From<SourcePackage> for Package {
    fn from(package: SourcePackage) -> Self {
        Self {
            id: Text(package.id),
            name: package.name,
            origin: package.origin,
            disposition: Text(package.disposition.as_str()),
            counts: package.counts.into(),
            bytes: package.bytes,
            author: package.author.to_json(),
            run_id: Text(package.run),
            created_at: Instant(package.created_at),
        }
    }
}

impl From<PackageView> for PackageRecord {
    fn from(view: PackageView) -> Self {
        Self {
            package: view.package.into(),
            dispositions: view.disposals.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<Disposal> for Decided {
    fn from(disposal: Disposal) -> Self {
        Self {
            seq: disposal.seq,
            position: disposal.position,
            disposition: Text(disposal.disposition.as_str()),
            reason: disposal.reason,
            member_id: Text(disposal.member),
            at: Instant(disposal.at),
        }
    }
}

impl Record {
    fn of(record: SourceRecord, with_body: bool) -> Self {
        let found = |finding: &ql_core::source::Finding| Found {
            code: Text(finding.code.as_str()),
            line: finding.line,
            message: finding.code.describe(),
        };
        Self {
            position: record.position,
            key: record.key,
            media_type: record.media_type,
            bytes: record.body.len(),
            declared_sha256: record.declared_sha256.map(Text),
            sha256: Text(record.sha256),
            verdict: Text(record.verdict.as_str()),
            findings: record.findings.iter().map(found).collect(),
            disposition: Text(record.disposition.as_str()),
            reason: Some(record.reason).filter(|reason| !reason.is_empty()),
            body: with_body.then_some(record.body),
        }
    }
}

/// Which packages to list.
#[derive(Deserialize, JsonSchema)]
struct Packages {
    /// Only those about which members decided so; pending where nobody did yet.
    #[schemars(schema_with = "disposition")]
    #[serde(default)]
    state: Option<Disposition>,
    #[serde(flatten)]
    paging: Paging,
}

/// Which records to list.
#[derive(Deserialize, JsonSchema)]
struct Records {
    /// Only those of which the checks say so.
    #[schemars(schema_with = "verdict")]
    #[serde(default)]
    verdict: Option<Verdict>,
    /// Gives the bodies too; a page then ends at 256 KiB of them.
    #[serde(default)]
    include_body: Option<bool>,
    #[serde(flatten)]
    paging: Paging,
}

/// A decision to keep.
#[derive(Deserialize, JsonSchema)]
struct NewDisposition {
    #[schemars(schema_with = "disposition")]
    disposition: Disposition,
    /// Why.
    reason: String,
    /// The records it is about; the whole package when left out.
    #[schemars(length(min = 1, max = 100))]
    #[serde(default)]
    record_keys: Option<Vec<String>>,
}

fn disposition(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(Disposition::ALL.map(Disposition::as_str))
}

fn verdict(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(Verdict::ALL.map(Verdict::as_str))
}

async fn list(call: Call<Packages>) -> Answered<List<Package>> {
    let page = call.query.paging.request::<SourcePackageId>()?;
    let ctx = call.on_site().await?;
    let packages = call
        .app()
        .list_source_packages(&ctx, call.query.state, &page)
        .await?;
    Ok(List::page(packages, Package::from))
}

async fn show(call: Call) -> Answered<PackageRecord> {
    let id = package_id(&call)?;
    let ctx = call.on_site_of(Owned::SourcePackage(id)).await?;
    Ok(call.app().get_source_package(&ctx, id).await?.into())
}

async fn records(call: Call<Records>) -> Answered<List<Record>> {
    let id = package_id(&call)?;
    let page = call.query.paging.request::<SourcePackageId>()?;
    let filter = RecordFilter {
        verdict: call.query.verdict,
        bodies: call.query.include_body.unwrap_or_default(),
    };
    let ctx = call.on_site_of(Owned::SourcePackage(id)).await?;
    let app = call.app();
    let records = app.list_source_records(&ctx, id, filter, &page).await?;
    let render = |record| Record::of(record, filter.bodies);
    Ok(List::page(records, render))
}

async fn dispose(call: Call<Nothing, NewDisposition>) -> Answered<PackageRecord> {
    let package = package_id(&call)?;
    let ctx = call.on_site_of(Owned::SourcePackage(package)).await?;
    let new = NewDisposal {
        package,
        record_keys: call.body.record_keys.clone(),
        disposition: call.body.disposition,
        reason: call.body.reason.clone(),
    };
    Ok(call.app().dispose_sources(&ctx, new).await?.into())
}

fn package_id<Q, B>(call: &Call<Q, B>) -> Result<SourcePackageId> {
    call.id("source package")
}
