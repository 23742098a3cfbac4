//! A stage of a production as people look at it: its document, what was found and attested, and
//! every task that was put for it.

use ql_core::access::ReadRuns;
use ql_core::hash::Digest;
use ql_core::id::{ConnectionId, ProductionId, RunId, SiteId};
use ql_core::production::{ProductionStage, ProviderCall, StageState, StageTask};
use ql_pipeline::attestation::Attested;
use ql_pipeline::finding::Finding;
use ql_pipeline::pack::{RuleKind, Stage};
use ql_store::stage_task::{self, AuditRecord};
use ql_store::{Tx, run};
use serde_json::Value;

use super::Director;
use super::made::Made;
use super::situation::{Board, Situation};
use super::view::{ProductionView, StageView};
use crate::context::OpContext;
use crate::error::{Error, Result};

/// A stage with all that is known of it.
#[derive(Debug, Clone)]
pub struct StageDetail {
    /// The production that it is a stage of.
    pub of: ProductionView,
    /// The stage.
    pub stage: StageView,
    /// Whether a person must have proved itself anew to approve it.
    pub asks_proof: bool,
    /// Whether it follows the proposal to publish what was sealed.
    pub follows_proposal: bool,
    /// The names of the stages that wait for this one alone or with others.
    pub next: Vec<String>,
    /// How many stages wait anew when it's done again.
    pub after: usize,
    /// Its newest document; of a stage without documents, those that it judges.
    pub documents: Vec<DocumentView>,
    /// What was found in an answer that came to nothing, where the newest one did.
    pub unanswered: Vec<Finding>,
    /// The rules that it requires, each with what reviewers said of it.
    pub rules: Vec<RuleView>,
    /// Every task that was put for it, the newest first.
    pub tasks: Vec<TaskView>,
}

/// A document with what was found in it.
#[derive(Debug, Clone)]
pub struct DocumentView {
    /// The stage that made it.
    pub stage: String,
    /// That stage's name for people.
    pub name: String,
    /// What kind of document it is, such as `script`.
    pub kind: &'static str,
    /// The attempt that it is of.
    pub attempt: i64,
    /// The result envelope, of which the document is `output`.
    pub result: Value,
    /// The digest of the document.
    pub output_sha256: Digest,
    /// What the newest audits found.
    pub findings: Vec<Finding>,
}

/// A rule with what was said of it.
#[derive(Debug, Clone)]
pub struct RuleView {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// What it asks.
    pub question: String,
    /// Whether the server decides it by itself.
    pub is_deterministic: bool,
    /// What reviewers said.
    pub said: Vec<Attested>,
}

/// A task with what became of it.
#[derive(Debug, Clone)]
pub struct TaskView {
    /// The task.
    pub task: StageTask,
    /// The connection to which it was put.
    pub by: Option<ConnectionId>,
    /// Every call of a provider.
    pub calls: Vec<ProviderCall>,
    /// What the answer claims to be worth, where there is one.
    pub claimed: Option<String>,
    /// What the engine made of it, for the stage and for each gate after it.
    pub audits: Vec<AuditRecord>,
}

impl Director {
    /// A stage of a production of the site.
    ///
    /// # Errors
    /// [`Error::NotFound`] where the site has no such production, or the production no such stage.
    pub async fn get_stage(
        &self,
        ctx: &OpContext,
        id: ProductionId,
        stage: &str,
    ) -> Result<StageDetail> {
        let site = ctx.authorize::<ReadRuns>()?.site();
        let (director, stage) = (self.clone(), stage.to_owned());
        self.app
            .store()
            .read(move |tx| {
                let situation = Situation::read(tx, site, id, Some(&stage))?;
                let of = director.look(tx, &situation)?;
                let found = of.stages.iter().find(|of| of.stage.stage == stage);
                let found = found.ok_or(Error::NotFound("stage"))?.clone();
                let attempts = found.stage.attempts;
                Ok(StageDetail {
                    of,
                    asks_proof: director.asks_proof(&stage),
                    follows_proposal: director.follows_proposal(&stage),
                    next: director.next(&stage),
                    after: director.pack().after(&stage).len(),
                    documents: director.documents(&situation, &stage),
                    unanswered: Self::unanswered(&situation, &found.stage),
                    rules: director.rules(&situation, &stage),
                    tasks: tasks(tx, (site, id), (&stage, attempts))?,
                    stage: found,
                })
            })
            .await
    }

    /// The run in which the role that publishes found that what is live is what was sealed, where
    /// it did.
    ///
    /// # Errors
    /// [`Error::NotFound`] where the site has no production of that id.
    pub async fn find_publication(
        &self,
        ctx: &OpContext,
        id: ProductionId,
    ) -> Result<Option<RunId>> {
        let site = ctx.authorize::<ReadRuns>()?.site();
        let director = self.clone();
        self.app
            .store()
            .read(move |tx| {
                let board = Board::read(tx, site, id)?;
                let pack = director.pack();
                let publishes = |id: &str| pack.stage(id).is_some_and(|of| pack.publishes(of));
                let done = board
                    .stages
                    .iter()
                    .find(|of| of.state == StageState::Passed && publishes(&of.stage));
                let Some(task) = done.and_then(|of| of.task) else {
                    return Ok(None);
                };
                Ok(stage_task::find(tx, task)?.map(|task| task.run))
            })
            .await
    }

    fn follows_proposal(&self, stage: &str) -> bool {
        let before = self.pack().before(stage);
        before.iter().any(|of| self.pack().seals(of))
    }

    fn next(&self, stage: &str) -> Vec<String> {
        let next = self.pack().stages.iter().filter(|of| !of.side);
        let next = next.filter(|of| of.needs.iter().any(|need| need == stage));
        next.map(|of| of.name.clone()).collect()
    }

    /// What was found in the newest answer to a stage's task where nothing was made of it.
    fn unanswered(situation: &Situation, stage: &ProductionStage) -> Vec<Finding> {
        let made = situation.made(&stage.stage);
        if made.is_some_and(|made| Some(made.task.id) == stage.task) {
            return Vec::new();
        }
        let found = situation.unanswered.get(&stage.stage);
        found.cloned().unwrap_or_default()
    }

    /// A stage's own document, or those that it judges.
    fn documents(&self, situation: &Situation, stage: &str) -> Vec<DocumentView> {
        let ids = match situation.made(stage) {
            Some(_) => vec![stage],
            None => self.judged(stage),
        };
        let made = ids.into_iter().filter_map(|id| situation.made(id));
        made.map(|made| self.document(made)).collect()
    }

    /// The stages whose documents a stage without one of its own is about: the nearest before it.
    fn judged<'s>(&'s self, stage: &str) -> Vec<&'s str> {
        let mut found: Vec<&str> = Vec::new();
        for need in self
            .pack()
            .stage(stage)
            .into_iter()
            .flat_map(|of| &of.needs)
        {
            let before = match self.pack().stage(need) {
                Some(Stage {
                    id,
                    doc_kind: Some(_),
                    ..
                }) => vec![id.as_str()],
                _ => self.judged(need),
            };
            for id in before {
                if !found.contains(&id) {
                    found.push(id);
                }
            }
        }
        found
    }

    fn document(&self, made: &Made) -> DocumentView {
        let stage = &made.task.stage;
        let name = self.pack().stage(stage).map_or(stage, |of| &of.name);
        DocumentView {
            stage: stage.clone(),
            name: name.clone(),
            kind: made.envelope.doc_kind.as_str(),
            attempt: made.task.attempt,
            result: serde_json::json!(made.result),
            output_sha256: made.output_sha256,
            findings: made.findings.clone(),
        }
    }

    /// The rules of a stage, or of those that it needs where it has none, with what was said of each
    /// in documents that count and in its own.
    fn rules(&self, situation: &Situation, stage: &str) -> Vec<RuleView> {
        let mut said = situation.attested(stage);
        let own = situation.made(stage).map(|made| &made.attested);
        said.extend(own.into_iter().flatten().cloned());
        let of = self.pack().stage(stage);
        let needs = of.into_iter().flat_map(|of| &of.needs);
        let needed = needs.filter_map(|need| self.pack().stage(need));
        let required: Vec<&String> = match of {
            Some(of) if !of.rules.is_empty() => of.rules.iter().collect(),
            _ => needed.flat_map(|of| &of.rules).collect(),
        };
        let rules = self.pack().rules.iter();
        let rules = rules.filter(|rule| required.contains(&&rule.id));
        let of = |id: &str| {
            let about = said.iter().filter(|said| said.attestation.rule_id == id);
            about.cloned().collect()
        };
        rules
            .map(|rule| RuleView {
                id: rule.id.clone(),
                title: rule.title.clone(),
                question: rule.question.clone(),
                is_deterministic: rule.kind == RuleKind::Deterministic,
                said: of(&rule.id),
            })
            .collect()
    }
}

fn tasks(
    tx: &mut Tx<'_>,
    (site, id): (SiteId, ProductionId),
    (stage, attempts): (&str, i64),
) -> Result<Vec<TaskView>> {
    let mut all = Vec::new();
    for attempt in (1..=attempts).rev() {
        let Some(task) = stage_task::find_attempt(tx, id, stage, attempt)? else {
            continue;
        };
        let answer = stage_task::find_answer(tx, task.id)?;
        let claimed = answer.and_then(|answer| answer.result["status"].as_str().map(str::to_owned));
        all.push(TaskView {
            by: run::find(tx, site, task.run)?.map(|run| run.connection),
            calls: stage_task::calls(tx, task.id)?,
            audits: stage_task::audits(tx, task.id)?,
            claimed,
            task,
        });
    }
    Ok(all)
}
