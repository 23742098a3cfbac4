//! The published schemas of the envelopes.

use std::sync::LazyLock;

use jsonschema::Validator;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use super::output;
use super::result::TaskResult;
use super::task::Task;
use crate::document::DocKind;

/// The schema of the task envelope.
pub fn task() -> Value {
    of::<Task>("task envelope")
}

/// The schema of the result envelope. `output` has the schema of its kind besides.
pub fn result() -> Value {
    of::<TaskResult>("result envelope")
}

/// The schema of one kind of document.
pub fn document(kind: DocKind) -> Value {
    match kind {
        DocKind::ResearchReport => of::<output::ResearchReport>("research report"),
        DocKind::PassageDossier => of::<output::PassageDossier>("passage dossier"),
        DocKind::HermeneuticsMemo => of::<output::HermeneuticsMemo>("hermeneutics memo"),
        DocKind::Script => of::<output::Script>("script"),
        DocKind::ShotList => of::<output::ShotList>("shot list"),
        DocKind::VoiceTrack => of::<output::VoiceTrack>("voice track"),
        DocKind::Thumbnail => of::<output::Thumbnail>("thumbnail"),
        DocKind::Metadata => of::<output::Metadata>("metadata"),
        DocKind::Shorts => of::<output::Shorts>("shorts"),
        DocKind::ReleaseManifest => of::<output::ReleaseManifest>("release manifest"),
        DocKind::Metrics => of::<output::Metrics>("metrics"),
    }
}

/// Every schema by its name, as `querylayer schema envelopes` prints them.
pub fn all() -> Value {
    let documents: serde_json::Map<String, Value> = DocKind::ALL
        .into_iter()
        .map(|kind| (kind.as_str().to_owned(), document(kind)))
        .collect();
    json!({"task": task(), "result": result(), "output": documents})
}

fn of<T: JsonSchema>(title: &str) -> Value {
    let generator = SchemaGenerator::new(SchemaSettings::draft2020_12());
    let mut schema = generator.into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}

/// Validators of every schema, compiled once; the schemas are part of the program.
pub(super) struct Validators {
    pub(super) task: Validator,
    pub(super) result: Validator,
    documents: Vec<Validator>,
}

impl Validators {
    pub(super) fn document(&self, kind: DocKind) -> &Validator {
        &self.documents[kind as usize]
    }
}

/// They depend on nothing but the program's own types.
pub(super) static VALIDATORS: LazyLock<Validators> = LazyLock::new(|| Validators {
    task: compile(&task()),
    result: compile(&result()),
    documents: DocKind::ALL
        .into_iter()
        .map(|kind| compile(&document(kind)))
        .collect(),
});

fn compile(schema: &Value) -> Validator {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .should_validate_formats(true)
        .build(schema)
        .unwrap_or_else(|error| unreachable!("a schema of the program is sound: {error}"))
}
