//! Staged source packages: the list, one package with its records, and what is decided about them.

use http::StatusCode;
use ql_app::Error;
use ql_app::source::{NewDisposal, PackageView, RecordFilter};
use ql_core::actor::Actor;
use ql_core::id::SourcePackageId;
use ql_core::role::MemberAct;
use ql_core::source::{Counts, Disposal, Disposition, SourcePackage, SourceRecord};

use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, lines, page, page_with};
use crate::edge::form::Action;
use crate::edge::params::Id;
use crate::page::{PackageRow, RecordRow, Section, SourcePackagePage, Sources};
use crate::part::{Digest, Event, Fact, Link, Pill, Timeline, Tone};
use crate::view::names::Names;
use crate::view::words;

/// The most characters of a record that the page shows.
const SHOWN: usize = 4_000;

pub(super) async fn list(desk: Desk) -> Answer {
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let asked = desk.params.page(50);
    let app = &desk.web.app;
    let found = app.list_source_packages(&desk.ctx, None, &asked).await?;
    let row = |package: &SourcePackage| PackageRow {
        link: Link::new(
            desk.at(&format!("sources/{}", package.id)),
            package.name.as_str(),
        ),
        origin: package.origin.clone(),
        verdicts: verdicts(package.counts),
        state: words::disposition(package.disposition),
        by: names.who(package.author),
        at: desk.when(package.created_at),
    };
    page(&Sources {
        shell: desk.shell(Section::Sources).await?,
        rows: found.items.iter().map(row).collect(),
        next: desk.params.next(&desk.at("sources"), found.next.as_ref()),
    })
}

fn verdicts(counts: Counts) -> Vec<Pill> {
    let all = [
        (counts.valid, Tone::Live, "valid"),
        (counts.warning, Tone::Needs, "with a warning"),
        (counts.invalid, Tone::Stopped, "invalid"),
    ];
    let some = all.into_iter().filter(|(count, _, _)| *count > 0);
    some.map(|(count, tone, word)| Pill::new(tone, format!("{count} {word}")))
        .collect()
}

pub(super) async fn show(Id(id): Id<SourcePackageId>, desk: Desk) -> Answer {
    page(&render(&desk, id).await?)
}

async fn render(desk: &Desk, id: SourcePackageId) -> Result<SourcePackagePage, WebError> {
    let app = &desk.web.app;
    let view = app.get_source_package(&desk.ctx, id).await?;
    let filter = RecordFilter {
        bodies: true,
        ..RecordFilter::default()
    };
    let asked = desk.params.page(25);
    let records = app
        .list_source_records(&desk.ctx, id, filter, &asked)
        .await?;
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let here = desk.at(&format!("sources/{id}"));
    let package = &view.package;
    Ok(SourcePackagePage {
        shell: desk.shell(Section::Sources).await?,
        id: id.to_string(),
        name: package.name.clone(),
        origin: package.origin.clone(),
        state: words::disposition(package.disposition),
        by: names.who(package.author),
        at: desk.when(package.created_at),
        facts: facts(package),
        records: records.items.iter().map(record_row).collect(),
        next: desk.params.next(&here, records.next.as_ref()),
        history: history(desk, &names, &view),
        may_dispose: desk.may(MemberAct::Edit),
        problems: Vec::new(),
        typed: String::new(),
    })
}

fn facts(package: &SourcePackage) -> Vec<Fact> {
    let bytes = usize::try_from(package.bytes).unwrap_or_default();
    vec![
        Fact::new("Records", package.counts.total().to_string()),
        Fact::new("Size", words::bytes(bytes)),
        Fact::new("Run", package.run.to_string()),
        Fact::new("Staged", words::minute(package.created_at)),
    ]
}

fn record_row(record: &SourceRecord) -> RecordRow {
    let finding = |found: &ql_core::source::Finding| match found.line {
        Some(line) => format!("{} (line {line})", found.code.describe()),
        None => found.code.describe().to_owned(),
    };
    let body: String = record.body.chars().take(SHOWN).collect();
    RecordRow {
        key: record.key.clone(),
        kind: format!(
            "{} · {}",
            record.media_type,
            words::bytes(record.body.len())
        ),
        sha256: Digest::new("hash", record.sha256.to_string()),
        verdict: words::verdict(record.verdict),
        findings: record.findings.iter().map(finding).collect(),
        state: words::disposition(record.disposition),
        is_cut: body.len() < record.body.len(),
        body,
    }
}

fn history(desk: &Desk, names: &Names, view: &PackageView) -> Timeline {
    let event = |disposal: &Disposal| {
        let state = words::disposition(disposal.disposition);
        let what = match disposal.position {
            Some(position) => format!("record {}", position + 1),
            None => "the whole package".to_owned(),
        };
        Event {
            tone: state.tone,
            icon: state.tone.as_str(),
            who: Some(names.who(Actor::Member(disposal.member))),
            text: format!("{}: {what}", disposal.disposition.as_str()),
            link: None,
            said: Some(disposal.reason.clone()),
            at: desk.when(disposal.at),
        }
    };
    Timeline {
        events: view.disposals.iter().rev().map(event).collect(),
    }
}

pub(super) async fn dispose(Id(id): Id<SourcePackageId>, Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Edit)?;
    let disposition = form.get("disposition").and_then(|text| text.parse().ok());
    let unread = || WebError::BadForm("The form names no decision.".into());
    let disposition: Disposition = disposition.ok_or_else(unread)?;
    let keys: Vec<String> = form.all("key").map(str::to_owned).collect();
    let new = NewDisposal {
        package: id,
        record_keys: (!keys.is_empty()).then_some(keys),
        disposition,
        reason: form.text("reason"),
    };
    match desk.web.app.dispose_sources(&desk.ctx, new).await {
        Ok(_) => Ok(go(&desk.at(&format!("sources/{id}?notice=saved")))),
        Err(error @ Error::Invalid(_)) => {
            let shown = SourcePackagePage {
                problems: lines(&error),
                typed: form.text("reason"),
                ..render(&desk, id).await?
            };
            page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
        }
        Err(error) => Err(error.into()),
    }
}
