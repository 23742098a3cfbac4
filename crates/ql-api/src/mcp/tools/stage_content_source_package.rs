//! `querylayer_stage_content_source_package`: stages records to write from.

use ql_app::source::{NewPackage, NewRecord, StagedPackage};
use ql_core::hash::Digest;
use ql_core::id::SourcePackageId;
use ql_core::scope::Scope;
use ql_core::source::{Counts, MAX_RECORDS, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::argument::{self, parsed};
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::source::FindingView;
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct StageContentSourcePackage;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The open run.
    #[schemars(schema_with = "argument::id")]
    run_id: String,
    /// What people shall call the package.
    name: String,
    /// Where the records come from and how you got them.
    origin: String,
    /// The records, in order.
    #[schemars(length(min = 1, max = 100))]
    records: Vec<Record>,
}

const _: () = assert!(MAX_RECORDS == 100, "the published bound is the domain's");

/// One record.
#[derive(Deserialize, JsonSchema)]
struct Record {
    /// Names it within the package.
    key: String,
    /// Such as text/markdown or application/json.
    media_type: String,
    /// The text, unchanged.
    body: String,
    /// Of the body's UTF-8, in hex.
    #[schemars(schema_with = "argument::sha256")]
    #[serde(default)]
    sha256: Option<String>,
}

/// Its answer.
#[derive(Serialize)]
pub(crate) struct Output {
    package_id: SourcePackageId,
    counts: Counts,
    records: Vec<View>,
}

#[derive(Serialize)]
struct View {
    key: String,
    sha256: Digest,
    verdict: Verdict,
    findings: Vec<FindingView>,
}

impl Tool<Product> for StageContentSourcePackage {
    const NAME: &'static str = "querylayer_stage_content_source_package";
    const TITLE: &'static str = "Stage a content source package";
    const DESCRIPTION: &'static str = "Stages records that you want to write from in an immutable ledger, for people to look at. Creates no content, revision, proposal or job. Fixed checks mark each record valid, warning or invalid with codes and lines; a wrong checksum, an oversized or active record is marked, never refused, and the others are kept. Invalid records can't be used: stage a corrected package. At most 100 records, 256 KiB each before a record is marked oversized. Returns package_id and the verdict per record. Go on with querylayer_propose_content_source_draft.";
    const SCOPES: &'static [Scope] = &[Scope::ContentWrite];
    const EFFECT: Effect = Effect::Adds;
    type Params = Params;
    type Output = Output;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, repeat }: Call<Params>,
    ) -> Result<Output, Failure> {
        let records = params.records.into_iter().enumerate();
        let package = NewPackage {
            run: argument::named("run", &params.run_id)?,
            name: params.name,
            origin: params.origin,
            records: records
                .map(|(index, record)| record.read(index))
                .collect::<Result<_, _>>()?,
        };
        let key = idempotency::<Self>(repeat);
        let staged = product
            .app
            .stage_source_package(caller.ctx(), package, key)
            .await?;
        Ok(Output::of(staged))
    }
}

impl Record {
    fn read(self, index: usize) -> Result<NewRecord, Failure> {
        let at = format!("/records/{index}/sha256");
        let sha256 = self.sha256.map(|text| parsed(&at, &text));
        Ok(NewRecord {
            key: self.key,
            media_type: self.media_type,
            body: self.body,
            sha256: sha256.transpose()?,
        })
    }
}

impl Output {
    fn of(staged: StagedPackage) -> Self {
        let view = |record: ql_app::source::StagedRecord| View {
            findings: record.findings.iter().map(FindingView::from).collect(),
            key: record.key,
            sha256: record.sha256,
            verdict: record.verdict,
        };
        Self {
            package_id: staged.package_id,
            counts: staged.counts,
            records: staged.records.into_iter().map(view).collect(),
        }
    }
}
