//! Runtimes of agents: what connectors report, what waits for them, and whether a conversation's
//! session is known to be there.

use ql_core::access::{Authorized, WriteRuns};
use ql_core::actor::Harness;
use ql_core::connection::Agent;
use ql_core::conversation::{Binding, MAX_SESSION};
use ql_core::id::{AgentId, ConversationId, SiteId, TurnId};
use ql_core::runtime::{
    Doubt, FRESH, Found, MAX_CONNECTORS, MAX_PROFILES, MAX_SESSIONS, Profile, Report, SessionSeen,
    Unavailable, find_profile,
};
use ql_core::step::Reason;
use ql_core::time::Timestamp;
use ql_core::turn::TurnState;
use ql_store::{Tx, agent, conversation, runtime, step, turn};
use serde::Serialize;
use serde_json::json;
use tokio::time::Instant;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::plan::Scheduler;
use crate::text::Checks;
use crate::waiting::Wants;

/// What a connector reports about the machine that it runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReport {
    /// The connector's own name for itself, which stays.
    pub connector: String,
    /// The machine, for people.
    pub host: String,
    /// The profiles that it found, as it found them.
    pub profiles: Vec<SeenProfile>,
}

/// A profile that a connector found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenProfile {
    /// Its immutable identifier; none where it has none.
    pub profile_id: Option<String>,
    /// Its current name.
    pub profile_name: String,
    /// Sessions that were looked for under it.
    pub sessions: Vec<Looked>,
}

/// What a connector saw of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// The session.
    pub session: String,
    /// Whether it is there.
    pub found: bool,
    /// Why it isn't known whether a turn can go on in it.
    pub doubt: Option<Doubt>,
}

impl Looked {
    fn seen(&self, at: Timestamp) -> SessionSeen {
        SessionSeen {
            session_id: self.session.clone(),
            found: self.found,
            doubt: self.doubt,
            checked_at: at,
        }
    }
}

/// What a connector learns from its report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// The agent that it reported for.
    pub agent: Agent,
    /// Whether the agent's profile is there, exactly once.
    pub profile: std::result::Result<String, Unavailable>,
    /// The sessions to look for under it, the newest first.
    pub sessions: Vec<String>,
}

/// A turn that waits for a connector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingTurn {
    /// The conversation.
    pub conversation: ConversationId,
    /// The turn.
    pub turn: TurnId,
    /// The session that alone may claim it; none where nothing is bound yet.
    pub session: Option<String>,
    /// When it was written.
    pub since: Timestamp,
}

/// A session that a connector looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedFor {
    /// The connector.
    pub connector: String,
    /// The profile under which it looked.
    pub profile_id: String,
    /// What it saw.
    pub seen: Looked,
}

/// Whether a conversation's session can be gone to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Availability {
    /// The harness has no runtime that is discovered.
    NotDiscovered,
    /// Profile and session were seen.
    Available {
        /// The address that opens the session.
        link: String,
        /// The command that resumes it; none where the names could mean something else to a shell.
        command: Option<String>,
        /// The profile's current name.
        profile_name: String,
    },
    /// They weren't.
    Unavailable {
        /// A stable code.
        reason: &'static str,
        /// In words.
        message: String,
        /// What to do about it.
        remedy: &'static str,
    },
}

impl NewReport {
    fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.text("/connector_id", &self.connector, 100);
        checks.text("/host", &self.host, 200);
        checks.that(
            self.profiles.len() <= MAX_PROFILES,
            "/profiles",
            "range",
            format!("expected at most {MAX_PROFILES} profiles"),
        );
        for (index, profile) in self.profiles.iter().enumerate() {
            let at = |member: &str| format!("/profiles/{index}/{member}");
            if let Some(id) = &profile.profile_id {
                checks.text(&at("profile_id"), id, 200);
            }
            checks.text(&at("profile_name"), &profile.profile_name, 200);
            checks.that(
                profile.sessions.len() <= MAX_SESSIONS,
                &at("sessions"),
                "range",
                format!("expected at most {MAX_SESSIONS} sessions"),
            );
            for (number, looked) in profile.sessions.iter().enumerate() {
                let at = at(&format!("sessions/{number}/session_id"));
                checks.text(&at, &looked.session, MAX_SESSION);
            }
        }
        checks.finish()
    }

    fn profiles(&self, at: Timestamp) -> Vec<Profile> {
        let profiles = self.profiles.iter();
        profiles
            .map(|profile| Profile {
                profile_id: profile.profile_id.clone(),
                profile_name: profile.profile_name.clone(),
                sessions: profile
                    .sessions
                    .iter()
                    .map(|looked| looked.seen(at))
                    .collect(),
            })
            .collect()
    }
}

impl App {
    /// Keeps what a connector found, in place of what it found before. A profile that is found under
    /// another name than before is renamed here too, and nothing else changes by that.
    pub async fn report_runtime(&self, ctx: &OpContext, new: NewReport) -> Result<Reported> {
        let authorized = ctx.authorize::<WriteRuns>()?;
        new.check()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let caller = ctx.agent()?.clone();
        let key = (caller.agent, authorized.site());
        self.store()
            .write(move |tx| {
                let now = tx.lease_clock(scribe.at)?;
                let known = reports(tx, key)?;
                let report = Report {
                    connector: new.connector.clone(),
                    connection: caller.connection,
                    host: new.host.clone(),
                    profiles: new.profiles(now),
                    reported_at: now,
                };
                runtime::save(tx, &authorized, caller.agent, &report)?;
                forget_oldest(tx, (&authorized, caller.agent), &known)?;
                let agent = agent::find(tx, caller.agent)?.ok_or(Error::NotFound("agent"))?;
                let known = reports(tx, key)?;
                let found = find_profile(agent.profile_id.as_deref(), &known, now);
                let profile = found.map(|found| found.profile.profile_name.clone());
                let agent = follow_name(tx, (&authorized, &scribe), agent, profile.as_ref().ok())?;
                stop_what_cannot_go_on(tx, &scribe, (&agent, key.1), &known, now)?;
                let limit = u32::try_from(MAX_SESSIONS).unwrap_or(u32::MAX);
                Ok(Reported {
                    sessions: conversation::sessions_of(tx, key, limit)?,
                    profile,
                    agent,
                })
            })
            .await
    }

    /// The turns that wait for the agent, or the first that comes while the connector waits.
    pub async fn peek_turns(
        &self,
        ctx: &OpContext,
        wait: std::time::Duration,
    ) -> Result<Vec<WaitingTurn>> {
        let authorized = ctx.authorize::<WriteRuns>()?;
        let key = (authorized.site(), ctx.agent()?.agent);
        let until = Instant::now() + wait;
        let mut place = self.wait_for_turn(key, Wants::Any);
        loop {
            let own = self.now();
            let found = self
                .store()
                .read(move |tx| waiting_turns(tx, key, own))
                .await?;
            if !found.is_empty() || !place.wait(until).await {
                return Ok(found);
            }
        }
    }

    /// Notes whether a session exists under a profile of the connector's last report; answers whether
    /// a claim in that session would be let in.
    pub async fn verify_session(
        &self,
        ctx: &OpContext,
        looked: LookedFor,
    ) -> Result<std::result::Result<(), Unavailable>> {
        let authorized = ctx.authorize::<WriteRuns>()?;
        let mut checks = Checks::default();
        checks.text("/connector_id", &looked.connector, 100);
        checks.text("/profile_id", &looked.profile_id, 200);
        checks.text("/session_id", &looked.seen.session, MAX_SESSION);
        checks.finish()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let caller = ctx.agent()?.clone();
        let key = (caller.agent, authorized.site());
        self.store()
            .write(move |tx| {
                let now = tx.lease_clock(scribe.at)?;
                let known = reports(tx, key)?;
                let report = known
                    .iter()
                    .find(|r| r.connector == looked.connector && r.connection == caller.connection)
                    .ok_or(Error::NotFound("report of this connector"))?;
                let noted = noted(report.clone(), &looked, now)?;
                runtime::save(tx, &authorized, caller.agent, &noted)?;
                let known = reports(tx, key)?;
                let agent = agent::find(tx, caller.agent)?.ok_or(Error::NotFound("agent"))?;
                stop_what_cannot_go_on(tx, &scribe, (&agent, key.1), &known, now)?;
                let found = find_profile(agent.profile_id.as_deref(), &known, now);
                Ok(found.and_then(|found| found.require_session(&looked.seen.session, now)))
            })
            .await
    }
}

/// What is known of an agent's runtime on a site.
pub(crate) fn reports(tx: &mut Tx<'_>, key: (AgentId, SiteId)) -> Result<Vec<Report>> {
    let limit = u32::try_from(MAX_CONNECTORS).unwrap_or(u32::MAX);
    Ok(runtime::list(tx, key, limit)?)
}

/// Whether a conversation's session is known to be there now.
pub(crate) fn availability(
    tx: &mut Tx<'_>,
    (agent, site): (&Agent, SiteId),
    binding: Option<&Binding>,
    now: Timestamp,
) -> Result<Availability> {
    if agent.harness != Harness::Hermes {
        return Ok(Availability::NotDiscovered);
    }
    let reports = reports(tx, (agent.id, site))?;
    let found = find_profile(agent.profile_id.as_deref(), &reports, now).and_then(|found| {
        let session = binding.ok_or(Unavailable::SessionUnbound)?;
        found.require_session(&session.tip, now)?;
        Ok((found, session))
    });
    Ok(match found {
        Ok((found, binding)) => available(&found, &binding.tip),
        Err(why) => Availability::Unavailable {
            reason: why.code(),
            message: why.to_string(),
            remedy: why.remedy(),
        },
    })
}

fn available(found: &Found<'_>, session: &str) -> Availability {
    let name = &found.profile.profile_name;
    let id = found.profile.profile_id.as_deref().unwrap_or_default();
    let is_plain = [name.as_str(), session].into_iter().all(is_one_word);
    Availability::Available {
        link: format!(
            "hermes://sessions/{}?profile_id={}",
            escaped(session),
            escaped(id)
        ),
        command: is_plain.then(|| format!("hermes -p {name} --resume {session}")),
        profile_name: name.clone(),
    }
}

/// Whether a shell takes a text for one word that is no option.
fn is_one_word(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte);
    !text.is_empty() && !text.starts_with('-') && text.bytes().all(is_plain)
}

/// A text as a part of an address (RFC 3986): all but unreserved characters are escaped.
fn escaped(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("writing to a string");
        }
    }
    out
}

/// Forgets the connector that was silent longest, where there would be too many.
fn forget_oldest(
    tx: &mut Tx<'_>,
    (authorized, agent): (&Authorized<WriteRuns>, AgentId),
    known: &[Report],
) -> Result<()> {
    match known.last() {
        Some(oldest) if known.len() >= MAX_CONNECTORS => {
            Ok(runtime::forget(tx, authorized, agent, &oldest.connector)?)
        }
        Some(_) | None => Ok(()),
    }
}

/// Follows a rename of the profile that the agent is bound to: a routing attribute and one event.
fn follow_name(
    tx: &mut Tx<'_>,
    (authorized, scribe): (&Authorized<WriteRuns>, &Scribe),
    mut agent: Agent,
    name: Option<&String>,
) -> Result<Agent> {
    let Some(name) = name.filter(|name| agent.profile_name.as_ref() != Some(name)) else {
        return Ok(agent);
    };
    runtime::set_profile_name(tx, authorized, agent.id, name)?;
    let detail = json!({"agent": agent.id, "name": agent.name, "profile_name": name});
    scribe.administration(tx, "agent.renamed", detail)?;
    agent.profile_name = Some(name.clone());
    Ok(agent)
}

/// The report with what a connector saw of one session since.
fn noted(mut report: Report, looked: &LookedFor, now: Timestamp) -> Result<Report> {
    let mut profiles = report.profiles.iter_mut();
    let profile = profiles
        .find(|profile| profile.profile_id.as_ref() == Some(&looked.profile_id))
        .ok_or(Error::NotFound("profile in the last report"))?;
    profile
        .sessions
        .retain(|seen| seen.session_id != looked.seen.session);
    profile.sessions.insert(0, looked.seen.seen(now));
    profile.sessions.truncate(MAX_SESSIONS);
    Ok(report)
}

/// Stops the offered steps of the agent whose runtime was seen not to be there. What was only not
/// seen waits.
fn stop_what_cannot_go_on(
    tx: &mut Tx<'_>,
    scribe: &Scribe,
    (agent, site): (&Agent, SiteId),
    reports: &[Report],
    now: Timestamp,
) -> Result<()> {
    let found = find_profile(agent.profile_id.as_deref(), reports, now);
    for waiting in conversation::list_waiting(tx, (site, agent.id), now)? {
        let session = waiting.binding.as_ref().map(|binding| &binding.tip);
        let seen = match (&found, session) {
            (Ok(found), Some(session)) => found.require_session(session, now),
            (Ok(_), None) => Ok(()),
            (Err(why), _) => Err(*why),
        };
        let Err(why) = seen else { continue };
        if !why.is_certain() {
            continue;
        }
        let next = turn::find_next(tx, waiting.id)?;
        let Some(offered) = next.filter(|turn| turn.state == TurnState::Queued) else {
            continue;
        };
        let Some(step) = offered.step else { continue };
        let step = step::find(tx, site, step)?.ok_or(Error::NotFound("step"))?;
        let scheduler = Scheduler::new(scribe)?;
        scheduler.block(tx, step, Reason::new(why.code(), why.to_string()))?;
        scheduler.go_on(tx, waiting.id)?;
    }
    Ok(())
}

fn waiting_turns(
    tx: &mut Tx<'_>,
    key: (SiteId, AgentId),
    own: Timestamp,
) -> Result<Vec<WaitingTurn>> {
    let now = tx.lease_clock(own)?;
    let mut waiting = Vec::new();
    for found in conversation::list_waiting(tx, key, now)? {
        let Some(next) = turn::find_next(tx, found.id)? else {
            continue;
        };
        waiting.push(WaitingTurn {
            conversation: found.id,
            turn: next.id,
            session: found.binding.map(|binding| binding.tip),
            since: next.created_at,
        });
    }
    Ok(waiting)
}

/// For how many seconds a report counts.
pub const FRESH_SECONDS: u64 = FRESH.as_secs();
