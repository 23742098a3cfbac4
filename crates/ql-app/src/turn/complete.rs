//! Completing: an agent says what came of the turn that it holds.

use ql_core::access::{Authorized, WriteRuns};
use ql_core::conversation::{Conversation, MAX_SESSION, SessionRefused};
use ql_core::hash::Digest;
use ql_core::id::{ConversationId, LeaseToken, ProposalId, RunId, StepId, TurnId};
use ql_core::proposal::{Proposal, ProposalState};
use ql_core::step::{Reason, Step, StepTransition};
use ql_core::turn::{Ended, MAX_ATTEMPTS, MAX_MESSAGE, RELEASED, Reply, Turn, TurnOutcome};
use ql_store::conversation::Hand;
use ql_store::{Tx, conversation, proposal, step, turn};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::give_back;
use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::idempotency::IdempotencyKey;
use crate::plan::Scheduler;
use crate::text::Checks;
use crate::waiting::Stir;

/// What an agent says about the turn that it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompleteTurn {
    /// The turn.
    pub turn: TurnId,
    /// The token of its lease; one that can't be read is none.
    pub token: Option<LeaseToken>,
    /// What came of it.
    pub reply: Reply,
    /// In words.
    pub message: String,
    /// The run that did it.
    pub run: Option<RunId>,
    /// The proposal that it made.
    pub proposal: Option<ProposalId>,
    /// The session that says so.
    pub session: Option<String>,
}

/// A turn that was completed or given back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletedTurn {
    /// The turn.
    pub turn_id: TurnId,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// What the agent said.
    pub outcome: Reply,
    /// Where the turn stands: queued when it was given back.
    pub turn_state: String,
    /// The plan's step that it delivered.
    pub plan_step: Option<SettledStep>,
}

/// Where a step stands after its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettledStep {
    /// The step.
    pub step_id: StepId,
    /// Its name in the plan.
    pub key: String,
    /// Where it stands.
    pub state: String,
    /// How often it was tried again.
    pub retry_count: i64,
    /// The stable code of why it stopped.
    pub reason: Option<String>,
}

impl App {
    /// Closes the turn that the caller holds, and the plan's step that it delivers, or gives it back.
    ///
    /// # Errors
    /// [`Error::LeaseLost`] when the token isn't that of the lease that holds; nothing is changed
    /// then. [`Error::NeedsProposal`] when a step that changes something names no proposal of its own.
    pub async fn complete_turn(
        &self,
        ctx: &OpContext,
        said: CompleteTurn,
        key: Option<IdempotencyKey>,
    ) -> Result<CompletedTurn> {
        let authorized = ctx.authorize::<WriteRuns>()?;
        let mut checks = Checks::default();
        checks.text("/message", &said.message, MAX_MESSAGE);
        if let Some(session) = &said.session {
            checks.text("/session_id", session, MAX_SESSION);
        }
        checks.finish()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let (caller, at) = (ctx.agent()?.agent, scribe.at);
        let completing = Completing {
            scheduler: Scheduler::new(&scribe)?,
            authorized,
            scribe,
            said,
        };
        let answer = self
            .mutate(ctx, key, at, move |tx| {
                let found = own_turn(tx, &completing.authorized, (completing.said.turn, caller))?;
                completing.complete(tx, &found)
            })
            .await?;
        self.stir_conversation(ctx, answer.conversation_id).await?;
        Ok(answer)
    }

    /// Tells whoever may go on in a conversation.
    pub(crate) async fn stir_conversation(
        &self,
        ctx: &OpContext,
        id: ConversationId,
    ) -> Result<()> {
        let site = ctx.site()?;
        let found = self
            .store()
            .read(move |tx| Ok::<_, Error>(conversation::find(tx, site, id)?))
            .await?;
        if let Some(found) = found {
            self.waiting().stir(&Stir {
                site,
                agent: found.agent,
                session: found.binding.map(|binding| binding.tip),
                conversation: id,
            });
        }
        Ok(())
    }
}

/// A turn of the calling agent with its conversation; anybody else's doesn't exist.
pub(crate) fn own_turn(
    tx: &mut Tx<'_>,
    authorized: &Authorized<WriteRuns>,
    (id, caller): (TurnId, ql_core::id::AgentId),
) -> Result<(Turn, Conversation)> {
    const MISSING: Error = Error::NotFound("turn");
    let found = turn::find(tx, authorized.site(), id)?.ok_or(MISSING)?;
    let of = conversation::find(tx, authorized.site(), found.conversation)?
        .filter(|conversation| conversation.agent == caller)
        .ok_or(MISSING)?;
    Ok((found, of))
}

/// One completion, in one transaction.
struct Completing {
    authorized: Authorized<WriteRuns>,
    scribe: Scribe,
    scheduler: Scheduler,
    said: CompleteTurn,
}

impl Completing {
    fn complete(
        &self,
        tx: &mut Tx<'_>,
        (found, of): &(Turn, Conversation),
    ) -> Result<CompletedTurn> {
        let now = tx.lease_clock(self.scribe.at)?;
        let lease = found.require_lease(self.said.token, now)?;
        let tip = of.binding.as_ref().map(|binding| &binding.tip);
        if self.said.session.is_some() && self.said.session.as_ref() != tip {
            return Err(SessionRefused::AnotherConversation.into());
        }
        self.require_own_run(tx, found)?;
        let proposal = self.find_proposal(tx)?;
        match self.said.reply.outcome() {
            None => {
                let why = (RELEASED, Some(self.said.message.as_str()));
                give_back(tx, &self.scheduler, found, why)?;
            }
            Some(outcome) => {
                self.settle_step(tx, found, (outcome, proposal.as_ref()))?;
                self.end(tx, found, (outcome, lease.token))?;
                self.scheduler.go_on(tx, of.id)?;
            }
        }
        self.answer(tx, found)
    }

    fn end(
        &self,
        tx: &mut Tx<'_>,
        found: &Turn,
        (outcome, token): (TurnOutcome, LeaseToken),
    ) -> Result<()> {
        let next = found.end(Ended {
            outcome,
            reply: self.said.message.clone(),
            run: self.said.run,
            proposal: self.said.proposal,
            lease: Some(token),
            at: self.scribe.at,
        })?;
        turn::save(tx, Hand::Agent(&self.authorized), (found, &next))?;
        let detail = json!({
            "turn": found.id, "number": found.number, "fence": found.fence, "outcome": outcome,
            "reply_sha256": Digest::of(self.said.message.as_bytes()),
            "run": self.said.run, "proposal": self.said.proposal,
        });
        self.scribe
            .conversation(tx, found.conversation, ("turn.ended", detail))
    }

    /// The run that is named must have been begun for this turn, or for its step.
    fn require_own_run(&self, tx: &mut Tx<'_>, found: &Turn) -> Result<()> {
        let Some(run) = self.said.run else {
            return Ok(());
        };
        match turn::find_by_run(tx, run)? {
            Some((of, step)) if belongs(found, of, step) => Ok(()),
            Some(_) | None => Err(Error::NotFound("run of this turn")),
        }
    }

    /// The proposal that is named, where it is one of the agent's own.
    fn find_proposal(&self, tx: &mut Tx<'_>) -> Result<Option<Proposal>> {
        let Some(id) = self.said.proposal else {
            return Ok(None);
        };
        let found = proposal::find(tx, self.authorized.site(), id)?;
        let own = self.authorized.actor().identity();
        let found = found.filter(|proposal| proposal.proposer.identity() == own);
        found.ok_or(Error::NotFound("proposal of yours")).map(Some)
    }

    /// Moves the step that the turn delivers, where it is still worked on.
    fn settle_step(
        &self,
        tx: &mut Tx<'_>,
        found: &Turn,
        (outcome, proposal): (TurnOutcome, Option<&Proposal>),
    ) -> Result<()> {
        let Some(id) = found.step else { return Ok(()) };
        let running = step::find(tx, self.authorized.site(), id)?.ok_or(Error::NotFound("step"))?;
        if running.state.is_final() {
            // A newer version of the plan took its place while it was worked on.
            return Ok(());
        }
        let transition = self.transition(tx, (found, &running), (outcome, proposal))?;
        let mut next = running.clone();
        self.said.message.clone_into(&mut next.summary);
        next.run = self.said.run.or(next.run);
        next.proposal = proposal.map(|proposal| proposal.id).or(next.proposal);
        self.scheduler
            .move_step(tx, (running.state, next), transition)
    }

    fn transition(
        &self,
        tx: &mut Tx<'_>,
        (found, running): (&Turn, &Step),
        (outcome, proposal): (TurnOutcome, Option<&Proposal>),
    ) -> Result<StepTransition> {
        let message = &self.said.message;
        match outcome {
            TurnOutcome::Completed => match running.operation.proposal_kind() {
                None => Ok(StepTransition::Succeed),
                Some(kind) => through_proposal(tx, found, (kind, proposal)),
            },
            TurnOutcome::Failed if found.attempts < MAX_ATTEMPTS => Ok(StepTransition::Retry),
            TurnOutcome::Failed => Ok(StepTransition::Fail(Reason::new("failed", message))),
            TurnOutcome::NeedsHumanInput => Ok(StepTransition::Block(Reason::new(
                "needs_human_input",
                message,
            ))),
            TurnOutcome::Blocked | TurnOutcome::Cancelled => {
                Err(Error::Fault(format!("no agent ends a turn as {outcome}")))
            }
        }
    }

    fn answer(&self, tx: &mut Tx<'_>, found: &Turn) -> Result<CompletedTurn> {
        let site = self.authorized.site();
        let after = turn::find(tx, site, found.id)?.ok_or(Error::NotFound("turn"))?;
        let plan_step = match found.step {
            Some(id) => step::find(tx, site, id)?.map(|step| SettledStep {
                step_id: step.id,
                state: step.state.as_str().to_owned(),
                retry_count: step.retry_count(),
                reason: step.state.reason().map(|reason| reason.code.clone()),
                key: step.key,
            }),
            None => None,
        };
        Ok(CompletedTurn {
            turn_id: found.id,
            conversation_id: found.conversation,
            outcome: self.said.reply,
            turn_state: after.state.as_str().to_owned(),
            plan_step,
        })
    }
}

/// Whether a run that was begun for the turn `of`, or for `step`, was begun for `found`.
fn belongs(found: &Turn, of: TurnId, step: Option<StepId>) -> bool {
    of == found.id || (step.is_some() && step == found.step)
}

/// What becomes of a step that changes something: its proposal, of the right kind and made in a run
/// of its own, decides.
fn through_proposal(
    tx: &mut Tx<'_>,
    found: &Turn,
    (kind, proposal): (&'static str, Option<&Proposal>),
) -> Result<StepTransition> {
    let needed = Error::NeedsProposal { kind };
    let Some(made) = proposal.filter(|proposal| proposal.kind().as_str() == kind) else {
        return Err(needed);
    };
    let in_run = match made.run {
        Some(run) => turn::find_by_run(tx, run)?,
        None => None,
    };
    if !in_run.is_some_and(|(of, step)| belongs(found, of, step)) {
        return Err(needed);
    }
    decided(tx, made)
}

/// What a proposal's state means for the step that made it.
pub(crate) fn decided(tx: &mut Tx<'_>, made: &Proposal) -> Result<StepTransition> {
    Ok(match &made.state {
        ProposalState::Pending | ProposalState::Approved { .. } => StepTransition::AwaitApproval,
        ProposalState::Executed { .. } => StepTransition::Succeed,
        ProposalState::Stale { .. }
        | ProposalState::ExecutionFailed { .. }
        | ProposalState::Rejected { .. }
        | ProposalState::ChangesRequested { .. }
        | ProposalState::Withdrawn { .. }
        | ProposalState::Expired { .. }
        | ProposalState::Superseded { .. }
        | ProposalState::Cancelled { .. } => {
            let code = format!("proposal_{}", made.state.as_str());
            StepTransition::Fail(Reason::new(code, why(tx, made)?))
        }
    })
}

/// Why a proposal came to nothing: the reviewer's words, or the server's code.
fn why(tx: &mut Tx<'_>, made: &Proposal) -> Result<String> {
    if let Some(reason) = made.state.reason() {
        return Ok(reason.to_owned());
    }
    let is_no = |verdict| verdict != ql_core::proposal::Verdict::Approve;
    let decisions = proposal::decisions(tx, made.id)?;
    let last = decisions
        .into_iter()
        .rfind(|decision| is_no(decision.verdict));
    Ok(last.map(|decision| decision.comment).unwrap_or_default())
}
