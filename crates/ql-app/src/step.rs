//! What people do with steps of a plan: open them again, answer them, give them up.

use ql_core::access::UseConsole;
use ql_core::hash::Digest;
use ql_core::id::StepId;
use ql_core::plan::PlanState;
use ql_core::step::{Reason, StepTransition};
use ql_core::turn::MAX_MESSAGE;
use ql_store::{Tx, plan, step};
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::conversation::PlanRecord;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::plan::{Scheduler, record};
use crate::text::Checks;

impl App {
    /// Opens a failed or blocked step again, with a fresh count of attempts.
    pub async fn reopen_step(&self, ctx: &OpContext, id: StepId) -> Result<PlanRecord> {
        self.change_step(ctx, id, Change::Reopen).await
    }

    /// Answers a step that stopped, and opens it again with the answer.
    pub async fn answer_step(
        &self,
        ctx: &OpContext,
        id: StepId,
        answer: String,
    ) -> Result<PlanRecord> {
        let mut checks = Checks::default();
        checks.text("/message", &answer, MAX_MESSAGE);
        checks.finish()?;
        self.change_step(ctx, id, Change::Answer(answer)).await
    }

    /// Gives a step up, and with it whatever depends on it.
    pub async fn cancel_step(&self, ctx: &OpContext, id: StepId) -> Result<PlanRecord> {
        self.change_step(ctx, id, Change::Cancel).await
    }

    async fn change_step(&self, ctx: &OpContext, id: StepId, change: Change) -> Result<PlanRecord> {
        let authorized = ctx.authorize::<UseConsole>()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let scheduler = Scheduler::by_member(&scribe, &authorized)?;
        let site = authorized.site();
        let (after, stir) = self
            .store()
            .write(move |tx| {
                let found = step::find(tx, site, id)?.ok_or(Error::NotFound("step"))?;
                let of = plan::find(tx, site, found.plan)?.ok_or(Error::NotFound("plan"))?;
                if of.state != PlanState::Active {
                    return Err(ql_core::step::InvalidStepTransition {
                        from: of.state.as_str(),
                    }
                    .into());
                }
                change.apply(tx, &scheduler, (found, &scribe))?;
                let stir = scheduler.go_on(tx, of.conversation)?;
                Ok::<_, Error>((record(tx, site, of.id)?, stir))
            })
            .await?;
        self.waiting().stir(&stir);
        Ok(after)
    }
}

/// What a person does with a step.
enum Change {
    Reopen,
    Answer(String),
    Cancel,
}

impl Change {
    fn apply(
        &self,
        tx: &mut Tx<'_>,
        scheduler: &Scheduler,
        (found, scribe): (ql_core::step::Step, &Scribe),
    ) -> Result<()> {
        let mut next = found.clone();
        next.attempts = 0;
        match self {
            Self::Reopen => {}
            Self::Cancel => {
                let reason = Reason::new("cancelled_by_member", "");
                return scheduler.cancel(tx, found, reason);
            }
            Self::Answer(answer) => {
                answer.clone_into(&mut next.answer);
                let of = plan::find(tx, scribe.place()?.site, found.plan)?;
                let of = of.ok_or(Error::NotFound("plan"))?;
                let detail = json!({
                    "plan": of.id, "step": found.id, "key": found.key,
                    "answer_sha256": Digest::of(answer.as_bytes()),
                });
                scribe.conversation(tx, of.conversation, ("step.answered", detail))?;
            }
        }
        scheduler.move_step(tx, (found.state, next), StepTransition::Reopen)
    }
}
