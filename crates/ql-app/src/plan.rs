//! Task plans: made by the agent in the turn that it holds, worked on step by step as the next turns
//! of the same conversation.

mod schedule;

use std::collections::BTreeMap;

use ql_core::access::{Authorized, ReadConsole, UseConsole, WriteRuns};
use ql_core::actor::Harness;
use ql_core::conversation::Conversation;
use ql_core::hash::Digest;
use ql_core::id::{LeaseToken, PlanId, StepId, TurnId};
use ql_core::plan::{Plan, PlanState, PlannedStep, problems};
use ql_core::policy::Policy;
use ql_core::proposal::Risk;
use ql_core::runtime::Unavailable;
use ql_core::step::{Operation, Reason, Step, StepState, step_digest};
use ql_store::conversation::Hand;
use ql_store::{Tx, agent, plan, policy, step};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(crate) use self::schedule::{Scheduler, proposal_settled};
use crate::app::App;
use crate::context::OpContext;
use crate::conversation::PlanRecord;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::idempotency::IdempotencyKey;
use crate::text::Checks;
use crate::turn::{own_turn, renew};

/// A plan to make.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPlan {
    /// The turn that the caller holds.
    pub turn: TurnId,
    /// The token of its lease; one that can't be read is none.
    pub token: Option<LeaseToken>,
    /// What it is for.
    pub goal: String,
    /// Its steps.
    pub steps: Vec<PlannedStep>,
    /// The version that it takes the place of.
    pub replaces: Option<PlanId>,
}

/// A plan that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedPlan {
    /// This version.
    pub plan_id: PlanId,
    /// From 1.
    pub version: i64,
    /// The version before.
    pub replaces_plan_id: Option<PlanId>,
    /// Its steps as the server took them.
    pub steps: Vec<CreatedStep>,
    /// The keys of steps that go on from the version before.
    pub carried_over: Vec<String>,
    /// Where people see it.
    pub dashboard_url: String,
}

/// A step of a plan that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedStep {
    /// The step.
    pub step_id: StepId,
    /// Its name in the plan.
    pub key: String,
    /// What it does.
    pub operation: Operation,
    /// The server's judgement.
    pub risk: Risk,
    /// Where it stands.
    pub state: String,
    /// The kind of the proposal through which alone it succeeds.
    pub needs_proposal: Option<String>,
}

impl NewPlan {
    fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.text("/goal", &self.goal, 4000);
        checks.extend(problems(&self.steps));
        checks.finish()
    }
}

impl App {
    /// Makes a plan, or the next version of the one that the conversation works on, in the turn that
    /// the caller holds.
    ///
    /// # Errors
    /// [`Error::LeaseLost`] without the lease, [`Error::RuntimeUnavailable`] when the conversation
    /// isn't bound to a session, [`Error::PlanStands`] when another version stands than was named.
    pub async fn create_task_plan(
        &self,
        ctx: &OpContext,
        new: NewPlan,
        key: Option<IdempotencyKey>,
    ) -> Result<CreatedPlan> {
        let authorized = ctx.authorize::<WriteRuns>()?;
        new.check()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let (caller, at) = (ctx.agent()?.clone(), scribe.at);
        let planning = Planning {
            scheduler: Scheduler::new(&scribe)?,
            id: PlanId::mint(scribe.ids(), scribe.at),
            authorized,
            scribe,
            caller,
            new,
        };
        let made = self
            .mutate(ctx, key, at, move |tx| planning.create(tx))
            .await?;
        let (app, id) = (self.clone(), made.plan_id);
        let site = ctx.site()?;
        let of = app
            .store()
            .read(move |tx| plan::find(tx, site, id)?.ok_or(Error::NotFound("plan")))
            .await?
            .conversation;
        self.stir_conversation(ctx, of).await?;
        let dashboard_url = self.dashboard_url(&format!("/console/{of}"));
        Ok(CreatedPlan {
            dashboard_url,
            ..made
        })
    }

    /// One of the site's plans with its steps.
    pub async fn get_plan(&self, ctx: &OpContext, id: PlanId) -> Result<PlanRecord> {
        let site = ctx.authorize::<ReadConsole>()?.site();
        self.store().read(move |tx| record(tx, site, id)).await
    }

    /// Gives up every step of a plan that isn't done.
    pub async fn cancel_plan(&self, ctx: &OpContext, id: PlanId) -> Result<PlanRecord> {
        let authorized = ctx.authorize::<UseConsole>()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let scheduler = Scheduler::by_member(&scribe, &authorized)?;
        let site = authorized.site();
        let (after, stir) = self
            .store()
            .write(move |tx| {
                let found = plan::find(tx, site, id)?.ok_or(Error::NotFound("plan"))?;
                let reason = Reason::new("cancelled_by_member", "");
                for open in step::list(tx, id)? {
                    if !open.state.is_final() {
                        scheduler.cancel(tx, open, reason.clone())?;
                    }
                }
                let stir = scheduler.go_on(tx, found.conversation)?;
                Ok::<_, Error>((record(tx, site, id)?, stir))
            })
            .await?;
        self.waiting().stir(&stir);
        Ok(after)
    }
}

pub(crate) fn record(tx: &mut Tx<'_>, site: ql_core::id::SiteId, id: PlanId) -> Result<PlanRecord> {
    Ok(PlanRecord {
        plan: plan::find(tx, site, id)?.ok_or(Error::NotFound("plan"))?,
        steps: step::list(tx, id)?,
    })
}

/// One plan on its way, in one transaction.
struct Planning {
    authorized: Authorized<WriteRuns>,
    scribe: Scribe,
    scheduler: Scheduler,
    caller: ql_core::access::AgentPrincipal,
    id: PlanId,
    new: NewPlan,
}

impl Planning {
    fn create(&self, tx: &mut Tx<'_>) -> Result<CreatedPlan> {
        let now = tx.lease_clock(self.scribe.at)?;
        let (turn, of) = own_turn(tx, &self.authorized, (self.new.turn, self.caller.agent))?;
        let lease = turn.require_lease(self.new.token, now)?;
        renew(
            tx,
            Hand::Agent(&self.authorized),
            (turn.id, lease.token),
            now,
        )?;
        let plan = self.draft(tx, &of)?;
        let before = match plan.replaces {
            Some(before) => step::list(tx, before)?,
            None => Vec::new(),
        };
        let policy = policy::current(tx, plan.site)?.policy;
        let steps = self.steps(&policy, &before);
        if let Some(replaced) = plan.replaces {
            self.supersede(tx, replaced, &before)?;
        }
        plan::insert(tx, &self.authorized, &plan)?;
        for step in &steps {
            step::insert(tx, &self.authorized, step)?;
        }
        self.record(tx, &plan, &steps)?;
        self.scheduler.go_on(tx, of.id)?;
        answer(tx, &plan)
    }

    /// The new version, bound to what the turn's conversation is bound to.
    fn draft(&self, tx: &mut Tx<'_>, of: &Conversation) -> Result<Plan> {
        let agent = agent::find(tx, self.caller.agent)?.ok_or(Error::NotFound("agent"))?;
        if agent.harness == Harness::Hermes && agent.profile_id.is_none() {
            return Err(Unavailable::ProfileUnbound.into());
        }
        let binding = of.binding.as_ref().ok_or(Unavailable::SessionUnbound)?;
        let before = self.replaced(tx, of)?;
        Ok(Plan {
            id: self.id,
            conversation: of.id,
            site: of.site,
            agent: of.agent,
            turn: self.new.turn,
            profile_id: agent.profile_id,
            session_root: binding.root.clone(),
            goal: self.new.goal.clone(),
            version: before.as_ref().map_or(1, |before| before.version + 1),
            replaces: before.map(|before| before.id),
            state: PlanState::Active,
            created_at: self.scribe.at,
        })
    }

    /// The version whose place the new one takes; it must be the one that stands.
    fn replaced(&self, tx: &mut Tx<'_>, of: &Conversation) -> Result<Option<Plan>> {
        let standing = plan::find_active(tx, of.id)?;
        let named = match self.new.replaces {
            Some(id) => plan::find(tx, of.site, id)?
                .filter(|plan| plan.conversation == of.id)
                .ok_or(Error::NotFound("plan"))
                .map(Some)?,
            None => None,
        };
        match (standing, named) {
            (Some(standing), Some(named)) if standing.id == named.id => Ok(Some(named)),
            (Some(standing), _) => Err(Error::PlanStands { plan: standing.id }),
            (None, named) => Ok(named),
        }
    }

    fn steps(&self, policy: &Policy, before: &[Step]) -> Vec<Step> {
        let before: BTreeMap<(&str, Digest), &Step> = before
            .iter()
            .map(|step| ((step.key.as_str(), step.digest), step))
            .collect();
        let planned = (1_i64..).zip(&self.new.steps);
        planned
            .map(|(position, planned)| {
                let digest = step_digest(planned.operation, &planned.depends_on, &planned.input);
                let fresh = Step {
                    id: StepId::mint(self.scribe.ids(), self.scribe.at),
                    plan: self.id,
                    key: planned.key.clone(),
                    position,
                    title: planned.title.clone(),
                    operation: planned.operation,
                    risk: planned.operation.risk(policy),
                    depends_on: planned.depends_on.clone(),
                    input: planned.input.clone(),
                    digest,
                    attempts: 0,
                    state: StepState::Waiting,
                    turn: None,
                    proposal: None,
                    run: None,
                    summary: String::new(),
                    answer: String::new(),
                    carried_from: None,
                };
                match before.get(&(planned.key.as_str(), digest)) {
                    Some(before) if carries_over(&before.state) => carried(fresh, before),
                    Some(_) | None => fresh,
                }
            })
            .collect()
    }

    /// Sets the version before aside: what is left of it is given up.
    fn supersede(&self, tx: &mut Tx<'_>, replaced: PlanId, before: &[Step]) -> Result<()> {
        let reason = Reason::new("plan_superseded", "");
        for open in before.iter().filter(|step| !step.state.is_final()) {
            let is_own = open.turn == Some(self.new.turn);
            if is_own {
                self.scheduler.give_up(tx, open.clone(), reason.clone())?;
            } else {
                self.scheduler.cancel(tx, open.clone(), reason.clone())?;
            }
        }
        let old = plan::find(tx, self.authorized.site(), replaced)?;
        if old.is_some_and(|old| old.state == PlanState::Active) {
            let to = PlanState::Superseded {
                at: self.scribe.at,
                by: self.id,
            };
            plan::settle(tx, Hand::Agent(&self.authorized), replaced, &to)?;
        }
        Ok(())
    }

    fn record(&self, tx: &mut Tx<'_>, plan: &Plan, steps: &[Step]) -> Result<()> {
        let steps: Vec<_> = steps
            .iter()
            .map(|step| {
                json!({
                    "step": step.id, "key": step.key, "operation": step.operation, "risk": step.risk,
                    "digest": step.digest, "state": step.state.as_str(), "carried_from": step.carried_from,
                })
            })
            .collect();
        let detail = json!({
            "plan": plan.id, "version": plan.version, "replaces": plan.replaces, "turn": plan.turn,
            "session": plan.session_root, "profile_id": plan.profile_id,
            "goal_sha256": Digest::of(plan.goal.as_bytes()), "steps": steps,
        });
        self.scribe
            .conversation(tx, plan.conversation, ("plan.created", detail))
    }
}

/// Whether a step that is the same in the next version goes on there: what is done, and what people
/// are deciding about.
const fn carries_over(state: &StepState) -> bool {
    matches!(
        state,
        StepState::Succeeded { .. } | StepState::AwaitingApproval
    )
}

fn carried(fresh: Step, before: &Step) -> Step {
    Step {
        attempts: before.attempts,
        state: before.state.clone(),
        turn: before.turn,
        proposal: before.proposal,
        run: before.run,
        summary: before.summary.clone(),
        answer: before.answer.clone(),
        carried_from: Some(before.id),
        ..fresh
    }
}

fn answer(tx: &mut Tx<'_>, plan: &Plan) -> Result<CreatedPlan> {
    let steps = step::list(tx, plan.id)?;
    let carried = steps.iter().filter(|step| step.carried_from.is_some());
    Ok(CreatedPlan {
        plan_id: plan.id,
        version: plan.version,
        replaces_plan_id: plan.replaces,
        carried_over: carried.map(|step| step.key.clone()).collect(),
        steps: steps
            .into_iter()
            .map(|step| CreatedStep {
                step_id: step.id,
                state: step.state.as_str().to_owned(),
                needs_proposal: step.operation.proposal_kind().map(str::to_owned),
                key: step.key,
                operation: step.operation,
                risk: step.risk,
            })
            .collect(),
        dashboard_url: String::new(),
    })
}
