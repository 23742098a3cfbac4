//! A production as people look at it.

use ql_core::access::ReadRuns;
use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::ProductionId;
use ql_core::page::{Page, PageRequest};
use ql_core::production::{Cast, Production, ProductionStage};
use ql_core::spending::{Budget, Reservation};
use ql_core::time::Timestamp;
use ql_pipeline::finding::Finding;
use ql_pipeline::pack::Actor as StageActor;
use ql_store::production_exit::Exit;
use ql_store::production_source::ProductionSource;
use ql_store::stage_task::{self, Release, Waiver};
use ql_store::{Tx, production, production_exit, spending};

use super::Director;
use super::follow::has_ended;
use super::made::stored;
use super::situation::Situation;
use super::waiting::{Waiting, following, waiting};
use crate::context::OpContext;
use crate::error::{Error, Result};

/// A production with its stages and what was found.
#[derive(Debug, Clone)]
pub struct ProductionView {
    /// The production.
    pub production: Production,
    /// Its stages, in the policy's order.
    pub stages: Vec<StageView>,
    /// What it waits for, the most pressing first; nothing where all of it is done.
    pub waits: Vec<Waiting>,
    /// Whether it is made under the policy that is served; otherwise nothing of it moves.
    pub is_policy_served: bool,
    /// What it may cost, and how far that is used.
    pub budget: Budget,
    /// Material from outside, by its origin.
    pub sources: Vec<SourceView>,
    /// What people waived.
    pub waivers: Vec<Waiver>,
    /// The ways out that people took, in order.
    pub exits: Vec<Exit>,
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
    /// Who completes it; none where the policy that is served doesn't have it.
    pub by: Option<StageActor>,
    /// The name for people of the role that completes it, where one does.
    pub role: Option<String>,
    /// Whether it stands beside the way to publication.
    pub is_aside: bool,
    /// The digest of its newest document.
    pub output_sha256: Option<Digest>,
    /// What the newest audits of that document found.
    pub findings: Vec<Finding>,
    /// What its tasks have cost.
    pub spent: Spending,
}

/// What was spent, in micro-dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spending {
    /// What is known.
    pub known: i64,
    /// How many answers came of which nobody knows the cost.
    pub unknown: i64,
    /// What of its budget the newest task takes: what was paid, what may have been, and what is
    /// set aside.
    pub committed: i64,
}

/// A piece of material from outside. Its text is shown to people and never followed.
#[derive(Debug, Clone)]
pub struct SourceView {
    /// Where it's from: an address, or a name.
    pub origin: String,
    /// Its media type.
    pub media_type: String,
    /// The digest of its bytes.
    pub sha256: Digest,
    /// Its bytes.
    pub body: Vec<u8>,
    /// What the detector found in it.
    pub findings: Vec<Finding>,
    /// When it was retrieved.
    pub retrieved_at: Timestamp,
    /// Who excluded it, where somebody did.
    pub excluded_by: Option<Actor>,
}

/// A production in the list of all.
#[derive(Debug, Clone)]
pub struct ProductionCard {
    /// The production.
    pub production: Production,
    /// Its stages, in the policy's order, without those that stand beside the way.
    pub stages: Vec<ProductionStage>,
    /// What it waits for, the most pressing first; nothing where all of it is done.
    pub waits: Vec<Waiting>,
    /// Whether people ended it before its end.
    pub has_ended: bool,
}

/// A role and who plays it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleView {
    /// The role.
    pub role: String,
    /// Its number in the policy.
    pub number: u8,
    /// Its name for people.
    pub name: String,
    /// What it is to do.
    pub task: String,
    /// Whether a stage is completed by it.
    pub is_needed: bool,
    /// Who plays it.
    pub by: Option<Cast>,
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
                director.look(tx, &situation)
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

    /// The site's productions with what each waits for, newest first.
    pub async fn list_cards(
        &self,
        ctx: &OpContext,
        page: PageRequest,
    ) -> Result<Page<ProductionCard>> {
        let site = ctx.authorize::<ReadRuns>()?.site();
        let director = self.clone();
        self.app
            .store()
            .read(move |tx| {
                let found = production::list(tx, site, &page)?;
                let mut cards = Vec::with_capacity(found.items.len());
                for production in found.items {
                    cards.push(director.card(tx, production)?);
                }
                Ok::<_, Error>(Page {
                    items: cards,
                    next: found.next,
                })
            })
            .await
    }

    /// Every role of the policy with who plays it on the site.
    pub async fn list_cast(&self, ctx: &OpContext) -> Result<Vec<RoleView>> {
        let site = ctx.authorize::<ReadRuns>()?.site();
        let found = self
            .app
            .store()
            .read(move |tx| Ok::<_, Error>(production::cast_of(tx, site)?))
            .await?;
        let by = |role: &str| found.iter().find(|of| of.role == role).cloned();
        let stages = &self.pack().stages;
        let completes = |role: &str| {
            let by = stages.iter().map(|stage| &stage.by);
            by.into_iter()
                .any(|by| matches!(by, StageActor::Role(of) if of == role))
        };
        let roles = self.pack().roles.iter().map(|role| RoleView {
            is_needed: completes(&role.id),
            role: role.id.clone(),
            number: role.number,
            name: role.name.clone(),
            task: role.task.clone(),
            by: by(&role.id),
        });
        Ok(roles.collect())
    }

    fn card(&self, tx: &mut Tx<'_>, production: Production) -> Result<ProductionCard> {
        let mut stages = production::stages(tx, production.id)?;
        let waits = waiting(self.pack(), &stages);
        stages.retain(|of| !self.is_aside(&of.stage));
        Ok(ProductionCard {
            has_ended: has_ended(tx, production.id)?,
            production,
            stages,
            waits,
        })
    }

    pub(super) fn look(&self, tx: &mut Tx<'_>, situation: &Situation) -> Result<ProductionView> {
        let production = situation.production.clone();
        let spent = stage_task::spent(tx, production.id)?;
        let reserved = spending::of_production(tx, production.id)?;
        let committed = |stage: &ProductionStage| {
            let newest = reserved.iter().filter(|of| Some(of.task) == stage.task);
            newest.map(Reservation::committed).sum()
        };
        let stages = situation.stages.iter().map(|stage| {
            let of = spent.iter().find(|(of, ..)| *of == stage.stage);
            let (known, unknown) = of.map_or((0, 0), |(_, known, unknown)| (*known, *unknown));
            let spent = Spending {
                known,
                unknown,
                committed: committed(stage),
            };
            self.view(situation, stage, spent)
        });
        let sources = situation.sources.iter().map(source);
        let mut waits = waiting(self.pack(), &situation.stages);
        if super::publish::is_followed(tx, situation)? {
            following(self.pack(), &mut waits);
        }
        Ok(ProductionView {
            stages: stages.collect(),
            waits,
            budget: spending::find(tx, production.id)?.ok_or(Error::NotFound("budget"))?,
            is_policy_served: self.is_policy_of(situation),
            sources: sources.collect::<Result<_>>()?,
            waivers: stage_task::waivers(tx, production.id)?,
            exits: production_exit::list(tx, production.id)?,
            release: stage_task::find_release(tx, production.id)?,
            production,
        })
    }

    fn is_aside(&self, stage: &str) -> bool {
        self.pack().stage(stage).is_some_and(|stage| stage.side)
    }

    fn view(&self, situation: &Situation, stage: &ProductionStage, spent: Spending) -> StageView {
        let made = situation.made(&stage.stage);
        let newest = made.filter(|made| Some(made.task.id) == stage.task);
        let findings = match (newest, situation.unanswered.get(&stage.stage)) {
            (None, Some(findings)) => findings.clone(),
            (Some(_), _) | (None, None) => {
                made.map(|made| made.findings.clone()).unwrap_or_default()
            }
        };
        let of = self.pack().stage(&stage.stage);
        let role = of.and_then(|of| match &of.by {
            StageActor::Role(role) => self.pack().role(role),
            StageActor::Human | StageActor::Server => None,
        });
        StageView {
            role: role.map(|role| role.name.clone()),
            name: of.map_or(&stage.stage, |of| &of.name).clone(),
            by: of.map(|of| of.by.clone()),
            is_aside: self.is_aside(&stage.stage),
            output_sha256: made.map(|made| made.output_sha256),
            findings,
            stage: stage.clone(),
            spent,
        }
    }
}

fn source(of: &ProductionSource) -> Result<SourceView> {
    Ok(SourceView {
        origin: of.origin.clone(),
        media_type: of.media_type.clone(),
        sha256: of.sha256,
        body: of.body.clone(),
        findings: stored(of.findings.clone())?,
        retrieved_at: of.retrieved_at,
        excluded_by: of.excluded_by,
    })
}
