//! Links between pages: proposed with the exact words, set in drafts when that is approved.

use ql_core::content::{Revision, revision_digest};
use ql_core::edit::Change;
use ql_core::hash::Digest;
use ql_core::id::{ContentId, SiteId};
use ql_core::internal_link::{Link, problems, set};
use ql_core::lifecycle::StaleReason;
use ql_core::proposal::{Links, MAX_ITEMS, Proposal, Resolved};
use ql_core::slug::Slug;
use ql_store::content::StoredItem;
use ql_store::{Tx, content, internal_link};
use serde_json::{Value, json};

use crate::app::App;
use crate::draft::{DraftTarget, NewDraft, prepare};
use crate::error::{Error, Result};
use crate::execution::Executor;
use crate::proposal::{Resolver, seen, summarize};
use crate::text::Checks;

/// The links of a proposal that one page gets, with their numbers among all.
type OfSource<'a> = Vec<(usize, &'a Link)>;

/// The links by the pages that get them, in the order of their first ones.
fn by_source(links: &[Link]) -> Vec<(ContentId, OfSource<'_>)> {
    let mut sources: Vec<(ContentId, OfSource<'_>)> = Vec::new();
    for (index, link) in links.iter().enumerate() {
        let page = link.source_content_id;
        match sources.iter_mut().find(|(source, _)| *source == page) {
            Some((_, of_source)) => of_source.push((index, link)),
            None => sources.push((page, vec![(index, link)])),
        }
    }
    sources
}

/// Where a link to a page goes: to its live address, or the one that its draft will have.
pub fn address(target: &StoredItem) -> String {
    format!(
        "/{}",
        target.live_slug.as_ref().unwrap_or(&target.draft_slug)
    )
}

/// The draft that a page gets by its links.
fn draft(
    tx: &mut Tx<'_>,
    (app, site): (&App, SiteId),
    (stored, base): (&StoredItem, &Revision),
    links: &[(usize, &Link)],
) -> Result<NewDraft> {
    let mut with_addresses = Vec::with_capacity(links.len());
    for (index, link) in links {
        let target = content::find(tx, site, link.target_content_id)?;
        let target = target.ok_or(Error::NotFound("content item"))?;
        with_addresses.push((*index, *link, address(&target)));
    }
    let template = app.template(tx, site, &stored.item.template)?;
    let fields = set(&base.fields, &with_addresses, &template.template).map_err(Error::Invalid)?;
    let count = links.len();
    Ok(NewDraft {
        target: DraftTarget::Existing {
            content: stored.item.id,
            base: base.id,
        },
        slug: None,
        change: Change::Fields(fields),
        note: format!("{count} internal link{}", if count == 1 { "" } else { "s" }),
    })
}

/// What a draft's revision will be known by.
fn digest(
    tx: &mut Tx<'_>,
    (app, site): (&App, SiteId),
    new: &NewDraft,
    slug: &Slug,
) -> Result<Digest> {
    let prepared = prepare(tx, site, new, app)?;
    Ok(revision_digest(slug, &prepared.canonical))
}

/// What a set of links stands for: one draft for each page that gets some.
pub(crate) fn resolve(
    resolver: &Resolver<'_>,
    tx: &mut Tx<'_>,
    payload: &Links,
) -> Result<(String, Vec<Resolved>)> {
    let place = (resolver.app, resolver.place.site);
    let mut checks = Checks::default();
    checks.that(
        (1..=MAX_ITEMS).contains(&payload.links.len()),
        "/links",
        "range",
        format!("expected 1 to {MAX_ITEMS} links"),
    );
    checks.extend(problems(&payload.links));
    let (mut resolved, mut titles) = (Vec::new(), Vec::new());
    for (page, links) in by_source(&payload.links) {
        let stored = resolver.item(tx, page)?;
        let base = source(tx, place.1, &stored, &links)?;
        for (_, link) in &links {
            if resolver
                .item(tx, link.target_content_id)?
                .item
                .archived_at
                .is_some()
            {
                return Err(Error::Archived);
            }
        }
        match draft(tx, place, (&stored, &base), &links) {
            Ok(new) => resolved.push(Resolved {
                sha256: Some(digest(tx, place, &new, &base.slug)?),
                ..seen(&stored, Some(&base))
            }),
            Err(Error::Invalid(found)) => checks.extend(found),
            Err(other) => return Err(other),
        }
        titles.push(format!("Link from “{}”", stored.item.title));
    }
    checks.finish()?;
    Ok((summarize(&titles), resolved))
}

/// The revision that links name, which must be the page's current draft.
fn source(
    tx: &mut Tx<'_>,
    site: SiteId,
    stored: &StoredItem,
    links: &[(usize, &Link)],
) -> Result<Revision> {
    if stored.item.archived_at.is_some() {
        return Err(Error::Archived);
    }
    let current = stored.item.current_draft;
    for (_, link) in links {
        content::find_revision(tx, site, link.source_revision_id)?
            .filter(|revision| revision.content == stored.item.id)
            .ok_or(Error::NotFound("revision"))?;
        if link.source_revision_id != current {
            return Err(Error::StaleRevision { current });
        }
    }
    content::find_revision(tx, site, current)?.ok_or(Error::NotFound("revision"))
}

/// Whether a page's links would still make exactly the draft that was seen.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    app: &App,
    (payload, seen): (&Links, &Resolved),
    stored: &StoredItem,
) -> Result<Option<StaleReason>> {
    let (item, place) = (&stored.item, (app, stored.item.site));
    if item.archived_at.is_some() {
        return Ok(Some(StaleReason::Archived));
    }
    if seen.revision_id != Some(item.current_draft) {
        return Ok(Some(StaleReason::DraftMoved));
    }
    let base = content::find_revision(tx, item.site, item.current_draft)?;
    let base = base.ok_or(Error::NotFound("revision"))?;
    let links = of_source(payload, item.id);
    let made = draft(tx, place, (stored, &base), &links)
        .and_then(|new| digest(tx, place, &new, &base.slug));
    match made {
        Ok(digest) if seen.sha256 == Some(digest) => Ok(None),
        Ok(_) => Ok(Some(StaleReason::LinkMoved)),
        Err(Error::Invalid(_)) => Ok(Some(StaleReason::TemplateMismatch)),
        Err(other) => Err(other),
    }
}

fn of_source(payload: &Links, page: ContentId) -> OfSource<'_> {
    let links = payload.links.iter().enumerate();
    links
        .filter(|(_, link)| link.source_content_id == page)
        .collect()
}

/// Writes the drafts, one for each page that gets links.
pub(crate) fn carry_out(
    executor: &Executor<'_>,
    tx: &mut Tx<'_>,
    proposal: &Proposal,
    payload: &Links,
) -> Result<Value> {
    let (site, at) = (proposal.site, executor.scribe.at);
    let mut items = Vec::new();
    for (page, links) in by_source(&payload.links) {
        let stored = content::find(tx, site, page)?.ok_or(Error::NotFound("content item"))?;
        let base = source(tx, site, &stored, &links)?;
        let new = draft(tx, (executor.app, site), (&stored, &base), &links)?;
        let drafted = executor.write_draft(tx, proposal, &new)?;
        for (index, link) in links {
            let position = i64::try_from(index).unwrap_or(i64::MAX);
            let number = (proposal.id, position);
            internal_link::insert(
                tx,
                executor.server(),
                number,
                (link, drafted.revision_id),
                at,
            )?;
        }
        items.push(json!({
            "content": drafted.content_id, "revision": drafted.revision_id, "sha256": drafted.sha256,
        }));
    }
    Ok(json!({"items": items}))
}
