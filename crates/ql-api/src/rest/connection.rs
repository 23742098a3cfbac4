//! Connections: agents' credentials on a site.

use ql_app::Error;
use ql_app::connection::{IssuedConnection, NewConnection as Issuing};
use ql_app::session::Owned;
use ql_core::id::{AgentId, ConnectionId, SiteId};
use ql_core::problem::Problem;
use ql_core::scope::ScopeSet;
use ql_core::time::{Timestamp, days};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent::scopes;
use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Nothing, Route, get, post};
use crate::input::argument::{self, named};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_connections",
            "/sites/{site}/connections",
            "Lists the site's connections, newest first",
            list,
        ),
        post(
            "create_connection",
            "/connections",
            "Issues a connection for an agent on a site; its token is shown once",
            create,
        )
        .created(),
        post(
            "revoke_connection",
            "/connections/{id}/revoke",
            "Ends a connection at once; ending it twice is the same as once",
            revoke,
        ),
        post(
            "rotate_connection",
            "/connections/{id}/rotate",
            "Ends a connection and issues a new one of the same name, scopes and length",
            rotate,
        )
        .created(),
    ]
}

/// A connection without its secret.
#[derive(Serialize, JsonSchema)]
pub(super) struct Connection {
    id: Text<ConnectionId>,
    name: String,
    agent: Text<AgentId>,
    site: Text<SiteId>,
    /// The first twelve characters of the token.
    prefix: String,
    #[schemars(with = "Vec<String>")]
    scopes: ScopeSet,
    created_at: Instant,
    expires_at: Instant,
    revoked_at: Option<Instant>,
    /// When it was last used, to the minute.
    last_used_at: Option<Instant>,
}

impl From<ql_core::connection::Connection> for Connection {
    fn from(connection: ql_core::connection::Connection) -> Self {
        Self {
            id: Text(connection.id),
            name: connection.name,
            agent: Text(connection.agent),
            site: Text(connection.site),
            prefix: connection.prefix,
            scopes: connection.scopes,
            created_at: Instant(connection.created_at),
            expires_at: Instant(connection.expires_at),
            revoked_at: connection.revoked_at.map(Instant),
            last_used_at: connection.last_used_at.map(Instant),
        }
    }
}

/// A connection with its token, which is shown this once.
#[derive(Serialize, JsonSchema)]
struct Issued {
    id: Text<ConnectionId>,
    /// The first twelve characters of the token.
    prefix: String,
    /// What the agent sends as `Authorization: Bearer`.
    token: String,
}

impl From<IssuedConnection> for Issued {
    fn from(issued: IssuedConnection) -> Self {
        Self {
            id: Text(issued.connection.id),
            prefix: issued.connection.prefix,
            token: issued.secret.expose().to_owned(),
        }
    }
}

async fn list(call: Call) -> Answered<List<Connection>> {
    let ctx = call.on_site().await?;
    let connections = call.app().list_connections(&ctx).await?;
    Ok(List::of(connections, Connection::from))
}

/// A connection to issue.
#[derive(Deserialize, JsonSchema)]
struct NewConnection {
    /// The name people see.
    #[schemars(length(min = 1, max = 120))]
    name: String,
    /// The agent it is for, by id.
    #[schemars(schema_with = "argument::id")]
    agent: String,
    /// The site it is for, by id or slug.
    #[schemars(schema_with = "argument::id")]
    site: String,
    /// What it may do at most, within the agent's permissions on the site.
    #[schemars(schema_with = "scopes")]
    scopes: ScopeSet,
    /// In how many days it ends; 90 when neither this nor `expires_at` is given.
    #[schemars(range(min = 1, max = 365))]
    #[serde(default)]
    expires_in_days: Option<u32>,
    /// When it ends: from a minute to 365 days ahead.
    #[schemars(schema_with = "argument::instant")]
    #[serde(default)]
    expires_at: Option<Timestamp>,
}

impl NewConnection {
    fn read(self, now: Timestamp) -> Result<Issuing, Error> {
        let expires_at = match (self.expires_in_days, self.expires_at) {
            (Some(_), Some(_)) => {
                let message = "has no meaning beside expires_at; leave one of them out";
                let problem = Problem::new("/expires_in_days", "combination", message);
                return Err(Error::Invalid(vec![problem]));
            }
            (Some(count), None) => Some(now.plus(days(u64::from(count)))),
            (None, at) => at,
        };
        Ok(Issuing {
            agent: named("agent", &self.agent)?,
            name: self.name,
            scopes: self.scopes,
            expires_at,
        })
    }
}

async fn create(call: Call<Nothing, NewConnection>) -> Answered<Issued> {
    let ctx = call.on(&call.body.site).await?;
    let new = call.body.read(call.rest.app.now())?;
    Ok(call.rest.app.create_connection(&ctx, new).await?.into())
}

async fn revoke(call: Call) -> Answered<Connection> {
    let id = call.id("connection")?;
    let ctx = call.on_site_of(Owned::Connection(id)).await?;
    Ok(call.app().revoke_connection(&ctx, id).await?.into())
}

async fn rotate(call: Call) -> Answered<Issued> {
    let id = call.id("connection")?;
    let ctx = call.on_site_of(Owned::Connection(id)).await?;
    Ok(call.app().rotate_connection(&ctx, id).await?.into())
}
