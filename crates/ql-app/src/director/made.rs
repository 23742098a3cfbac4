//! Documents that were made.

use ql_core::hash::Digest;
use ql_core::production::{CallOutcome, PlayedBy, StageTask};
use ql_pipeline::attestation::Attested;
use ql_pipeline::audit::Spent;
use ql_pipeline::envelope::{Output, Task, TaskResult, read};
use ql_pipeline::finding::Finding;
use ql_pipeline::money::Micros;
use ql_store::Tx;
use ql_store::stage_task::{self, Answer};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Error, Result};

/// The answer to a task, with all that is known of it.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub(super) task: StageTask,
    pub(super) envelope: Task,
    pub(super) result: TaskResult,
    pub(super) output: Output,
    pub(super) output_sha256: Digest,
    pub(super) attested: Vec<Attested>,
    /// What the newest audit for each stage found.
    pub(super) findings: Vec<Finding>,
    pub(super) spent: Spent,
}

impl Made {
    /// What was answered to a task, if anything was.
    pub(super) fn find(tx: &mut Tx<'_>, task: StageTask) -> Result<Option<Self>> {
        let Some(answer) = stage_task::find_answer(tx, task.id)? else {
            return Ok(None);
        };
        let envelope: Task = stored(task.envelope.clone())?;
        let output_sha256 = answer.output_sha256;
        let (result, output) = reread(answer, &envelope)?;
        let mut attested = Vec::new();
        for record in stage_task::attestations(tx, task.id)? {
            attested.push(Attested {
                role: record.role,
                about: record.about,
                attestation: stored(record.attestation)?,
            });
        }
        let mut findings: Vec<Finding> = Vec::new();
        let audits = stage_task::audits(tx, task.id)?;
        for (index, audit) in audits.iter().enumerate() {
            let next = audits.get(index + 1);
            if next.is_some_and(|next| next.stage == audit.stage) {
                continue;
            }
            for finding in stored::<Vec<Finding>>(audit.findings.clone())? {
                if !findings.contains(&finding) {
                    findings.push(finding);
                }
            }
        }
        let spent = spent(tx, task.id)?;
        Ok(Some(Self {
            task,
            envelope,
            result,
            output,
            output_sha256,
            attested,
            findings,
            spent,
        }))
    }
}

/// What a task has cost so far.
pub(super) fn spent(tx: &mut Tx<'_>, task: ql_core::id::TaskId) -> Result<Spent> {
    let mut sum = Micros::ZERO;
    for call in stage_task::calls(tx, task)? {
        if call.outcome != CallOutcome::Answered {
            continue;
        }
        if call.by == PlayedBy::Agent {
            return Ok(Spent::Elsewhere);
        }
        let cost = call
            .cost
            .and_then(Micros::new)
            .and_then(|cost| sum.plus(cost));
        match cost {
            Some(next) => sum = next,
            None => return Ok(Spent::Unknown),
        }
    }
    Ok(Spent::Known(sum))
}

fn reread(answer: Answer, envelope: &Task) -> Result<(TaskResult, Output)> {
    read::result_of(answer.result, envelope.doc_kind)
        .map_err(|unfit| Error::Fault(format!("a stored answer doesn't read: {unfit}")))
}

/// A value that the server has stored itself.
pub(super) fn stored<T: DeserializeOwned>(value: Value) -> Result<T> {
    Ok(serde_json::from_value(value)?)
}
