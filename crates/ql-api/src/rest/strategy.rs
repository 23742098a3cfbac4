//! Strategy artifacts and the opportunities in them: planning input, nothing that was measured.

use axum::http::StatusCode;
use ql_app::strategy::{Filter, ImportRecord, NewImport, StrategyImport};
use ql_core::hash::Digest;
use ql_core::id::{ImportId, MemberId, OpportunityId, ProposalId};
use ql_core::opportunity::{
    Import as Stored, ImportState, Media, Opportunity as Found, Reconciliation,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Route, get, take};
use super::upload::Upload;
use crate::input::argument::{self, Paging, parsed};
use crate::problem::ProblemDocument;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_strategy_imports",
            "/sites/{site}/strategy-imports",
            "Lists the strategy imports, newest first",
            list,
        ),
        take(
            ("import_strategy", "/sites/{site}/strategy-imports"),
            "Imports a strategy artifact, row by row; its rows are seen when the answer comes",
            &["text/csv", "application/json"],
            import,
        )
        .created(),
        get(
            "get_strategy_import",
            "/sites/{site}/strategy-imports/{id}",
            "A strategy import with what was noted about its rows",
            show,
        ),
        get(
            "list_opportunities",
            "/sites/{site}/opportunities",
            "Lists the opportunities of complete imports, newest first: planning input, not measured performance",
            opportunities,
        ),
    ]
}

/// An import.
#[derive(Serialize, JsonSchema)]
struct Import {
    id: Text<ImportId>,
    source: String,
    tool: String,
    exported_at: Instant,
    media_type: &'static str,
    imported_by: Text<MemberId>,
    created_at: Instant,
    /// receiving, complete or failed. Rows are seen when it is complete.
    state: &'static str,
    /// Why it failed.
    reason: Option<String>,
    /// Of the artifact's bytes.
    sha256: Option<Text<Digest>>,
    /// The version of the topical map that rows were compared with.
    map_version: i64,
    rows_read: i64,
    rows_kept: i64,
    /// Of those kept.
    rows_marked: i64,
    rows_refused: i64,
}

/// An import with its notes.
#[derive(Serialize, JsonSchema)]
struct Record {
    #[serde(flatten)]
    import: Import,
    /// The first thousand.
    notes: Vec<Note>,
}

/// What was noted about a row.
#[derive(Serialize, JsonSchema)]
struct Note {
    /// The line of a CSV artifact, or the place in a JSON array from 1.
    line: i64,
    code: &'static str,
    message: &'static str,
    /// The name of the cell, where it is one.
    cell: String,
    /// Whether the row was kept all the same.
    kept: bool,
}

impl From<Stored> for Import {
    fn from(stored: Stored) -> Self {
        let (reason, sha256) = match &stored.state {
            ImportState::Receiving => (None, None),
            ImportState::Complete { sha256, .. } => (None, Some(Text(*sha256))),
            ImportState::Failed { reason, .. } => (Some(reason.clone()), None),
        };
        Self {
            id: Text(stored.id),
            source: stored.source,
            tool: stored.tool,
            exported_at: Instant(stored.exported_at),
            media_type: stored.media.as_str(),
            imported_by: Text(stored.member),
            created_at: Instant(stored.created_at),
            state: stored.state.as_str(),
            reason,
            sha256,
            map_version: stored.map_version,
            rows_read: stored.counts.read,
            rows_kept: stored.counts.kept,
            rows_marked: stored.counts.marked,
            rows_refused: stored.counts.refused,
        }
    }
}

impl From<ImportRecord> for Record {
    fn from(record: ImportRecord) -> Self {
        let notes = record.notes.into_iter().map(|note| Note {
            line: note.line,
            code: note.code.as_str(),
            message: note.code.describe(),
            cell: note.cell,
            kept: note.code.keeps(),
        });
        Self {
            import: record.import.into(),
            notes: notes.collect(),
        }
    }
}

/// An opportunity.
#[derive(Serialize, JsonSchema)]
struct Opportunity {
    id: Text<OpportunityId>,
    import_id: Text<ImportId>,
    line: i64,
    query: String,
    title: String,
    cluster: Option<String>,
    intent: Option<String>,
    url: Option<String>,
    /// Every other cell of the row: another tool's estimates.
    planning_input: Map<String, Value>,
    /// Where it stands against the site.
    reconciliation: Text<Reconciliation>,
    /// The rule that says so, and the same in words.
    rule: &'static str,
    rule_in_words: &'static str,
    /// The node's key or the address that the rule found.
    found: Option<String>,
    /// The newest proposal that holds it.
    proposal_id: Option<Text<ProposalId>>,
    source: String,
    tool: String,
    exported_at: Instant,
    artifact_sha256: Text<Digest>,
}

impl From<Found> for Opportunity {
    fn from(found: Found) -> Self {
        let row = found.row;
        Self {
            id: Text(found.id),
            import_id: Text(found.import),
            line: row.line,
            query: row.query,
            title: row.title,
            cluster: row.cluster,
            intent: row.intent,
            url: row.url,
            planning_input: row.more,
            reconciliation: Text(found.reconciliation),
            rule: found.rule.as_str(),
            rule_in_words: found.rule.describe(),
            found: found.found,
            proposal_id: found.proposal.map(Text),
            source: found.source,
            tool: found.tool,
            exported_at: Instant(found.exported_at),
            artifact_sha256: Text(found.artifact_sha256),
        }
    }
}

/// Which page of imports.
#[derive(Deserialize, JsonSchema)]
struct Imports {
    #[serde(flatten)]
    paging: Paging,
}

async fn list(call: Call<Imports>) -> Answered<List<Import>> {
    let page = call.query.paging.request::<ImportId>()?;
    let ctx = call.on_site().await?;
    let imports = call.app().list_strategy_imports(&ctx, &page).await?;
    Ok(List::page(imports, Import::from))
}

async fn show(call: Call) -> Answered<Record> {
    let (ctx, id) = (call.on_site().await?, call.id("import")?);
    Ok(call.app().get_strategy_import(&ctx, id).await?.into())
}

/// Where an artifact comes from.
#[derive(Deserialize, JsonSchema)]
struct Provenance {
    /// The plan's own source, in words.
    #[schemars(length(min = 1, max = 200))]
    source: String,
    /// The tool that made the artifact.
    #[schemars(length(min = 1, max = 100))]
    tool: String,
    /// When that tool exported it.
    #[schemars(schema_with = "argument::instant")]
    exported_at: String,
}

async fn import(call: Call<Provenance, Upload>) -> Answered<Record> {
    let (mut upload, call) = call.split();
    let begun = match upload.media_type().parse::<Media>() {
        Ok(media) => begin(&call, media).await,
        Err(expected) => Err(unsupported(&expected)),
    };
    match begun {
        Ok(import) => receive(import, &mut upload).await,
        Err(refusal) => {
            upload.forget().await;
            Err(refusal)
        }
    }
}

fn unsupported(expected: &str) -> ProblemDocument {
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    let detail = format!("the content type isn't read here: {expected}");
    let remedy = "Say in Content-Type how the artifact is written.";
    ProblemDocument::new(status, "unsupported_media_type", detail, remedy)
}

async fn begin(call: &Call<Provenance>, media: Media) -> Answered<StrategyImport> {
    let new = NewImport {
        source: call.query.source.clone(),
        tool: call.query.tool.clone(),
        exported_at: parsed("/exported_at", &call.query.exported_at)?,
        media,
    };
    let ctx = call.on_site().await?;
    Ok(call.app().begin_strategy_import(&ctx, new).await?)
}

/// Takes an artifact in; whatever ends it early leaves nothing of it to be seen.
async fn receive(mut import: StrategyImport, upload: &mut Upload) -> Answered<Record> {
    loop {
        let piece = match upload.next().await {
            Ok(Some(piece)) => piece,
            Ok(None) => return Ok(import.finish().await?.into()),
            Err(refusal) => {
                import.abandon("interrupted").await?;
                return Err(refusal);
            }
        };
        if let Err(error) = import.push(&piece).await {
            upload.forget().await;
            return Err(error.into());
        }
    }
}

/// Which opportunities to list.
#[derive(Deserialize, JsonSchema)]
struct Wanted {
    /// Only those that stand so.
    #[schemars(schema_with = "reconciliation")]
    #[serde(default)]
    reconciliation: Option<String>,
    /// Only those of this source, exactly.
    #[serde(default)]
    source: Option<String>,
    /// Only those with these words in query or title; case and accents don't matter.
    #[serde(default)]
    query: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

fn reconciliation(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(Reconciliation::ALL.iter().map(|value| value.as_str()))
}

async fn opportunities(call: Call<Wanted>) -> Answered<List<Opportunity>> {
    let page = call.query.paging.request::<OpportunityId>()?;
    let ctx = call.on_site().await?;
    let wanted = call.query.reconciliation.as_deref();
    let filter = Filter {
        reconciliation: wanted.and_then(|text| text.parse().ok()),
        source: call.query.source.clone(),
        query: call.query.query.clone(),
    };
    let found = call.app().list_opportunities(&ctx, &filter, &page).await?;
    Ok(List::page(found, Opportunity::from))
}
