//! Contract §1: who may do what.

use ql_core::role::Role;
use ql_core::scope::{Scope, ScopeSet};

pub(super) const EDITORS: [Role; 3] = [Role::Owner, Role::Admin, Role::Editor];
pub(super) const DECIDERS: [Role; 4] = [Role::Owner, Role::Admin, Role::Editor, Role::Reviewer];
pub(super) const ADMINS: [Role; 2] = [Role::Owner, Role::Admin];

/// Who calls, once admitted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Caller {
    Agent { connection: usize, scopes: ScopeSet },
    Member { role: Role, fresh: bool },
}

impl Caller {
    /// An agent's scope, or a member's role that is among those that may.
    pub(super) fn may(self, scope: Scope, roles: &[Role]) -> Result<(), &'static str> {
        match self {
            Self::Agent { scopes, .. } if scopes.contains(scope) => Ok(()),
            Self::Agent { .. } => Err("scope_denied"),
            Self::Member { role, .. } if roles.contains(&role) => Ok(()),
            Self::Member { .. } => Err("role_denied"),
        }
    }

    /// A scope, for what no member does.
    pub(super) fn as_agent(self, scope: Scope) -> Result<(), &'static str> {
        match self {
            Self::Agent { .. } => self.may(scope, &[]),
            Self::Member { .. } => Err("agents_only"),
        }
    }

    /// A role, for what no agent does.
    pub(super) fn as_member(self, roles: &[Role]) -> Result<(Role, bool), &'static str> {
        match self {
            Self::Agent { .. } => Err("members_only"),
            Self::Member { role, fresh } if roles.contains(&role) => Ok((role, fresh)),
            Self::Member { .. } => Err("role_denied"),
        }
    }

    pub(super) const fn role(self) -> Option<Role> {
        match self {
            Self::Agent { .. } => None,
            Self::Member { role, .. } => Some(role),
        }
    }
}
