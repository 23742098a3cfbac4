//! The contents that a proposal is about, as cards with their differences.

use ql_app::Error;
use ql_core::proposal::{Payload, Proposal, ProposalState, Resolved};
use ql_core::template::Template;
use serde_json::Value;

use super::topical;
use crate::diff::Diff;
use crate::edge::desk::Desk;
use crate::edge::error::WebError;
use crate::labels;
use crate::page::ItemCard;
use crate::part::Link;
use crate::view::proposal::path;
use crate::view::revision::{chip, content_link, public, revision_path, template};

/// The fields that carrying out a proposal would lead to for its item of this number.
pub(super) async fn proposed_fields(
    desk: &Desk,
    proposal: &Proposal,
    index: usize,
) -> Result<(Template, Value, String), WebError> {
    match &proposal.payload {
        Payload::CreateContent(new) => {
            let template = template(desk, &new.template, None).await?;
            let locale = new
                .locale
                .clone()
                .unwrap_or_else(|| desk.site.locale.clone());
            Ok((template, new.fields.clone(), locale))
        }
        Payload::ContentSourceDraft(draft) => {
            let template = template(desk, &draft.template, None).await?;
            Ok((template, draft.fields.clone(), desk.site.locale.clone()))
        }
        Payload::ContentRevision(change) => {
            let base = desk
                .web
                .app
                .get_content(&desk.ctx, change.content_id, Some(change.base_revision_id))
                .await?;
            let item = &base.stored.item;
            let old = base.revision.as_ref().map(|revision| &revision.fields);
            let fields = change.change.apply(old).map_err(Error::Invalid)?;
            Ok((
                template(desk, &item.template, None).await?,
                fields,
                item.locale.as_str().to_owned(),
            ))
        }
        Payload::InternalLink(set) => {
            let seen = proposal.resolved.get(index).ok_or(WebError::NotFound)?;
            topical::linked(desk, set, seen).await
        }
        Payload::ContentBriefDraft(draft) => {
            let state = desk.web.app.get_brief(&desk.ctx, draft.brief_id).await?;
            let template = template(desk, &state.brief.document.template, None).await?;
            Ok((template, draft.fields.clone(), desk.site.locale.clone()))
        }
        Payload::PublishLifecycle(_)
        | Payload::ContentLifecycle(_)
        | Payload::TopicalMapChange(_)
        | Payload::TopicalStrategy(_) => Err(WebError::NotFound),
    }
}

/// The card of each item whose contents a proposal is about.
pub(super) async fn of(desk: &Desk, proposal: &Proposal) -> Result<Vec<ItemCard>, WebError> {
    let mut cards = Vec::new();
    for (index, resolved) in proposal.resolved.iter().enumerate() {
        let card = match &proposal.payload {
            Payload::CreateContent(_)
            | Payload::ContentRevision(_)
            | Payload::InternalLink(_)
            | Payload::ContentBriefDraft(_)
            | Payload::ContentSourceDraft(_) => {
                Some(drafted(desk, proposal, (index, resolved)).await?)
            }
            Payload::PublishLifecycle(_) => published(desk, proposal, (index, resolved)).await?,
            Payload::ContentLifecycle(_)
            | Payload::TopicalMapChange(_)
            | Payload::TopicalStrategy(_) => None,
        };
        cards.extend(card);
    }
    Ok(cards)
}

/// The card of a draft that doesn't exist yet.
async fn drafted(
    desk: &Desk,
    proposal: &Proposal,
    (index, resolved): (usize, &Resolved),
) -> Result<ItemCard, WebError> {
    let (template, fields, _) = proposed_fields(desk, proposal, index).await?;
    let base = match resolved.revision_id {
        Some(id) => Some(desk.web.app.get_revision(&desk.ctx, id).await?),
        None => None,
    };
    let old = base.as_ref().map_or(&Value::Null, |base| &base.fields);
    let path = path(resolved);
    let here = desk.at(&format!("proposals/{}", proposal.id));
    Ok(ItemCard {
        id: format!("item-{}", index + 1),
        content: match resolved.content_id {
            Some(content) => content_link(desk, content, &path),
            None => Link::new(here.as_str(), path.as_str()),
        },
        title: template.title_of(&fields),
        diff: Diff::between(old, &fields, &labels::ordered(&template)),
        template: template.title,
        old_label: "Base draft",
        old: base.as_ref().map(|base| chip(desk, base)),
        new_label: "Proposed draft",
        new: None,
        preview: Some(match index {
            0 => format!("{here}/preview"),
            index => format!("{here}/preview?item={index}"),
        }),
        address: public(desk, &path),
        views: (
            format!("{here}?view=changes"),
            format!("{here}?view=preview"),
        ),
    })
}

/// The card of a revision that would go live, against what was live when it was proposed.
async fn published(
    desk: &Desk,
    proposal: &Proposal,
    (index, resolved): (usize, &Resolved),
) -> Result<Option<ItemCard>, WebError> {
    let Some(content) = resolved.content_id else {
        return Ok(None);
    };
    let get = async |id| match id {
        Some(id) => desk.web.app.get_revision(&desk.ctx, id).await.map(Some),
        None => Ok(None),
    };
    let (old, new) = (
        get(resolved.live_revision_id).await?,
        get(resolved.revision_id).await?,
    );
    let item = desk
        .web
        .app
        .get_content(&desk.ctx, content, resolved.revision_id)
        .await?
        .stored
        .item;
    let version = new
        .as_ref()
        .or(old.as_ref())
        .map(|revision| revision.template_version);
    let template = template(desk, &item.template, version).await?;
    let fields = |revision: &Option<_>| {
        revision
            .as_ref()
            .map_or(Value::Null, |r: &ql_core::content::Revision| {
                r.fields.clone()
            })
    };
    let path = path(resolved);
    let here = desk.at(&format!("proposals/{}", proposal.id));
    Ok(Some(ItemCard {
        id: format!("item-{}", index + 1),
        content: content_link(desk, content, &path),
        title: item.title,
        diff: Diff::between(&fields(&old), &fields(&new), &labels::ordered(&template)),
        template: template.title,
        old_label: if proposal.state == ProposalState::Pending {
            "Live now"
        } else {
            "Live then"
        },
        old: old.as_ref().map(|old| chip(desk, old)),
        new_label: if new.is_some() {
            "Proposed"
        } else {
            "Off the site"
        },
        preview: new
            .as_ref()
            .map(|new| format!("{}/preview", revision_path(desk, content, new.id))),
        new: new.as_ref().map(|new| chip(desk, new)),
        address: public(desk, &path),
        views: (
            format!("{here}?view=changes"),
            format!("{here}?view=preview"),
        ),
    }))
}
