//! What becomes of an answer: it's audited, kept, and moves the production, all at once.

use ql_core::access::WriteRuns;
use ql_core::artifact::Artifact;
use ql_core::canon;
use ql_core::hash::Digest;
use ql_core::id::{ArtifactId, JobId};
use ql_core::problem::Problem;
use ql_core::production::{ProductionStage, StageTransition};
use ql_core::run::{Finish, Outcome};
use ql_core::time::Timestamp;
use ql_pipeline::attestation::Attestation;
use ql_pipeline::audit::{Audit, Input, Spent};
use ql_pipeline::envelope::{Output, TaskResult};
use ql_pipeline::finding::{Code, ENGINE, Finding};
use ql_pipeline::pack::{Role, Stage};
use ql_pipeline::verdict::Verdict;
use ql_store::stage_task::{self, Answer, AttestationRecord, AuditRecord};
use ql_store::{Tx, artifact, run};
use serde_json::{Value, json};

use super::Director;
use super::call::Issued;
use super::made::{Made, spent, stored};
use super::situation::{Board, Situation};
use super::worker::{Held, Work};
use crate::context::OpContext;
use crate::error::Result;
use crate::event::Scribe;
use crate::job::finish;
use crate::run::finish_detail;

/// The key of the artifact that holds a result.
pub(super) const RESULT: &str = "result";

/// The least that a document must be worth where its stage names no gate.
const LEAST: Verdict = Verdict::DraftUnverified;

/// An answer on its way into the database.
struct Settled {
    issued: Issued,
    audit: Audit,
    result: Value,
    attestations: Vec<Attestation>,
    artifact: ArtifactId,
    role: String,
}

impl Director {
    /// Audits an answer and keeps it.
    pub(super) async fn settle(
        &self,
        work: Work,
        role: &Role,
        (issued, player): (Issued, OpContext),
        (result, output): (TaskResult, Output),
    ) -> Result<()> {
        let id = issued.task.id;
        let spent = self.app.store().read(move |tx| spent(tx, id)).await?;
        self.settle_with(
            (work, role),
            (issued, player),
            (result, output),
            (spent, Vec::new()),
        )
        .await
    }

    /// Audits an answer of which more is known, and keeps it.
    pub(super) async fn settle_with(
        &self,
        (work, role): (Work, &Role),
        (issued, player): (Issued, OpContext),
        (result, output): (TaskResult, Output),
        (spent, open): (Spent, Vec<Finding>),
    ) -> Result<()> {
        if let Some(reason) = misdirected(&result, &issued, role) {
            return self.hold_unfit(work, (issued, player), reason).await;
        }
        let subject = Subject {
            role,
            result: &result,
            output: &output,
            issued: &issued.envelope,
        };
        let audit = self.audit(&work.situation, &work.stage, &subject, (spent, open))?;
        let authorized = player.authorize::<WriteRuns>()?;
        let scribe = Scribe::on_site(&self.app, player.principal().actor(), work.place);
        let jobs = self.job_ids(&scribe);
        let settled = Settled {
            audit,
            result: json!(result),
            attestations: output.attestations().to_vec(),
            artifact: ArtifactId::mint(scribe.ids(), scribe.at),
            role: role.id.clone(),
            issued,
        };
        let director = self.clone();
        self.app
            .store()
            .write(move |tx| {
                Self::keep_answer(tx, &work, &settled, &scribe)?;
                keep_run(tx, &authorized, &settled, &scribe)?;
                let before = &settled.issued.standing;
                let verdict = settled.audit.verdict;
                director.conclude(tx, (&work, before), verdict, (&jobs, &scribe))
            })
            .await
    }

    /// Audits an answer again that was kept before: its task was put once more and nothing in it
    /// had changed.
    pub(super) async fn settle_again(
        &self,
        work: Work,
        role: &Role,
        (issued, made): (Issued, Made),
    ) -> Result<()> {
        let subject = Subject {
            role,
            result: &made.result,
            output: &made.output,
            issued: &made.envelope,
        };
        let audit = self.audit(
            &work.situation,
            &work.stage,
            &subject,
            (made.spent, Vec::new()),
        )?;
        let scribe = Scribe::on_site(&self.app, ql_core::actor::Actor::System, work.place);
        let (jobs, server) = (self.job_ids(&scribe), Self::server(work.place)?);
        let director = self.clone();
        self.app
            .store()
            .write(move |tx| {
                let record = record(&work.stage, &audit, scribe.at)?;
                stage_task::insert_audit(tx, &server, made.task.id, &record)?;
                let before = &issued.standing;
                director.conclude(tx, (&work, before), audit.verdict, (&jobs, &scribe))
            })
            .await
    }

    fn keep_answer(tx: &mut Tx<'_>, work: &Work, settled: &Settled, scribe: &Scribe) -> Result<()> {
        let server = Self::server(work.place)?;
        let task = settled.issued.task.id;
        let answer = Answer {
            output_sha256: canon::digest(&settled.result["output"]),
            result: settled.result.clone(),
            at: scribe.at,
        };
        stage_task::insert_answer(tx, &server, task, &answer)?;
        let records: Vec<AttestationRecord> = settled
            .attestations
            .iter()
            .map(|attestation| AttestationRecord {
                role: settled.role.clone(),
                about: None,
                attestation: json!(attestation),
            })
            .collect();
        stage_task::insert_attestations(tx, &server, task, &records)?;
        let record = record(&work.stage, &settled.audit, scribe.at)?;
        Ok(stage_task::insert_audit(tx, &server, task, &record)?)
    }

    /// Moves the stage by what its document is worth, frees what waited for it, and ends the job.
    pub(super) fn conclude(
        &self,
        tx: &mut Tx<'_>,
        (work, before): (&Work, &ProductionStage),
        verdict: Verdict,
        (jobs, scribe): (&[JobId], &Scribe),
    ) -> Result<()> {
        let least = work.stage.gate.unwrap_or(LEAST);
        let transition = if verdict >= least {
            StageTransition::Pass
        } else {
            StageTransition::Hold(verdict.as_str().to_lowercase())
        };
        let after = ProductionStage {
            state: before.state.apply(transition)?,
            verdict: Some(verdict.as_str().to_owned()),
            updated_at: scribe.at,
            ..before.clone()
        };
        Self::replace_stage(tx, &work.situation, (before, &after))?;
        self.free(tx, (work.id, work.place), (jobs, scribe))?;
        finish(tx, &work.lease, scribe, None)
    }

    /// Gives a stage to people, with a reason.
    pub(super) async fn hold(&self, held: impl Into<Held>, reason: &'static str) -> Result<()> {
        let held = held.into();
        let scribe = Scribe::on_site(&self.app, ql_core::actor::Actor::System, held.place);
        self.app
            .store()
            .write(move |tx| {
                let board = Board::read(tx, held.place.site, held.id)?;
                let transition = StageTransition::Hold(reason.to_owned());
                Self::move_stage(tx, &board, (&held.stage, transition), scribe.at)?;
                let detail = json!({"production": held.id, "stage": held.stage, "reason": reason});
                scribe.administration(tx, "production.stage_held", detail)?;
                finish(tx, &held.lease, &scribe, Some(reason))
            })
            .await
    }

    /// Gives a stage to people whose answer can't be used, with what is wrong with it.
    pub(super) async fn hold_unfit(
        &self,
        work: Work,
        (issued, player): (Issued, OpContext),
        (reason, problems): (&'static str, Vec<Problem>),
    ) -> Result<()> {
        let findings: Vec<Finding> = problems
            .iter()
            .map(|problem| {
                let code = match problem.code {
                    "task_budget_exhausted" | "budget_exhausted" => Code::BudgetExceeded,
                    "not_priced" => Code::CostUnknown,
                    _ => Code::SchemaViolation,
                };
                Finding::new(code, &problem.pointer, &problem.message)
                    .with(json!({"code": problem.code}))
            })
            .collect();
        let authorized = player.authorize::<WriteRuns>()?;
        let scribe = Scribe::on_site(&self.app, player.principal().actor(), work.place);
        self.app
            .store()
            .write(move |tx| {
                let audit = Audit {
                    verdict: Verdict::NeedsReview,
                    findings: findings.clone(),
                };
                let record = record(&work.stage, &audit, scribe.at)?;
                let server = Self::server(work.place)?;
                stage_task::insert_audit(tx, &server, issued.task.id, &record)?;
                let ended = Finish {
                    requested: None,
                    outcome: Outcome::Failed,
                    reasons: vec![json!({"code": reason})],
                    summary: String::new(),
                    at: scribe.at,
                };
                run::finish(tx, &authorized, issued.task.run, &ended)?;
                scribe.run_end(tx, issued.task.run, finish_detail(&ended))?;
                let before = &issued.standing;
                let after = ProductionStage {
                    state: before
                        .state
                        .apply(StageTransition::Hold(reason.to_owned()))?,
                    updated_at: scribe.at,
                    ..before.clone()
                };
                Self::replace_stage(tx, &work.situation, (before, &after))?;
                finish(tx, &work.lease, &scribe, Some(reason))
            })
            .await
    }

    /// What a document is worth for a stage: the one that made it, or a gate after it.
    pub(super) fn audit(
        &self,
        situation: &Situation,
        stage: &Stage,
        subject: &Subject<'_>,
        (spent, mut open): (Spent, Vec<Finding>),
    ) -> Result<Audit> {
        if subject.role.reads_untrusted {
            let given = situation
                .sources
                .iter()
                .filter(|source| source.excluded_by.is_none());
            for source in given {
                open.extend(stored::<Vec<Finding>>(source.findings.clone())?);
            }
        }
        Ok(self.ground.audit(&Input {
            task: subject.issued,
            result: subject.result,
            output: subject.output,
            role: subject.role,
            stage,
            attested: &situation.attested(&subject.issued.stage),
            retrieved: &situation.retrieved(),
            open: &open,
            waived: &situation.waived,
            spent,
            script: situation.script(),
            parts: &situation.parts(&self.ground),
            medium: &situation.production.medium,
        }))
    }
}

/// A document that is audited.
pub(super) struct Subject<'a> {
    pub(super) role: &'a Role,
    pub(super) result: &'a TaskResult,
    pub(super) output: &'a Output,
    pub(super) issued: &'a ql_pipeline::envelope::Task,
}

/// Why an answer isn't one to this task, if it isn't.
fn misdirected(
    result: &TaskResult,
    issued: &Issued,
    role: &Role,
) -> Option<(&'static str, Vec<Problem>)> {
    if result.task_id != issued.envelope.task_id {
        let message = format!("the task is {}", issued.envelope.task_id);
        return Some((
            "other_task",
            vec![Problem::new("/task_id", "other_task", message)],
        ));
    }
    if result.agent_role != role.id {
        let message = format!("the task was put to `{}`", role.id);
        return Some((
            "other_role",
            vec![Problem::new("/agent_role", "other_role", message)],
        ));
    }
    None
}

/// An audit as it's kept.
pub(super) fn record(stage: &Stage, audit: &Audit, at: Timestamp) -> Result<AuditRecord> {
    Ok(AuditRecord {
        stage: stage.id.clone(),
        number: 0,
        engine: ENGINE.to_owned(),
        verdict: audit.verdict.as_str().to_owned(),
        findings: serde_json::to_value(&audit.findings)?,
        at,
    })
}

/// Records the result in the run of the task, and ends the run.
fn keep_run(
    tx: &mut Tx<'_>,
    authorized: &ql_core::access::Authorized<WriteRuns>,
    settled: &Settled,
    scribe: &Scribe,
) -> Result<()> {
    let run = settled.issued.task.run;
    let body = canon::to_string(&settled.result);
    let kept = Artifact {
        id: settled.artifact,
        run,
        key: RESULT.to_owned(),
        version: 1,
        media_type: "application/json".to_owned(),
        sha256: Digest::of(body.as_bytes()),
        body,
        affected: Vec::new(),
        recorded_at: scribe.at,
    };
    artifact::insert(tx, authorized, &kept)?;
    let detail = json!({
        "artifact": kept.id, "key": kept.key, "version": kept.version,
        "media_type": kept.media_type, "sha256": kept.sha256, "bytes": kept.body.len(),
        "affected": kept.affected,
    });
    scribe.run(tx, run, ("artifact.recorded", detail), kept.body.len())?;
    let codes: Vec<&str> = settled
        .audit
        .findings
        .iter()
        .map(|finding| finding.code.as_str())
        .collect();
    let detail = json!({
        "task": settled.issued.task.id, "engine": ENGINE, "findings": codes,
        "claimed": settled.result["status"], "verdict": settled.audit.verdict.as_str(),
        "output_sha256": canon::digest(&settled.result["output"]),
    });
    scribe.run(tx, run, ("stage.audited", detail), 0)?;
    let ended = Finish {
        requested: Some(Outcome::Completed),
        outcome: Outcome::Completed,
        reasons: Vec::new(),
        summary: String::new(),
        at: scribe.at,
    };
    run::finish(tx, authorized, run, &ended)?;
    scribe.run_end(tx, run, finish_detail(&ended))
}
