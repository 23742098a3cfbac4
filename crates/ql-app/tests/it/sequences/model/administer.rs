//! Contract §1: connections, permissions, policy and templates, by those who may.

use ql_core::time::hours;

use super::super::facts::Answer;
use super::super::step::{Administer, Template, Which};
use super::{ADMINS, Caller, Connection, EDITORS, Model};

const NINETY_DAYS: u64 = 90 * 24;

impl Model {
    pub(super) fn administer(&mut self, caller: Caller, act: Administer) -> Answer {
        if let Administer::Template(template) = act {
            caller.as_member(&EDITORS)?;
            return Ok(self.save(template));
        }
        caller.as_member(&ADMINS)?;
        match act {
            Administer::Issue { scopes, .. } if scopes.is_empty() => Err("invalid_arguments"),
            Administer::Issue {
                scopes,
                hours: span,
            } => {
                let span = hours(span.unwrap_or(NINETY_DAYS));
                self.issue(Connection {
                    scopes,
                    created_at: self.now,
                    expires_at: self.now.plus(span),
                    revoked: false,
                })
            }
            Administer::Rotate(connection) => self.rotate(connection),
            Administer::Revoke(connection) => {
                let number = self.known(connection)?;
                self.connections[number].revoked = true;
                Ok(format!("connection {number} revoked"))
            }
            Administer::Permit(scopes) => {
                self.permitted = scopes;
                Ok("permitted".to_owned())
            }
            Administer::Policy(policy) => {
                self.policy_version += i64::from(policy != self.policy);
                self.policy = policy;
                Ok(format!("policy version {}", self.policy_version))
            }
            Administer::Template(template) => Ok(self.save(template)),
        }
    }

    /// No connection is made with a scope that its agent lacks.
    fn issue(&mut self, new: Connection) -> Answer {
        if new.scopes.intersect(self.permitted) != new.scopes {
            return Err("scope_exceeds_permission");
        }
        let until = new.expires_at;
        self.connections.push(new);
        let number = self.connections.len() - 1;
        Ok(format!("connection {number} until {until}"))
    }

    /// Revokes and issues in one step, or neither.
    fn rotate(&mut self, connection: Which) -> Answer {
        let number = self.known(connection)?;
        let old = &self.connections[number];
        let span = old.expires_at.since(old.created_at);
        let issued = self.issue(Connection {
            scopes: old.scopes,
            created_at: self.now,
            expires_at: self.now.plus(span),
            revoked: false,
        })?;
        self.connections[number].revoked = true;
        Ok(issued)
    }

    /// A version that says what the latest says isn't added.
    fn save(&mut self, template: Template) -> String {
        self.template_version += i64::from(template != self.template);
        self.template = template;
        format!("template version {}", self.template_version)
    }
}
