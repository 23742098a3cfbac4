//! `report`: the profiles that a connector found, as it found them.

use ql_app::Error;
use ql_app::runtime::{FRESH_SECONDS, Looked, NewReport, SeenProfile};
use ql_core::runtime::Doubt;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::gate::Call;
use crate::input::argument;

/// The machine as the connector finds it.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Body {
    /// The connector's own name for itself, which stays.
    #[schemars(length(min = 1, max = 100))]
    connector_id: String,
    /// The machine, for people.
    #[schemars(length(min = 1, max = 200))]
    host: String,
    /// Every profile that was found, doubles and those without an id too.
    #[schemars(length(max = 100))]
    profiles: Vec<Profile>,
}

/// One profile.
#[derive(Deserialize, JsonSchema)]
struct Profile {
    /// Its immutable id; left out where it has none.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default, rename = "profile_id")]
    id: Option<String>,
    /// Its current name.
    #[schemars(length(min = 1, max = 200))]
    #[serde(rename = "profile_name")]
    name: String,
    /// Sessions that were looked for under it.
    #[schemars(length(max = 200))]
    #[serde(default)]
    sessions: Vec<Session>,
}

/// One session.
#[derive(Deserialize, JsonSchema)]
struct Session {
    /// The session.
    #[schemars(length(min = 1, max = 200))]
    #[serde(rename = "session_id")]
    id: String,
    /// Whether it is there.
    found: bool,
    /// Why it isn't known whether a turn can go on in it.
    #[schemars(schema_with = "doubt")]
    #[serde(default)]
    doubt: Option<Doubt>,
}

/// The doubts that a connector may have.
pub(super) fn doubt(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(Doubt::ALL.map(Doubt::as_str))
}

/// What the connector learns from it.
#[derive(Serialize)]
pub(super) struct Answer {
    agent_id: String,
    profile_id: Option<String>,
    /// Whether the agent's profile is there, exactly once.
    available: bool,
    profile_name: Option<String>,
    reason: Option<&'static str>,
    message: Option<String>,
    remedy: Option<&'static str>,
    /// The sessions to look for under it, the newest first.
    sessions: Vec<String>,
    /// For how long this report counts.
    fresh_seconds: u64,
}

pub(super) async fn report(call: Call<Body>) -> Result<Answer, Error> {
    let profiles = call.body.profiles.into_iter();
    let new = NewReport {
        connector: call.body.connector_id,
        host: call.body.host,
        profiles: profiles
            .map(|profile| SeenProfile {
                profile_id: profile.id,
                profile_name: profile.name,
                sessions: (profile.sessions.into_iter())
                    .map(|session| Looked {
                        session: session.id,
                        found: session.found,
                        doubt: session.doubt,
                    })
                    .collect(),
            })
            .collect(),
    };
    let reported = call.app.report_runtime(&call.ctx, new).await?;
    let why = reported.profile.as_ref().err().copied();
    Ok(Answer {
        agent_id: reported.agent.id.to_string(),
        profile_id: reported.agent.profile_id,
        available: why.is_none(),
        profile_name: reported.profile.ok(),
        reason: why.map(ql_core::runtime::Unavailable::code),
        message: why.map(|why| why.to_string()),
        remedy: why.map(ql_core::runtime::Unavailable::remedy),
        sessions: reported.sessions,
        fresh_seconds: FRESH_SECONDS,
    })
}
