//! Content: the list, and one item with its history.

use std::collections::{BTreeMap, BTreeSet};

use ql_app::content::{ContentRecord, ContentView, Filter};
use ql_app::proposal::Filter as ProposalFilter;
use ql_core::content::{ContentStatus, Revision};
use ql_core::fold::fold;
use ql_core::id::{ContentId, RevisionId};
use ql_core::page::PageRequest;
use ql_core::proposal::{Proposal, ProposalKind, ProposalState};
use ql_core::role::MemberAct;

use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, page};
use crate::edge::params::Id;
use crate::page::{Content, ContentPage, ContentRow, RevisionRow, Section};
use crate::part::{Choice, Fact, Link, Pill, Select, Tone};
use crate::view::names::Names;
use crate::view::proposal::effect;
use crate::view::revision::{chip, path, public, revision_path};
use crate::view::words;

/// What the address may say.
const FILTERS: [&str; 4] = ["q", "status", "template", "locale"];

pub(super) async fn list(desk: Desk) -> Answer {
    let filter = Filter {
        status: desk.params.parse::<ContentStatus>("status"),
        template: desk.params.get("template").map(str::to_owned),
        query: desk.params.get("q").map(fold),
        ..Filter::default()
    };
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let found = desk
        .web
        .app
        .list_content(&desk.ctx, &filter, &desk.params.page(50), true)
        .await?;
    let templates = desk.web.app.list_templates(&desk.ctx).await?;
    let titles: BTreeMap<String, String> = templates
        .into_iter()
        .map(|template| (template.key, template.title))
        .collect();
    let proposed = proposed(&desk).await?;
    let mut rows = Vec::with_capacity(found.items.len());
    for view in &found.items {
        rows.extend(row(&desk, (&names, &titles, &proposed), view).await?);
    }
    page(&Content {
        shell: desk.shell(Section::Content).await?,
        query: desk.params.text("q"),
        filters: filters(&desk, &titles),
        is_filtered: desk.params.any(&FILTERS),
        next: desk.params.next(&desk.at("content"), found.next.as_ref()),
        may_edit: desk.may(MemberAct::Edit),
        rows,
    })
}

/// The items that a pending proposal is about.
async fn proposed(desk: &Desk) -> Result<BTreeSet<ContentId>, WebError> {
    let filter = ProposalFilter {
        state: Some("pending"),
        ..ProposalFilter::default()
    };
    let page = PageRequest::new(Some(PageRequest::MAX), None);
    let pending = desk
        .web
        .app
        .list_proposals(&desk.ctx, &filter, &page)
        .await?;
    let items = pending
        .items
        .iter()
        .flat_map(|view| &view.proposal.resolved);
    Ok(items.filter_map(|item| item.content_id).collect())
}

async fn row(
    desk: &Desk,
    (names, titles, proposed): (&Names, &BTreeMap<String, String>, &BTreeSet<ContentId>),
    view: &ContentView,
) -> Result<Option<ContentRow>, WebError> {
    let (stored, item) = (&view.stored, &view.stored.item);
    let Some(draft) = &view.revision else {
        return Ok(None);
    };
    let live = match item.published {
        Some(id) if id == draft.id => Some(chip(desk, draft)),
        Some(id) => Some(chip(desk, &desk.web.app.get_revision(&desk.ctx, id).await?)),
        None => None,
    };
    let mut states = words::content(item.status());
    if proposed.contains(&item.id) {
        states.push(Pill::new(Tone::Proposed, "Proposed"));
    }
    let template = titles.get(&item.template).unwrap_or(&item.template);
    Ok(Some(ContentRow {
        link: Link::new(
            desk.at(&format!("content/{}", item.id)),
            item.title.as_str(),
        ),
        path: path(stored.live_slug.as_ref().unwrap_or(&stored.draft_slug)),
        template: template.clone(),
        locale: item.locale.as_str().to_owned(),
        states,
        live,
        draft: chip(desk, draft),
        by: names.who(draft.author),
        at: desk.when(draft.created_at),
    }))
}

fn filters(desk: &Desk, titles: &BTreeMap<String, String>) -> Vec<Select> {
    let mut statuses = vec![Choice::new("", "Any state in use")];
    statuses.extend(ContentStatus::ALL.map(|status| {
        let states = words::content(status);
        let words: Vec<&str> = states.iter().map(|state| state.word.as_ref()).collect();
        Choice::new(status.as_str(), words.join(", "))
    }));
    let mut templates = vec![Choice::new("", "Any template")];
    templates.extend(
        titles
            .iter()
            .map(|(key, title)| Choice::new(key.as_str(), title.as_str())),
    );
    let select = |name, label, choices| Select {
        name,
        label,
        chosen: desk.params.text(name),
        choices,
    };
    vec![
        select("status", "State", statuses),
        select("template", "Template", templates),
    ]
}

pub(super) async fn show(Id(id): Id<ContentId>, desk: Desk) -> Answer {
    let record = desk.web.app.get_content_record(&desk.ctx, id).await?;
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let request = desk.params.page(25);
    let found = desk.web.app.list_revisions(&desk.ctx, id, &request).await?;
    let were_live = were_live(&record);
    let revisions: Vec<RevisionRow> = found
        .items
        .iter()
        .map(|revision| revision_row(&desk, (&names, &record, &were_live), revision))
        .collect();
    let item = &record.stored.item;
    let here = desk.at(&format!("content/{id}"));
    let path = path(
        record
            .stored
            .live_slug
            .as_ref()
            .unwrap_or(&record.stored.draft_slug),
    );
    let (primary, actions) = actions(&desk, &record, &here);
    let may_write = desk.may(MemberAct::Edit) && item.archived_at.is_none();
    page(&ContentPage {
        shell: desk.shell(Section::Content).await?,
        id: id.to_string(),
        title: item.title.clone(),
        public: item.published.map(|_| public(&desk, &path)),
        path,
        states: words::content(item.status()),
        primary,
        actions,
        edit: may_write.then(|| format!("{here}/edit")),
        proposals: open_proposals(&desk, &record.proposals).await?,
        next: desk.params.next(&here, found.next.as_ref()),
        facts: facts(&record),
        translations: translations(&desk, &record).await?,
        preview: format!("{}/preview", revision_path(&desk, id, record.draft.id)),
        revisions: pick_two(revisions, item.published),
    })
}

/// The revisions that the newest proposals say were live at some time.
fn were_live(record: &ContentRecord) -> BTreeSet<RevisionId> {
    let id = record.stored.item.id;
    let carried_out = record.proposals.iter().filter(|proposal| {
        proposal.kind() == ProposalKind::PublishLifecycle
            && matches!(proposal.state, ProposalState::Executed { .. })
    });
    let items = carried_out.flat_map(|proposal| &proposal.resolved);
    let about = items.filter(|item| item.content_id == Some(id));
    about
        .flat_map(|item| [item.revision_id, item.live_revision_id])
        .flatten()
        .collect()
}

fn revision_row(
    desk: &Desk,
    (names, record, were_live): (&Names, &ContentRecord, &BTreeSet<RevisionId>),
    revision: &Revision,
) -> RevisionRow {
    let item = &record.stored.item;
    let is_live = item.published == Some(revision.id);
    let may_return = desk.may(MemberAct::RollBack)
        && item.published.is_some()
        && !is_live
        && were_live.contains(&revision.id);
    let here = desk.at(&format!("content/{}", item.id));
    RevisionRow {
        id: revision.id.to_string(),
        chip: chip(desk, revision),
        marks: marks(item, revision.id),
        by: names.who(revision.author),
        via: names.via(revision.author),
        run: revision
            .run
            .map(|run| Link::new(desk.at(&format!("runs/{run}")), "open the run")),
        note: revision.note.clone(),
        at: desk.when(revision.created_at),
        roll_back: may_return.then(|| format!("{here}/roll-back?to={}", revision.id)),
        is_from: is_live,
        is_to: item.current_draft == revision.id,
    }
}

/// Whether a revision is what is live, or the newest draft.
pub(super) fn marks(item: &ql_core::content::ContentItem, id: RevisionId) -> Vec<Pill> {
    let mut marks = Vec::new();
    if item.published == Some(id) {
        marks.push(Pill::new(Tone::Live, "Live"));
    } else if item.current_draft == id {
        marks.push(Pill::new(Tone::Quiet, "Draft"));
    }
    marks
}

/// Picks what is most worth comparing: what is live with the newest, or the two newest.
fn pick_two(mut rows: Vec<RevisionRow>, live: Option<RevisionId>) -> Vec<RevisionRow> {
    let newest_is_live = rows.first().is_some_and(|row| row.is_from);
    if live.is_none() || newest_is_live || !rows.iter().any(|row| row.is_from) {
        for (index, row) in rows.iter_mut().enumerate() {
            row.is_from = index == 1;
        }
    }
    rows
}

fn actions(desk: &Desk, record: &ContentRecord, here: &str) -> (Option<Link>, Vec<Link>) {
    if !desk.may(MemberAct::Edit) {
        return (None, Vec::new());
    }
    let item = &record.stored.item;
    let ask =
        |action: &str, text: String| Link::new(format!("{here}/propose?action={action}"), text);
    match item.status() {
        ContentStatus::Archived => (Some(ask("restore", "Ask to restore it".into())), Vec::new()),
        ContentStatus::Published => (
            None,
            vec![ask("unpublish", "Ask to take it off the site".into())],
        ),
        ContentStatus::PublishedWithDraft => (
            Some(ask(
                "publish",
                format!("Ask to publish #{}", record.draft.number),
            )),
            vec![ask("unpublish", "Ask to take it off the site".into())],
        ),
        ContentStatus::Draft => (
            Some(ask(
                "publish",
                format!("Ask to publish #{}", record.draft.number),
            )),
            vec![ask("archive", "Ask to archive it".into())],
        ),
    }
}

async fn open_proposals(desk: &Desk, proposals: &[Proposal]) -> Result<Vec<Link>, WebError> {
    let mut links = Vec::new();
    for proposal in proposals {
        if proposal.state.settled_at().is_none() {
            let href = desk.at(&format!("proposals/{}", proposal.id));
            links.push(Link::new(href, effect(desk, proposal).await?));
        }
    }
    Ok(links)
}

fn facts(record: &ContentRecord) -> Vec<Fact> {
    let item = &record.stored.item;
    let mut facts = vec![
        Fact::new(
            "Template",
            format!(
                "{}, version {}",
                item.template, record.draft.template_version
            ),
        ),
        Fact::new("Language", item.locale.as_str()),
        Fact::new("Created", words::day(item.created_at)),
    ];
    if let Some(at) = item.archived_at {
        facts.push(Fact::new("Archived", words::day(at)));
    }
    if record
        .stored
        .live_slug
        .as_ref()
        .is_some_and(|live| *live != record.stored.draft_slug)
    {
        facts.push(Fact::new(
            "Draft's address",
            path(&record.stored.draft_slug),
        ));
    }
    facts
}

/// The other items of the translation group, found among the items of the same template.
async fn translations(desk: &Desk, record: &ContentRecord) -> Result<Vec<Link>, WebError> {
    let item = &record.stored.item;
    let filter = Filter {
        template: Some(item.template.clone()),
        ..Filter::default()
    };
    let page = PageRequest::new(Some(PageRequest::MAX), None);
    let found = desk
        .web
        .app
        .list_content(&desk.ctx, &filter, &page, false)
        .await?;
    let others = found
        .items
        .iter()
        .map(|view| &view.stored.item)
        .filter(|other| other.translation_group == item.translation_group && other.id != item.id);
    let link = |other: &ql_core::content::ContentItem| {
        let text = format!("{} · {}", other.locale.as_str(), other.title);
        Link::new(desk.at(&format!("content/{}", other.id)), text)
    };
    Ok(others.map(link).collect())
}
