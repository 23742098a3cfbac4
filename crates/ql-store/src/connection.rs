//! Connections: agents' credentials.

use ql_core::access::{AdministerSite, Authorized};
use ql_core::actor::Harness;
use ql_core::connection::Connection;
use ql_core::hash::Digest;
use ql_core::id::{AgentId, ConnectionId, SiteId};
use ql_core::scope::ScopeSet;
use ql_core::time::Timestamp;

use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO connections (id, organization_id, site_id, agent_id, name, prefix, fingerprint, scopes, \
        expires_at, revoked_at, last_used_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL, NULL, $10)";
    FIND = "SELECT id, organization_id, site_id, agent_id, name, prefix, fingerprint, scopes, expires_at, revoked_at, \
        last_used_at, created_at FROM connections WHERE id = $1";
    GRANT = "SELECT c.id, c.organization_id, c.site_id, c.agent_id, c.name, c.prefix, c.fingerprint, c.scopes, \
        c.expires_at, c.revoked_at, c.last_used_at, c.created_at, a.harness, COALESCE(p.scopes, 0), \
        (SELECT COUNT(*) FROM production_roles r WHERE r.connection_id = c.id AND r.played_by = 'agent') \
        FROM connections c JOIN agents a ON a.id = c.agent_id \
        LEFT JOIN agent_permissions p ON p.agent_id = c.agent_id AND p.site_id = c.site_id WHERE c.fingerprint = $1";
    GRANT_BY_ID = "SELECT c.id, c.organization_id, c.site_id, c.agent_id, c.name, c.prefix, c.fingerprint, c.scopes, \
        c.expires_at, c.revoked_at, c.last_used_at, c.created_at, a.harness, COALESCE(p.scopes, 0), \
        (SELECT COUNT(*) FROM production_roles r WHERE r.connection_id = c.id AND r.played_by = 'agent') \
        FROM connections c JOIN agents a ON a.id = c.agent_id \
        LEFT JOIN agent_permissions p ON p.agent_id = c.agent_id AND p.site_id = c.site_id WHERE c.id = $1";
    LIST = "SELECT id, organization_id, site_id, agent_id, name, prefix, fingerprint, scopes, expires_at, revoked_at, \
        last_used_at, created_at FROM connections WHERE site_id = $1 ORDER BY id DESC";
    LIST_BY_AGENT = "SELECT id, organization_id, site_id, agent_id, name, prefix, fingerprint, scopes, expires_at, \
        revoked_at, last_used_at, created_at FROM connections WHERE agent_id = $1 ORDER BY id DESC";
    REVOKE = "UPDATE connections SET revoked_at = $3 WHERE id = $1 AND site_id = $2 AND revoked_at IS NULL";
    TOUCH = "UPDATE connections SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";
}

/// A connection with everything that decides what it may do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The connection.
    pub connection: Connection,
    /// The agent's harness.
    pub harness: Harness,
    /// What the agent may do on the site at most.
    pub permissions: ScopeSet,
    /// Whether the agent plays roles of productions itself.
    pub plays_roles: bool,
}

fn read(row: &mut Row) -> Result<Connection> {
    Ok(Connection {
        id: row.parse()?,
        organization: row.parse()?,
        site: row.parse()?,
        agent: row.parse()?,
        name: row.text()?,
        prefix: row.text()?,
        fingerprint: row.digest()?,
        scopes: crate::agent::scopes(row)?,
        expires_at: row.time()?,
        revoked_at: row.opt_time()?,
        last_used_at: row.opt_time()?,
        created_at: row.time()?,
    })
}

fn read_grant(row: &mut Row) -> Result<Grant> {
    Ok(Grant {
        connection: read(row)?,
        harness: row.parse()?,
        permissions: crate::agent::scopes(row)?,
        plays_roles: row.int()? > 0,
    })
}

/// Adds a connection to the site that the authorization is for.
pub fn insert(
    tx: &mut Tx<'_>,
    authorized: &Authorized<AdministerSite>,
    connection: &Connection,
) -> Result<()> {
    tx.execute_one(
        INSERT,
        &[
            Arg::text(connection.id),
            Arg::text(authorized.organization()),
            Arg::text(authorized.site()),
            Arg::text(connection.agent),
            (&connection.name).into(),
            (&connection.prefix).into(),
            (&connection.fingerprint).into(),
            i64::from(connection.scopes.bits()).into(),
            connection.expires_at.into(),
            connection.created_at.into(),
        ],
    )
}

/// The connection with this id.
pub fn find(tx: &mut Tx<'_>, id: ConnectionId) -> Result<Option<Connection>> {
    tx.find(FIND, &[Arg::text(id)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The grant behind a presented secret, by its fingerprint.
pub fn find_grant(tx: &mut Tx<'_>, fingerprint: &Digest) -> Result<Option<Grant>> {
    tx.find(GRANT, &[fingerprint.into()])?
        .map(|mut row| read_grant(&mut row))
        .transpose()
}

/// The grant behind a connection, looked at again inside a transaction.
pub fn find_grant_by_id(tx: &mut Tx<'_>, id: ConnectionId) -> Result<Option<Grant>> {
    tx.find(GRANT_BY_ID, &[Arg::text(id)])?
        .map(|mut row| read_grant(&mut row))
        .transpose()
}

/// A site's connections, newest first.
pub fn list(tx: &mut Tx<'_>, site: SiteId) -> Result<Vec<Connection>> {
    tx.list(LIST, &[Arg::text(site)], read)
}

/// An agent's connections on every site, newest first.
pub fn list_by_agent(tx: &mut Tx<'_>, agent: AgentId) -> Result<Vec<Connection>> {
    tx.list(LIST_BY_AGENT, &[Arg::text(agent)], read)
}

/// Ends a connection of the site; false when it was revoked before.
pub fn revoke(
    tx: &mut Tx<'_>,
    authorized: &Authorized<AdministerSite>,
    id: ConnectionId,
    at: Timestamp,
) -> Result<bool> {
    Ok(tx.execute(
        REVOKE,
        &[Arg::text(id), Arg::text(authorized.site()), at.into()],
    )? == 1)
}

/// Notes when a connection was used.
pub fn touch(tx: &mut Tx<'_>, id: ConnectionId, at: Timestamp) -> Result<()> {
    tx.execute(TOUCH, &[Arg::text(id), at.into()]).map(drop)
}
