//! Parts of the ledger as files that prove themselves.

use ql_app::Error;
use ql_app::session::{Owned, SiteRef};
use ql_core::ledger::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use super::route::{Answered, Call, Route, get_file};
use crate::input::argument::named;

/// Lines of JSON.
const BUNDLE: &str = "application/jsonl";

pub(super) fn routes() -> Vec<Route> {
    vec![get_file(
        ("export_ledger", "/ledger/export"),
        "Exports a run with its proposals, a proposal or a site's own chain as a bundle that can be checked offline",
        BUNDLE,
        export,
    )]
}

/// Which part; exactly one of run, proposal and site.
#[derive(Deserialize, JsonSchema)]
struct Query {
    /// A run with its proposals.
    #[serde(default)]
    run: Option<String>,
    /// A proposal.
    #[serde(default)]
    proposal: Option<String>,
    /// A site's own chain, by the site's id or slug.
    #[serde(default)]
    site: Option<String>,
    /// Prove as well that the ledger only grew since the checkpoint over so many entries.
    #[schemars(range(min = 1))]
    #[serde(default)]
    since: Option<u64>,
}

async fn export(call: Call<Query>) -> Answered<String> {
    let query = &call.query;
    let (ctx, subject) = match (&query.run, &query.proposal, &query.site) {
        (Some(run), None, None) => {
            let id = named("run", run)?;
            (call.on_site_of(Owned::Run(id)).await?, Subject::Run(id))
        }
        (None, Some(proposal), None) => {
            let id = named("proposal", proposal)?;
            let ctx = call.on_site_of(Owned::Proposal(id)).await?;
            (ctx, Subject::Proposal(id))
        }
        (None, None, Some(site)) => {
            let site = SiteRef::parse(site);
            let member = call.app().member_context(&call.signed_in, &site).await;
            let (ctx, site) = member?;
            (ctx, Subject::Site(site.id))
        }
        _ => {
            let message = "name exactly one of run, proposal and site";
            return Err(Error::invalid("", "required", message).into());
        }
    };
    Ok(call.app().export_ledger(&ctx, subject, query.since).await?)
}
