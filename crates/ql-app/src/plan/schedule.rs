//! Scheduling: what comes next in a plan, offered one step at a time as the next turn of its
//! conversation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use ql_core::access::{ActAsServer, Authorized, Principal, UseConsole};
use ql_core::id::{ConversationId, ProposalId};
use ql_core::plan::{Plan, PlanState};
use ql_core::step::{Reason, Step, StepState, StepTransition};
use ql_core::turn::{RETRIES_EXHAUSTED, Turn, TurnOutcome, TurnState};
use ql_store::conversation::Hand;
use ql_store::{Tx, agent, conversation, plan, proposal, step, turn};
use serde_json::json;

use crate::conversation::refresh;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::turn::{decided, queued};
use crate::waiting::Stir;

/// What moves plans on: the server, which writes for itself or for a member who told it to.
pub(crate) struct Scheduler {
    pub(crate) scribe: Scribe,
    /// Who is written down when a person or an agent made a step move.
    told_by: Scribe,
    server: Authorized<ActAsServer>,
    member: Option<Authorized<UseConsole>>,
}

impl Scheduler {
    /// The server's own hand, where `scribe`'s actor made it move.
    pub(crate) fn new(scribe: &Scribe) -> Result<Self> {
        Ok(Self {
            server: Principal::System.authorize(scribe.place()?)?,
            scribe: scribe.as_system(),
            told_by: scribe.clone(),
            member: None,
        })
    }

    /// The server's hand, on a member's word.
    pub(crate) fn by_member(scribe: &Scribe, authorized: &Authorized<UseConsole>) -> Result<Self> {
        Ok(Self {
            member: Some(authorized.clone()),
            ..Self::new(scribe)?
        })
    }

    /// Who changes what is stored.
    pub(crate) fn hand(&self) -> Hand<'_> {
        match &self.member {
            Some(authorized) => Hand::Member(authorized),
            None => Hand::Server(&self.server),
        }
    }

    /// Offers what can be offered in a conversation, and notes what became of its turns.
    pub(crate) fn go_on(&self, tx: &mut Tx<'_>, id: ConversationId) -> Result<Stir> {
        if let Some(plan) = plan::find_active(tx, id)? {
            self.advance(tx, &plan)?;
        }
        refresh(tx, self.hand(), id, &self.scribe)
    }

    /// Moves a plan on as far as it goes by itself.
    fn advance(&self, tx: &mut Tx<'_>, plan: &Plan) -> Result<()> {
        self.free(tx, plan)?;
        let steps = step::list(tx, plan.id)?;
        if steps.iter().all(|step| step.state.is_final()) {
            let at = self.scribe.at;
            plan::settle(tx, self.hand(), plan.id, &PlanState::Finished { at })?;
            let event = (
                "plan.finished",
                json!({"plan": plan.id, "version": plan.version}),
            );
            self.scribe.conversation(tx, plan.conversation, event)?;
            return Ok(());
        }
        if steps.iter().any(|step| step.state.is_with_agent()) {
            return Ok(());
        }
        let allowed = agent::permissions(tx, plan.agent, plan.site)?;
        for ready in steps.iter().filter(|step| step.state == StepState::Ready) {
            let needed = ready.operation.scope();
            if allowed.contains(needed) {
                return self.offer(tx, plan, (ready, &steps));
            }
            let reason = Reason::new(
                "permission_denied",
                format!("the agent lacks {needed} on this site"),
            );
            let block = StepTransition::Block(reason);
            self.move_step(tx, (ready.state.clone(), ready.clone()), block)?;
        }
        Ok(())
    }

    /// Frees the steps whose dependencies have succeeded, and gives up those that depend on one that
    /// was given up.
    fn free(&self, tx: &mut Tx<'_>, plan: &Plan) -> Result<()> {
        loop {
            let steps = step::list(tx, plan.id)?;
            let states: BTreeMap<&str, &StepState> = steps
                .iter()
                .map(|step| (step.key.as_str(), &step.state))
                .collect();
            let mut has_moved = false;
            for waiting in steps.iter().filter(|step| step.state == StepState::Waiting) {
                let before = || {
                    waiting
                        .depends_on
                        .iter()
                        .filter_map(|key| states.get(key.as_str()))
                };
                let transition = if before().any(|s| matches!(s, StepState::Cancelled { .. })) {
                    StepTransition::Cancel(Reason::new("dependency_cancelled", ""))
                } else if before().all(|s| matches!(s, StepState::Succeeded { .. })) {
                    StepTransition::Free
                } else {
                    continue;
                };
                has_moved = true;
                self.move_step(tx, (waiting.state.clone(), waiting.clone()), transition)?;
            }
            if !has_moved {
                return Ok(());
            }
        }
    }

    /// Delivers a step as the next turn of its conversation.
    fn offer(&self, tx: &mut Tx<'_>, plan: &Plan, (ready, steps): (&Step, &[Step])) -> Result<()> {
        let message = step_message(plan, ready, steps);
        let number = conversation::count_turn(tx, self.hand(), plan.conversation)?;
        let delivering = Turn {
            number: number.ok_or(Error::NotFound("conversation"))?,
            step: Some(ready.id),
            attempts: ready.attempts,
            ..queued(&self.scribe, plan.conversation, message)
        };
        turn::insert(tx, self.hand(), &delivering)?;
        let mut offered = ready.clone();
        offered.turn = Some(delivering.id);
        self.move_step(tx, (ready.state.clone(), offered), StepTransition::Offer)
    }

    /// Moves a step, and says so where its turn doesn't say it already.
    pub(crate) fn move_step(
        &self,
        tx: &mut Tx<'_>,
        (from, mut step): (StepState, Step),
        transition: StepTransition,
    ) -> Result<()> {
        let event = event_of(&transition);
        step.state = from.apply(transition, self.scribe.at)?;
        step::save(tx, self.hand(), &from, &step)?;
        let Some(event) = event else { return Ok(()) };
        let site = self.hand().site();
        let of = plan::find(tx, site, step.plan)?.ok_or(Error::NotFound("plan"))?;
        let detail = json!({
            "plan": step.plan, "step": step.id, "key": step.key, "was": from.as_str(),
            "state": step.state.as_str(), "turn": step.turn, "proposal": step.proposal,
            "attempts": step.attempts, "reason": step.state.reason().map(|reason| reason.code.as_str()),
        });
        self.told_by
            .conversation(tx, of.conversation, (event, detail))
    }

    /// Gives a step up without touching its turn.
    pub(crate) fn give_up(&self, tx: &mut Tx<'_>, open: Step, reason: Reason) -> Result<()> {
        let from = open.state.clone();
        self.move_step(tx, (from, open), StepTransition::Cancel(reason))
    }

    /// Gives a step up and stops the turn that delivers it.
    pub(crate) fn cancel(&self, tx: &mut Tx<'_>, open: Step, reason: Reason) -> Result<()> {
        if open.state.is_with_agent() {
            self.stop_turn(tx, &open, (TurnOutcome::Cancelled, &reason.code))?;
        }
        self.give_up(tx, open, reason)
    }

    /// Stops a step that is offered or worked on, with its turn: a person must look.
    pub(crate) fn block(&self, tx: &mut Tx<'_>, open: Step, reason: Reason) -> Result<()> {
        self.stop_turn(tx, &open, (TurnOutcome::Blocked, &reason.code))?;
        let from = open.state.clone();
        self.move_step(tx, (from, open), StepTransition::Block(reason))
    }

    fn stop_turn(
        &self,
        tx: &mut Tx<'_>,
        of: &Step,
        (outcome, code): (TurnOutcome, &str),
    ) -> Result<()> {
        let Some(id) = of.turn else { return Ok(()) };
        let Some(open) = turn::find(tx, self.hand().site(), id)? else {
            return Ok(());
        };
        if matches!(open.state, TurnState::Ended(_)) {
            return Ok(());
        }
        let stopped = open.stop(outcome, code, self.scribe.at)?;
        turn::save(tx, self.hand(), (&open, &stopped))?;
        let detail = json!({
            "turn": id, "number": open.number, "fence": open.fence, "was": open.state.as_str(),
            "outcome": outcome, "reason": code,
        });
        self.told_by
            .conversation(tx, open.conversation, ("turn.stopped", detail))
    }

    /// What becomes of a step whose turn came back to the queue, or was stopped instead.
    pub(crate) fn turn_came_back(&self, tx: &mut Tx<'_>, back: &Turn) -> Result<()> {
        let Some(id) = back.step else { return Ok(()) };
        let running = step::find(tx, self.hand().site(), id)?.ok_or(Error::NotFound("step"))?;
        if running.state != StepState::Running {
            return Ok(());
        }
        let transition = match back.state {
            TurnState::Queued | TurnState::Leased(_) => StepTransition::GiveBack,
            TurnState::Ended(_) => StepTransition::Block(Reason::new(
                RETRIES_EXHAUSTED,
                "it was tried three times and no worker brought it to its end",
            )),
        };
        self.move_step(tx, (running.state.clone(), running), transition)
    }
}

/// The event that says what happened to a step; none where its turn says it.
const fn event_of(transition: &StepTransition) -> Option<&'static str> {
    match transition {
        StepTransition::Free | StepTransition::Claim | StepTransition::GiveBack => None,
        StepTransition::Offer => Some("step.offered"),
        StepTransition::Retry => Some("step.retried"),
        StepTransition::AwaitApproval => Some("step.awaits_approval"),
        StepTransition::Succeed => Some("step.succeeded"),
        StepTransition::Fail(_) => Some("step.failed"),
        StepTransition::Block(_) => Some("step.blocked"),
        StepTransition::Cancel(_) => Some("step.cancelled"),
        StepTransition::Reopen => Some("step.reopened"),
    }
}

/// Moves the step that waits for a proposal, in the transaction that settles the proposal.
pub(crate) fn proposal_settled(tx: &mut Tx<'_>, scribe: &Scribe, id: ProposalId) -> Result<()> {
    let site = scribe.place()?.site;
    let Some(waiting) = step::find_waiting_for(tx, site, id)? else {
        return Ok(());
    };
    let made = proposal::find(tx, site, id)?.ok_or(Error::NotFound("proposal"))?;
    let transition = decided(tx, &made)?;
    if transition == StepTransition::AwaitApproval {
        return Ok(());
    }
    let scheduler = Scheduler::new(scribe)?;
    let of = plan::find(tx, site, waiting.plan)?.ok_or(Error::NotFound("plan"))?;
    scheduler.move_step(tx, (waiting.state.clone(), waiting), transition)?;
    scheduler.go_on(tx, of.conversation).map(drop)
}

/// What a step asks for, in words.
fn step_message(plan: &Plan, step: &Step, steps: &[Step]) -> String {
    let mut text = format!(
        "Step {} of {} of the plan “{}”.\n\n{}",
        step.position,
        steps.len(),
        plan.goal,
        if step.title.is_empty() {
            &step.key
        } else {
            &step.title
        },
    );
    let mut add = |line: std::fmt::Arguments<'_>| {
        text.write_fmt(line).expect("writing to a string");
    };
    add(format_args!("\nOperation: {}", step.operation));
    if step.input.as_object().is_none_or(|input| !input.is_empty()) {
        add(format_args!("\nInput: {}", step.input));
    }
    let before: BTreeSet<&str> = step.depends_on.iter().map(String::as_str).collect();
    for done in steps
        .iter()
        .filter(|done| before.contains(done.key.as_str()))
    {
        add(format_args!("\nCame of {}: {}", done.key, done.summary));
    }
    if !step.answer.is_empty() {
        add(format_args!("\nA person answered: {}", step.answer));
    }
    if let Some(kind) = step.operation.proposal_kind() {
        add(format_args!(
            "\n\nBegin a run under this lease, make a {kind} proposal in it, and complete with its proposal_id."
        ));
    }
    text
}
