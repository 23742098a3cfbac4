//! `querylayer_list_content_source_packages`: follows what was staged.

use ql_core::id::{RunId, SourcePackageId};
use ql_core::page::Page;
use ql_core::scope::Scope;
use ql_core::source::{Counts, Disposition, SourcePackage};
use ql_core::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::input::argument::{self, Paging};
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct ListContentSourcePackages;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Those about which members decided so; pending when nobody did yet.
    #[schemars(schema_with = "state")]
    #[serde(default)]
    state: Option<Disposition>,
    #[serde(flatten)]
    paging: Paging,
}

fn state(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(Disposition::ALL.map(Disposition::as_str))
}

/// Its answer.
#[derive(Serialize)]
pub(crate) struct Output {
    packages: Vec<View>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize)]
struct View {
    package_id: SourcePackageId,
    name: String,
    origin: String,
    state: Disposition,
    counts: Counts,
    bytes: i64,
    author: Value,
    run_id: RunId,
    created_at: Timestamp,
}

impl Tool<Product> for ListContentSourcePackages {
    const NAME: &'static str = "querylayer_list_content_source_packages";
    const TITLE: &'static str = "List content source packages";
    const DESCRIPTION: &'static str = "Lists the staged source packages of the site, newest first, with how many records the checks found valid, worth a warning or invalid, and what members decided about the package. Read the records with querylayer_list_content_source_records.";
    const SCOPES: &'static [Scope] = &[Scope::ContentRead];
    const EFFECT: Effect = Effect::Reads;
    type Params = Params;
    type Output = Output;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, .. }: Call<Params>,
    ) -> Result<Output, Failure> {
        let page = params.paging.request::<SourcePackageId>()?;
        let packages = product
            .app
            .list_source_packages(caller.ctx(), params.state, &page)
            .await?;
        Ok(Output::of(packages))
    }
}

impl Output {
    fn of(page: Page<SourcePackage>) -> Self {
        Self {
            packages: page.items.into_iter().map(View::of).collect(),
            next_cursor: page.next.map(|cursor| cursor.encode()),
        }
    }
}

impl View {
    fn of(package: SourcePackage) -> Self {
        Self {
            package_id: package.id,
            name: package.name,
            origin: package.origin,
            state: package.disposition,
            counts: package.counts,
            bytes: package.bytes,
            author: package.author.to_json(),
            run_id: package.run,
            created_at: package.created_at,
        }
    }
}
