//! Connections: an agent's credentials on a site.

use crate::actor::Harness;
use crate::hash::Digest;
use crate::id::{AgentId, ConnectionId, OrganizationId, SiteId};
use crate::scope::ScopeSet;
use crate::time::{Timestamp, days, minutes};

/// A registered governance identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Identity.
    pub id: AgentId,
    /// The tenant.
    pub organization: OrganizationId,
    /// The name people gave it.
    pub name: String,
    /// The program it runs in.
    pub harness: Harness,
    /// For Hermes, the immutable profile it is bound to.
    pub profile_id: Option<String>,
    /// For Hermes, the profile's current name: a routing attribute.
    pub profile_name: Option<String>,
    /// When it was registered.
    pub created_at: Timestamp,
}

/// One named credential of one agent on one site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// Identity.
    pub id: ConnectionId,
    /// The tenant.
    pub organization: OrganizationId,
    /// The site it is locked to.
    pub site: SiteId,
    /// The agent it belongs to.
    pub agent: AgentId,
    /// The name people gave it.
    pub name: String,
    /// The first twelve characters of its secret.
    pub prefix: String,
    /// The SHA-256 of its secret.
    pub fingerprint: Digest,
    /// What it may do at most.
    pub scopes: ScopeSet,
    /// When it ends.
    pub expires_at: Timestamp,
    /// When a person ended it.
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// Whether a connection opens anything now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It does.
    Active,
    /// Its time ran out.
    Expired,
    /// A person ended it.
    Revoked,
}

impl Connection {
    /// How long a connection lasts when nothing is said.
    pub const DEFAULT_LIFETIME: std::time::Duration = days(90);
    /// How long it may last at most.
    pub const MAX_LIFETIME: std::time::Duration = days(365);
    /// How long it must last at least.
    pub const MIN_LIFETIME: std::time::Duration = minutes(1);

    /// Whether it opens anything at `now`.
    pub fn standing(&self, now: Timestamp) -> Standing {
        if self.revoked_at.is_some() {
            Standing::Revoked
        } else if self.expires_at <= now {
            Standing::Expired
        } else {
            Standing::Active
        }
    }
}
