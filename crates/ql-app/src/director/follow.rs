//! Stages that follow a decision which people make elsewhere: on a proposal of the site.

use ql_core::actor::Actor;
use ql_core::id::{JobId, ProductionId, ProposalId};
use ql_core::production::{StageState, StageTransition};
use ql_core::time::minutes;
use ql_store::{Tx, production, production_exit};
use serde_json::json;

use super::Director;
use super::outlet::Parcel;
use super::publish::executed_at;
use super::situation::Board;
use super::worker::Work;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::job::finish;

/// Has a production look at a proposal that was carried out, where it is its release or its
/// withdrawal.
pub(crate) fn executed(tx: &mut Tx<'_>, scribe: &Scribe, id: ProposalId) -> Result<()> {
    let Some(production) = production_exit::find_by_proposal(tx, id)? else {
        return Ok(());
    };
    for stage in production::stages(tx, production)? {
        if stage.state != StageState::Ready {
            continue;
        }
        let job = JobId::mint(scribe.ids(), scribe.at);
        let place = (production, scribe.site()?);
        Director::schedule(tx, place, (&stage.stage, job), scribe.at)?;
    }
    Ok(())
}

impl Director {
    /// Passes a person's stage whose proposal was carried out; leaves any other to the person.
    pub(super) async fn follow(&self, work: Work) -> Result<()> {
        let (id, board) = (work.id, work.situation.board.clone());
        let (stage, is_exit) = (work.stage.clone(), work.stage.side);
        let director = self.clone();
        let is_done = self
            .app
            .store()
            .read(move |tx| {
                if is_exit {
                    return is_withdrawn(tx, &board, &stage.id);
                }
                let gates = director.pack().before(&stage.id);
                let sealed = gates.iter().any(|gate| director.pack().seals(gate));
                Ok(sealed && super::publish::is_live(tx, &board)?)
            })
            .await?;
        if !is_done {
            return self.drop_job(work.lease).await;
        }
        if is_exit && let Err(why) = self.send_withdrawal(&work).await? {
            tracing::error!(why, production = %id, "a withdrawal couldn't be sent out");
            return self.try_later(work, minutes(1)).await;
        }
        let scribe = Scribe::on_site(&self.app, Actor::System, work.place);
        let (director, jobs) = (self.clone(), self.job_ids(&scribe));
        self.app
            .store()
            .write(move |tx| {
                let board = Board::read(tx, work.place.site, id)?;
                let passed = (work.stage.id.as_str(), StageTransition::Pass);
                Self::move_stage(tx, &board, passed, scribe.at)?;
                if !work.stage.side {
                    director.free(tx, (id, work.place), (&jobs, &scribe))?;
                }
                let detail = json!({"production": id, "stage": work.stage.id});
                scribe.administration(tx, "production.stage_followed", detail)?;
                finish(tx, &work.lease, &scribe, None)
            })
            .await
    }

    async fn send_withdrawal(&self, work: &Work) -> Result<std::result::Result<(), String>> {
        let id = work.id;
        let (release, exits) = self
            .app
            .store()
            .read(move |tx| {
                let release = ql_store::stage_task::find_release(tx, id)?;
                Ok::<_, Error>((release, production_exit::list(tx, id)?))
            })
            .await?;
        let (Some(release), Some(exit)) = (release, exits.last()) else {
            return Ok(Ok(()));
        };
        let told = json!({
            "production": id, "release": release.number, "reason": exit.reason,
            "manifest_sha256": release.manifest_sha256, "withdrawn_at": exit.at,
        });
        let parcel = Parcel {
            production: id,
            release: release.number,
            kind: "withdrawal",
            files: vec![("withdrawn.json".to_owned(), told.to_string().into_bytes())],
            made_files: Vec::new(),
        };
        Ok(self.send(work.place, &parcel).await?.map(drop))
    }
}

/// Whether the proposal that takes the page off the site was carried out.
fn is_withdrawn(tx: &mut Tx<'_>, board: &Board, stage: &str) -> Result<bool> {
    let exits = production_exit::list(tx, board.production.id)?;
    let own = exits.into_iter().rfind(|exit| exit.stage == stage);
    let Some(asked) = own.and_then(|exit| exit.proposal) else {
        return Ok(false);
    };
    Ok(executed_at(tx, board.production.site, asked)?.is_some())
}

/// Whether a production has ended: a way out was taken after which nothing is done again.
pub(super) fn has_ended(tx: &mut Tx<'_>, id: ProductionId) -> Result<bool> {
    let exits = production_exit::list(tx, id)?;
    Ok(exits.iter().any(|exit| exit.reopened.is_none()))
}
