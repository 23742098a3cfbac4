//! Strategy: opportunities with their rules, imports, and proposals made of picked ones.

use axum::extract::{Request, State};
use http::StatusCode;
use ql_app::proposal::NewProposal;
use ql_app::strategy::Filter;
use ql_core::id::ImportId;
use ql_core::opportunity::{Import, ImportState, Opportunity, Reconciliation};
use ql_core::page::PageRequest;
use ql_core::proposal::{Payload, TopicalStrategy};
use ql_core::role::MemberAct;
use serde_json::Value;

use crate::config::Web;
use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, lines, page, page_with, status};
use crate::edge::form::Action;
use crate::edge::params::Id;
use crate::edge::upload::Upload;
use crate::page::{
    self, ImportRow, ImportStrategy, NoteRow, Opportunities, OpportunityRow, Section,
};
use crate::part::{Choice, Digest, Link, Pill, Select, Tone};
use crate::view::names::Names;
use crate::view::words;

pub(super) async fn list(desk: Desk) -> Answer {
    page(&listed(&desk, Vec::new()).await?)
}

async fn listed(desk: &Desk, problems: Vec<String>) -> Result<Opportunities, WebError> {
    let filter = Filter {
        reconciliation: desk.params.parse("state"),
        source: desk.params.get("source").map(str::to_owned),
        query: desk.params.get("q").map(str::to_owned),
    };
    let app = &desk.web.app;
    let found = app
        .list_opportunities(&desk.ctx, &filter, &desk.params.page(50))
        .await?;
    let newest = PageRequest::new(Some(20), None);
    let imports = app.list_strategy_imports(&desk.ctx, &newest).await?.items;
    Ok(Opportunities {
        shell: desk.shell(Section::Map).await?,
        query: desk.params.text("q"),
        filters: vec![by_state(desk), by_source(desk, &imports)],
        is_filtered: desk.params.any(&["q", "state", "source"]),
        rows: found.items.iter().map(|found| row(desk, found)).collect(),
        next: desk
            .params
            .next(&desk.at("opportunities"), found.next.as_ref()),
        imports: imports
            .iter()
            .take(5)
            .map(|import| import_row(desk, import))
            .collect(),
        may_edit: desk.may(MemberAct::Edit),
        problems,
    })
}

fn by_state(desk: &Desk) -> Select {
    let all = Reconciliation::ALL.iter();
    let choices = all.map(|one| Choice::new(one.as_str(), state(*one).word));
    Select {
        name: "state",
        label: "State",
        chosen: desk.params.text("state"),
        choices: std::iter::once(Choice::new("", "Every state"))
            .chain(choices)
            .collect(),
    }
}

fn by_source(desk: &Desk, imports: &[Import]) -> Select {
    let mut sources: Vec<&str> = imports
        .iter()
        .map(|import| import.source.as_str())
        .collect();
    sources.sort_unstable();
    sources.dedup();
    let choices = sources
        .into_iter()
        .map(|source| Choice::new(source, source));
    Select {
        name: "source",
        label: "Source",
        chosen: desk.params.text("source"),
        choices: std::iter::once(Choice::new("", "Every source"))
            .chain(choices)
            .collect(),
    }
}

/// Where an opportunity stands, as a state.
fn state(reconciliation: Reconciliation) -> Pill {
    let (tone, word) = match reconciliation {
        Reconciliation::New => (Tone::Quiet, "New"),
        Reconciliation::MatchesExisting => (Tone::Live, "Matches"),
        Reconciliation::Conflicts => (Tone::Needs, "Conflicts"),
        Reconciliation::Proposed => (Tone::Proposed, "Proposed"),
        Reconciliation::Accepted => (Tone::Live, "Accepted"),
        Reconciliation::Rejected => (Tone::Stopped, "Rejected"),
        Reconciliation::Superseded => (Tone::Quiet, "Superseded"),
    };
    Pill::new(tone, word)
}

fn row(desk: &Desk, found: &Opportunity) -> OpportunityRow {
    let row = &found.row;
    let plain = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let more = row
        .more
        .iter()
        .map(|(name, value)| (name.clone(), plain(value)));
    OpportunityRow {
        id: found.id.to_string(),
        query: row.query.clone(),
        title: (row.title != row.query).then(|| row.title.clone()),
        cluster: row.cluster.clone(),
        intent: row.intent.clone(),
        state: state(found.reconciliation),
        rule: found.rule.describe(),
        found: found.found.clone(),
        proposal: found
            .proposal
            .map(|id| Link::new(desk.at(&format!("proposals/{id}")), "Open the proposal")),
        provenance: format!("{}, {}, line {}", found.source, found.tool, row.line),
        import: desk.at(&format!("strategy-imports/{}", found.import)),
        exported_at: words::day(found.exported_at),
        sha256: Digest::new("artifact digest", found.artifact_sha256.to_string()),
        more: more.collect(),
        is_open: matches!(
            found.reconciliation,
            Reconciliation::New | Reconciliation::Rejected
        ),
    }
}

fn import_state(state: &ImportState) -> Pill {
    match state {
        ImportState::Receiving => Pill::new(Tone::Proposed, "Receiving"),
        ImportState::Complete { .. } => Pill::new(Tone::Live, "Complete"),
        ImportState::Failed { .. } => Pill::new(Tone::Stopped, "Failed"),
    }
}

fn import_row(desk: &Desk, import: &Import) -> ImportRow {
    let counts = import.counts;
    let href = desk.at(&format!("strategy-imports/{}", import.id));
    ImportRow {
        link: Link::new(href, import.source.as_str()),
        tool: import.tool.clone(),
        state: import_state(&import.state),
        counts: format!("{} kept, {} refused", counts.kept, counts.refused),
        at: desk.when(import.created_at),
    }
}

/// Proposes the picked opportunities in the member's own name.
pub(super) async fn propose(Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Edit)?;
    let ids = form.all("opportunity").filter_map(|id| id.parse().ok());
    let payload = TopicalStrategy {
        opportunity_ids: ids.collect(),
    };
    let proposal = NewProposal {
        run: None,
        title: None,
        rationale: form.text("rationale"),
        payload: Payload::TopicalStrategy(payload),
        pointer: "",
    };
    match desk
        .web
        .app
        .create_proposal(&desk.ctx, proposal, None)
        .await
    {
        Ok(made) => Ok(go(&desk.at(&format!("proposals/{}", made.proposal_id)))),
        Err(error) if error.is_fault() => Err(error.into()),
        Err(error) => {
            let shown = listed(&desk, lines(&error)).await?;
            page_with(status(&error), &shown)
        }
    }
}

pub(super) async fn import_form(desk: Desk) -> Answer {
    desk.require(MemberAct::Edit)?;
    page(&form(&desk, <[String; 3]>::default(), Vec::new()).await?)
}

async fn form(
    desk: &Desk,
    typed: [String; 3],
    problems: Vec<String>,
) -> Result<ImportStrategy, WebError> {
    Ok(ImportStrategy {
        shell: desk.shell(Section::Map).await?,
        typed,
        problems,
    })
}

/// Imports the artifact of a form, piece by piece.
pub(super) async fn import(State(web): State<Web>, request: Request) -> Answer {
    let mut upload = Upload::open(request, &web, MemberAct::Edit).await?;
    match upload.import().await {
        Ok(id) => Ok(go(&upload.desk.at(&format!("strategy-imports/{id}")))),
        Err(WebError::App(error)) if !error.is_fault() => {
            let typed = ["source", "tool", "exported_at"].map(|name| upload.text(name));
            let shown = form(&upload.desk, typed, lines(&error)).await?;
            page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
        }
        Err(other) => Err(other),
    }
}

pub(super) async fn show(Id(id): Id<ImportId>, desk: Desk) -> Answer {
    let record = desk.web.app.get_strategy_import(&desk.ctx, id).await?;
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let import = &record.import;
    let (counts, sha256) = (
        import.counts,
        match &import.state {
            ImportState::Complete { sha256, .. } => Some(sha256.to_string()),
            ImportState::Receiving | ImportState::Failed { .. } => None,
        },
    );
    page(&page::StrategyImport {
        shell: desk.shell(Section::Map).await?,
        source: import.source.clone(),
        tool: import.tool.clone(),
        state: import_state(&import.state),
        detail: detail(&import.state),
        counts: [
            ("Rows read", counts.read),
            ("Rows kept", counts.kept),
            ("of them marked", counts.marked),
            ("Rows refused", counts.refused),
        ],
        exported_at: words::minute(import.exported_at),
        by: names.who(ql_core::actor::Actor::Member(import.member)),
        at: desk.when(import.created_at),
        sha256: sha256.map(|sha256| Digest::new("artifact digest", sha256)),
        map_version: import.map_version,
        notes: record.notes.iter().map(note).collect(),
    })
}

fn detail(state: &ImportState) -> String {
    match state {
        ImportState::Receiving => {
            "Rows are coming in. They are seen when all of them are here.".into()
        }
        ImportState::Complete { .. } => "Every sound row stands under Opportunities.".into(),
        ImportState::Failed { reason, .. } => format!(
            "It ended early ({}). Nothing of it is shown; correct the artifact and import it again.",
            reason.replace('_', " ")
        ),
    }
}

fn note(note: &ql_core::opportunity::RowNote) -> NoteRow {
    NoteRow {
        line: note.line,
        kept: if note.code.keeps() {
            Pill::new(Tone::Needs, "Marked")
        } else {
            Pill::new(Tone::Stopped, "Refused")
        },
        text: note.code.describe(),
        code: note.code.as_str(),
        cell: note.cell.clone(),
    }
}
