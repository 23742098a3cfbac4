//! Ways out of a production: a correction has a stage done again, a withdrawal ends it. Both go the
//! way of everything else: what is live changes by a proposal that people approve.

use ql_core::access::Decide;
use ql_core::id::{JobId, ProductionId, ProposalId};
use ql_core::production::{StageState, StageTransition};
use ql_core::proposal::{Items, Payload, PublishItem};
use ql_core::run::{FinishRequest, Outcome};
use ql_pipeline::pack::Stage;
use ql_store::production_exit::{self, Exit};
use ql_store::stage_task::{self, Release};
use ql_store::{Tx, job};
use serde_json::json;

use super::follow::has_ended;
use super::situation::Board;
use super::{Director, STAGE_JOB, subject};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::idempotency::IdempotencyKey;
use crate::proposal::NewProposal;
use crate::run::BeginRun;
use crate::text::Checks;

/// The run in which a page is asked to be taken off the site.
const WITHDRAWAL: &str = "release-withdrawal";

/// A way out to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewExit {
    /// The way out, a stage of the policy that is marked as one.
    pub stage: String,
    /// Why.
    pub reason: String,
    /// The stage that is done again; none where the production ends here.
    pub reopen: Option<String>,
}

impl Director {
    /// Takes a way out. Where it ends the production and its page is live, the page is asked to be
    /// taken off the site, and the way out is done once that was approved and carried out; the
    /// answer names that proposal.
    ///
    /// # Errors
    /// [`Error::NotFound`] for what isn't a way out, [`Error::Invalid`] where it can't be taken yet
    /// or the production has ended.
    pub async fn take_exit(
        &self,
        ctx: &OpContext,
        id: ProductionId,
        new: NewExit,
    ) -> Result<Option<ProposalId>> {
        let authorized = ctx.authorize::<Decide>()?;
        let mut checks = Checks::default();
        checks.text("/reason", &new.reason, 1000);
        checks.finish()?;
        let way_out = self.pack().stage(&new.stage).filter(|stage| stage.side);
        let way_out = way_out.ok_or(Error::NotFound("way out"))?.clone();
        let again = match &new.reopen {
            Some(stage) => Some(self.stage_to_reopen(stage)?),
            None => None,
        };
        let (site, looked_at) = (authorized.site(), way_out.clone());
        let director = self.clone();
        let live = self
            .app
            .store()
            .read(move |tx| {
                let board = Board::read(tx, site, id)?;
                director.can_leave(tx, &board, &looked_at)?;
                let is_live = super::publish::is_live(tx, &board)?;
                let release = stage_task::find_release(tx, id)?;
                Ok::<_, Error>(release.filter(|_| is_live))
            })
            .await?;
        let proposal = match (&again, live) {
            (None, Some(release)) => Some(self.ask_to_withdraw(ctx, id, &release, &new).await?),
            (None, None) | (Some(_), _) => None,
        };
        let scribe = Scribe::on_site(&self.app, authorized.actor(), authorized.place());
        let (director, job) = (self.clone(), JobId::mint(scribe.ids(), scribe.at));
        self.app
            .store()
            .write(move |tx| {
                let board = Board::read(tx, authorized.site(), id)?;
                director.can_leave(tx, &board, &way_out)?;
                let exit = Exit {
                    number: 0,
                    stage: way_out.id.clone(),
                    reason: new.reason.trim().to_owned(),
                    reopened: again.as_ref().map(|stage| stage.id.clone()),
                    proposal,
                    by: scribe.actor,
                    at: scribe.at,
                };
                production_exit::take(tx, &authorized, id, &exit)?;
                match &again {
                    Some(again) => director.reopen_in(tx, &board, again, (job, &scribe))?,
                    None => Self::end_in(tx, &board, &scribe)?,
                }
                Self::leave_by(tx, &board, &exit)?;
                let detail = json!({
                    "production": id, "stage": exit.stage, "reopened": exit.reopened,
                    "proposal": proposal,
                });
                scribe.administration(tx, "production.exit_taken", detail)?;
                Ok(proposal)
            })
            .await
    }

    fn stage_to_reopen(&self, id: &str) -> Result<Stage> {
        let stage = self.pack().stage(id).filter(|stage| !stage.side);
        Ok(stage.ok_or(Error::NotFound("stage"))?.clone())
    }

    /// Whether a way out can be taken as things stand.
    fn can_leave(&self, tx: &mut Tx<'_>, board: &Board, way_out: &Stage) -> Result<()> {
        self.require_policy(board)?;
        require_open(tx, board.production.id)?;
        let passed = board.passed();
        let missing = way_out
            .needs
            .iter()
            .find(|need| !passed.contains(need.as_str()));
        match missing {
            Some(need) => {
                let message = format!("this comes after `{need}`, which isn't done");
                Err(Error::invalid("/stage", "too_early", message))
            }
            None => Ok(()),
        }
    }

    /// Ends everything that is still under way.
    fn end_in(tx: &mut Tx<'_>, board: &Board, scribe: &Scribe) -> Result<()> {
        let production = &board.production;
        for stage in &board.stages {
            if stage.state == StageState::Passed {
                continue;
            }
            let subject = subject(production.id, &stage.stage);
            job::cancel(tx, STAGE_JOB, &subject, production.site, scribe.at)?;
            if stage.state != StageState::Waiting {
                let reset = (stage.stage.as_str(), StageTransition::Reset);
                Self::move_stage(tx, board, reset, scribe.at)?;
            }
        }
        Ok(())
    }

    /// The way out is taken: it's done, or waits for the page to be taken off the site.
    fn leave_by(tx: &mut Tx<'_>, board: &Board, exit: &Exit) -> Result<()> {
        let before = board.stage(&exit.stage)?.clone();
        let mut state = StageState::Waiting.apply(StageTransition::Free)?;
        if exit.proposal.is_none() {
            state = state.apply(StageTransition::Pass)?;
        }
        let after = ql_core::production::ProductionStage {
            state,
            updated_at: exit.at,
            ..before.clone()
        };
        Self::replace_stage(tx, board, (&before, &after))
    }

    /// Asks for the page to be taken off the site, in the name of the role that publishes.
    async fn ask_to_withdraw(
        &self,
        ctx: &OpContext,
        id: ProductionId,
        release: &Release,
        new: &NewExit,
    ) -> Result<ProposalId> {
        let sender = self.publisher(ctx.site()?).await?;
        let arguments = json!({"production": id, "release": release.number, "reason": new.reason});
        let key = |tool: &'static str| {
            let key = format!("{id}:{}:{WITHDRAWAL}", release.number);
            Some(IdempotencyKey::new(tool, key, &arguments))
        };
        let begin = BeginRun {
            run_type: WITHDRAWAL.to_owned(),
            input: arguments.clone(),
            required_outputs: Vec::new(),
            completion_conditions: Vec::new(),
        };
        let app = &self.app;
        let run = app
            .begin_run(&sender, begin, key("begin_run"))
            .await?
            .run_id;
        let item = PublishItem::Unpublish {
            content_id: release.content,
        };
        let proposal = NewProposal {
            run: Some(run),
            title: Some("Withdraw a production".to_owned()),
            rationale: new.reason.trim().to_owned(),
            payload: Payload::PublishLifecycle(Items { items: vec![item] }),
            pointer: "/items",
        };
        let asked = app
            .create_proposal(&sender, proposal, key("propose_withdrawal"))
            .await?;
        let request = FinishRequest {
            summary: format!("Withdrawal of production {id}"),
            ..FinishRequest::default()
        };
        let ended = (run, Outcome::Completed);
        app.finish_run(&sender, ended, request, key("finish_run"))
            .await?;
        Ok(asked.proposal_id)
    }
}

/// Refuses what would move a production that has ended.
pub(super) fn require_open(tx: &mut Tx<'_>, id: ProductionId) -> Result<()> {
    if has_ended(tx, id)? {
        let message = "the production was ended by a way out; start another one";
        return Err(Error::invalid("/production", "ended", message));
    }
    Ok(())
}
