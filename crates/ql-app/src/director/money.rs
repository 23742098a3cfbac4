//! Money for calls of providers: set aside before anything is sent, settled with the answer.
//!
//! The seed's budget (§2) is kept by arithmetic alone: what a call can cost at most is taken from the
//! production and from the task before the provider hears of it, in one transaction that also makes
//! sure of the lease. Whoever dies afterwards leaves it taken, and the next worker writes that down.

use std::time::Duration;

use ql_core::access::DirectProductions;
use ql_core::canon;
use ql_core::id::ProductionId;
use ql_core::problem::Problem;
use ql_core::production::{CallOutcome, PlayedBy, ProviderCall};
use ql_core::spending::{Budget, Reservation, ReservationState};
use ql_pipeline::envelope::read;
use ql_pipeline::money::Micros;
use ql_pipeline::pack::Role;
use ql_store::job::{self, Lease};
use ql_store::{Tx, spending, stage_task};
use serde_json::json;

use super::Director;
use super::call::Issued;
use super::next::failures;
use super::provider::{Answered, Ask, Failure};
use super::worker::{LEASE, Work};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::job::lost;

/// How many problems a request to mend an answer names.
const NAMED_PROBLEMS: usize = 5;
/// How often a lease is renewed while a provider works.
const BEAT: Duration = Duration::from_secs(30);
/// The longest that a provider's wish to be left alone is followed.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// What became of asking.
pub(super) enum Asked {
    /// What came back is kept.
    Kept,
    /// It failed in passing; to be tried again, after so long at least.
    Later(Duration),
    /// Nothing was sent.
    Refused(&'static str, Problem),
}

/// How a call ended.
struct Ended {
    call: ProviderCall,
    state: ReservationState,
    wait: Option<Duration>,
}

impl Director {
    /// Asks the provider, if the budget allows it, and keeps what came back before it is read.
    pub(super) async fn ask(
        &self,
        work: &Work,
        issued: &mut Issued,
        role: &Role,
        problems: Option<&[Problem]>,
    ) -> Result<Asked> {
        let envelope = canon::to_string(&issued.task.envelope);
        let number = i64::try_from(issued.calls.len()).unwrap_or(i64::MAX) + 1;
        let key = format!("{}:{number}", issued.task.id);
        let ask = Ask {
            stage: &issued.task.stage,
            tier: role.tier,
            attempt: issued.task.attempt,
            key: &key,
            envelope: &envelope,
            policy: &self.pack().files,
            repair: problems.map(|all| &all[..all.len().min(NAMED_PROBLEMS)]),
        };
        let most = match self.provider.most(&ask) {
            Ok(most) => most,
            Err(failure) => return Ok(Asked::Refused("not_priced", refusal(failure))),
        };
        let reservation = Reservation {
            task: issued.task.id,
            number,
            amount: most,
            state: ReservationState::Held,
            reserved_at: self.app.now(),
        };
        if let Err((reason, problem)) = self.reserve(work, reservation).await? {
            return Ok(Asked::Refused(reason, problem));
        }
        let answer = self.wait_for_answer(work, ask).await?;
        let ended = self.ended(answer, reservation, problems.is_some());
        self.keep(work, &ended, reservation).await?;
        issued.calls.push(ended.call);
        Ok(match ended.wait {
            Some(wait) => Asked::Later(wait.min(LONGEST_WAIT)),
            None => Asked::Kept,
        })
    }

    /// Waits for an answer and keeps the stage's lease meanwhile; whoever has lost it waits no longer.
    async fn wait_for_answer(
        &self,
        work: &Work,
        ask: Ask<'_>,
    ) -> Result<std::result::Result<Answered, Failure>> {
        let mut asking = self.provider.ask(ask);
        loop {
            tokio::select! {
                answer = &mut asking => return Ok(answer),
                () = tokio::time::sleep(BEAT) => {}
            }
            let (lease, at) = (work.lease.clone(), self.app.now());
            let beat = self.app.store().write(move |tx| hold_on(tx, &lease, at));
            match beat.await {
                Ok(()) => {}
                Err(Error::Unavailable(why)) => {
                    tracing::warn!(why, "a stage's lease wasn't renewed");
                }
                Err(lost) => return Err(lost),
            }
        }
    }

    fn ended(
        &self,
        answer: std::result::Result<Answered, Failure>,
        held: Reservation,
        is_repair: bool,
    ) -> Ended {
        let mut call = ProviderCall {
            number: held.number,
            by: PlayedBy::Provider,
            is_repair,
            outcome: CallOutcome::Answered,
            raw: String::new(),
            model: String::new(),
            usage: None,
            cost: Some(0),
            at: self.app.now(),
        };
        let (state, wait) = match answer {
            Ok(answer) => {
                call.usage = answer.usage.map(|usage| json!(usage));
                call.raw = bounded(answer.text);
                call.model = answer.model;
                call.cost = answer.cost;
                let charged = answer.cost.unwrap_or(held.amount);
                (ReservationState::Settled { charged }, None)
            }
            Err(Failure::Transient { why, retry_after }) => {
                (call.outcome, call.raw) = (CallOutcome::Transient, why);
                let wait = retry_after.unwrap_or_default();
                (ReservationState::Released, Some(wait))
            }
            Err(Failure::Permanent(why)) => {
                (call.outcome, call.raw) = (CallOutcome::Failed, why);
                (ReservationState::Released, None)
            }
            Err(Failure::Uncertain(why)) => {
                (call.outcome, call.raw, call.cost) = (CallOutcome::Uncertain, why, None);
                (ReservationState::Uncertain, Some(Duration::ZERO))
            }
        };
        Ended { call, state, wait }
    }

    /// Sets money aside for a call, of the task and of the production, under a lease that holds.
    async fn reserve(
        &self,
        work: &Work,
        held: Reservation,
    ) -> Result<std::result::Result<(), (&'static str, Problem)>> {
        let (server, lease) = (Self::server(work.place)?, work.lease.clone());
        let (id, task_limit) = (work.id, work.situation.production.task_budget);
        self.app
            .store()
            .write(move |tx| {
                hold_on(tx, &lease, held.reserved_at)?;
                let earlier = spending::of_task(tx, held.task)?;
                let taken: i64 = earlier.iter().map(Reservation::committed).sum();
                if taken.saturating_add(held.amount) > task_limit {
                    let left = (task_limit - taken, task_limit);
                    return Ok(Err(exhausted("task_budget_exhausted", held.amount, left)));
                }
                let of_task = (held.task, held.number, held.amount);
                if spending::reserve(tx, &server, id, of_task, held.reserved_at)? {
                    return Ok(Ok(()));
                }
                let budget = spending::find(tx, id)?.ok_or(Error::NotFound("budget"))?;
                let left = (budget.limit - budget.committed, budget.limit);
                Ok(Err(exhausted("budget_exhausted", held.amount, left)))
            })
            .await
    }

    /// Keeps what came back and settles what was set aside for it, before anything is made of it.
    async fn keep(&self, work: &Work, ended: &Ended, held: Reservation) -> Result<()> {
        let server = Self::server(work.place)?;
        let (id, call, state) = (work.id, ended.call.clone(), ended.state);
        self.app
            .store()
            .write(move |tx| {
                if !spending::end(tx, &server, id, (&held, state), call.at)? {
                    let message = "the call was given up while it was under way";
                    return Err(Error::Fault(message.to_owned()));
                }
                Ok(stage_task::insert_call(tx, &server, held.task, &call)?)
            })
            .await
    }

    /// Writes down of every call that nobody waits for any more that it may have been paid for.
    /// Whoever holds the stage's lease is the only one who could wait.
    pub(super) async fn account_for_lost(
        &self,
        (lease, place): (&Lease, ql_core::access::OnSite),
        (id, stage): (ProductionId, &str),
    ) -> Result<bool> {
        let (stage, at) = (stage.to_owned(), self.app.now());
        let looked_at = stage.clone();
        let lost = self
            .app
            .store()
            .read(move |tx| Ok::<_, Error>(spending::held(tx, id, &looked_at)?))
            .await?;
        if lost.is_empty() {
            return Ok(false);
        }
        let (server, lease) = (Self::server(place)?, lease.clone());
        self.app
            .store()
            .write(move |tx| {
                hold_on(tx, &lease, at)?;
                for held in spending::held(tx, id, &stage)? {
                    let uncertain = (&held, ReservationState::Uncertain);
                    spending::end(tx, &server, id, uncertain, at)?;
                    let call = ProviderCall {
                        number: held.number,
                        by: PlayedBy::Provider,
                        is_repair: false,
                        outcome: CallOutcome::Uncertain,
                        raw: "whoever asked was gone before an answer was kept".to_owned(),
                        model: String::new(),
                        usage: None,
                        cost: None,
                        at,
                    };
                    stage_task::insert_call(tx, &server, held.task, &call)?;
                }
                Ok::<_, Error>(())
            })
            .await?;
        Ok(true)
    }

    /// How long to wait before the next call, as far as the director has a say in it.
    pub(super) fn wait_for(&self, issued: &Issued, asked_for: Duration) -> Duration {
        let failures = failures(&issued.calls).max(1);
        super::next::backoff(failures, &**self.app.ids()).max(asked_for)
    }

    /// What a production may cost from now on, and each of its tasks.
    ///
    /// # Errors
    /// [`Error::Invalid`] where more is committed already.
    pub async fn set_budget(
        &self,
        ctx: &OpContext,
        id: ProductionId,
        (limit, task_limit): (Micros, Micros),
    ) -> Result<Budget> {
        let authorized = ctx.authorize::<DirectProductions>()?;
        let scribe = Scribe::on_site(&self.app, authorized.actor(), authorized.place());
        self.app
            .store()
            .write(move |tx| {
                ql_store::production::find(tx, authorized.site(), id)?
                    .ok_or(Error::NotFound("production"))?;
                let limits = (limit.get(), task_limit.get());
                let is_set = spending::set(tx, &authorized, id, limits)?;
                let budget = spending::find(tx, id)?.ok_or(Error::NotFound("budget"))?;
                if !is_set {
                    let committed = Micros::new(budget.committed).unwrap_or_default();
                    let message = format!("{committed} dollars are committed already");
                    return Err(Error::invalid("/budget", "below_committed", message));
                }
                let detail = json!({
                    "production": id, "budget_micros": limits.0, "task_budget_micros": limits.1,
                });
                scribe.administration(tx, "production.budget_set", detail)?;
                Ok(budget)
            })
            .await
    }
}

/// Has the lease of a stage hold for a while longer.
pub(super) fn hold_on(tx: &mut Tx<'_>, lease: &Lease, at: ql_core::time::Timestamp) -> Result<()> {
    let now = tx.lease_clock(at)?;
    if job::renew(tx, lease, (now, now.plus(LEASE)))? {
        return Ok(());
    }
    Err(lost(lease))
}

/// An answer as far as it's kept: of one that's longer than an envelope may be, a little too much.
pub(super) fn bounded(mut answer: String) -> String {
    // A character has at most four bytes.
    answer.truncate(answer.floor_char_boundary(read::MAX_BYTES + 4));
    answer
}

fn refusal(failure: Failure) -> Problem {
    let why = match failure {
        Failure::Transient { why, .. } | Failure::Permanent(why) | Failure::Uncertain(why) => why,
    };
    Problem::new("", "not_priced", why)
}

fn exhausted(
    reason: &'static str,
    most: i64,
    (left, limit): (i64, i64),
) -> (&'static str, Problem) {
    let dollars = |micros: i64| Micros::new(micros.max(0)).unwrap_or_default();
    let message = format!(
        "the call may cost up to {} dollars, and {} of {} are left; raise the budget and open the stage again",
        dollars(most),
        dollars(left),
        dollars(limit)
    );
    (reason, Problem::new("", reason, message))
}
