//! Result envelopes around files: a model that draws or speaks writes none, so they're made here.

use std::time::Instant;

use ql_app::director::{Answered, Failure, MadeFile, Usage};
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::output::Script;
use ql_pipeline::envelope::{Task, TaskResult};
use ql_pipeline::money::Micros;
use ql_pipeline::verdict::Verdict;
use serde_json::{Value, json};

/// Who made something, and what it cost.
#[derive(Clone, Copy)]
pub(super) struct Maker<'m> {
    pub(super) provider: &'m str,
    pub(super) model: &'m str,
    pub(super) usage: Option<Usage>,
    pub(super) cost: Option<i64>,
    pub(super) began: Instant,
}

/// The answer to a task: a document about a file.
pub(super) fn answered(task: &Task, output: Value, file: MadeFile, maker: Maker<'_>) -> Answered {
    let script = task.inputs.documents.get(DocKind::Script.as_str());
    let elapsed = maker.began.elapsed().as_millis();
    let result = TaskResult {
        task_id: task.task_id.clone(),
        agent_role: task.agent_role.clone(),
        // What is made from the script says what the script says.
        status: script.map_or(Verdict::DraftUnverified, |script| script.verdict),
        output,
        scripture: script
            .map(|script| script.scripture.clone())
            .unwrap_or_default(),
        claims: Vec::new(),
        uncertainties: script
            .map(|script| script.uncertainties.clone())
            .unwrap_or_default(),
        interpretive_notes: Vec::new(),
        cited_doctrines: Vec::new(),
        constitution_sha256: task.constitution_sha256.clone(),
        policy_pack_sha256: task.policy_pack_sha256.clone(),
        provider: maker.provider.to_owned(),
        model: maker.model.to_owned(),
        cost_usd: maker.cost.and_then(Micros::new).unwrap_or(Micros::ZERO),
        latency_ms: u32::try_from(elapsed).unwrap_or(u32::MAX).min(86_400_000),
    };
    Answered {
        text: json!(result).to_string(),
        model: maker.model.to_owned(),
        usage: maker.usage,
        cost: maker.cost,
        files: vec![file],
    }
}

/// The script in a task, where it has one.
pub(super) fn script(task: &Task) -> Option<Script> {
    let document = task.inputs.documents.get(DocKind::Script.as_str())?;
    serde_json::from_value(document.output.clone()).ok()
}

/// Refuses a task for anything but the kind that is made here.
pub(super) fn only(task: &Task, kind: DocKind) -> Result<(), Failure> {
    if task.doc_kind == kind {
        return Ok(());
    }
    let (kind, asked) = (kind.as_str(), task.doc_kind.as_str());
    Err(Failure::Permanent(format!(
        "this tier makes a {kind}, and the stage asks for a {asked}; give its role another tier"
    )))
}
