//! Who calls, and where: the first argument of every use case.

use ql_core::access::{AgentPrincipal, Authorized, Capability, InOrganization, OnSite, Principal};
use ql_core::id::{OrganizationId, SiteId};

use crate::error::{Error, Result};

/// The caller and the place, both resolved by the server.
#[derive(Debug, Clone)]
pub struct OpContext {
    principal: Principal,
    organization: OrganizationId,
    site: Option<SiteId>,
}

impl OpContext {
    pub(crate) const fn new(
        principal: Principal,
        organization: OrganizationId,
        site: Option<SiteId>,
    ) -> Self {
        Self {
            principal,
            organization,
            site,
        }
    }

    /// Who calls.
    pub const fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The tenant.
    pub const fn organization(&self) -> OrganizationId {
        self.organization
    }

    /// The site.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the caller acts in an organization as a whole.
    pub fn site(&self) -> Result<SiteId> {
        self.site.ok_or(Error::NotFound("site"))
    }

    /// The site as a place.
    pub fn place(&self) -> Result<OnSite> {
        Ok(OnSite {
            organization: self.organization,
            site: self.site()?,
        })
    }

    /// Checks that the caller may do `C` on the site.
    pub fn authorize<C: Capability<Place = OnSite>>(&self) -> Result<Authorized<C>> {
        Ok(self.principal.authorize(self.place()?)?)
    }

    /// Checks that the caller may do `C` in the organization.
    pub fn authorize_organization<C: Capability<Place = InOrganization>>(
        &self,
    ) -> Result<Authorized<C>> {
        Ok(self.principal.authorize(InOrganization {
            organization: self.organization,
        })?)
    }

    /// The calling agent.
    ///
    /// # Errors
    /// [`Error::Denied`] when somebody else calls.
    pub fn agent(&self) -> Result<&AgentPrincipal> {
        match &self.principal {
            Principal::Agent(agent) => Ok(agent),
            Principal::Member(_) | Principal::Operator { .. } | Principal::System => {
                Err(Error::Denied(ql_core::access::Denied::AgentsOnly))
            }
        }
    }
}
