//! A production as people look at it.

use ql_core::access::ReadRuns;
use ql_core::hash::Digest;
use ql_core::id::ProductionId;
use ql_core::page::{Page, PageRequest};
use ql_core::production::{Production, ProductionStage};
use ql_pipeline::finding::Finding;
use ql_store::production;
use ql_store::stage_task::{self, Release, Waiver};

use super::Director;
use super::situation::Situation;
use crate::context::OpContext;
use crate::error::{Error, Result};

/// A production with its stages and what was found.
#[derive(Debug, Clone)]
pub struct ProductionView {
    /// The production.
    pub production: Production,
    /// Its stages, in the policy's order.
    pub stages: Vec<StageView>,
    /// What people waived.
    pub waivers: Vec<Waiver>,
    /// What was sealed last.
    pub release: Option<Release>,
}

/// A stage with what was found in its document.
#[derive(Debug, Clone)]
pub struct StageView {
    /// Where it stands.
    pub stage: ProductionStage,
    /// Its name for people.
    pub name: String,
    /// The digest of its newest document.
    pub output_sha256: Option<Digest>,
    /// What the newest audits of that document found.
    pub findings: Vec<Finding>,
}

impl Director {
    /// A production of the site.
    ///
    /// # Errors
    /// [`Error::NotFound`] where the site has none of that id.
    pub async fn get_production(
        &self,
        ctx: &OpContext,
        id: ProductionId,
    ) -> Result<ProductionView> {
        let site = ctx.authorize::<ReadRuns>()?.site();
        let director = self.clone();
        self.app
            .store()
            .read(move |tx| {
                let situation = Situation::read(tx, site, id, None)?;
                let stages = situation
                    .stages
                    .iter()
                    .map(|stage| director.view(&situation, stage));
                Ok(ProductionView {
                    stages: stages.collect(),
                    waivers: stage_task::waivers(tx, id)?,
                    release: stage_task::find_release(tx, id)?,
                    production: situation.production.clone(),
                })
            })
            .await
    }

    /// The site's productions, newest first.
    pub async fn list_productions(
        &self,
        ctx: &OpContext,
        page: PageRequest,
    ) -> Result<Page<Production>> {
        let site = ctx.authorize::<ReadRuns>()?.site();
        self.app
            .store()
            .read(move |tx| Ok::<_, Error>(production::list(tx, site, &page)?))
            .await
    }

    fn view(&self, situation: &Situation, stage: &ProductionStage) -> StageView {
        let made = situation.made(&stage.stage);
        let name = self
            .pack()
            .stage(&stage.stage)
            .map_or(&stage.stage, |of| &of.name);
        let newest = made.filter(|made| Some(made.task.id) == stage.task);
        let findings = match (newest, situation.unanswered.get(&stage.stage)) {
            (None, Some(findings)) => findings.clone(),
            (Some(_), _) | (None, None) => {
                made.map(|made| made.findings.clone()).unwrap_or_default()
            }
        };
        StageView {
            name: name.clone(),
            output_sha256: made.map(|made| made.output_sha256),
            findings,
            stage: stage.clone(),
        }
    }
}
