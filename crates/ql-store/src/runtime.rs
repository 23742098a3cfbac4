//! What connectors report about the runtimes of agents.

use ql_core::access::{Authorized, WriteRuns};
use ql_core::id::{AgentId, SiteId};
use ql_core::runtime::Report;

use crate::{Arg, Result, Row, StoreError, Tx};

statements! {
    SAVE = "INSERT INTO runtime_reports (agent_id, site_id, connector, connection_id, host, profiles, reported_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (agent_id, site_id, connector) DO UPDATE SET \
        connection_id = excluded.connection_id, host = excluded.host, profiles = excluded.profiles, \
        reported_at = excluded.reported_at";
    LIST = "SELECT connector, connection_id, host, profiles, reported_at FROM runtime_reports \
        WHERE agent_id = $1 AND site_id = $2 ORDER BY reported_at DESC, connector LIMIT $3";
    FORGET = "DELETE FROM runtime_reports WHERE agent_id = $1 AND site_id = $2 AND connector = $3";
    SET_PROFILE_NAME = "UPDATE agents SET profile_name = $3 WHERE id = $1 AND organization_id = $2";
}

fn read(row: &mut Row) -> Result<Report> {
    Ok(Report {
        connector: row.text()?,
        connection: row.parse()?,
        host: row.text()?,
        profiles: row.from_json()?,
        reported_at: row.time()?,
    })
}

/// Keeps a connector's report in place of its last one.
pub fn save(
    tx: &mut Tx<'_>,
    authorized: &Authorized<WriteRuns>,
    agent: AgentId,
    report: &Report,
) -> Result<()> {
    let profiles = serde_json::to_string(&report.profiles)
        .map_err(|error| StoreError::Bug(error.to_string()))?;
    tx.execute_one(
        SAVE,
        &[
            Arg::text(agent),
            Arg::text(authorized.site()),
            (&report.connector).into(),
            Arg::text(report.connection),
            (&report.host).into(),
            profiles.into(),
            report.reported_at.into(),
        ],
    )
}

/// The last report of each connector of an agent on a site, the newest first, at most `limit`.
pub fn list(tx: &mut Tx<'_>, (agent, site): (AgentId, SiteId), limit: u32) -> Result<Vec<Report>> {
    let args = [Arg::text(agent), Arg::text(site), limit.into()];
    tx.list(LIST, &args, read)
}

/// Forgets a connector.
pub fn forget(
    tx: &mut Tx<'_>,
    authorized: &Authorized<WriteRuns>,
    agent: AgentId,
    connector: &str,
) -> Result<()> {
    let args = [
        Arg::text(agent),
        Arg::text(authorized.site()),
        connector.into(),
    ];
    tx.execute(FORGET, &args).map(drop)
}

/// Notes the current name of the profile that an agent is bound to: a routing attribute.
pub fn set_profile_name(
    tx: &mut Tx<'_>,
    authorized: &Authorized<WriteRuns>,
    agent: AgentId,
    name: &str,
) -> Result<()> {
    let args = [
        Arg::text(agent),
        Arg::text(authorized.organization()),
        name.into(),
    ];
    tx.execute_one(SET_PROFILE_NAME, &args)
}
