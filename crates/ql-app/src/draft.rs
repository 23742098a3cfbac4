//! Drafts: the one way in which content is written, for agents and members alike.

use std::sync::Arc;

use ql_core::access::{Authorized, WriteContent};
use ql_core::actor::Actor;
use ql_core::canon;
use ql_core::content::{ContentItem, Locale, Revision, revision_digest};
use ql_core::edit::{Change, FieldChange, differences};
use ql_core::hash::Digest;
use ql_core::id::{ContentId, ProposalId, RevisionId, RunId, SiteId, TranslationGroupId};
use ql_core::slug::Slug;
use ql_core::template::Template;
use ql_store::content::StoredItem;
use ql_store::{Tx, content, site, template};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::{App, CompiledTemplate};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::idempotency::{IdempotencyKey, first_answer};
use crate::run::require_open;
use crate::text::Checks;

/// What a draft is of.
#[derive(Debug, Clone, PartialEq)]
pub enum DraftTarget {
    /// A new item.
    New {
        /// The template's key.
        template: String,
        /// The language; the site's when absent.
        locale: Option<String>,
        /// The translation group to join; a new one when absent.
        translation_group: Option<TranslationGroupId>,
    },
    /// An item that exists.
    Existing {
        /// The item.
        content: ContentId,
        /// The draft that the change starts from.
        base: RevisionId,
    },
}

/// A draft to write.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDraft {
    /// What it is of.
    pub target: DraftTarget,
    /// The address; kept or made from the title when absent.
    pub slug: Option<String>,
    /// What the fields become.
    pub change: Change,
    /// Why, in the author's words.
    pub note: String,
}

/// A draft that was written, or that says what its base says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drafted {
    /// The item.
    pub content_id: ContentId,
    /// The revision that is the current draft now.
    pub revision_id: RevisionId,
    /// Its number.
    pub number: i64,
    /// Its address.
    pub slug: String,
    /// The digest of what it says.
    pub sha256: Digest,
    /// Whether nothing was written because nothing changed.
    pub unchanged: bool,
    /// Where it differs from its base.
    pub changes: Vec<FieldChange>,
}

/// A draft whose fields are known, checked and hashed; what is left needs the write lock.
#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    compiled: Arc<CompiledTemplate>,
    base: Option<Revision>,
    pub(crate) locale: Locale,
    translation_group: Option<TranslationGroupId>,
    pub(crate) slug: Option<Slug>,
    /// An address that was free when the draft was prepared, where the engine guesses.
    free: Option<Slug>,
    pub(crate) title: String,
    pub(crate) canonical: String,
    changes: Vec<FieldChange>,
    note: String,
}

/// Who writes, on whose behalf and with which identifiers.
pub(crate) struct Writer<'a> {
    pub(crate) authorized: &'a Authorized<WriteContent>,
    pub(crate) scribe: &'a Scribe,
    pub(crate) author: Actor,
    pub(crate) run: Option<RunId>,
    /// The proposal whose execution writes; its chain records the draft, since the run may be over.
    pub(crate) proposal: Option<ProposalId>,
}

/// Works out what a draft's fields become and checks them against the template. Looks at nothing
/// that can go stale but the template's version, which [`write`] compares.
pub(crate) fn prepare(
    tx: &mut Tx<'_>,
    site: SiteId,
    new: &NewDraft,
    app: &App,
) -> Result<Prepared> {
    let mut checks = Checks::default();
    checks.optional_text("/change_note", &new.note, 1000);
    let slug = new
        .slug
        .as_deref()
        .and_then(|text| checks.parsed::<Slug>("/slug", text));
    let (compiled, base, locale, translation_group) =
        resolve(tx, (app, site), &new.target, &mut checks)?;
    let fields = match new.change.apply(base.as_ref().map(|base| &base.fields)) {
        Ok(fields) => fields,
        Err(problems) => {
            checks.extend(problems);
            checks.finish()?;
            return Err(Error::Conflict);
        }
    };
    checks.extend(
        compiled
            .schema
            .problems(&fields)
            .into_iter()
            .map(|problem| problem.under("/fields")),
    );
    checks.finish()?;
    let nothing = json!({});
    let changes = differences(base.as_ref().map_or(&nothing, |base| &base.fields), &fields);
    let title = compiled.template.title_of(&fields);
    let canonical = canon::to_string(&fields);
    Ok(Prepared {
        compiled,
        base,
        locale,
        translation_group,
        slug,
        free: None,
        title,
        canonical,
        changes,
        note: new.note.clone(),
    })
}

/// As [`prepare`], with an address for a new page where the engine guesses. One that isn't free is
/// for the write to refuse.
fn prepare_with_address(
    tx: &mut Tx<'_>,
    site: SiteId,
    new: &NewDraft,
    app: &App,
) -> Result<Prepared> {
    let mut prepared = prepare(tx, site, new, app)?;
    if tx.guesses() && prepared.base.is_none() {
        prepared.free = match prepared.free_slug(tx, site) {
            Ok(free) => Some(free),
            Err(Error::SlugTaken(_)) => None,
            Err(error) => return Err(error),
        };
    }
    Ok(prepared)
}

type Target = (
    Arc<CompiledTemplate>,
    Option<Revision>,
    Locale,
    Option<TranslationGroupId>,
);

fn resolve(
    tx: &mut Tx<'_>,
    (app, site): (&App, SiteId),
    target: &DraftTarget,
    checks: &mut Checks,
) -> Result<Target> {
    match target {
        DraftTarget::New {
            template,
            locale,
            translation_group,
        } => {
            let default = site::find(tx, site)?.ok_or(Error::NotFound("site"))?.locale;
            // A language that doesn't fit is one problem among others: the check goes on with the
            // site's own.
            let named = locale.as_deref().unwrap_or(&default);
            let locale = checks
                .parsed("/locale", named)
                .map_or_else(|| default.parse(), Ok);
            let locale =
                locale.map_err(|error| Error::Fault(format!("the site's locale: {error}")))?;
            let template = app.template(tx, site, template)?;
            Ok((template, None, locale, *translation_group))
        }
        DraftTarget::Existing { content, base } => {
            let stored =
                content::find(tx, site, *content)?.ok_or(Error::NotFound("content item"))?;
            let base = content::find_revision(tx, site, *base)?
                .filter(|revision| revision.content == *content)
                .ok_or(Error::NotFound("revision"))?;
            let template = app.template(tx, site, &stored.item.template)?;
            Ok((
                template,
                Some(base),
                stored.item.locale,
                Some(stored.item.translation_group),
            ))
        }
    }
}

/// Writes a prepared draft, where its base is still current and its template still the same.
///
/// # Errors
/// [`Error::StaleRevision`] when a newer draft exists, [`Error::Conflict`] when the template has a
/// newer version than was checked against.
pub(crate) fn write(
    tx: &mut Tx<'_>,
    writer: &Writer<'_>,
    prepared: &Prepared,
    ids: (ContentId, RevisionId),
) -> Result<Drafted> {
    let site = writer.authorized.site();
    match &prepared.base {
        None => create(tx, writer, prepared, ids),
        Some(base) => {
            let stored =
                content::find(tx, site, base.content)?.ok_or(Error::NotFound("content item"))?;
            advance(tx, writer, prepared, (base, &stored), ids.1)
        }
    }
}

fn create(
    tx: &mut Tx<'_>,
    writer: &Writer<'_>,
    prepared: &Prepared,
    (id, draft): (ContentId, RevisionId),
) -> Result<Drafted> {
    let at = writer.scribe.at;
    let group = prepared
        .translation_group
        .unwrap_or_else(|| TranslationGroupId::mint(writer.scribe.ids(), at));
    let item = ContentItem {
        id,
        site: writer.authorized.site(),
        template: prepared.template().key.clone(),
        locale: prepared.locale.clone(),
        translation_group: group,
        title: prepared.title.clone(),
        current_draft: draft,
        published: None,
        archived_at: None,
        created_at: at,
        updated_at: at,
    };
    require_template(tx, writer, prepared)?;
    let guess = prepared.free.as_ref().filter(|_| tx.guesses());
    let guessed = guess.is_some();
    let slug = match guess {
        Some(free) => free.clone(),
        None => prepared.free_slug(tx, item.site)?,
    };
    let revision = revision(writer, prepared, (&item, slug), (draft, 1), None);
    content::insert(
        tx,
        writer.authorized,
        (&item, prepared.template().id),
        (&revision, &prepared.canonical),
    )?;
    if guessed && !content::take_slug(tx, &item, &revision.slug)? {
        return Err(tx.guess_failed().into());
    }
    if !guessed {
        take(tx, &item, &revision.slug)?;
    }
    record(tx, writer, &revision, prepared.canonical.len())?;
    Ok(drafted(&revision, prepared, false))
}

fn advance(
    tx: &mut Tx<'_>,
    writer: &Writer<'_>,
    prepared: &Prepared,
    (base, stored): (&Revision, &StoredItem),
    draft: RevisionId,
) -> Result<Drafted> {
    let item = &stored.item;
    if item.archived_at.is_some() {
        return Err(Error::Archived);
    }
    if item.current_draft != base.id {
        return Err(Error::StaleRevision {
            current: item.current_draft,
        });
    }
    let slug = prepared.slug.clone().unwrap_or_else(|| base.slug.clone());
    let next = revision(
        writer,
        prepared,
        (item, slug),
        (draft, stored.draft_number + 1),
        Some(base.id),
    );
    if next.sha256 == base.sha256 {
        return Ok(drafted(base, prepared, true));
    }
    require_template(tx, writer, prepared)?;
    if next.slug != stored.draft_slug {
        take(tx, item, &next.slug)?;
        if stored.live_slug.as_ref() != Some(&stored.draft_slug) {
            content::release_slug(tx, item, &stored.draft_slug)?;
        }
    }
    content::advance(
        tx,
        writer.authorized,
        &prepared.title,
        (&next, &prepared.canonical),
    )?;
    record(tx, writer, &next, prepared.canonical.len())?;
    Ok(drafted(&next, prepared, false))
}

fn require_template(tx: &mut Tx<'_>, writer: &Writer<'_>, prepared: &Prepared) -> Result<()> {
    let checked = prepared.template();
    let latest = template::find_latest(tx, writer.authorized.site(), &checked.key)?;
    if latest == Some((checked.id, checked.version)) {
        Ok(())
    } else {
        Err(Error::Conflict)
    }
}

fn take(tx: &mut Tx<'_>, item: &ContentItem, slug: &Slug) -> Result<()> {
    if content::take_slug(tx, item, slug)? {
        Ok(())
    } else {
        Err(Error::SlugTaken(slug.to_string()))
    }
}

impl Prepared {
    fn template(&self) -> &Template {
        &self.compiled.template
    }

    /// The slug that was asked for, where it is free, or the first free one made from the title.
    pub(crate) fn free_slug(&self, tx: &mut Tx<'_>, site: SiteId) -> Result<Slug> {
        let wanted = self.slug.clone();
        let slug = wanted
            .clone()
            .unwrap_or_else(|| Slug::from_title(&self.title));
        if content::slug_holder(tx, site, &self.locale, &slug)?.is_none() {
            return Ok(slug);
        }
        if wanted.is_some() {
            return Err(Error::SlugTaken(slug.to_string()));
        }
        for number in 2..1000 {
            let candidate = slug.numbered(number);
            if content::slug_holder(tx, site, &self.locale, &candidate)?.is_none() {
                return Ok(candidate);
            }
        }
        Err(Error::SlugTaken(slug.to_string()))
    }
}

fn revision(
    writer: &Writer<'_>,
    prepared: &Prepared,
    (item, slug): (&ContentItem, Slug),
    (id, number): (RevisionId, i64),
    parent: Option<RevisionId>,
) -> Revision {
    Revision {
        id,
        content: item.id,
        number,
        sha256: revision_digest(&slug, &prepared.canonical),
        slug,
        // The canonical text is what is stored; nobody reads this copy.
        fields: Value::Null,
        template_version: prepared.template().version,
        author: writer.author,
        run: writer.run,
        parent,
        note: prepared.note.clone(),
        created_at: writer.scribe.at,
    }
}

fn record(tx: &mut Tx<'_>, writer: &Writer<'_>, revision: &Revision, bytes: usize) -> Result<()> {
    let detail = json!({
        "content": revision.content, "revision": revision.id, "number": revision.number, "slug": revision.slug.as_str(),
        "sha256": revision.sha256, "parent": revision.parent, "template_version": revision.template_version,
    });
    match writer.proposal {
        Some(proposal) => writer
            .scribe
            .proposal(tx, proposal, "draft.created", detail),
        None => writer
            .scribe
            .work(tx, writer.run, ("draft.created", detail), bytes),
    }
}

fn drafted(revision: &Revision, prepared: &Prepared, unchanged: bool) -> Drafted {
    Drafted {
        content_id: revision.content,
        revision_id: revision.id,
        number: revision.number,
        slug: revision.slug.to_string(),
        sha256: revision.sha256,
        unchanged,
        changes: if unchanged {
            Vec::new()
        } else {
            prepared.changes.clone()
        },
    }
}

impl App {
    /// Writes a draft. An agent writes in one of its open runs, a member by hand under the same
    /// rules; nothing goes live by it.
    pub async fn create_draft(
        &self,
        ctx: &OpContext,
        run: Option<RunId>,
        new: NewDraft,
        key: Option<IdempotencyKey>,
    ) -> Result<Drafted> {
        let authorized = ctx.authorize::<WriteContent>()?;
        let new = Arc::new(new);
        let mut attempt = self
            .try_draft(ctx, &authorized, run, (&new, key.clone()))
            .await;
        // A template that got a new version between the check and the write is checked again.
        for _ in 0..3 {
            if attempt != Err(Error::Conflict) {
                break;
            }
            attempt = self
                .try_draft(ctx, &authorized, run, (&new, key.clone()))
                .await;
        }
        attempt
    }

    async fn try_draft(
        &self,
        ctx: &OpContext,
        authorized: &Authorized<WriteContent>,
        run: Option<RunId>,
        (new, key): (&Arc<NewDraft>, Option<IdempotencyKey>),
    ) -> Result<Drafted> {
        let site = authorized.site();
        let (app, caller, looked_up) = (self.clone(), ctx.clone(), key.clone());
        let new = Arc::clone(new);
        let prepared = self.store().read(move |tx| {
            // The write looks at the key again before any state; here it only keeps a repeated call
            // from being refused for what has changed since.
            prepare_with_address(tx, site, &new, &app)
                .map(Ok)
                .or_else(|refusal| {
                    let Some(key) = looked_up.clone() else {
                        return Err(refusal);
                    };
                    let answer = first_answer(tx, &key.scoped(&caller)?)?;
                    answer.map(Err).ok_or(refusal)
                })
        });
        let prepared = match prepared.await? {
            Ok(prepared) => prepared,
            Err(answer) => return Ok(answer),
        };
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let ids = (
            ContentId::mint(scribe.ids(), scribe.at),
            RevisionId::mint(scribe.ids(), scribe.at),
        );
        let (authorized, ctx_inner) = (authorized.clone(), ctx.clone());
        self.mutate(ctx, key, scribe.at, move |tx| {
            if let Actor::Agent { .. } = authorized.actor() {
                require_open(tx, &ctx_inner, run.ok_or(Error::NotFound("run"))?)?;
            }
            let writer = Writer {
                authorized: &authorized,
                scribe: &scribe,
                author: authorized.actor(),
                run,
                proposal: None,
            };
            write(tx, &writer, &prepared, ids)
        })
        .await
    }
}
