//! What a proposal does to the topical map, which links it sets and which brief it answers.

use ql_app::Error;
use ql_app::internal_link::address;
use ql_core::internal_link::{Link as Proposed, set};
use ql_core::proposal::{Links, Payload, Proposal, Resolved};
use ql_core::template::Template;
use ql_core::topical_map::{Node, NodeChange, NodeKind};
use serde_json::Value;

use crate::edge::desk::Desk;
use crate::edge::error::WebError;
use crate::page::{LinkRow, MapRow};
use crate::part::{Link, Tone};
use crate::view::revision::{content_link, template};

/// What changes on the map, node by node.
pub(super) async fn map_rows(desk: &Desk, proposal: &Proposal) -> Result<Vec<MapRow>, WebError> {
    if proposal.operations().is_empty() {
        return Ok(Vec::new());
    }
    let changes = desk.web.app.get_map_changes(&desk.ctx, proposal.id).await?;
    Ok(changes.iter().map(map_row).collect())
}

fn map_row(change: &NodeChange) -> MapRow {
    let (after, before) = (&change.after, change.before.as_ref());
    let (verb, tone) = match before {
        None => ("Add", Tone::Live),
        Some(_) if after.retired => ("Retire", Tone::Stopped),
        Some(before) if before.parent != after.parent => ("Move", Tone::Proposed),
        Some(_) => ("Update", Tone::Proposed),
    };
    MapRow {
        verb,
        tone,
        kind: after.kind.as_str(),
        title: after.title.clone(),
        key: change.key.clone(),
        facts: facts(before, after),
        briefed: before.is_none() && after.kind == NodeKind::Page,
    }
}

type Fact = (&'static str, Option<String>, String);

/// Every part of a node that is new or different.
fn facts(before: Option<&Node>, after: &Node) -> Vec<Fact> {
    let shown = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".into());
    let part = |name, of: fn(&Node) -> Option<String>| -> Option<Fact> {
        let now = of(after);
        match before.map(of) {
            None => now.map(|now| (name, None, now)),
            Some(then) if then == now => None,
            Some(then) => Some((name, Some(shown(&then)), shown(&now))),
        }
    };
    let title = before.and_then(|_| part("Title", |node| Some(node.title.clone())));
    let parts = [
        title,
        part("Under", |node| node.parent.clone()),
        part("Query", |node| node.query.clone()),
        part("Intent", |node| node.intent.clone()),
        part("Template", |node| node.template.clone()),
    ];
    parts.into_iter().flatten().collect()
}

/// The links that a proposal sets, each in its sentence.
pub(super) async fn link_rows(desk: &Desk, proposal: &Proposal) -> Result<Vec<LinkRow>, WebError> {
    let Payload::InternalLink(payload) = &proposal.payload else {
        return Ok(Vec::new());
    };
    let mut rows = Vec::with_capacity(payload.links.len());
    for link in &payload.links {
        rows.push(LinkRow {
            source: page(desk, link.source_content_id).await?,
            prefix: link.prefix.clone(),
            anchor: link.anchor.clone(),
            suffix: link.suffix.clone(),
            target: page(desk, link.target_content_id).await?,
            rel: link.rel.clone(),
        });
    }
    Ok(rows)
}

async fn page(desk: &Desk, id: ql_core::id::ContentId) -> Result<Link, WebError> {
    let found = desk.web.app.get_content(&desk.ctx, id, None).await?;
    Ok(content_link(desk, id, &address(&found.stored)))
}

/// The fields of a page with the links that a proposal sets in it.
pub(super) async fn linked(
    desk: &Desk,
    payload: &Links,
    seen: &Resolved,
) -> Result<(Template, Value, String), WebError> {
    let (content, base) = seen
        .content_id
        .zip(seen.revision_id)
        .ok_or(WebError::NotFound)?;
    let found = desk
        .web
        .app
        .get_content(&desk.ctx, content, Some(base))
        .await?;
    let item = &found.stored.item;
    let fields = found
        .revision
        .map_or(Value::Null, |revision| revision.fields);
    let template = template(desk, &item.template, None).await?;
    let mut links: Vec<(usize, &Proposed, String)> = Vec::new();
    for (index, link) in payload.links.iter().enumerate() {
        if link.source_content_id == content {
            let target = desk
                .web
                .app
                .get_content(&desk.ctx, link.target_content_id, None)
                .await?;
            links.push((index, link, address(&target.stored)));
        }
    }
    let fields = set(&fields, &links, &template).map_err(Error::Invalid)?;
    Ok((template, fields, item.locale.as_str().to_owned()))
}

/// The brief that a proposed draft answers.
pub(super) async fn brief_link(desk: &Desk, proposal: &Proposal) -> Result<Option<Link>, WebError> {
    let Payload::ContentBriefDraft(draft) = &proposal.payload else {
        return Ok(None);
    };
    let state = desk.web.app.get_brief(&desk.ctx, draft.brief_id).await?;
    let href = desk.at(&format!("briefs/{}", draft.brief_id));
    Ok(Some(Link::new(href, state.brief.document.title)))
}
