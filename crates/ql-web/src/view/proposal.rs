//! A proposal in the words of what it does.

use ql_core::proposal::{LifecycleAction, LifecycleItem, Payload, Proposal, PublishItem, Resolved};
use ql_core::time::TimeZone;
use ql_core::topical_map::{NodeKind, Operation};

use super::revision::chip;
use super::words;
use crate::edge::desk::Desk;
use crate::edge::error::WebError;
use crate::labels;
use crate::page::Effect;

/// What approving does, as a heading and a button say it: `Publish revision #12 of /visit`.
pub(crate) async fn effect(desk: &Desk, proposal: &Proposal) -> Result<String, WebError> {
    let first = proposal
        .resolved
        .first()
        .map_or_else(|| "a page".into(), path);
    let pages = others(&first, proposal.resolved.len());
    Ok(match &proposal.payload {
        Payload::CreateContent(new) => {
            let template = labels::title(&serde_json::Value::Null, &new.template);
            format!("Create a draft of {first} from the template {template}")
        }
        Payload::ContentRevision(_) => format!("Add a draft to {first}"),
        Payload::PublishLifecycle(list) => publication(desk, &list.items, (&first, &pages)).await?,
        Payload::ContentLifecycle(list) => lifecycle(&list.items, &pages),
        Payload::TopicalMapChange(_) | Payload::TopicalStrategy(_) => map_change(proposal),
        Payload::InternalLink(set) => {
            let links = words::count(set.links.len(), "link", "links");
            format!("Set {links} in new drafts of {pages}")
        }
        Payload::ContentBriefDraft(_) => format!("Accept the draft of {first} for its brief"),
        Payload::ContentSourceDraft(draft) => {
            let records = match draft.record_keys.len() {
                1 => "a source record".to_owned(),
                count => format!("{count} source records"),
            };
            format!("Create a draft of {first} from {records}")
        }
    })
}

/// What becomes of the map: `Make version 4 of the topical map: 3 changes, 2 briefs`.
fn map_change(proposal: &Proposal) -> String {
    let base = proposal.resolved.first().and_then(|seen| seen.map_version);
    let operations = proposal.operations();
    let is_page = |operation: &&Operation| matches!(operation, Operation::AddNode(add) if add.kind == NodeKind::Page);
    let pages = operations.iter().filter(is_page).count();
    format!(
        "Make version {} of the topical map: {}, {}",
        base.unwrap_or_default() + 1,
        words::count(operations.len(), "change", "changes"),
        words::count(pages, "brief", "briefs"),
    )
}

async fn publication(
    desk: &Desk,
    items: &[PublishItem],
    (first, pages): (&str, &str),
) -> Result<String, WebError> {
    let is_publish = |item: &&PublishItem| matches!(item, PublishItem::Publish { .. });
    let published = items.iter().filter(is_publish).count();
    let text = match (items, published) {
        ([PublishItem::Publish { revision_id, .. }], _) => {
            let revision = desk.web.app.get_revision(&desk.ctx, *revision_id).await?;
            format!("Publish revision #{} of {first}", revision.number)
        }
        (_, 0) => format!("Take {pages} off the site"),
        (all, count) if all.len() == count => format!("Publish {pages}"),
        (all, count) => {
            format!(
                "Publish {count} and take {} of {} pages off the site",
                all.len() - count,
                all.len()
            )
        }
    };
    Ok(match moment(desk, items) {
        Some(moment) => format!("{text} at {moment}"),
        None => text,
    })
}

/// When a scheduled publication is meant to happen, in the zone it was meant in.
pub(crate) fn moment(desk: &Desk, items: &[PublishItem]) -> Option<String> {
    items.iter().find_map(|item| match item {
        PublishItem::Publish {
            publish_at: Some(at),
            time_zone,
            ..
        } => {
            let zone = time_zone.as_deref().unwrap_or(&desk.site.time_zone);
            let zone = zone.parse::<TimeZone>();
            Some(zone.map_or_else(|_| at.to_string(), |zone| zone.local(*at)))
        }
        PublishItem::Publish { .. } | PublishItem::Unpublish { .. } => None,
    })
}

fn lifecycle(items: &[LifecycleItem], pages: &str) -> String {
    let is_archive = |item: &&LifecycleItem| item.action == LifecycleAction::Archive;
    match items.iter().filter(is_archive).count() {
        0 => format!("Restore {pages}"),
        count if count == items.len() => format!("Archive {pages}"),
        count => format!("Archive {count} and restore {} pages", items.len() - count),
    }
}

fn others(first: &str, count: usize) -> String {
    match count {
        0 | 1 => first.to_owned(),
        count => format!("{first} and {} more", count - 1),
    }
}

/// The path of a resolved item.
pub(crate) fn path(resolved: &Resolved) -> String {
    match (&resolved.slug, resolved.content_id) {
        (Some(slug), _) => format!("/{slug}"),
        (None, Some(id)) => id.to_string(),
        (None, None) => "a page".into(),
    }
}

/// What happens to each item.
pub(crate) async fn effects(desk: &Desk, proposal: &Proposal) -> Result<Vec<Effect>, WebError> {
    if !proposal.operations().is_empty() {
        // Changes of the map are listed node by node instead.
        return Ok(Vec::new());
    }
    let mut effects = Vec::with_capacity(proposal.resolved.len());
    for (index, resolved) in proposal.resolved.iter().enumerate() {
        let revision = async |id| match id {
            Some(id) => desk.web.app.get_revision(&desk.ctx, id).await.map(Some),
            None => Ok(None),
        };
        let live = revision(resolved.live_revision_id).await?;
        let target = revision(resolved.revision_id).await?;
        let mut effect = Effect {
            path: path(resolved),
            moves_from: None,
            before: live.as_ref().map(|live| chip(desk, live)),
            before_word: "not live",
            after: None,
            after_word: "not live",
        };
        match &proposal.payload {
            Payload::TopicalMapChange(_) | Payload::TopicalStrategy(_) => {}
            Payload::CreateContent(_)
            | Payload::ContentBriefDraft(_)
            | Payload::ContentSourceDraft(_) => {
                (effect.before_word, effect.after_word) = ("nothing", "a draft, not live");
            }
            Payload::ContentRevision(_) | Payload::InternalLink(_) => {
                effect.before = target.as_ref().map(|base| chip(desk, base));
                effect.before_word = "no draft";
                effect.after_word = "a newer draft, not live";
            }
            Payload::PublishLifecycle(list) => {
                if let Some(PublishItem::Publish { .. }) = list.items.get(index) {
                    effect.after = target.as_ref().map(|target| chip(desk, target));
                    effect.moves_from = moved(live.as_ref(), target.as_ref());
                } else {
                    effect.after_word = "off the site";
                }
            }
            Payload::ContentLifecycle(list) => {
                let action = list.items.get(index).map(|item| item.action);
                effect.before = None;
                (effect.before_word, effect.after_word) = match action {
                    Some(LifecycleAction::Restore) => ("archived", "in use, not live"),
                    _ => ("in use", "archived"),
                };
            }
        }
        effects.push(effect);
    }
    Ok(effects)
}

/// The live address, where the publication would move it.
fn moved(
    live: Option<&ql_core::content::Revision>,
    target: Option<&ql_core::content::Revision>,
) -> Option<String> {
    let (live, target) = (live?, target?);
    (live.slug != target.slug).then(|| format!("/{}", live.slug))
}
