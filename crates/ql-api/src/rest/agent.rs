//! Agents and what each may do on a site at most.

use ql_app::agent::{AgentPatch, AgentRecord, NewAgent as Registering};
use ql_core::actor::Harness;
use ql_core::id::{AgentId, SiteId};
use ql_core::scope::{Scope, ScopeSet};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::answer::{Instant, List, Text};
use super::connection::Connection;
use super::route::{Answered, Call, Nothing, Route, get, patch, post, put};
use crate::input::argument::{named, one_of};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_agents",
            "/agents",
            "Lists the organization's agents with what each holds",
            list,
        ),
        post(
            "create_agent",
            "/agents",
            "Registers an agent, which may do nothing until it has permissions on a site",
            create,
        )
        .created(),
        get(
            "get_agent",
            "/agents/{id}",
            "An agent with what it holds",
            show,
        ),
        patch(
            "update_agent",
            "/agents/{id}",
            "Changes an agent's name or its profile's name, and nothing else of it",
            update,
        ),
        put(
            "set_agent_permissions",
            "/agents/{id}/permissions/{site}",
            "Sets what an agent may do on a site at most, from its next call on",
            set_permissions,
        ),
    ]
}

/// A registered identity.
#[derive(Serialize, JsonSchema)]
struct Agent {
    id: Text<AgentId>,
    name: String,
    harness: Text<Harness>,
    profile_id: Option<String>,
    profile_name: Option<String>,
    created_at: Instant,
}

impl From<ql_core::connection::Agent> for Agent {
    fn from(agent: ql_core::connection::Agent) -> Self {
        Self {
            id: Text(agent.id),
            name: agent.name,
            harness: Text(agent.harness),
            profile_id: agent.profile_id,
            profile_name: agent.profile_name,
            created_at: Instant(agent.created_at),
        }
    }
}

/// An agent with what it holds.
#[derive(Serialize, JsonSchema)]
struct Record {
    #[serde(flatten)]
    agent: Agent,
    permissions: Vec<Permissions>,
    connections: Vec<Connection>,
}

/// What an agent may do on a site at most.
#[derive(Serialize, JsonSchema)]
struct Permissions {
    agent: Text<AgentId>,
    site: Text<SiteId>,
    #[schemars(with = "Vec<String>")]
    scopes: ScopeSet,
}

impl From<AgentRecord> for Record {
    fn from(record: AgentRecord) -> Self {
        let agent = record.agent.id;
        let permissions = record.permissions.into_iter();
        Self {
            permissions: permissions
                .map(|(site, scopes)| Permissions {
                    agent: Text(agent),
                    site: Text(site),
                    scopes,
                })
                .collect(),
            connections: record.connections.into_iter().map(Into::into).collect(),
            agent: record.agent.into(),
        }
    }
}

async fn list(call: Call) -> Answered<List<Record>> {
    let ctx = call.in_organization();
    let agents = call.app().list_agents(&ctx).await?;
    Ok(List::of(agents, Record::from))
}

async fn show(call: Call) -> Answered<Record> {
    let (ctx, id) = (call.in_organization(), call.id("agent")?);
    Ok(call.app().get_agent(&ctx, id).await?.into())
}

fn harness(_: &mut SchemaGenerator) -> Schema {
    one_of(Harness::ALL.map(Harness::as_str))
}

/// An agent to register.
#[derive(Deserialize, JsonSchema)]
struct NewAgent {
    /// The name people see, unique in the organization.
    #[schemars(length(min = 1, max = 120))]
    name: String,
    /// The program it runs in.
    #[schemars(schema_with = "harness")]
    harness: Harness,
    /// For Hermes: the immutable profile it is bound to.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    profile_id: Option<String>,
    /// For Hermes: the profile's current name.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    profile_name: Option<String>,
}

async fn create(call: Call<Nothing, NewAgent>) -> Answered<Agent> {
    let ctx = call.in_organization();
    let new = Registering {
        name: call.body.name,
        harness: call.body.harness,
        profile_id: call.body.profile_id,
        profile_name: call.body.profile_name,
    };
    Ok(call.rest.app.create_agent(&ctx, new).await?.into())
}

/// What to change of an agent.
#[derive(Deserialize, JsonSchema)]
struct Patch {
    /// Another name.
    #[schemars(length(min = 1, max = 120))]
    #[serde(default)]
    name: Option<String>,
    /// The profile's new name.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    profile_name: Option<String>,
}

async fn update(call: Call<Nothing, Patch>) -> Answered<Agent> {
    let (ctx, id) = (call.in_organization(), call.id("agent")?);
    let patch = AgentPatch {
        name: call.body.name,
        profile_name: call.body.profile_name,
    };
    Ok(call.rest.app.update_agent(&ctx, id, patch).await?.into())
}

/// A set of scopes.
pub(super) fn scopes(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = Scope::ALL.into_iter().map(Scope::as_str).collect();
    json_schema!({
        "type": "array",
        "items": { "type": "string", "enum": names },
        "maxItems": names.len(),
        "uniqueItems": true
    })
}

/// What an agent may do.
#[derive(Deserialize, JsonSchema)]
struct Scopes {
    /// The scopes that its connections may have at most; none takes everything away.
    #[schemars(schema_with = "scopes")]
    scopes: ScopeSet,
}

async fn set_permissions(call: Call<Nothing, Scopes>) -> Answered<Permissions> {
    let (ctx, agent) = (call.on_site().await?, named("agent", call.part("id"))?);
    let scopes = call.body.scopes;
    call.app().set_permissions(&ctx, agent, scopes).await?;
    Ok(Permissions {
        agent: Text(agent),
        site: Text(ctx.site()?),
        scopes,
    })
}
