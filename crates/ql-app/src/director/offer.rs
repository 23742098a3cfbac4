//! Stages that an agent comes for, instead of a provider that is asked.

use ql_core::actor::Actor;
use ql_core::production::PlayedBy;
use ql_pipeline::pack::Role;
use ql_store::{job, production};

use super::Director;
use super::worker::Work;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::job::lost;

impl Director {
    /// Whether the agent itself does the work of a stage. What is published goes out through the
    /// server alone, whoever plays the role.
    pub(super) async fn is_for_agent(&self, work: &Work, role: &Role) -> Result<bool> {
        if self.pack().publishes(&work.stage) {
            return Ok(false);
        }
        let (site, role) = (work.place.site, role.id.clone());
        let cast = self
            .app
            .store()
            .read(move |tx| Ok::<_, Error>(production::find_cast(tx, site, &role)?))
            .await?;
        Ok(cast.is_some_and(|cast| cast.played_by == PlayedBy::Agent))
    }

    /// Leaves a stage to the agent that plays its role.
    pub(super) async fn offer(&self, work: Work) -> Result<()> {
        let scribe = Scribe::on_site(&self.app, Actor::System, work.place);
        self.app
            .store()
            .write(move |tx| {
                let now = tx.lease_clock(scribe.at)?;
                if job::offer(tx, &work.lease, now)? {
                    return Ok(());
                }
                Err(lost(&work.lease))
            })
            .await
    }
}
