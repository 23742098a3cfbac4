//! In which order things are made, and whether they can be.

mod course;

use super::super::problem::{At, Code, Problems};
use super::super::table::Row;
use super::super::{Actor, Stage};
use super::{Tables, names, unknown_role, unknown_rule};

pub(super) fn check(tables: &Tables, problems: &mut Problems) {
    let rows = &tables.stages.rows;
    if rows.is_empty() && tables.stages.is_whole() {
        let at = At::file("stages.toml");
        problems.add(&at, Code::Required, "a pack has at least one stage");
    }
    for row in rows {
        references(row, tables, problems);
        document(row, problems);
    }
    course::check(tables, problems);
}

fn references(row: &Row<Stage>, tables: &Tables, problems: &mut Problems) {
    let stage = &row.entry;
    if let Actor::Role(role) = &stage.by
        && let Some((code, message)) = unknown_role(tables, role)
    {
        problems.add(&row.at.within("by"), code, message);
    }
    let unknown_stage = |id: &str| {
        let message = format!("`{id}` is no stage of this pack");
        (!tables.stages.may_have(id)).then_some((Code::UnknownStage, message))
    };
    names(
        &stage.needs,
        &row.at.within("needs"),
        unknown_stage,
        problems,
    );
    let unknown_rule = |id: &str| unknown_rule(tables, id);
    names(
        &stage.rules,
        &row.at.within("rules"),
        unknown_rule,
        problems,
    );
}

/// Agents make documents, and nobody else does.
fn document(row: &Row<Stage>, problems: &mut Problems) {
    let stage = &row.entry;
    let id = &stage.id;
    match (&stage.by, stage.doc_kind) {
        (Actor::Role(role), None) => {
            let message = format!(
                "`{id}` is a stage of `{role}`, which makes a document; name its `doc_kind`"
            );
            problems.add(&row.at, Code::NoDocument, message);
        }
        (Actor::Server | Actor::Human, Some(_)) => {
            let message = format!("`{id}` is no agent's stage, so it makes no document");
            problems.add(&row.at.within("doc_kind"), Code::DocumentOfNoAgent, message);
        }
        (Actor::Role(_), Some(_)) | (Actor::Server | Actor::Human, None) => {}
    }
}
