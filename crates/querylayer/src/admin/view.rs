//! The JSON that administration commands print.

use ql_app::agent::AgentRecord;
use ql_core::connection::{Agent, Connection};
use ql_core::time::Timestamp;
use ql_store::ledger::Verification;
use ql_store::member::Member;
use ql_store::organization::Organization;
use ql_store::site::Site;
use serde_json::{Value, json};

pub(super) fn organization(organization: &Organization) -> Value {
    json!({"id": organization.id, "name": organization.name, "created_at": organization.created_at})
}

pub(super) fn site(site: &Site) -> Value {
    json!({
        "id": site.id,
        "slug": site.slug,
        "name": site.name,
        "base_url": site.base_url,
        "locale": site.locale,
        "time_zone": site.time_zone,
        "organization": site.organization,
    })
}

pub(super) fn member(member: &Member) -> Value {
    json!({
        "id": member.id,
        "email": member.email,
        "name": member.name,
        "role": member.role,
        "password": if member.password_hash.is_some() { "set" } else { "not set" },
        "removed_at": member.removed_at,
    })
}

pub(super) fn agent(agent: &Agent) -> Value {
    json!({
        "id": agent.id,
        "name": agent.name,
        "harness": agent.harness,
        "profile_id": agent.profile_id,
        "profile_name": agent.profile_name,
        "created_at": agent.created_at,
    })
}

pub(super) fn agent_record(record: &AgentRecord, now: Timestamp) -> Value {
    let mut value = agent(&record.agent);
    let permissions = record
        .permissions
        .iter()
        .map(|(site, scopes)| json!({"site": site, "scopes": scopes}));
    value["permissions"] = permissions.collect();
    value["connections"] = record
        .connections
        .iter()
        .map(|found| connection(found, now))
        .collect();
    value
}

pub(super) fn connection(connection: &Connection, now: Timestamp) -> Value {
    json!({
        "id": connection.id,
        "name": connection.name,
        "agent": connection.agent,
        "prefix": connection.prefix,
        "state": super::standing(connection.standing(now)),
        "scopes": connection.scopes,
        "expires_at": connection.expires_at,
        "revoked_at": connection.revoked_at,
        "last_used_at": connection.last_used_at,
    })
}

pub(super) fn verification(found: &Verification) -> Value {
    let broken: Vec<String> = found.broken.iter().map(ToString::to_string).collect();
    json!({
        "ok": broken.is_empty(),
        "chains": found.chains,
        "entries": found.entries,
        "in_the_tree": found.leaves,
        "checkpoints": found.checkpoints,
        "broken": broken,
    })
}
