//! Who calls, and where: the first argument of every use case.

use std::sync::Arc;

use ql_core::access::{AgentPrincipal, Authorized, Capability, InOrganization, OnSite, Principal};
use ql_core::id::{OrganizationId, SiteId};
use ql_core::time::{Clock, Timestamp};

use crate::app::App;
use crate::error::{Error, Result};

/// The caller and the place, both resolved by the server.
#[derive(Clone)]
pub struct OpContext {
    principal: Principal,
    organization: OrganizationId,
    site: Option<SiteId>,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for OpContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpContext")
            .field("principal", &self.principal)
            .field("organization", &self.organization)
            .field("site", &self.site)
            .finish_non_exhaustive()
    }
}

impl OpContext {
    /// The current instant.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
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

impl App {
    /// The context of a caller whom the server has resolved.
    pub(crate) fn context(
        &self,
        principal: Principal,
        organization: OrganizationId,
        site: Option<SiteId>,
    ) -> OpContext {
        OpContext {
            principal,
            organization,
            site,
            clock: self.clock(),
        }
    }
}
