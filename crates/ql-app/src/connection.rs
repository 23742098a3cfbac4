//! Connections: issued, rotated and revoked by people.

use ql_core::access::{AdministerSite, Authorized, ReadAdministration};
use ql_core::connection::Connection;
use ql_core::id::{AgentId, ConnectionId};
use ql_core::scope::ScopeSet;
use ql_core::time::Timestamp;
use ql_core::token::{Token, TokenKind};
use ql_store::{Tx, agent, connection};
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::text::Checks;

/// A connection to issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewConnection {
    /// The agent it is for.
    pub agent: AgentId,
    /// The name people see.
    pub name: String,
    /// What it may do at most; within the agent's permissions on the site.
    pub scopes: ScopeSet,
    /// When it ends; ninety days from now when absent.
    pub expires_at: Option<Timestamp>,
}

/// A connection with the only copy of its secret.
#[derive(Debug, Clone)]
pub struct IssuedConnection {
    /// The connection.
    pub connection: Connection,
    /// The secret, shown once.
    pub secret: Token,
}

impl App {
    /// Issues a connection for an agent on the site. Its secret is shown this once.
    ///
    /// # Errors
    /// [`Error::ScopeExceedsPermission`] when it would have more than its agent.
    pub async fn create_connection(
        &self,
        ctx: &OpContext,
        new: NewConnection,
    ) -> Result<IssuedConnection> {
        let authorized = ctx.authorize::<AdministerSite>()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let expires_at = new
            .expires_at
            .unwrap_or_else(|| scribe.at.plus(Connection::DEFAULT_LIFETIME));
        let mut checks = Checks::default();
        checks.text("/name", &new.name, 120);
        checks.that(
            !new.scopes.is_empty(),
            "/scopes",
            "required",
            "expected at least one scope",
        );
        let bounds =
            scribe.at.plus(Connection::MIN_LIFETIME)..=scribe.at.plus(Connection::MAX_LIFETIME);
        checks.that(
            bounds.contains(&expires_at),
            "/expires_at",
            "range",
            "expected an instant from a minute to 365 days ahead",
        );
        checks.finish()?;
        let (secret, connection) = self.mint_connection(&authorized, &scribe, (&new, expires_at));
        let issued = connection.clone();
        self.store()
            .write(move |tx| issue(tx, &authorized, &scribe, &connection))
            .await?;
        Ok(IssuedConnection {
            connection: issued,
            secret,
        })
    }

    fn mint_connection(
        &self,
        authorized: &Authorized<AdministerSite>,
        scribe: &Scribe,
        (new, expires_at): (&NewConnection, Timestamp),
    ) -> (Token, Connection) {
        let secret = Token::generate(TokenKind::Connection, &**self.ids());
        let connection = Connection {
            id: ConnectionId::mint(scribe.ids(), scribe.at),
            organization: authorized.organization(),
            site: authorized.site(),
            agent: new.agent,
            name: new.name.trim().to_owned(),
            prefix: secret.prefix().to_owned(),
            fingerprint: secret.fingerprint(),
            scopes: new.scopes,
            expires_at,
            revoked_at: None,
            last_used_at: None,
            created_at: scribe.at,
        };
        (secret, connection)
    }

    /// Ends a connection at once; ending it twice is the same as once.
    pub async fn revoke_connection(&self, ctx: &OpContext, id: ConnectionId) -> Result<Connection> {
        let authorized = ctx.authorize::<AdministerSite>()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        self.store()
            .write(move |tx| revoke(tx, &authorized, &scribe, id))
            .await
    }

    /// Ends a connection at once and issues a new one of the same name, scopes and length.
    pub async fn rotate_connection(
        &self,
        ctx: &OpContext,
        id: ConnectionId,
    ) -> Result<IssuedConnection> {
        let authorized = ctx.authorize::<AdministerSite>()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let old = self.get_connection(ctx, id).await?;
        let expires_at = scribe.at.plus(old.expires_at.since(old.created_at));
        let new = NewConnection {
            agent: old.agent,
            name: old.name,
            scopes: old.scopes,
            expires_at: None,
        };
        let (secret, connection) = self.mint_connection(&authorized, &scribe, (&new, expires_at));
        let issued = connection.clone();
        self.store()
            .write(move |tx| {
                revoke(tx, &authorized, &scribe, id)?;
                issue(tx, &authorized, &scribe, &connection)
            })
            .await?;
        Ok(IssuedConnection {
            connection: issued,
            secret,
        })
    }

    /// The site's connections, newest first.
    pub async fn list_connections(&self, ctx: &OpContext) -> Result<Vec<Connection>> {
        let site = ctx.authorize::<ReadAdministration>()?.site();
        self.store()
            .read(move |tx| Ok(connection::list(tx, site)?))
            .await
    }

    /// One of the site's connections.
    pub async fn get_connection(&self, ctx: &OpContext, id: ConnectionId) -> Result<Connection> {
        let site = ctx.authorize::<ReadAdministration>()?.site();
        self.store()
            .read(move |tx| {
                connection::find(tx, id)?
                    .filter(|c| c.site == site)
                    .ok_or(Error::NotFound("connection"))
            })
            .await
    }
}

fn issue(
    tx: &mut Tx<'_>,
    authorized: &Authorized<AdministerSite>,
    scribe: &Scribe,
    new: &Connection,
) -> Result<()> {
    agent::find(tx, new.agent)?
        .filter(|agent| agent.organization == authorized.organization())
        .ok_or(Error::NotFound("agent"))?;
    let missing = new
        .scopes
        .minus(agent::permissions(tx, new.agent, authorized.site())?);
    if !missing.is_empty() {
        return Err(Error::ScopeExceedsPermission { missing });
    }
    connection::insert(tx, authorized, new)?;
    let detail = json!({
        "connection": new.id, "agent": new.agent, "prefix": new.prefix, "scopes": new.scopes, "expires_at": new.expires_at,
    });
    scribe.administration(tx, "connection.created", detail)
}

fn revoke(
    tx: &mut Tx<'_>,
    authorized: &Authorized<AdministerSite>,
    scribe: &Scribe,
    id: ConnectionId,
) -> Result<Connection> {
    let found = connection::find(tx, id)?
        .filter(|connection| connection.site == authorized.site())
        .ok_or(Error::NotFound("connection"))?;
    if connection::revoke(tx, authorized, id, scribe.at)? {
        let detail = json!({"connection": id, "agent": found.agent, "prefix": found.prefix});
        scribe.administration(tx, "connection.revoked", detail)?;
        return Ok(Connection {
            revoked_at: Some(scribe.at),
            ..found
        });
    }
    Ok(found)
}
