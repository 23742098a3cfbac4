//! What a payload stands for at the moment it is proposed.

use std::collections::BTreeSet;

use ql_core::access::OnSite;
use ql_core::content::{Revision, revision_digest};
use ql_core::id::{ContentId, RevisionId};
use ql_core::lifecycle::check_lifecycle;
use ql_core::problem::Problem;
use ql_core::proposal::{
    ContentRevision, ContentSourceDraft, CreateContent, Items, LifecycleAction, LifecycleItem,
    MAX_ITEMS, Payload, PublishItem, Resolved,
};
use ql_core::slug::Slug;
use ql_core::time::{TimeZone, Timestamp};
use ql_store::content::StoredItem;
use ql_store::{Tx, content, source};

use crate::app::App;
use crate::draft::{DraftTarget, NewDraft, prepare};
use crate::error::{Error, Result};
use crate::source::{sources_digest, usable_records};
use crate::text::Checks;
use crate::{brief, internal_link, strategy, topical_map};

/// Resolves payloads on one site at one moment.
pub(crate) struct Resolver<'a> {
    pub(crate) app: &'a App,
    pub(crate) place: OnSite,
    pub(crate) now: Timestamp,
    /// Where the caller gave the payload.
    pub(crate) pointer: &'static str,
}

/// The draft that executing a `create_content` writes, at the address and in the language that were
/// seen where it was resolved before.
pub(crate) fn draft_of(payload: &CreateContent, seen: Option<&Resolved>) -> NewDraft {
    let slug = seen.and_then(|seen| seen.slug.clone());
    let locale = seen.and_then(|seen| seen.locale.clone());
    NewDraft {
        target: DraftTarget::New {
            template: payload.template.clone(),
            locale: locale.or_else(|| payload.locale.clone()),
            translation_group: payload.translation_group,
        },
        slug: slug.or_else(|| payload.slug.clone()),
        change: ql_core::edit::Change::Fields(payload.fields.clone()),
        note: String::new(),
    }
}

/// The draft that executing a `content_revision` writes.
pub(crate) fn revision_of(payload: &ContentRevision) -> NewDraft {
    NewDraft {
        target: DraftTarget::Existing {
            content: payload.content_id,
            base: payload.base_revision_id,
        },
        slug: payload.slug.clone(),
        change: payload.change.clone(),
        note: String::new(),
    }
}

impl Resolver<'_> {
    /// A title in words, and what each item stands for.
    pub(crate) fn resolve(
        &self,
        tx: &mut Tx<'_>,
        payload: &Payload,
    ) -> Result<(String, Vec<Resolved>)> {
        match payload {
            Payload::CreateContent(create) => {
                self.create(tx, create).map_err(|error| self.under(error))
            }
            Payload::ContentRevision(revision) => {
                self.revise(tx, revision).map_err(|error| self.under(error))
            }
            Payload::PublishLifecycle(list) => self.publish(tx, list),
            Payload::ContentLifecycle(list) => self.lifecycle(tx, list),
            Payload::TopicalMapChange(change) => {
                topical_map::resolve(self, tx, change).map_err(|error| self.under(error))
            }
            Payload::InternalLink(set) => {
                internal_link::resolve(self, tx, set).map_err(|error| self.under(error))
            }
            Payload::TopicalStrategy(strategy) => {
                strategy::resolve(self, tx, strategy).map_err(|error| self.under(error))
            }
            Payload::ContentBriefDraft(draft) => {
                brief::resolve(self, tx, draft).map_err(|error| self.under(error))
            }
            Payload::ContentSourceDraft(draft) => self
                .draw_from_sources(tx, draft)
                .map_err(|error| self.under(error)),
        }
    }

    fn under(&self, error: Error) -> Error {
        match error {
            Error::Invalid(problems) => Error::Invalid(
                problems
                    .into_iter()
                    .map(|p| p.under(self.pointer))
                    .collect(),
            ),
            other => other,
        }
    }

    /// As what a new item's first draft is proposed.
    pub(crate) fn create(
        &self,
        tx: &mut Tx<'_>,
        create: &CreateContent,
    ) -> Result<(String, Vec<Resolved>)> {
        let draft = draft_of(create, None);
        let prepared = prepare(tx, self.place.site, &draft, self.app)?;
        let slug = prepared.free_slug(tx, self.place.site)?;
        let resolved = Resolved {
            sha256: Some(revision_digest(&slug, &prepared.canonical)),
            slug: Some(slug.to_string()),
            locale: Some(prepared.locale.to_string()),
            template: Some(create.template.clone()),
            ..Resolved::default()
        };
        Ok((format!("Create “{}”", prepared.title), vec![resolved]))
    }

    fn draw_from_sources(
        &self,
        tx: &mut Tx<'_>,
        draft: &ContentSourceDraft,
    ) -> Result<(String, Vec<Resolved>)> {
        let records = usable_records(tx, self.place.site, draft)?;
        let created = self.create(tx, &draft.creation());
        let (records, (_, mut resolved)) = match (records, created) {
            (Ok(records), Ok(created)) => (records, created),
            (Err(problems), Err(Error::Invalid(more))) => {
                return Err(Error::Invalid([problems, more].concat()));
            }
            (Err(problems), Ok(_)) => return Err(Error::Invalid(problems)),
            (_, Err(error)) => return Err(error),
        };
        for item in &mut resolved {
            item.sources_sha256 = Some(sources_digest(&records));
        }
        let package = source::find(tx, self.place.site, draft.package_id)?
            .ok_or(Error::NotFound("source package"))?;
        let count = records.len();
        let title = format!("Draft from {count} record(s) of “{}”", package.name);
        Ok((title, resolved))
    }

    fn revise(
        &self,
        tx: &mut Tx<'_>,
        payload: &ContentRevision,
    ) -> Result<(String, Vec<Resolved>)> {
        let prepared = prepare(tx, self.place.site, &revision_of(payload), self.app)?;
        let stored = self.item(tx, payload.content_id)?;
        if stored.item.archived_at.is_some() {
            return Err(Error::Archived);
        }
        if stored.item.current_draft != payload.base_revision_id {
            return Err(Error::StaleRevision {
                current: stored.item.current_draft,
            });
        }
        let slug = prepared
            .slug
            .clone()
            .unwrap_or_else(|| stored.draft_slug.clone());
        self.require_free(tx, &stored, &slug)?;
        let sha256 = revision_digest(&slug, &prepared.canonical);
        let base = self.revision(tx, payload.base_revision_id, payload.content_id)?;
        if base.sha256 == sha256 {
            return Err(Error::invalid(
                "",
                "unchanged",
                "the change leaves the draft as it is",
            ));
        }
        let resolved = Resolved {
            sha256: Some(sha256),
            slug: Some(slug.to_string()),
            ..seen(&stored, Some(&base))
        };
        Ok((format!("Revise “{}”", stored.item.title), vec![resolved]))
    }

    fn publish(
        &self,
        tx: &mut Tx<'_>,
        list: &Items<PublishItem>,
    ) -> Result<(String, Vec<Resolved>)> {
        let mut checks = Checks::default();
        self.check_items(&mut checks, list.items.iter().map(PublishItem::content));
        self.check_schedule(&mut checks, &list.items);
        let mut resolved = Vec::with_capacity(list.items.len());
        let mut titles = Vec::with_capacity(list.items.len());
        for (index, item) in list.items.iter().enumerate() {
            let stored = self.item(tx, item.content())?;
            let revision = match item {
                PublishItem::Publish { revision_id, .. } => {
                    Some(self.publishable(tx, &stored, *revision_id)?)
                }
                PublishItem::Unpublish { .. } => None,
            };
            self.check_publish(&mut checks, index, &stored, revision.as_ref());
            let verb = if revision.is_some() {
                "Publish"
            } else {
                "Unpublish"
            };
            titles.push(format!("{verb} “{}”", stored.item.title));
            resolved.push(seen(&stored, revision.as_ref()));
        }
        checks.finish()?;
        Ok((summarize(&titles), resolved))
    }

    fn publishable(
        &self,
        tx: &mut Tx<'_>,
        stored: &StoredItem,
        revision: RevisionId,
    ) -> Result<Revision> {
        let found = self.revision(tx, revision, stored.item.id)?;
        if stored.item.archived_at.is_some() {
            return Err(Error::Archived);
        }
        if stored.item.current_draft != revision {
            return Err(Error::StaleRevision {
                current: stored.item.current_draft,
            });
        }
        Ok(found)
    }

    fn check_publish(
        &self,
        checks: &mut Checks,
        index: usize,
        stored: &StoredItem,
        revision: Option<&Revision>,
    ) {
        let at = self.item_pointer(index);
        match revision {
            Some(revision) => checks.that(
                stored.item.published != Some(revision.id),
                &format!("{at}/revision_id"),
                "already_live",
                "this revision is live already",
            ),
            None => checks.that(
                stored.item.published.is_some(),
                &at,
                "not_live",
                "the page isn't live",
            ),
        }
    }

    fn check_schedule(&self, checks: &mut Checks, items: &[PublishItem]) {
        let first = items.first().and_then(PublishItem::publish_at);
        for (index, item) in items.iter().enumerate() {
            let at = self.item_pointer(index);
            checks.that(item.publish_at() == first, &at, "mixed_schedule", "the items of one proposal are done all or none, so all carry the same publish_at or none does");
            let PublishItem::Publish {
                publish_at,
                time_zone,
                ..
            } = item
            else {
                continue;
            };
            checks.that(
                publish_at.is_none_or(|due| due > self.now),
                &format!("{at}/publish_at"),
                "range",
                "expected an instant that is still to come",
            );
            if let Some(zone) = time_zone {
                checks.parsed::<TimeZone>(&format!("{at}/time_zone"), zone);
                checks.that(
                    publish_at.is_some(),
                    &format!("{at}/time_zone"),
                    "required",
                    "a time zone goes with a publish_at",
                );
            }
        }
    }

    fn lifecycle(
        &self,
        tx: &mut Tx<'_>,
        list: &Items<LifecycleItem>,
    ) -> Result<(String, Vec<Resolved>)> {
        let mut checks = Checks::default();
        self.check_items(&mut checks, list.items.iter().map(|item| item.content_id));
        let mut resolved = Vec::with_capacity(list.items.len());
        let mut titles = Vec::with_capacity(list.items.len());
        for (index, item) in list.items.iter().enumerate() {
            let stored = self.item(tx, item.content_id)?;
            if let Err(reason) = check_lifecycle(item, &stored.item) {
                checks.add(Problem::new(
                    self.item_pointer(index),
                    reason.code(),
                    reason.to_string(),
                ));
            }
            let verb = match item.action {
                LifecycleAction::Archive => "Archive",
                LifecycleAction::Restore => "Restore",
            };
            titles.push(format!("{verb} “{}”", stored.item.title));
            resolved.push(seen(&stored, None));
        }
        checks.finish()?;
        Ok((summarize(&titles), resolved))
    }

    fn check_items(&self, checks: &mut Checks, pages: impl ExactSizeIterator<Item = ContentId>) {
        let at = format!("{}/items", self.pointer);
        checks.that(
            (1..=MAX_ITEMS).contains(&pages.len()),
            &at,
            "range",
            format!("expected 1 to {MAX_ITEMS} items"),
        );
        let mut met = BTreeSet::new();
        for (index, page) in pages.enumerate() {
            checks.that(
                met.insert(page),
                &format!("{at}/{index}/content_id"),
                "duplicate",
                "this page is named twice",
            );
        }
    }

    fn item_pointer(&self, index: usize) -> String {
        format!("{}/items/{index}", self.pointer)
    }

    pub(crate) fn item(&self, tx: &mut Tx<'_>, id: ContentId) -> Result<StoredItem> {
        content::find(tx, self.place.site, id)?.ok_or(Error::NotFound("content item"))
    }

    fn revision(&self, tx: &mut Tx<'_>, id: RevisionId, of: ContentId) -> Result<Revision> {
        content::find_revision(tx, self.place.site, id)?
            .filter(|revision| revision.content == of)
            .ok_or(Error::NotFound("revision"))
    }

    fn require_free(&self, tx: &mut Tx<'_>, stored: &StoredItem, slug: &Slug) -> Result<()> {
        match content::slug_holder(tx, self.place.site, &stored.item.locale, slug)? {
            Some(holder) if holder != stored.item.id => Err(Error::SlugTaken(slug.to_string())),
            Some(_) | None => Ok(()),
        }
    }
}

/// What the proposer saw of an item.
pub(crate) fn seen(stored: &StoredItem, revision: Option<&Revision>) -> Resolved {
    let slug = revision
        .map(|r| &r.slug)
        .or(stored.live_slug.as_ref())
        .unwrap_or(&stored.draft_slug);
    Resolved {
        content_id: Some(stored.item.id),
        revision_id: revision.map(|revision| revision.id),
        sha256: revision.map(|revision| revision.sha256),
        slug: Some(slug.to_string()),
        locale: Some(stored.item.locale.to_string()),
        template: Some(stored.item.template.clone()),
        live_revision_id: stored.item.published,
        ..Resolved::default()
    }
}

/// The first of several titles, and how many more there are.
pub(crate) fn summarize(titles: &[String]) -> String {
    match titles {
        [] => String::new(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    }
}
