//! Claiming: an agent takes the next turn of its session's conversation, or waits for one.

use std::time::Duration;

use ql_core::access::{Authorized, Denied, WriteRuns};
use ql_core::actor::Harness;
use ql_core::connection::Standing;
use ql_core::conversation::{MAX_SESSION, Presented, Reach, SessionRefused};
use ql_core::id::{ConversationId, LeaseToken, PlanId, ProposalId, StepId, TurnId};
use ql_core::proposal::Risk;
use ql_core::runtime::{Found, Unavailable};
use ql_core::scope::{Scope, ScopeSet};
use ql_core::step::{Operation, StepTransition};
use ql_core::time::Timestamp;
use ql_core::turn::{Lease, Turn, TurnState};
use ql_store::conversation::Hand;
use ql_store::{Tx, agent, connection, conversation, plan, step, turn};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{lapse, lease_span, renew};
use crate::app::App;
use crate::context::OpContext;
use crate::conversation::refresh;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::idempotency::IdempotencyKey;
use crate::plan::Scheduler;
use crate::runtime::reports;
use crate::text::Checks;
use crate::waiting::Wants;

/// How many conversations one claim looks into.
const ROUNDS: usize = 16;

/// What a claim names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClaimTurn {
    /// The harness's sessions.
    pub presented: Presented,
    /// How long to wait for a turn.
    pub wait: Duration,
}

/// A turn under its lease.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimedTurn {
    /// The turn.
    pub turn_id: TurnId,
    /// What every call must carry that works on it.
    pub lease_token: LeaseToken,
    /// When the lease runs out, unless a call renews it.
    pub lease_expires_at: Timestamp,
    /// How often it was claimed since a person last opened it, this time included.
    pub attempt: i64,
    /// What is asked for.
    pub user_message: String,
    /// Where.
    pub conversation: ClaimedConversation,
    /// The plan's step that it delivers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_step: Option<OfferedStep>,
}

/// The conversation of a claimed turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimedConversation {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The turn's place in it, from 1.
    pub turn_number: i64,
    /// The session that it is bound to now.
    pub session_id: Option<String>,
    /// The session that it was bound to first.
    pub root_session_id: Option<String>,
    /// The version of the plan that it works on.
    pub plan_id: Option<PlanId>,
}

/// A step that a turn delivers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfferedStep {
    /// The step.
    pub step_id: StepId,
    /// Its plan.
    pub plan_id: PlanId,
    /// What the plan is for.
    pub goal: String,
    /// Its name in the plan.
    pub key: String,
    /// What it is about.
    pub title: String,
    /// What it does.
    pub operation: Operation,
    /// The server's judgement.
    pub risk: Risk,
    /// What it starts from.
    pub input: Value,
    /// The steps before it, with what came of them.
    pub depends_on: Vec<Dependency>,
    /// How often it was tried before.
    pub retry_count: i64,
    /// The kind of the proposal through which alone it succeeds.
    pub needs_proposal: Option<String>,
    /// What a person answered it.
    pub answer: Option<String>,
}

/// A step that had to succeed before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Its name in the plan.
    pub key: String,
    /// What the agent said at its end.
    pub summary: String,
    /// The proposal that it made.
    pub proposal_id: Option<ProposalId>,
}

impl ClaimTurn {
    fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        for (pointer, session) in [
            ("/session_id", &self.presented.session),
            ("/previous_session_id", &self.presented.previous),
        ] {
            if let Some(session) = session {
                checks.text(pointer, session, MAX_SESSION);
            }
        }
        checks.finish()
    }
}

impl App {
    /// Claims the next turn for the calling agent's session, or waits for one. A claim that is
    /// repeated over the same connection while its lease lives gives the same turn.
    ///
    /// # Errors
    /// [`Error::NoTask`] when the wait ends without one, [`Error::SessionRefused`] for a session that
    /// belongs elsewhere, [`Error::RuntimeUnavailable`] for a Hermes agent whose profile or session
    /// isn't known to be there.
    pub async fn claim_turn(
        &self,
        ctx: &OpContext,
        claim: ClaimTurn,
        key: Option<IdempotencyKey>,
    ) -> Result<ClaimedTurn> {
        let authorized = ctx.authorize::<WriteRuns>()?;
        claim.check()?;
        let until = Instant::now() + claim.wait;
        let agent = ctx.agent()?.agent;
        self.follow(ctx, &authorized, &claim.presented).await?;
        // Whoever waits is known before it looks, so nothing comes in between.
        let wants = Wants::Of(claim.presented.session.clone());
        let mut place = self.wait_for_turn((authorized.site(), agent), wants);
        loop {
            let found = self
                .try_claim(ctx, &authorized, (&claim.presented, key.clone()))
                .await?;
            if let Some(claimed) = found {
                return Ok(claimed);
            }
            if !place.wait(until).await {
                return Err(self.no_task(&authorized, agent).await?);
            }
        }
    }

    /// Records that a session goes on from the one before it, where the claim says so. That holds
    /// even when nothing is there to claim.
    async fn follow(
        &self,
        ctx: &OpContext,
        authorized: &Authorized<WriteRuns>,
        presented: &Presented,
    ) -> Result<()> {
        let (Some(session), Some(_)) = (&presented.session, &presented.previous) else {
            return Ok(());
        };
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let (authorized, agent) = (authorized.clone(), ctx.agent()?.clone());
        let (session, presented) = (session.clone(), presented.clone());
        self.store()
            .write(move |tx| {
                let Reach::Succeeds(id) = reach(tx, agent.agent, &presented)? else {
                    return Ok(());
                };
                let found = conversation::find(tx, authorized.site(), id)?;
                let found = found.ok_or(SessionRefused::UnknownPrevious)?;
                if agent.harness == Harness::Hermes {
                    let now = tx.lease_clock(scribe.at)?;
                    let reports = reports(tx, (agent.agent, authorized.site()))?;
                    let profile = profile(tx, &agent, &reports, now)?;
                    profile.require_session(&session, now)?;
                }
                conversation::bind(tx, &authorized, (id, agent.agent), &session, scribe.at)?;
                let before = found.binding.map(|binding| binding.tip);
                let detail = json!({"session": session, "goes_on_from": before});
                scribe.conversation(tx, id, ("conversation.session_rotated", detail))
            })
            .await
    }

    async fn try_claim(
        &self,
        ctx: &OpContext,
        authorized: &Authorized<WriteRuns>,
        (presented, key): (&Presented, Option<IdempotencyKey>),
    ) -> Result<Option<ClaimedTurn>> {
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let claiming = Claiming {
            ctx: ctx.clone(),
            authorized: authorized.clone(),
            presented: presented.clone(),
            token: LeaseToken::mint(scribe.ids(), scribe.at),
            scribe,
        };
        let at = claiming.scribe.at;
        let claimed = self
            .mutate(ctx, key, at, move |tx| {
                // Only a turn is kept as the answer of a key; nothing to claim is none.
                claiming
                    .claim(tx)?
                    .ok_or(Error::NoTask { elsewhere: false })
            })
            .await;
        match claimed {
            Ok(claimed) => Ok(Some(claimed)),
            Err(Error::NoTask { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    async fn no_task(
        &self,
        authorized: &Authorized<WriteRuns>,
        agent: ql_core::id::AgentId,
    ) -> Result<Error> {
        let (site, own) = (authorized.site(), self.now());
        let waiting = self.store().read(move |tx| {
            let now = tx.lease_clock(own)?;
            Ok::<_, Error>(conversation::count_waiting(tx, (site, agent), now)?)
        });
        Ok(Error::NoTask {
            elsewhere: waiting.await? > 0,
        })
    }
}

/// Where a claim with these sessions may look.
fn reach(tx: &mut Tx<'_>, agent: ql_core::id::AgentId, presented: &Presented) -> Result<Reach> {
    let mut known = |session: &Option<String>| match session {
        Some(session) => conversation::find_session(tx, agent, session),
        None => Ok(None),
    };
    let (session, previous) = (known(&presented.session)?, known(&presented.previous)?);
    Ok(presented.reach(session, previous)?)
}

/// The one profile that the agent is bound to, as fresh reports show it.
fn profile<'r>(
    tx: &mut Tx<'_>,
    caller: &ql_core::access::AgentPrincipal,
    reports: &'r [ql_core::runtime::Report],
    now: Timestamp,
) -> Result<Found<'r>> {
    let agent = agent::find(tx, caller.agent)?.ok_or(Error::NotFound("agent"))?;
    let found = ql_core::runtime::find_profile(agent.profile_id.as_deref(), reports, now)?;
    if found.report.connection == caller.connection {
        Ok(found)
    } else {
        Err(Unavailable::ConnectorClaims.into())
    }
}

/// One attempt to claim, in one transaction.
struct Claiming {
    ctx: OpContext,
    authorized: Authorized<WriteRuns>,
    presented: Presented,
    token: LeaseToken,
    scribe: Scribe,
}

impl Claiming {
    fn hand(&self) -> Hand<'_> {
        Hand::Agent(&self.authorized)
    }

    fn claim(&self, tx: &mut Tx<'_>) -> Result<Option<ClaimedTurn>> {
        let caller = self.ctx.agent()?;
        let now = tx.lease_clock(self.scribe.at)?;
        let scopes = self.scopes_now(tx)?;
        let is_hermes = caller.harness == Harness::Hermes;
        let reports = if is_hermes {
            reports(tx, (caller.agent, self.authorized.site()))?
        } else {
            Vec::new()
        };
        let runtime = is_hermes
            .then(|| profile(tx, caller, &reports, now))
            .transpose()?;
        if is_hermes && self.presented.session.is_none() {
            return Err(SessionRefused::Unnamed.into());
        }
        let reach = reach(tx, caller.agent, &self.presented)?;
        let Some(found) = self.find(tx, reach, now)? else {
            return Ok(None);
        };
        if let (Some(runtime), Some(session)) = (runtime, &self.presented.session) {
            runtime.require_session(session, now)?;
        }
        if let TurnState::Leased(lease) = found.state {
            let until = renew(tx, self.hand(), (found.id, lease.token), now)?;
            let until = until.unwrap_or(lease.until);
            return self.answer(tx, &found, Lease { until, ..lease }).map(Some);
        }
        self.take(tx, (&found, reach), (scopes, now)).map(Some)
    }

    /// What the connection may do at this very moment, which may be long after the call began.
    fn scopes_now(&self, tx: &mut Tx<'_>) -> Result<ScopeSet> {
        let caller = self.ctx.agent()?;
        let grant = connection::find_grant_by_id(tx, caller.connection)?
            .filter(|grant| grant.connection.standing(self.scribe.at) == Standing::Active)
            .ok_or(Error::NotFound("connection"))?;
        let scopes = grant.connection.scopes.intersect(grant.permissions);
        if scopes.contains(Scope::RunsWrite) {
            Ok(scopes)
        } else {
            Err(Denied::Scope(Scope::RunsWrite).into())
        }
    }

    /// The turn to claim: one that is queued, or one that this connection holds already.
    fn find(&self, tx: &mut Tx<'_>, reach: Reach, now: Timestamp) -> Result<Option<Turn>> {
        match reach {
            Reach::Bound(id) => {
                let own = conversation::find(tx, self.authorized.site(), id)?;
                own.ok_or(SessionRefused::AnotherConversation)?;
                self.next_of(tx, id, now)
            }
            // What follows was recorded before, so nothing is left to succeed.
            Reach::Succeeds(_) => Err(SessionRefused::Superseded.into()),
            Reach::Unbound => self.find_unbound(tx, now),
        }
    }

    fn find_unbound(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<Option<Turn>> {
        let caller = self.ctx.agent()?;
        if self.presented.session.is_none() {
            for held in turn::list_held(tx, caller.connection, now)? {
                let of = conversation::find(tx, self.authorized.site(), held.conversation)?;
                if of.is_some_and(|conversation| conversation.binding.is_none()) {
                    return Ok(Some(held));
                }
            }
        }
        let key = (self.authorized.site(), caller.agent);
        // A round without a turn has stopped one that came back too often.
        for _ in 0..ROUNDS {
            let Some(id) = conversation::find_unbound(tx, key, now)? else {
                break;
            };
            if let Some(found) = self.next_of(tx, id, now)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The next turn of a conversation, where nobody else holds it.
    fn next_of(&self, tx: &mut Tx<'_>, id: ConversationId, now: Timestamp) -> Result<Option<Turn>> {
        let connection = self.ctx.agent()?.connection;
        while let Some(next) = turn::find_next(tx, id)? {
            if next.has_lapsed(now) {
                lapse(tx, &Scheduler::new(&self.scribe)?, &next)?;
                continue;
            }
            return Ok(match next.state {
                TurnState::Leased(lease) if lease.connection != connection => None,
                TurnState::Queued | TurnState::Leased(_) | TurnState::Ended(_) => Some(next),
            });
        }
        Ok(None)
    }

    /// Leases a queued turn, and binds its conversation where nothing is bound yet.
    fn take(
        &self,
        tx: &mut Tx<'_>,
        (found, reach): (&Turn, Reach),
        (scopes, now): (ScopeSet, Timestamp),
    ) -> Result<ClaimedTurn> {
        let caller = self.ctx.agent()?;
        if let (Reach::Unbound, Some(session)) = (reach, &self.presented.session) {
            let bound = (found.conversation, caller.agent);
            conversation::bind(tx, &self.authorized, bound, session, self.scribe.at)?;
            let detail = json!({"session": session});
            let event = ("conversation.session_bound", detail);
            self.scribe.conversation(tx, found.conversation, event)?;
        }
        let lease = Lease {
            token: self.token,
            connection: caller.connection,
            until: now.plus(lease_span(tx, self.hand())?),
        };
        let next = found.claim(lease)?;
        if let Some(id) = next.step {
            let step =
                step::find(tx, self.authorized.site(), id)?.ok_or(Error::NotFound("step"))?;
            let needed = step.operation.scope();
            if !scopes.contains(needed) {
                return Err(Denied::Scope(needed).into());
            }
            let mut running = step.clone();
            running.state = step.state.apply(StepTransition::Claim, now)?;
            running.attempts = next.attempts;
            step::save(tx, self.hand(), &step.state, &running)?;
        }
        turn::save(tx, self.hand(), (found, &next))?;
        let detail = json!({
            "turn": next.id, "number": next.number, "attempt": next.attempts, "fence": next.fence,
            "session": self.presented.session, "step": next.step,
        });
        self.scribe
            .conversation(tx, next.conversation, ("turn.claimed", detail))?;
        refresh(tx, self.hand(), next.conversation, &self.scribe)?;
        self.answer(tx, &next, lease)
    }

    fn answer(&self, tx: &mut Tx<'_>, turn: &Turn, lease: Lease) -> Result<ClaimedTurn> {
        let of = conversation::find(tx, self.authorized.site(), turn.conversation)?;
        let of = of.ok_or(Error::NotFound("conversation"))?;
        let plan = plan::find_active(tx, of.id)?;
        let plan_step = match turn.step {
            Some(id) => Some(offered(tx, self.authorized.site(), id)?),
            None => None,
        };
        Ok(ClaimedTurn {
            turn_id: turn.id,
            lease_token: lease.token,
            lease_expires_at: lease.until,
            attempt: turn.attempts,
            user_message: turn.message.clone(),
            conversation: ClaimedConversation {
                conversation_id: of.id,
                turn_number: turn.number,
                session_id: of.binding.as_ref().map(|binding| binding.tip.clone()),
                root_session_id: of.binding.map(|binding| binding.root),
                plan_id: plan.map(|plan| plan.id),
            },
            plan_step,
        })
    }
}

/// A step as the agent gets it.
fn offered(tx: &mut Tx<'_>, site: ql_core::id::SiteId, id: StepId) -> Result<OfferedStep> {
    let found = step::find(tx, site, id)?.ok_or(Error::NotFound("step"))?;
    let of = plan::find(tx, site, found.plan)?.ok_or(Error::NotFound("plan"))?;
    let all = step::list(tx, of.id)?;
    let before = all
        .into_iter()
        .filter(|step| found.depends_on.contains(&step.key));
    Ok(OfferedStep {
        step_id: found.id,
        plan_id: of.id,
        goal: of.goal,
        depends_on: before
            .map(|step| Dependency {
                key: step.key,
                summary: step.summary,
                proposal_id: step.proposal,
            })
            .collect(),
        retry_count: found.retry_count(),
        needs_proposal: found.operation.proposal_kind().map(str::to_owned),
        answer: Some(found.answer).filter(|answer| !answer.is_empty()),
        key: found.key,
        title: found.title,
        operation: found.operation,
        risk: found.risk,
        input: found.input,
    })
}
