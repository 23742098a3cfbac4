//! Where a production stands, read in one transaction.

use std::collections::{BTreeMap, BTreeSet};

use ql_core::hash::Digest;
use ql_core::id::{ProductionId, SiteId};
use ql_core::production::{Production, ProductionStage, ProviderCall, StageState, StageTask};
use ql_pipeline::attestation::Attested;
use ql_pipeline::audit::Part;
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::Output;
use ql_pipeline::envelope::output::Script;
use ql_pipeline::envelope::task::Line;
use ql_pipeline::finding::Finding;
use ql_store::production_exit::Exit;
use ql_store::production_source::ProductionSource;
use ql_store::stage_task::Release;
use ql_store::{Tx, production, production_exit, production_source, stage_task};

use super::made::{Made, stored};
use crate::error::{Error, Result};

/// A production with its stages: all that moving one needs.
#[derive(Debug, Clone)]
pub(super) struct Board {
    pub(super) production: Production,
    pub(super) stages: Vec<ProductionStage>,
}

impl Board {
    /// Reads a production of the site with its stages.
    pub(super) fn read(tx: &mut Tx<'_>, site: SiteId, id: ProductionId) -> Result<Self> {
        let production = production::find(tx, site, id)?.ok_or(Error::NotFound("production"))?;
        let stages = production::stages(tx, id)?;
        Ok(Self { production, stages })
    }

    /// A stage of it.
    pub(super) fn stage(&self, id: &str) -> Result<&ProductionStage> {
        self.stages
            .iter()
            .find(|stage| stage.stage == id)
            .ok_or(Error::NotFound("stage"))
    }

    /// The stages that are done.
    pub(super) fn passed(&self) -> BTreeSet<&str> {
        let passed = self
            .stages
            .iter()
            .filter(|stage| stage.state == StageState::Passed);
        passed.map(|stage| stage.stage.as_str()).collect()
    }
}

/// Where a production stands, with everything that was made and said of it.
#[derive(Debug, Clone)]
pub(super) struct Situation {
    pub(super) board: Board,
    /// The newest document of each stage that has one, in the stages' order.
    pub(super) made: Vec<Made>,
    /// What is wrong with the newest task of each stage that has no answer, where something is.
    pub(super) unanswered: BTreeMap<String, Vec<Finding>>,
    pub(super) waived: BTreeSet<Digest>,
    /// The ways out that were taken.
    pub(super) exits: Vec<Exit>,
    /// What was sealed last.
    pub(super) release: Option<Release>,
    pub(super) sources: Vec<ProductionSource>,
    /// The newest task of the stage that is looked at, with the calls for it.
    pub(super) current: Option<(StageTask, Vec<ProviderCall>)>,
}

impl std::ops::Deref for Situation {
    type Target = Board;

    fn deref(&self) -> &Board {
        &self.board
    }
}

impl Situation {
    /// Reads where a production stands, with an eye to one of its stages.
    pub(super) fn read(
        tx: &mut Tx<'_>,
        site: SiteId,
        id: ProductionId,
        stage: Option<&str>,
    ) -> Result<Self> {
        let board = Board::read(tx, site, id)?;
        let (mut made, mut current) = (Vec::new(), None);
        let mut unanswered = BTreeMap::new();
        for of in &board.stages {
            let Some(task) = of.task else { continue };
            let task = stage_task::find(tx, task)?.ok_or(Error::NotFound("task"))?;
            if stage == Some(of.stage.as_str()) {
                current = Some((task.clone(), stage_task::calls(tx, task.id)?));
            }
            if let StageState::NeedsReview { .. } = of.state
                && let Some(audit) = stage_task::audits(tx, task.id)?.pop()
            {
                unanswered.insert(of.stage.clone(), stored(audit.findings)?);
            }
            made.extend(Self::newest(tx, task)?);
        }
        Ok(Self {
            waived: stage_task::waivers(tx, id)?
                .into_iter()
                .map(|waiver| waiver.fingerprint)
                .collect(),
            sources: production_source::list(tx, id)?,
            exits: production_exit::list(tx, id)?,
            release: stage_task::find_release(tx, id)?,
            board,
            made,
            unanswered,
            current,
        })
    }

    /// The answer to a task; while it has none, the one to the attempt before it.
    fn newest(tx: &mut Tx<'_>, task: StageTask) -> Result<Option<Made>> {
        let (production, stage, attempt) = (task.production, task.stage.clone(), task.attempt);
        if let Some(made) = Made::find(tx, task)? {
            return Ok(Some(made));
        }
        for earlier in (1..attempt).rev() {
            let task = stage_task::find_attempt(tx, production, &stage, earlier)?;
            if let Some(made) = task.map(|task| Made::find(tx, task)).transpose()?.flatten() {
                return Ok(Some(made));
            }
        }
        Ok(None)
    }

    /// The newest document of a stage.
    pub(super) fn made(&self, stage: &str) -> Option<&Made> {
        self.made.iter().find(|made| made.task.stage == stage)
    }

    /// The documents that count: those of stages that are done.
    pub(super) fn accepted(&self) -> impl Iterator<Item = &Made> {
        let passed = self.passed();
        self.made
            .iter()
            .filter(move |made| passed.contains(made.task.stage.as_str()))
    }

    /// What reviewers said in documents that count, without those of one stage.
    pub(super) fn attested(&self, without: &str) -> Vec<Attested> {
        let others = self.accepted().filter(|made| made.task.stage != without);
        others.flat_map(|made| made.attested.clone()).collect()
    }

    /// The script that counts.
    pub(super) fn script(&self) -> Option<&Script> {
        self.accepted().find_map(|made| match &made.output {
            Output::Script(script) => Some(script),
            _ => None,
        })
    }

    /// The parts of the work that people see, for the terms of translations.
    pub(super) fn parts(&self, ground: &ql_pipeline::audit::Ground) -> Vec<Part> {
        let is_seen = |kind| {
            matches!(
                kind,
                DocKind::Script | DocKind::Metadata | DocKind::Shorts | DocKind::Thumbnail
            )
        };
        self.accepted()
            .filter(|made| is_seen(made.envelope.doc_kind))
            .map(|made| {
                ground.part(
                    made.envelope.doc_kind,
                    &self.production.medium,
                    &made.output,
                    &made.result,
                )
            })
            .collect()
    }

    /// Why people had a stage done again that was done.
    pub(super) fn corrections(&self, stage: &str) -> Vec<Line> {
        let own = |exit: &&Exit| exit.reopened.as_deref() == Some(stage);
        let own = self.exits.iter().filter(own);
        own.map(|exit| Line(exit.reason.clone())).collect()
    }

    /// Where material that is still given is from.
    pub(super) fn retrieved(&self) -> Vec<String> {
        let given = self
            .sources
            .iter()
            .filter(|source| source.excluded_by.is_none());
        given.map(|source| source.origin.clone()).collect()
    }
}
