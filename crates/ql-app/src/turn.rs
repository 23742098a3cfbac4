//! Turns of conversations: written by members, claimed and completed by agents, opened again and
//! stopped by people.

mod claim;
mod complete;

use ql_core::access::{ActAsServer, Authorized, Principal, UseConsole, WriteRuns};
use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::{ConversationId, LeaseToken, RunId, TurnId};
use ql_core::time::Timestamp;
use ql_core::turn::{LEASE_EXPIRED, LeaseLost, MAX_MESSAGE, Turn, TurnOutcome, TurnState};
use ql_store::conversation::Hand;
use ql_store::{Tx, conversation, site, turn};
use serde_json::json;

pub use self::claim::{ClaimTurn, ClaimedConversation, ClaimedTurn, Dependency, OfferedStep};
pub use self::complete::{CompleteTurn, CompletedTurn, SettledStep};
pub(crate) use self::complete::{decided, own_turn};
use crate::app::App;
use crate::context::OpContext;
use crate::conversation::refresh;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::plan::Scheduler;
use crate::text::Checks;
use crate::waiting::Stir;

/// The code of a turn that a person stopped.
const CANCELLED: &str = "cancelled_by_member";

/// What a person does to a turn.
type Change = fn(&Turn, Timestamp) -> Result<Turn>;

impl App {
    /// Writes the next turn of a conversation; the agent gets it when the turns before are over.
    pub async fn add_turn(
        &self,
        ctx: &OpContext,
        id: ConversationId,
        message: String,
    ) -> Result<Turn> {
        let authorized = ctx.authorize::<UseConsole>()?;
        let mut checks = Checks::default();
        checks.text("/message", &message, MAX_MESSAGE);
        checks.finish()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let new = queued(&scribe, id, message);
        let (written, stir) = self
            .store()
            .write(move |tx| {
                let hand = Hand::Member(&authorized);
                let number = conversation::count_turn(tx, hand, id)?;
                let number = number.ok_or(Error::NotFound("conversation"))?;
                let written = Turn {
                    number,
                    ..new.clone()
                };
                turn::insert(tx, hand, &written)?;
                let detail = json!({
                    "turn": written.id, "number": written.number,
                    "message_sha256": Digest::of(written.message.as_bytes()),
                });
                scribe.conversation(tx, id, ("turn.written", detail))?;
                Ok::<_, Error>((written, refresh(tx, hand, id, &scribe)?))
            })
            .await?;
        self.waiting().stir(&stir);
        Ok(written)
    }

    /// Opens a turn again that failed, was blocked or waits for an answer. A plan's step is opened
    /// again by itself.
    pub async fn reopen_turn(&self, ctx: &OpContext, id: TurnId) -> Result<Turn> {
        self.change_turn(ctx, id, ("turn.reopened", |turn, _| Ok(turn.reopen()?)))
            .await
    }

    /// Stops a turn that isn't over; whoever works on it has lost its lease. A plan's step is given up
    /// by itself.
    pub async fn cancel_turn(&self, ctx: &OpContext, id: TurnId) -> Result<Turn> {
        let stop = |turn: &Turn, at| Ok(turn.stop(TurnOutcome::Cancelled, CANCELLED, at)?);
        self.change_turn(ctx, id, ("turn.cancelled", stop)).await
    }

    async fn change_turn(
        &self,
        ctx: &OpContext,
        id: TurnId,
        (event, change): (&'static str, Change),
    ) -> Result<Turn> {
        let authorized = ctx.authorize::<UseConsole>()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let (changed, stir) = self
            .store()
            .write(move |tx| {
                let found = turn::find(tx, authorized.site(), id)?
                    .filter(|turn| turn.step.is_none())
                    .ok_or(Error::NotFound("turn"))?;
                let next = change(&found, scribe.at)?;
                let hand = Hand::Member(&authorized);
                turn::save(tx, hand, (&found, &next))?;
                let detail =
                    json!({"turn": id, "number": found.number, "was": found.state.as_str()});
                scribe.conversation(tx, found.conversation, (event, detail))?;
                let stir = refresh(tx, hand, found.conversation, &scribe)?;
                Ok::<_, Error>((next, stir))
            })
            .await?;
        self.waiting().stir(&stir);
        Ok(changed)
    }

    /// Renews the lease under which the caller's agent works on a turn; answers until when.
    ///
    /// # Errors
    /// [`Error::LeaseLost`] when the token isn't that of the lease that holds.
    pub async fn renew_turn(
        &self,
        ctx: &OpContext,
        id: TurnId,
        token: Option<LeaseToken>,
    ) -> Result<Timestamp> {
        let authorized = ctx.authorize::<WriteRuns>()?;
        let (caller, at) = (ctx.agent()?.agent, self.now());
        self.store()
            .write(move |tx| {
                let now = tx.lease_clock(at)?;
                let (found, _) = own_turn(tx, &authorized, (id, caller))?;
                let lease = found.require_lease(token, now)?;
                let until = renew(tx, Hand::Agent(&authorized), (id, lease.token), now)?;
                until.ok_or(LeaseLost.into())
            })
            .await
    }

    /// Puts turns whose lease ran out back into their queues, or stops them when that happened too
    /// often; answers how many.
    pub(crate) async fn return_lapsed_turns(&self) -> Result<usize> {
        let own = self.now();
        let found = self
            .store()
            .read(move |tx| {
                let now = tx.lease_clock(own)?;
                Ok::<_, Error>(turn::lapsed(tx, now)?)
            })
            .await?;
        let count = found.len();
        for (id, on) in found {
            let app = self.clone();
            let stir = self
                .store()
                .write(move |tx| {
                    let place = site::find(tx, on)?.ok_or(Error::NotFound("site"))?.place();
                    let scribe = Scribe::on_site(&app, Actor::System, place);
                    let now = tx.lease_clock(scribe.at)?;
                    let Some(found) = turn::find(tx, on, id)?.filter(|turn| turn.has_lapsed(now))
                    else {
                        return Ok(None);
                    };
                    lapse(tx, &Scheduler::new(&scribe)?, &found).map(Some)
                })
                .await?;
            if let Some(stir) = stir {
                self.waiting().stir(&stir);
            }
        }
        Ok(count)
    }
}

/// A turn to be written by this hand.
pub(crate) fn queued(scribe: &Scribe, conversation: ConversationId, message: String) -> Turn {
    Turn {
        id: TurnId::mint(scribe.ids(), scribe.at),
        conversation,
        number: 0,
        author: scribe.actor,
        step: None,
        message,
        state: TurnState::Queued,
        attempts: 0,
        fence: 0,
        reason: None,
        returned_with: None,
        created_at: scribe.at,
    }
}

/// Takes a turn from a worker whose time ran out.
pub(crate) fn lapse(tx: &mut Tx<'_>, scheduler: &Scheduler, found: &Turn) -> Result<Stir> {
    give_back(tx, scheduler, found, (LEASE_EXPIRED, None))
}

/// Puts a leased turn, with the step that it delivers, back into the queue, or stops both when it was
/// claimed too often; with what its worker said.
pub(crate) fn give_back(
    tx: &mut Tx<'_>,
    scheduler: &Scheduler,
    found: &Turn,
    (code, words): (&'static str, Option<&str>),
) -> Result<Stir> {
    let now = tx.lease_clock(scheduler.scribe.at)?;
    let next = found.give_back((code, words), now)?;
    turn::save(tx, scheduler.hand(), (found, &next))?;
    let detail = json!({
        "turn": found.id, "number": found.number, "fence": found.fence, "attempt": found.attempts,
        "reason": code, "then": next.state.as_str(),
    });
    let event = ("turn.returned", detail);
    scheduler
        .scribe
        .conversation(tx, found.conversation, event)?;
    scheduler.turn_came_back(tx, &next)?;
    scheduler.go_on(tx, found.conversation)
}

/// Notes the lease that a run is begun under: the one that is named, or the only one that the
/// connection holds. Its turn's calls renew it from then on.
pub(crate) fn begin_under_lease(
    tx: &mut Tx<'_>,
    (authorized, ctx): (&Authorized<WriteRuns>, &OpContext),
    (run, named): (RunId, Option<LeaseToken>),
) -> Result<()> {
    let (caller, now) = (ctx.agent()?, tx.lease_clock(ctx.now())?);
    let found = match named {
        Some(token) => {
            let found = turn::find_by_lease(tx, token)?.ok_or(LeaseLost)?;
            own_turn(tx, authorized, (found, caller.agent)).map_err(|_| LeaseLost)?;
            Some((found, token))
        }
        None => match turn::list_held(tx, caller.connection, now)?.as_slice() {
            [held] => (held.state.lease(now)).map(|lease| (held.id, lease.token)),
            _ => None,
        },
    };
    let Some(lease) = found else { return Ok(()) };
    renew(tx, Hand::Agent(authorized), lease, now)?.ok_or(LeaseLost)?;
    Ok(turn::insert_run(tx, authorized, run, lease)?)
}

/// Renews the lease that a run was begun under, for a call that works in the run.
pub(crate) fn renew_for_run(
    tx: &mut Tx<'_>,
    ctx: &OpContext,
    (id, token): (TurnId, LeaseToken),
) -> Result<()> {
    let server: Authorized<ActAsServer> = Principal::System.authorize(ctx.place()?)?;
    let now = tx.lease_clock(ctx.now())?;
    if renew(tx, Hand::Server(&server), (id, token), now)?.is_some() {
        return Ok(());
    }
    let found = turn::find(tx, ctx.site()?, id)?.ok_or(LeaseLost)?;
    // What was completed under the lease goes on; what was lost doesn't.
    match found.state {
        TurnState::Ended(ended) if ended.lease == Some(token) => Ok(()),
        TurnState::Queued | TurnState::Leased(_) | TurnState::Ended(_) => Err(LeaseLost.into()),
    }
}

/// Lets a living lease last as long as the site's leases do; until when, or none when it is lost.
pub(crate) fn renew(
    tx: &mut Tx<'_>,
    by: Hand<'_>,
    lease: (TurnId, LeaseToken),
    now: Timestamp,
) -> Result<Option<Timestamp>> {
    let until = now.plus(lease_span(tx, by)?);
    Ok(turn::renew(tx, by, lease, (now, until))?.then_some(until))
}

/// How long a lease lasts on the site.
pub(crate) fn lease_span(tx: &mut Tx<'_>, by: Hand<'_>) -> Result<std::time::Duration> {
    let site = site::find(tx, by.site())?.ok_or(Error::NotFound("site"))?;
    Ok(std::time::Duration::from_secs(
        site.console_lease_seconds.unsigned_abs(),
    ))
}
