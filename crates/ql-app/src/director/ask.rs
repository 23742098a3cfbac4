//! The task that is put to a role.

use std::collections::BTreeMap;

use ql_core::id::TaskId;
use ql_core::production::StageState;
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::Task;
use ql_pipeline::envelope::task::{Correction, Document, Inputs, Line, Source};
use ql_pipeline::money::Micros;
use ql_pipeline::pack::{Pack, Role, Stage};
use ql_pipeline::verdict::Verdict;

use super::made::Made;
use super::situation::Situation;
use crate::error::Result;

/// The task of a stage as things stand, for an attempt.
pub(super) fn task(
    pack: &Pack,
    situation: &Situation,
    (stage, role, kind): (&Stage, &Role, DocKind),
    (id, attempt): (TaskId, i64),
) -> Result<Task> {
    let production = &situation.production;
    Ok(Task {
        task_id: id.to_uuid(),
        project_id: production.id.to_uuid(),
        agent_role: role.id.clone(),
        stage: stage.id.clone(),
        objective: production.objective.clone(),
        doc_kind: kind,
        inputs: Inputs {
            audience: production.audience.clone(),
            documents: documents(pack, situation, stage)?,
            sources: sources(situation, role)?,
            corrections: situation
                .made(&stage.id)
                .map(corrections)
                .unwrap_or_default(),
        },
        constraints: constraints(pack, situation, stage),
        constitution_version: pack.version.clone(),
        constitution_sha256: pack.constitution_sha256.to_string(),
        policy_pack_sha256: pack.sha256.to_string(),
        budget_usd: Micros::new(production.task_budget).unwrap_or_default(),
        idempotency_key: format!("{}:{}:{attempt}", production.id, stage.id),
    })
}

/// What must be kept: what people said when they had the stage done again, and for whoever publishes
/// which release that is, so that another one is another task.
fn constraints(pack: &Pack, situation: &Situation, stage: &Stage) -> Vec<Line> {
    let mut constraints = situation.corrections(&stage.id);
    if pack.publishes(stage)
        && let Some(release) = &situation.release
    {
        let (number, manifest) = (release.number, release.manifest_sha256);
        constraints.push(Line(format!("Release {number}, manifest {manifest}.")));
    }
    constraints
}

/// What the stages before it made.
fn documents(
    pack: &Pack,
    situation: &Situation,
    stage: &Stage,
) -> Result<BTreeMap<String, Document>> {
    let mut documents = BTreeMap::new();
    for before in pack.before(&stage.id) {
        let state = situation.stage(&before.id)?;
        let Some(made) = situation.made(&before.id) else {
            continue;
        };
        if state.state != StageState::Passed {
            continue;
        }
        let verdict = state.verdict.as_deref().and_then(Verdict::from_name);
        let document = Document {
            stage: before.id.clone(),
            sha256: made.output_sha256.to_string(),
            verdict: verdict.unwrap_or(Verdict::DraftUnverified),
            output: made.result.output.clone(),
            scripture: made.result.scripture.clone(),
            uncertainties: made.result.uncertainties.clone(),
        };
        documents.insert(made.envelope.doc_kind.as_str().to_owned(), document);
    }
    Ok(documents)
}

/// Material from outside, for roles that may read it, in marked blocks.
fn sources(situation: &Situation, role: &Role) -> Result<Vec<Source>> {
    let given = situation
        .sources
        .iter()
        .filter(|source| source.excluded_by.is_none());
    let given = given.filter(|_| role.reads_untrusted);
    given
        .map(|source| {
            Ok(Source {
                origin: source.origin.clone(),
                sha256: source.sha256.to_string(),
                untrusted: vec![super::source::material(source)?.data_block()],
            })
        })
        .collect()
}

/// What must be mended of the last attempt. What was found in material isn't the agent's to mend.
fn corrections(made: &Made) -> Vec<Correction> {
    let mut corrections: Vec<Correction> = made
        .findings
        .iter()
        .filter(|finding| {
            finding.code.ceiling().is_some() && !finding.pointer.starts_with("/sources")
        })
        .map(|finding| Correction {
            code: finding.code,
            pointer: finding.pointer.clone(),
            message: finding.message.clone(),
        })
        .collect();
    corrections.dedup();
    corrections.truncate(100);
    corrections
}
