//! Agents and what each may do on a site at most.

use ql_core::access::{Administer, Authorized, ChangeAuthority};
use ql_core::connection::Agent;
use ql_core::id::{AgentId, OrganizationId, SiteId};
use ql_core::scope::ScopeSet;

use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO agents (id, organization_id, name, harness, profile_id, profile_name, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    FIND = "SELECT id, organization_id, name, harness, profile_id, profile_name, created_at \
        FROM agents WHERE id = $1";
    LIST = "SELECT id, organization_id, name, harness, profile_id, profile_name, created_at \
        FROM agents WHERE organization_id = $1 ORDER BY id";
    UPDATE = "UPDATE agents SET name = $3, profile_name = $4 WHERE id = $1 AND organization_id = $2";
    SET_PERMISSIONS = "INSERT INTO agent_permissions (agent_id, site_id, scopes) VALUES ($1, $2, $3) \
        ON CONFLICT (agent_id, site_id) DO UPDATE SET scopes = excluded.scopes";
    PERMISSIONS = "SELECT scopes FROM agent_permissions WHERE agent_id = $1 AND site_id = $2";
    LIST_PERMISSIONS = "SELECT site_id, scopes FROM agent_permissions WHERE agent_id = $1 ORDER BY site_id";
}

pub(crate) fn read(row: &mut Row) -> Result<Agent> {
    Ok(Agent {
        id: row.parse()?,
        organization: row.parse()?,
        name: row.text()?,
        harness: row.parse()?,
        profile_id: row.opt_text()?,
        profile_name: row.opt_text()?,
        created_at: row.time()?,
    })
}

pub(crate) fn scopes(row: &mut Row) -> Result<ScopeSet> {
    let bits = row.int()?;
    u16::try_from(bits)
        .map(ScopeSet::from_bits)
        .map_err(|_| row.corrupt("a set of scopes"))
}

/// Registers an agent in the organization that the authorization is for.
pub fn insert(tx: &mut Tx<'_>, authorized: &Authorized<Administer>, agent: &Agent) -> Result<()> {
    tx.execute_one(
        INSERT,
        &[
            Arg::text(agent.id),
            Arg::text(authorized.organization()),
            (&agent.name).into(),
            agent.harness.as_str().into(),
            agent.profile_id.as_deref().into(),
            agent.profile_name.as_deref().into(),
            agent.created_at.into(),
        ],
    )
}

/// The agent with this id.
pub fn find(tx: &mut Tx<'_>, id: AgentId) -> Result<Option<Agent>> {
    tx.find(FIND, &[Arg::text(id)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// An organization's agents, oldest first.
pub fn list(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<Agent>> {
    tx.list(LIST, &[Arg::text(organization)], read)
}

/// Changes an agent's name and its profile's name; harness and profile id are immutable.
pub fn update(tx: &mut Tx<'_>, authorized: &Authorized<Administer>, agent: &Agent) -> Result<()> {
    let organization = Arg::text(authorized.organization());
    tx.execute_one(
        UPDATE,
        &[
            Arg::text(agent.id),
            organization,
            (&agent.name).into(),
            agent.profile_name.as_deref().into(),
        ],
    )
}

/// Sets what the agent may do on the site at most.
pub fn set_permissions(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ChangeAuthority>,
    agent: AgentId,
    scopes: ScopeSet,
) -> Result<()> {
    let bits = i64::from(scopes.bits());
    tx.execute_one(
        SET_PERMISSIONS,
        &[Arg::text(agent), Arg::text(authorized.site()), bits.into()],
    )
}

/// What the agent may do on the site at most.
pub fn permissions(tx: &mut Tx<'_>, agent: AgentId, site: SiteId) -> Result<ScopeSet> {
    let row = tx.find(PERMISSIONS, &[Arg::text(agent), Arg::text(site)])?;
    row.map_or(Ok(ScopeSet::EMPTY), |mut row| scopes(&mut row))
}

/// What the agent may do at most, site by site.
pub fn list_permissions(tx: &mut Tx<'_>, agent: AgentId) -> Result<Vec<(SiteId, ScopeSet)>> {
    tx.list(LIST_PERMISSIONS, &[Arg::text(agent)], |row| {
        Ok((row.parse()?, scopes(row)?))
    })
}
