//! Whether an agent's runtime is there: what connectors report, and the rules by which a report
//! counts. A runtime that can't be told apart is unavailable; nothing similar is taken instead.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::ConnectionId;
use crate::time::{Timestamp, minutes};

/// For how long a report, or the check of a session, counts.
pub const FRESH: Duration = minutes(2);
/// The most profiles of a report.
pub const MAX_PROFILES: usize = 100;
/// The most sessions that one profile of a report says something about.
pub const MAX_SESSIONS: usize = 200;
/// The most connectors of one agent on one site that are remembered.
pub const MAX_CONNECTORS: usize = 20;

/// What one connector last reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The connector's own name for itself, which stays.
    pub connector: String,
    /// The connection that it reported with.
    pub connection: ConnectionId,
    /// The machine, for people.
    pub host: String,
    /// The profiles that it found, as it found them.
    pub profiles: Vec<Profile>,
    /// When it reported.
    pub reported_at: Timestamp,
}

/// A profile that a connector found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Its immutable identifier; none where it has none.
    pub profile_id: Option<String>,
    /// Its current name.
    pub profile_name: String,
    /// Sessions that were looked for under it.
    #[serde(default)]
    pub sessions: Vec<SessionSeen>,
}

/// Whether a session exists under a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionSeen {
    /// The session.
    pub session_id: String,
    /// Whether it is there.
    pub found: bool,
    /// Why it isn't known whether a turn can go on in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// When that was looked up.
    pub checked_at: Timestamp,
}

/// Why a connector doesn't know whether a turn can go on in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// The profile's gateway gave no answer that says it.
    GatewayUnreachable,
    /// What answers at the address of the profile's gateway isn't shown to be of that profile.
    GatewayForeign,
    /// The session was rotated, and not exactly one session goes on from it.
    SuccessorUnclear,
}

impl Doubt {
    /// Every doubt.
    pub const ALL: [Self; 3] = [
        Self::GatewayUnreachable,
        Self::GatewayForeign,
        Self::SuccessorUnclear,
    ];

    /// The doubt's text.
    pub const fn as_str(self) -> &'static str {
        Unavailable::SessionDoubtful(self).code()
    }
}

/// Why a runtime is unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// The agent isn't bound to a profile.
    #[error("the agent isn't bound to a profile")]
    ProfileUnbound,
    /// No connector ever reported.
    #[error("no connector has reported what runs")]
    NotDiscovered,
    /// The last report is too old.
    #[error("the last report of a connector is older than two minutes")]
    DiscoveryStale,
    /// No profile has the agent's identifier.
    #[error("no profile has the immutable id that the agent is bound to")]
    ProfileMissing,
    /// Several profiles have it.
    #[error("several profiles have the immutable id that the agent is bound to")]
    ProfileAmbiguous,
    /// The conversation isn't bound to a session.
    #[error("the conversation isn't bound to a session")]
    SessionUnbound,
    /// The session isn't there under the profile.
    #[error("the bound session doesn't exist under the agent's profile")]
    SessionMissing,
    /// The session was looked for, and it isn't known whether a turn can go on in it.
    #[error("{}", doubtful(*.0))]
    SessionDoubtful(Doubt),
    /// Nobody looked for the session lately.
    #[error("no connector has looked for the session in the last two minutes")]
    SessionUnverified,
    /// A connector claims for this agent, and it isn't the caller.
    #[error("a connector claims for this agent over another connection")]
    ConnectorClaims,
}

impl Unavailable {
    /// A stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::ProfileUnbound => "profile_unbound",
            Self::NotDiscovered => "not_discovered",
            Self::DiscoveryStale => "discovery_stale",
            Self::ProfileMissing => "profile_missing",
            Self::ProfileAmbiguous => "profile_ambiguous",
            Self::SessionUnbound => "session_unbound",
            Self::SessionMissing => "session_missing",
            Self::SessionDoubtful(Doubt::GatewayUnreachable) => "gateway_unreachable",
            Self::SessionDoubtful(Doubt::GatewayForeign) => "gateway_foreign",
            Self::SessionDoubtful(Doubt::SuccessorUnclear) => "successor_unclear",
            Self::SessionUnverified => "session_unverified",
            Self::ConnectorClaims => "connector_claims",
        }
    }

    /// What a person does about it.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::ProfileUnbound => {
                "Register the agent with the immutable id of its profile; `querylayer connect hermes profiles` shows the ids."
            }
            Self::NotDiscovered | Self::DiscoveryStale => {
                "Start `querylayer connect hermes` on the machine where the agent runs, with the agent's token."
            }
            Self::ProfileMissing => {
                "Bring the profile back, or register an agent for the profile that is there. A profile of the same name is another identity."
            }
            Self::ProfileAmbiguous => {
                "Give each copy of the profile an id of its own, so that one alone carries this one."
            }
            Self::SessionUnbound => "Claim with the session's id first; the first claim binds it.",
            Self::SessionMissing => {
                "Bring the session back under this profile, or begin a new conversation."
            }
            Self::SessionDoubtful(Doubt::GatewayUnreachable) => {
                "Start the profile's gateway with its API server: `hermes -p NAME gateway run`."
            }
            Self::SessionDoubtful(Doubt::GatewayForeign) => {
                "Give each profile's API server a port and a key of its own in the profile's .env, and start its gateway again."
            }
            Self::SessionDoubtful(Doubt::SuccessorUnclear) => {
                "Begin a new conversation: nothing tells which session goes on from the bound one."
            }
            Self::SessionUnverified => {
                "Have the connector look for the session: POST /connector/v1/verify."
            }
            Self::ConnectorClaims => {
                "Let the connector claim; it hands the lease token on to the agent."
            }
        }
    }

    /// Whether it was seen that the runtime isn't there, and not only not seen that it is.
    pub const fn is_certain(self) -> bool {
        matches!(
            self,
            Self::ProfileMissing | Self::ProfileAmbiguous | Self::SessionMissing
        )
    }
}

const fn doubtful(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::GatewayUnreachable => "the gateway of the agent's profile doesn't answer",
        Doubt::GatewayForeign => {
            "what answers in place of the profile's gateway isn't shown to be of that profile"
        }
        Doubt::SuccessorUnclear => {
            "the bound session was rotated, and not exactly one session goes on from it"
        }
    }
}

/// The one place where a profile was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<'r> {
    /// Who found it.
    pub report: &'r Report,
    /// The profile.
    pub profile: &'r Profile,
}

/// The profile with this identifier, where fresh reports show it exactly once.
pub fn find_profile<'r>(
    profile_id: Option<&str>,
    reports: &'r [Report],
    now: Timestamp,
) -> Result<Found<'r>, Unavailable> {
    let wanted = profile_id.ok_or(Unavailable::ProfileUnbound)?;
    if reports.is_empty() {
        return Err(Unavailable::NotDiscovered);
    }
    let mut fresh = reports
        .iter()
        .filter(|report| is_fresh(report.reported_at, now))
        .peekable();
    if fresh.peek().is_none() {
        return Err(Unavailable::DiscoveryStale);
    }
    let mut found = fresh
        .flat_map(|report| {
            report
                .profiles
                .iter()
                .map(move |profile| Found { report, profile })
        })
        .filter(|found| found.profile.profile_id.as_deref() == Some(wanted));
    match (found.next(), found.next()) {
        (Some(found), None) => Ok(found),
        (None, _) => Err(Unavailable::ProfileMissing),
        (Some(_), Some(_)) => Err(Unavailable::ProfileAmbiguous),
    }
}

impl Found<'_> {
    /// Checks that a session was seen under the profile lately.
    pub fn require_session(&self, session: &str, now: Timestamp) -> Result<(), Unavailable> {
        let sessions = self.profile.sessions.iter();
        let seen = sessions
            .filter(|seen| seen.session_id == session && is_fresh(seen.checked_at, now))
            .max_by_key(|seen| seen.checked_at);
        match seen {
            Some(SessionSeen {
                doubt: Some(doubt), ..
            }) => Err(Unavailable::SessionDoubtful(*doubt)),
            Some(seen) if seen.found => Ok(()),
            Some(_) => Err(Unavailable::SessionMissing),
            None => Err(Unavailable::SessionUnverified),
        }
    }
}

fn is_fresh(at: Timestamp, now: Timestamp) -> bool {
    now.since(at) < FRESH
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SystemIdGen;

    const NOW: Timestamp = Timestamp::from_micros(1_000_000_000);

    fn profile(id: Option<&str>, name: &str) -> Profile {
        Profile {
            profile_id: id.map(str::to_owned),
            profile_name: name.to_owned(),
            sessions: Vec::new(),
        }
    }

    fn report(seconds_ago: u64, profiles: Vec<Profile>) -> Report {
        Report {
            connector: format!("c{seconds_ago}"),
            connection: ConnectionId::mint(&SystemIdGen::default(), NOW),
            host: "desk".into(),
            profiles,
            reported_at: NOW.minus(Duration::from_secs(seconds_ago)),
        }
    }

    fn found(reports: &[Report]) -> String {
        match find_profile(Some("p1"), reports, NOW) {
            Ok(found) => format!(
                "{} by {}",
                found.profile.profile_name, found.report.connector
            ),
            Err(why) => why.code().to_owned(),
        }
    }

    #[test]
    fn a_profile_counts_when_fresh_reports_show_it_exactly_once() {
        let p1 = || profile(Some("p1"), "writer");
        let lines = [
            found(&[]),
            found(&[report(120, vec![p1()])]),
            found(&[report(119, vec![p1()])]),
            found(&[report(1, vec![profile(Some("p2"), "writer")])]),
            found(&[report(1, vec![profile(None, "writer")])]),
            found(&[report(1, vec![p1(), profile(Some("p1"), "copy")])]),
            found(&[report(1, vec![p1()]), report(2, vec![p1()])]),
            found(&[report(1, vec![p1()]), report(300, vec![p1()])]),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        not_discovered
        discovery_stale
        writer by c119
        profile_missing
        profile_missing
        profile_ambiguous
        profile_ambiguous
        writer by c1
        ");
        let reports = [report(1, vec![p1()])];
        let unbound = find_profile(None, &reports, NOW);
        assert_eq!(unbound, Err(Unavailable::ProfileUnbound));
    }

    #[test]
    fn a_session_counts_when_it_was_seen_under_that_profile_lately() {
        let seen = |session: &str, found, seconds_ago| SessionSeen {
            session_id: session.into(),
            found,
            doubt: None,
            checked_at: NOW.minus(Duration::from_secs(seconds_ago)),
        };
        let mut writer = profile(Some("p1"), "writer");
        writer.sessions = vec![
            seen("there", true, 5),
            seen("gone", false, 5),
            seen("old", true, 500),
            seen("gone since", true, 50),
            seen("gone since", false, 5),
        ];
        writer.sessions.push(SessionSeen {
            doubt: Some(Doubt::SuccessorUnclear),
            ..seen("rotated", true, 5)
        });
        let reports = [report(1, vec![writer])];
        let found = find_profile(Some("p1"), &reports, NOW).expect("once");
        let code = |session| {
            let looked = found.require_session(session, NOW);
            looked.map_or_else(Unavailable::code, |()| "there")
        };
        assert_eq!(code("there"), "there");
        assert_eq!(code("gone"), "session_missing");
        assert_eq!(code("gone since"), "session_missing");
        assert_eq!(code("rotated"), "successor_unclear");
        assert_eq!(code("old"), "session_unverified");
        assert_eq!(code("never"), "session_unverified");
    }
}
