//! What people say to a production: approve, have done again, waive.

use ql_core::access::{Decide, DirectProductions, Principal};
use ql_core::hash::Digest;
use ql_core::id::{JobId, ProductionId};
use ql_core::production::{ProductionStage, StageTransition};
use ql_core::time::Timestamp;
use ql_pipeline::finding::Finding;
use ql_pipeline::pack::{Actor, Stage};
use ql_store::stage_task::{self, Waiver};
use ql_store::{Tx, job};
use serde_json::json;

use super::exit::require_open;
use super::situation::{Board, Situation};
use super::{Director, STAGE_JOB, subject};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::text::Checks;

impl Director {
    /// A person completes a stage that is a person's to complete. After a gate that asks for a
    /// fresh proof of who it is, as high-risk proposals do.
    ///
    /// # Errors
    /// [`Error::InvalidStageTransition`] for a stage that can't be completed now,
    /// [`Error::NotFound`] for one that isn't a person's, [`Error::ReauthenticationRequired`].
    pub async fn approve_stage(
        &self,
        ctx: &OpContext,
        id: ProductionId,
        stage: &str,
    ) -> Result<()> {
        let authorized = ctx.authorize::<Decide>()?;
        let of = self
            .pack()
            .stage(stage)
            .filter(|stage| stage.by == Actor::Human && !stage.side);
        let of = of.ok_or(Error::NotFound("stage of a person"))?.id.clone();
        let scribe = Scribe::on_site(&self.app, authorized.actor(), authorized.place());
        if self.asks_proof(&of) {
            require_fresh(ctx, scribe.at)?;
        }
        let (director, jobs) = (self.clone(), self.job_ids(&scribe));
        self.app
            .store()
            .write(move |tx| {
                let board = Board::read(tx, authorized.site(), id)?;
                director.require_policy(&board)?;
                require_open(tx, id)?;
                director.is_approvable(tx, &board, &of)?;
                Self::move_stage(tx, &board, (&of, StageTransition::Pass), scribe.at)?;
                director.free(tx, (id, authorized.place()), (&jobs, &scribe))?;
                let detail = json!({"production": id, "stage": of});
                scribe.administration(tx, "production.stage_approved", detail)?;
                Ok(())
            })
            .await
    }

    /// Has a stage done again; what comes after it waits for it anew.
    ///
    /// # Errors
    /// [`Error::InvalidStageTransition`] where the stage isn't done or held.
    pub async fn reopen_stage(&self, ctx: &OpContext, id: ProductionId, stage: &str) -> Result<()> {
        let authorized = ctx.authorize::<DirectProductions>()?;
        let of = self
            .pack()
            .stage(stage)
            .filter(|stage| !stage.side)
            .ok_or(Error::NotFound("stage"))?
            .clone();
        let scribe = Scribe::on_site(&self.app, authorized.actor(), authorized.place());
        let (director, job) = (self.clone(), JobId::mint(scribe.ids(), scribe.at));
        self.app
            .store()
            .write(move |tx| {
                let board = Board::read(tx, authorized.site(), id)?;
                director.require_policy(&board)?;
                require_open(tx, id)?;
                director.reopen_in(tx, &board, &of, (job, &scribe))?;
                let detail = json!({"production": id, "stage": of.id});
                scribe.administration(tx, "production.stage_reopened", detail)?;
                Ok(())
            })
            .await
    }

    /// Has a stage done again, and resets what comes after it.
    pub(super) fn reopen_in(
        &self,
        tx: &mut Tx<'_>,
        board: &Board,
        of: &Stage,
        (job, scribe): (JobId, &Scribe),
    ) -> Result<()> {
        let (id, site) = (board.production.id, board.production.site);
        Self::move_stage(tx, board, (&of.id, StageTransition::Reopen), scribe.at)?;
        for after in self.pack().after(&of.id) {
            // Ways out that were taken stay taken.
            if after.side {
                continue;
            }
            // Whoever works on it now finds its job gone, and nothing of it is kept.
            let subject = subject(id, &after.id);
            job::cancel(tx, STAGE_JOB, &subject, site, scribe.at)?;
            let reset = (after.id.as_str(), StageTransition::Reset);
            Self::move_stage(tx, board, reset, scribe.at)?;
        }
        if of.by != Actor::Human {
            Self::schedule(tx, (id, site), (&of.id, job), scribe.at)?;
        }
        Ok(())
    }

    /// Waives a finding of a document, with a reason and a fresh proof of who waives it. What the
    /// document is worth is computed anew when its stage is done again or passes its next gate.
    ///
    /// # Errors
    /// [`Error::NotFound`] where no document has the finding, [`Error::Invalid`] where nobody may
    /// waive it, [`Error::ReauthenticationRequired`].
    pub async fn waive(
        &self,
        ctx: &OpContext,
        id: ProductionId,
        (fingerprint, reason): (Digest, &str),
    ) -> Result<()> {
        let authorized = ctx.authorize::<Decide>()?;
        let mut checks = Checks::default();
        checks.text("/reason", reason, 2000);
        checks.finish()?;
        let scribe = Scribe::on_site(&self.app, authorized.actor(), authorized.place());
        require_fresh(ctx, scribe.at)?;
        let reason = reason.trim().to_owned();
        self.app
            .store()
            .write(move |tx| {
                let situation = Situation::read(tx, authorized.site(), id, None)?;
                let is_it = |finding: &&Finding| finding.fingerprint() == fingerprint;
                let mut all = situation.made.iter().flat_map(|made| &made.findings);
                let finding = all.find(is_it).ok_or(Error::NotFound("finding"))?;
                if !finding.code.is_waivable() {
                    let message = format!("nobody may waive {}; mend it", finding.code.as_str());
                    return Err(Error::invalid("/fingerprint", "not_waivable", message));
                }
                let waiver = Waiver {
                    fingerprint,
                    code: finding.code.as_str().to_owned(),
                    reason: reason.clone(),
                    by: scribe.actor,
                    at: scribe.at,
                };
                stage_task::waive(tx, &authorized, id, &waiver)?;
                let detail = json!({
                    "production": id, "code": waiver.code, "fingerprint": fingerprint,
                    "reason_sha256": Digest::of(reason.as_bytes()),
                });
                scribe.administration(tx, "production.finding_waived", detail)?;
                Ok(())
            })
            .await
    }

    /// Whether approving a stage asks for a fresh proof: where it stands after a gate, so that what
    /// is approved goes on towards the public. After the gate that seals, the proposal asked for it.
    pub(super) fn asks_proof(&self, stage: &str) -> bool {
        let before = self.pack().before(stage);
        let is_sealed = before.iter().any(|of| self.pack().seals(of));
        !is_sealed && before.iter().any(|of| of.by == Actor::Server)
    }

    /// Moves a stage, from where it was read to be.
    pub(super) fn move_stage(
        tx: &mut Tx<'_>,
        board: &Board,
        (id, transition): (&str, StageTransition),
        at: Timestamp,
    ) -> Result<()> {
        let before = board.stage(id)?;
        let after = ProductionStage {
            state: before.state.apply(transition)?,
            updated_at: at,
            ..before.clone()
        };
        Self::replace_stage(tx, board, (before, &after))
    }

    /// Whether a person may complete a stage now: the publication by what became of its proposal.
    fn is_approvable(&self, tx: &mut Tx<'_>, board: &Board, stage: &str) -> Result<()> {
        let gates = self.pack().before(stage);
        let sealed = gates.iter().any(|gate| self.pack().seals(gate));
        if sealed && !super::publish::is_live(tx, board)? {
            let message = "approve the proposal to publish; the stage follows it";
            return Err(Error::invalid("/stage", "needs_approval", message));
        }
        Ok(())
    }
}

fn require_fresh(ctx: &OpContext, at: Timestamp) -> Result<()> {
    match ctx.principal() {
        Principal::Member(member) if member.credential.is_fresh(at) => Ok(()),
        _ => Err(Error::ReauthenticationRequired),
    }
}
