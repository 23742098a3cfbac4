//! Saying what is here: every profile as it's found, and the sessions that the server asks about.

use serde_json::json;

use super::connector::{Broken, Connector};
use super::event::{Event, Why};
use super::gateway::Gateway;
use super::identity::host;
use super::profiles::{self, Profile};
use super::server::{Reported, Seen};
use super::session::{Located, locate};

/// The most sessions that a report says something about.
const MOST_SESSIONS: usize = 200;

impl Connector {
    /// Reports, and once more where the server asks about other sessions than it was told of.
    pub(super) async fn report(&self) -> Result<Reported, Broken> {
        let reported = self.report_once().await?;
        let asked = reported.sessions.iter().take(MOST_SESSIONS);
        let asked: Vec<String> = asked.cloned().collect();
        let is_new = {
            let mut memory = self.memory();
            let is_new = memory.sessions != asked || memory.profile != reported.profile_id;
            memory.sessions = asked;
            memory.profile.clone_from(&reported.profile_id);
            is_new && !memory.sessions.is_empty()
        };
        let reported = if is_new {
            self.report_once().await?
        } else {
            reported
        };
        self.tell_once("profile", &availability(&reported));
        Ok(reported)
    }

    async fn report_once(&self) -> Result<Reported, Broken> {
        let mut rows = Vec::new();
        for profile in &profiles::discover(&self.root)? {
            let seen = self.look_under(profile).await;
            let sessions: Vec<_> = seen.iter().map(Seen::to_json).collect();
            let mut row = json!({"profile_name": profile.name, "sessions": sessions});
            if let Some(id) = profile.identity.id() {
                row["profile_id"] = id.into();
            }
            rows.push(row);
        }
        let report = json!({"connector_id": self.name, "host": host(), "profiles": rows});
        Ok(self.server.report(&report).await?)
    }

    /// What is seen of the sessions that the server asks about, under the agent's profile alone.
    async fn look_under(&self, profile: &Profile) -> Vec<Seen> {
        let asked = {
            let memory = self.memory();
            let is_agents =
                memory.profile.is_some() && memory.profile.as_deref() == profile.identity.id();
            if !is_agents || memory.sessions.is_empty() {
                return Vec::new();
            }
            memory.sessions.clone()
        };
        let gateway = Gateway::of(&profile.folder).await;
        let mut seen = Vec::new();
        for session in asked {
            let located = match &gateway {
                Ok(gateway) => locate(gateway, &session).await,
                Err(doubtful) => Err(doubtful.clone()),
            };
            seen.push(Seen {
                found: matches!(&located, Ok(Located::There | Located::GoesOnIn(_))),
                doubt: located.err().map(|doubtful| doubtful.doubt),
                session,
            });
        }
        seen
    }
}

fn availability(reported: &Reported) -> Event {
    match &reported.reason {
        None => Event::Available {
            profile: reported.profile_name.clone().unwrap_or_default(),
        },
        Some(reason) => Event::Unavailable(Why {
            reason: reason.clone(),
            message: reported.message.clone().unwrap_or_default(),
            remedy: reported.remedy.clone().unwrap_or_default(),
        }),
    }
}
