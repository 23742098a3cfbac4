//! The audit trail: reading it, and checking that nobody touched it.

use ql_core::access::{ReadAdministration, ReadOrganization, ReadRuns};
use ql_core::id::ProposalId;
use ql_core::ledger::Subject;
use ql_core::page::{Page, PageRequest};
use ql_store::ledger;
use ql_store::proposal;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};

pub use ql_store::ledger::{Entry, Filter, Verification};

impl App {
    /// The site's entries, newest first.
    pub async fn list_audit(
        &self,
        ctx: &OpContext,
        filter: &Filter,
        page: &PageRequest,
    ) -> Result<Page<Entry>> {
        let site = ctx.authorize::<ReadAdministration>()?.site();
        let (filter, page) = (filter.clone(), page.clone());
        self.store()
            .read(move |tx| Ok(ledger::list(tx, site, &filter, &page)?))
            .await
    }

    /// The organization's own entries, newest first.
    pub async fn list_organization_audit(
        &self,
        ctx: &OpContext,
        page: &PageRequest,
    ) -> Result<Page<Entry>> {
        let organization = ctx
            .authorize_organization::<ReadOrganization>()?
            .organization();
        let page = page.clone();
        self.store()
            .read(move |tx| Ok(ledger::list_organization(tx, organization, &page)?))
            .await
    }

    /// A proposal's chain of entries.
    pub async fn list_proposal_events(
        &self,
        ctx: &OpContext,
        id: ProposalId,
    ) -> Result<Vec<Entry>> {
        let site = ctx.authorize::<ReadRuns>()?.site();
        self.store()
            .read(move |tx| {
                proposal::find(tx, site, id)?.ok_or(Error::NotFound("proposal"))?;
                Ok(ledger::chain(tx, Subject::Proposal(id))?)
            })
            .await
    }

    /// Follows every chain of the database from its first entry to its recorded head. A member may
    /// ask for it; the answer counts and names chains, and shows nothing of them.
    pub async fn verify_ledger(&self, ctx: &OpContext) -> Result<Verification> {
        ctx.authorize::<ReadAdministration>()?;
        self.verify_whole_ledger().await
    }

    /// As [`App::verify_ledger`], for the operator.
    pub async fn verify_whole_ledger(&self) -> Result<Verification> {
        self.store().scan(|tx| Ok(ledger::verify(tx)?)).await
    }
}
