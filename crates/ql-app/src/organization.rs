//! Organizations: created by the operator, named by their owners.

use ql_core::access::{ManageOrganization, Principal, ReadOrganization};
use ql_core::id::OrganizationId;
use ql_store::organization;
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::text::Checks;

pub use ql_store::organization::Organization;

impl App {
    /// Creates an organization on behalf of the machine's operator.
    pub async fn create_organization(&self, uid: u32, name: &str) -> Result<Organization> {
        let mut checks = Checks::default();
        checks.text("/name", name, 120);
        checks.finish()?;
        let id = OrganizationId::mint(&**self.ids(), self.now());
        let scribe = Scribe::in_organization(self, Principal::Operator { uid }.actor(), id);
        let organization = Organization {
            id,
            name: name.trim().to_owned(),
            created_at: scribe.at,
        };
        let created = organization.clone();
        self.store()
            .write(move |tx| {
                organization::insert(tx, &organization)?;
                scribe.administration(
                    tx,
                    "organization.created",
                    json!({"name": organization.name}),
                )
            })
            .await?;
        Ok(created)
    }

    /// Gives the organization another name.
    pub async fn rename_organization(&self, ctx: &OpContext, name: &str) -> Result<()> {
        let authorized = ctx.authorize_organization::<ManageOrganization>()?;
        let mut checks = Checks::default();
        checks.text("/name", name, 120);
        checks.finish()?;
        let scribe = Scribe::in_organization(self, authorized.actor(), authorized.organization());
        let name = name.trim().to_owned();
        self.store()
            .write(move |tx| {
                organization::rename(tx, &authorized, &name)?;
                scribe.administration(tx, "organization.renamed", json!({"name": name}))
            })
            .await
    }

    /// Every organization of the server, for the operator.
    pub async fn list_organizations(&self) -> Result<Vec<Organization>> {
        self.store()
            .read(move |tx| Ok(organization::list(tx)?))
            .await
    }

    /// The caller's organization.
    pub async fn get_organization(&self, ctx: &OpContext) -> Result<Organization> {
        let id = ctx
            .authorize_organization::<ReadOrganization>()?
            .organization();
        self.store()
            .read(move |tx| organization::find(tx, id)?.ok_or(Error::NotFound("organization")))
            .await
    }
}
