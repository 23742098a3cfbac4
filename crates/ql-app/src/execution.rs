//! Carrying out what was approved, in the transaction of the approval or of the instant it was
//! approved for: every precondition first, then everything or nothing.

use ql_core::access::{ActAsServer, Authorized, OnSite, Principal, WriteContent};
use ql_core::id::{ContentId, RevisionId};
use ql_core::lifecycle::{Facts, Moment, StaleReason, check_lifecycle, check_publish};
use ql_core::proposal::{
    ContentSourceDraft, LifecycleAction, LifecycleItem, Payload, Proposal, PublishItem, Resolved,
};
use ql_core::slug::Slug;
use ql_store::content::{Publication, StoredItem};
use ql_store::stage_task::{self, Sealed};
use ql_store::{Tx, content, source};
use serde_json::{Value, json};

use crate::app::App;
use crate::draft::{Drafted, NewDraft, Writer, prepare, write};
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::proposal::{draft_of, revision_of};
use crate::source::{sources_digest, usable_records};
use crate::{brief, internal_link, topical_map};

/// One thing that must hold to carry a proposal out, and whether it does now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Precondition {
    /// The item it is about; none for one that is still to be created.
    pub content: Option<ContentId>,
    /// Why it doesn't hold.
    pub stale: Option<StaleReason>,
}

/// What carries proposals out: the server, with the identifiers it may need.
pub(crate) struct Executor<'a> {
    pub(crate) app: &'a App,
    pub(crate) scribe: Scribe,
    server: Authorized<ActAsServer>,
    writing: Authorized<WriteContent>,
    ids: (ContentId, RevisionId),
}

impl<'a> Executor<'a> {
    pub(crate) fn new(app: &'a App, place: OnSite, scribe: &Scribe) -> Result<Self> {
        let scribe = scribe.as_system();
        Ok(Self {
            app,
            server: Principal::System.authorize(place)?,
            writing: Principal::System.authorize(place)?,
            ids: (
                ContentId::mint(scribe.ids(), scribe.at),
                RevisionId::mint(scribe.ids(), scribe.at),
            ),
            scribe,
        })
    }

    pub(crate) fn server(&self) -> &Authorized<ActAsServer> {
        &self.server
    }

    /// Carries a proposal out; the inner error says why it can't be, with nothing written.
    pub(crate) fn execute(
        &self,
        tx: &mut Tx<'_>,
        proposal: &Proposal,
        moment: Moment,
    ) -> Result<std::result::Result<Value, StaleReason>> {
        for index in 0..proposal.resolved.len() {
            if let Some(reason) = check(tx, self.app, proposal, (index, moment))? {
                return Ok(Err(reason));
            }
        }
        let done = match &proposal.payload {
            Payload::CreateContent(create) => {
                let draft = draft_of(create, proposal.resolved.first());
                self.draft(tx, proposal, &draft)?
            }
            Payload::ContentRevision(revision) => {
                self.draft(tx, proposal, &revision_of(revision))?
            }
            Payload::PublishLifecycle(list) => {
                let items: Result<Vec<Value>> = list
                    .items
                    .iter()
                    .map(|item| self.publish(tx, proposal, item))
                    .collect();
                json!({"items": items?})
            }
            Payload::ContentLifecycle(list) => {
                let items: Result<Vec<Value>> = list
                    .items
                    .iter()
                    .map(|item| self.lifecycle(tx, item))
                    .collect();
                json!({"items": items?})
            }
            Payload::TopicalMapChange(_) | Payload::TopicalStrategy(_) => {
                topical_map::carry_out(self, tx, proposal)?
            }
            Payload::InternalLink(set) => internal_link::carry_out(self, tx, proposal, set)?,
            Payload::ContentBriefDraft(draft) => brief::carry_out(self, tx, proposal, draft)?,
            Payload::ContentSourceDraft(source) => self.draw_from_sources(tx, proposal, source)?,
        };
        Ok(Ok(done))
    }

    fn draw_from_sources(
        &self,
        tx: &mut Tx<'_>,
        proposal: &Proposal,
        payload: &ContentSourceDraft,
    ) -> Result<Value> {
        // The precondition has just held in this very transaction.
        let records = usable_records(tx, proposal.site, payload)?.map_err(Error::Invalid)?;
        let draft = draft_of(&payload.creation(), proposal.resolved.first());
        let drafted = self.write(tx, proposal, &draft, self.ids)?;
        source::insert_provenance(tx, &self.server, drafted.revision_id, &records)?;
        let mut done = draft_detail(&drafted);
        done["package"] = json!(payload.package_id);
        done["sources_sha256"] = json!(sources_digest(&records));
        Ok(done)
    }

    fn draft(&self, tx: &mut Tx<'_>, proposal: &Proposal, new: &NewDraft) -> Result<Value> {
        Ok(draft_detail(&self.write(tx, proposal, new, self.ids)?))
    }

    /// Writes a draft in the proposer's name, under identifiers of its own.
    pub(crate) fn write_draft(
        &self,
        tx: &mut Tx<'_>,
        proposal: &Proposal,
        new: &NewDraft,
    ) -> Result<Drafted> {
        let (ids, at) = (self.scribe.ids(), self.scribe.at);
        let ids = (ContentId::mint(ids, at), RevisionId::mint(ids, at));
        self.write(tx, proposal, new, ids)
    }

    fn write(
        &self,
        tx: &mut Tx<'_>,
        proposal: &Proposal,
        new: &NewDraft,
        ids: (ContentId, RevisionId),
    ) -> Result<Drafted> {
        let prepared = prepare(tx, proposal.site, new, self.app)?;
        let writer = Writer {
            authorized: &self.writing,
            scribe: &self.scribe,
            author: proposal.proposer,
            run: proposal.run,
            proposal: Some(proposal.id),
        };
        write(tx, &writer, &prepared, ids)
    }

    fn publish(&self, tx: &mut Tx<'_>, proposal: &Proposal, item: &PublishItem) -> Result<Value> {
        let stored = content::find(tx, proposal.site, item.content())?
            .ok_or(Error::NotFound("content item"))?;
        let before = stored.item.published;
        let (revision, slug) = match item {
            PublishItem::Publish { revision_id, .. } => {
                let revision = content::find_revision(tx, proposal.site, *revision_id)?
                    .ok_or(Error::NotFound("revision"))?;
                if !content::take_slug(tx, &stored.item, &revision.slug)? {
                    return Err(Error::SlugTaken(revision.slug.to_string()));
                }
                (Some(revision.id), revision.slug)
            }
            PublishItem::Unpublish { .. } => (
                None,
                stored
                    .live_slug
                    .clone()
                    .unwrap_or_else(|| stored.draft_slug.clone()),
            ),
        };
        let publication = Publication {
            item: &stored.item,
            revision,
            slug: &slug,
            proposal: proposal.id,
            at: self.scribe.at,
        };
        content::publish(tx, &self.server, &publication)?;
        release_old_slug(tx, &stored, revision.map(|_| &slug))?;
        Ok(
            json!({"content": stored.item.id, "revision": revision, "was_live": before, "slug": slug.as_str()}),
        )
    }

    fn lifecycle(&self, tx: &mut Tx<'_>, item: &LifecycleItem) -> Result<Value> {
        let at = match item.action {
            LifecycleAction::Archive => Some(self.scribe.at),
            LifecycleAction::Restore => None,
        };
        content::set_archived(tx, &self.server, item.content_id, (at, self.scribe.at))?;
        Ok(json!({"content": item.content_id, "archived_at": at}))
    }
}

fn draft_detail(drafted: &Drafted) -> Value {
    json!({"content": drafted.content_id, "revision": drafted.revision_id, "sha256": drafted.sha256})
}

/// Gives up the address that the page was live at, unless its draft or its new live revision has it.
fn release_old_slug(tx: &mut Tx<'_>, stored: &StoredItem, live: Option<&Slug>) -> Result<()> {
    match &stored.live_slug {
        Some(old) if live != Some(old) && *old != stored.draft_slug => {
            Ok(content::release_slug(tx, &stored.item, old)?)
        }
        Some(_) | None => Ok(()),
    }
}

/// Every precondition of a proposal as it stands now.
pub(crate) fn preconditions(
    tx: &mut Tx<'_>,
    app: &App,
    proposal: &Proposal,
) -> Result<Vec<Precondition>> {
    let moment = match proposal.state {
        ql_core::proposal::ProposalState::Approved { .. } => Moment::Instant,
        _ => Moment::Approval,
    };
    (0..proposal.resolved.len())
        .map(|index| {
            let content = proposal.resolved[index].content_id;
            Ok(Precondition {
                content,
                stale: check(tx, app, proposal, (index, moment))?,
            })
        })
        .collect()
}

fn check(
    tx: &mut Tx<'_>,
    app: &App,
    proposal: &Proposal,
    (index, moment): (usize, Moment),
) -> Result<Option<StaleReason>> {
    let Some(seen) = proposal.resolved.get(index) else {
        return Ok(None);
    };
    let stored = match seen.content_id {
        Some(id) => {
            Some(content::find(tx, proposal.site, id)?.ok_or(Error::NotFound("content item"))?)
        }
        None => None,
    };
    match (&proposal.payload, stored) {
        (Payload::CreateContent(create), _) => check_draft(
            tx,
            app,
            (proposal, seen),
            &draft_of(create, Some(seen)),
            None,
        ),
        (Payload::ContentSourceDraft(source), _) => {
            if usable_records(tx, proposal.site, source)?.is_err() {
                return Ok(Some(StaleReason::SourceNotUsable));
            }
            let draft = draft_of(&source.creation(), Some(seen));
            check_draft(tx, app, (proposal, seen), &draft, None)
        }
        (Payload::ContentRevision(revision), Some(stored)) => {
            if stored.item.archived_at.is_some() {
                return Ok(Some(StaleReason::Archived));
            }
            if stored.item.current_draft != revision.base_revision_id {
                return Ok(Some(StaleReason::DraftMoved));
            }
            check_draft(
                tx,
                app,
                (proposal, seen),
                &revision_of(revision),
                Some(stored.item.id),
            )
        }
        (Payload::PublishLifecycle(list), Some(stored)) => match list.items.get(index) {
            Some(item) => match check_sealed(tx, item)? {
                Some(reason) => Ok(Some(reason)),
                None => check_live(tx, app, (item, seen), &stored, moment),
            },
            None => Ok(None),
        },
        (Payload::ContentLifecycle(list), Some(stored)) => Ok(list
            .items
            .get(index)
            .and_then(|item| check_lifecycle(item, &stored.item).err())),
        (Payload::TopicalMapChange(_) | Payload::TopicalStrategy(_), _) => {
            topical_map::check(tx, proposal.site, seen)
        }
        (Payload::InternalLink(set), Some(stored)) => {
            internal_link::check(tx, app, (set, seen), &stored)
        }
        (Payload::ContentBriefDraft(draft), _) => brief::check(tx, app, (proposal, seen), draft),
        (
            Payload::ContentRevision(_)
            | Payload::PublishLifecycle(_)
            | Payload::ContentLifecycle(_)
            | Payload::InternalLink(_),
            None,
        ) => Ok(None),
    }
}

/// What belongs to a production goes live as its gate sealed it or not at all.
fn check_sealed(tx: &mut Tx<'_>, item: &PublishItem) -> Result<Option<StaleReason>> {
    let PublishItem::Publish {
        content_id,
        revision_id,
        ..
    } = item
    else {
        return Ok(None);
    };
    Ok(match stage_task::find_sealed(tx, *content_id)? {
        Sealed::Free => None,
        Sealed::Revision(sealed) if sealed == *revision_id => None,
        Sealed::Revision(_) | Sealed::Open => Some(StaleReason::NotAsSealed),
    })
}

/// Whether a draft of a new item, or of `own`, could still be written as it was seen.
pub(crate) fn check_draft(
    tx: &mut Tx<'_>,
    app: &App,
    (proposal, seen): (&Proposal, &Resolved),
    new: &NewDraft,
    own: Option<ContentId>,
) -> Result<Option<StaleReason>> {
    let prepared = match prepare(tx, proposal.site, new, app) {
        Ok(prepared) => prepared,
        Err(Error::Invalid(_)) => return Ok(Some(StaleReason::TemplateMismatch)),
        Err(other) => return Err(other),
    };
    let slug: Option<Slug> = seen.slug.as_deref().and_then(|text| text.parse().ok());
    let holder = match &slug {
        Some(slug) => content::slug_holder(tx, proposal.site, &prepared.locale, slug)?,
        None => None,
    };
    Ok(holder
        .is_some_and(|holder| Some(holder) != own)
        .then_some(StaleReason::SlugTaken))
}

fn check_live(
    tx: &mut Tx<'_>,
    app: &App,
    (item, seen): (&PublishItem, &Resolved),
    stored: &StoredItem,
    moment: Moment,
) -> Result<Option<StaleReason>> {
    let mut facts = Facts {
        item: &stored.item,
        slug_holder: None,
        fits_template: true,
    };
    if let PublishItem::Publish { revision_id, .. } = item {
        let site = stored.item.site;
        let revision =
            content::find_revision(tx, site, *revision_id)?.ok_or(Error::NotFound("revision"))?;
        let current = app.template(tx, site, &stored.item.template)?;
        facts.slug_holder = content::slug_holder(tx, site, &stored.item.locale, &revision.slug)?;
        // A roll-back names what was live once; it is measured against its own template version.
        facts.fits_template =
            moment == Moment::RollBack || current.schema.problems(&revision.fields).is_empty();
    }
    Ok(check_publish(item, seen, &facts, moment).err())
}
