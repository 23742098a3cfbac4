//! Content items, their addresses and their immutable revisions.

use ql_core::access::{ActAsServer, Authorized, WriteContent};
use ql_core::actor::Actor;
use ql_core::content::{ContentItem, ContentStatus, Locale, Revision};
use ql_core::fold::fold;
use ql_core::id::{ContentId, ProposalId, RevisionId, SiteId, TemplateId};
use ql_core::page::{Cursor, Page, PageRequest};
use ql_core::slug::Slug;
use ql_core::time::Timestamp;

use crate::run::AFTER_ALL;
use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO content_items (id, site_id, template_id, template_key, locale, translation_group, title, \
        search, draft_id, draft_number, draft_slug, live_id, live_slug, archived_at, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, NULL, NULL, NULL, $11, $11)";
    FIND = "SELECT id, site_id, template_key, locale, translation_group, title, draft_id, live_id, archived_at, \
        created_at, updated_at, draft_number, draft_slug, live_slug FROM content_items WHERE id = $1 AND site_id = $2";
    LIST = "SELECT id, site_id, template_key, locale, translation_group, title, draft_id, live_id, archived_at, \
        created_at, updated_at, draft_number, draft_slug, live_slug FROM content_items \
        WHERE site_id = $1 AND id < $2 \
        AND (CAST($3 AS TEXT) IS NULL OR template_key = $3) \
        AND (CAST($4 AS TEXT) IS NULL OR locale = $4) \
        AND (CAST($5 AS TEXT) IS NULL OR search LIKE $5 ESCAPE '!') \
        AND (CAST($6 AS TEXT) IS NULL OR draft_slug = $6 OR live_slug = $6) \
        AND (CAST($7 AS BIGINT) IS NULL OR updated_at >= $7) \
        AND (CAST($8 AS TEXT) IS NULL OR $8 = CASE WHEN archived_at IS NOT NULL THEN 'archived' \
        WHEN live_id = draft_id THEN 'published' WHEN live_id IS NOT NULL THEN 'published_with_draft' ELSE 'draft' END) \
        AND (CAST($8 AS TEXT) IS NOT NULL OR archived_at IS NULL) ORDER BY id DESC LIMIT $9";
    SLUG_HOLDER = "SELECT content_id FROM content_slugs WHERE site_id = $1 AND locale = $2 AND slug = $3";
    LOCALES = "SELECT f.locale FROM (WITH RECURSIVE found(locale) AS (\
        SELECT MIN(s.locale) FROM content_slugs s WHERE s.site_id = $1 UNION ALL \
        SELECT (SELECT MIN(s.locale) FROM content_slugs s WHERE s.site_id = $1 AND s.locale > found.locale) \
        FROM found WHERE found.locale IS NOT NULL) SELECT locale FROM found) f WHERE f.locale IS NOT NULL";
    TAKE_SLUG = "INSERT INTO content_slugs (site_id, locale, slug, content_id) VALUES ($1, $2, $3, $4) \
        ON CONFLICT (site_id, locale, slug) DO NOTHING";
    RELEASE_SLUGS = "DELETE FROM content_slugs WHERE content_id = $4 AND site_id = $1 AND locale = $2 AND slug = $3";
    INSERT_REVISION = "INSERT INTO content_revisions (id, site_id, content_id, number, slug, fields, sha256, \
        template_version, author, run_id, parent_id, note, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    ADVANCE = "UPDATE content_items SET draft_id = $3, draft_number = $4, draft_slug = $5, title = $6, search = $7, \
        updated_at = $8 WHERE id = $1 AND site_id = $2 AND draft_number = $4 - 1";
    SET_LIVE = "UPDATE content_items SET live_id = $3, live_slug = $4, updated_at = $5 WHERE id = $1 AND site_id = $2";
    SET_ARCHIVED = "UPDATE content_items SET archived_at = $3, updated_at = $4 WHERE id = $1 AND site_id = $2";
    FIND_REVISION = "SELECT id, content_id, number, slug, fields, sha256, template_version, author, run_id, parent_id, \
        note, created_at FROM content_revisions WHERE id = $1 AND site_id = $2";
    LIST_REVISIONS = "SELECT id, content_id, number, slug, fields, sha256, template_version, author, run_id, parent_id, \
        note, created_at FROM content_revisions WHERE content_id = $1 AND site_id = $2 AND number < $3 \
        ORDER BY number DESC LIMIT $4";
    NEXT_PUBLICATION = "UPDATE sites SET publication_seq = publication_seq + 1 WHERE id = $1 RETURNING publication_seq";
    INSERT_PUBLICATION = "INSERT INTO publications (site_id, seq, content_id, revision_id, slug, locale, template_key, \
        proposal_id, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    WAS_LIVE = "SELECT COUNT(*) FROM publications WHERE content_id = $1 AND site_id = $2 AND revision_id = $3";
    COUNT = "SELECT COUNT(*) FROM content_items WHERE site_id = $1";
}

/// An item with where its addresses and numbers stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredItem {
    /// The item.
    pub item: ContentItem,
    /// The number of its newest draft.
    pub draft_number: i64,
    /// The address of its newest draft.
    pub draft_slug: Slug,
    /// The address that the public sees it at.
    pub live_slug: Option<Slug>,
}

fn read(row: &mut Row) -> Result<StoredItem> {
    Ok(StoredItem {
        item: ContentItem {
            id: row.parse()?,
            site: row.parse()?,
            template: row.text()?,
            locale: row.parse()?,
            translation_group: row.parse()?,
            title: row.text()?,
            current_draft: row.parse()?,
            published: row.opt_parse()?,
            archived_at: row.opt_time()?,
            created_at: row.time()?,
            updated_at: row.time()?,
        },
        draft_number: row.int()?,
        draft_slug: row.parse()?,
        live_slug: row.opt_parse()?,
    })
}

fn read_revision(row: &mut Row) -> Result<Revision> {
    Ok(Revision {
        id: row.parse()?,
        content: row.parse()?,
        number: row.int()?,
        slug: row.parse()?,
        fields: row.json()?,
        sha256: row.digest()?,
        template_version: row.int()?,
        author: Actor::from_text(&row.text()?).ok_or_else(|| row.corrupt("an actor"))?,
        run: row.opt_parse()?,
        parent: row.opt_parse()?,
        note: row.text()?,
        created_at: row.time()?,
    })
}

fn search_text(title: &str, slug: &Slug) -> String {
    fold(&format!("{title}\n{slug}"))
}

/// Adds an item with its first draft.
pub fn insert(
    tx: &mut Tx<'_>,
    authorized: &Authorized<WriteContent>,
    (item, template): (&ContentItem, TemplateId),
    (draft, canonical_fields): (&Revision, &str),
) -> Result<()> {
    let site = authorized.site();
    let inserted = [
        Arg::text(item.id),
        Arg::text(site),
        Arg::text(template),
        (&item.template).into(),
        item.locale.as_str().into(),
        Arg::text(item.translation_group),
        (&item.title).into(),
        search_text(&item.title, &draft.slug).into(),
        Arg::text(draft.id),
        draft.slug.as_str().into(),
        item.created_at.into(),
    ];
    let revision = revision_args(site, draft, canonical_fields);
    tx.execute_each(&[(INSERT, &inserted), (INSERT_REVISION, &revision)])
}

/// Adds a draft after the current one, which the caller has just read.
pub fn advance(
    tx: &mut Tx<'_>,
    authorized: &Authorized<WriteContent>,
    title: &str,
    (draft, canonical_fields): (&Revision, &str),
) -> Result<()> {
    let site = authorized.site();
    let advanced = [
        Arg::text(draft.content),
        Arg::text(site),
        Arg::text(draft.id),
        draft.number.into(),
        draft.slug.as_str().into(),
        title.into(),
        search_text(title, &draft.slug).into(),
        draft.created_at.into(),
    ];
    let revision = revision_args(site, draft, canonical_fields);
    tx.execute_each(&[(ADVANCE, &advanced), (INSERT_REVISION, &revision)])
}

fn revision_args<'a>(
    site: SiteId,
    draft: &'a Revision,
    canonical_fields: &'a str,
) -> [Arg<'a>; 13] {
    [
        Arg::text(draft.id),
        Arg::text(site),
        Arg::text(draft.content),
        draft.number.into(),
        draft.slug.as_str().into(),
        canonical_fields.into(),
        (&draft.sha256).into(),
        draft.template_version.into(),
        draft.author.to_text().into(),
        Arg::opt_text(draft.run),
        Arg::opt_text(draft.parent),
        (&draft.note).into(),
        draft.created_at.into(),
    ]
}

/// The item with this id, where it is one of the site's.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: ContentId) -> Result<Option<StoredItem>> {
    tx.find(FIND, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// Which items to list; what is `None` doesn't narrow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Where they stand; `None` is every status but archived.
    pub status: Option<ContentStatus>,
    /// The key of their template.
    pub template: Option<String>,
    /// Words of their title or address, folded for case and accents.
    pub query: Option<String>,
    /// Their draft or live address.
    pub slug: Option<String>,
    /// Their language.
    pub locale: Option<Locale>,
    /// Changed at or after this instant.
    pub updated_since: Option<Timestamp>,
}

/// The site's items, newest first.
pub fn list(
    tx: &mut Tx<'_>,
    site: SiteId,
    filter: &Filter,
    page: &PageRequest,
) -> Result<Page<StoredItem>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let rows = tx.list(
        LIST,
        &[
            Arg::text(site),
            before.into(),
            filter.template.as_deref().into(),
            filter.locale.as_ref().map(Locale::as_str).into(),
            Arg::opt_text(filter.query.as_deref().map(contains)),
            filter.slug.as_deref().into(),
            filter.updated_since.into(),
            filter.status.map(ContentStatus::as_str).into(),
            (page.limit() + 1).into(),
        ],
        read,
    )?;
    Ok(Page::cut(rows, page, |stored| Cursor {
        key: stored.item.created_at.as_micros(),
        id: stored.item.id.to_string(),
    }))
}

/// A LIKE pattern, escaped with `!`, for texts that contain the folded query.
pub(crate) fn contains(query: &str) -> String {
    let mut pattern = String::from("%");
    for symbol in fold(query).chars() {
        if matches!(symbol, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(symbol);
    }
    pattern.push('%');
    pattern
}

/// How many items the site has.
pub fn count(tx: &mut Tx<'_>, site: SiteId) -> Result<i64> {
    tx.one(COUNT, &[Arg::text(site)])?.int()
}

/// The item that holds an address as its draft's or its live one.
pub fn slug_holder(
    tx: &mut Tx<'_>,
    site: SiteId,
    locale: &Locale,
    slug: &Slug,
) -> Result<Option<ContentId>> {
    let args = [
        Arg::text(site),
        locale.as_str().into(),
        slug.as_str().into(),
    ];
    tx.find(SLUG_HOLDER, &args)?
        .map(|mut row| row.parse())
        .transpose()
}

/// The languages in which the site's items hold addresses, found in as many steps, however many
/// addresses there are.
pub(crate) fn locales(tx: &mut Tx<'_>, site: SiteId) -> Result<Vec<String>> {
    tx.list(LOCALES, &[Arg::text(site)], Row::text)
}

/// Takes an address for an item; false when another item holds it.
pub fn take_slug(tx: &mut Tx<'_>, item: &ContentItem, slug: &Slug) -> Result<bool> {
    let args = [
        Arg::text(item.site),
        item.locale.as_str().into(),
        slug.as_str().into(),
        Arg::text(item.id),
    ];
    if tx.execute(TAKE_SLUG, &args)? == 1 {
        return Ok(true);
    }
    Ok(slug_holder(tx, item.site, &item.locale, slug)? == Some(item.id))
}

/// Gives up an address that an item held.
pub fn release_slug(tx: &mut Tx<'_>, item: &ContentItem, slug: &Slug) -> Result<()> {
    let args = [
        Arg::text(item.site),
        item.locale.as_str().into(),
        slug.as_str().into(),
        Arg::text(item.id),
    ];
    tx.execute(RELEASE_SLUGS, &args).map(drop)
}

/// The revision with this id, where it is one of the site's.
pub fn find_revision(tx: &mut Tx<'_>, site: SiteId, id: RevisionId) -> Result<Option<Revision>> {
    tx.find(FIND_REVISION, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| read_revision(&mut row))
        .transpose()
}

/// An item's revisions, newest first.
pub fn list_revisions(
    tx: &mut Tx<'_>,
    site: SiteId,
    content: ContentId,
    page: &PageRequest,
) -> Result<Page<Revision>> {
    let before = page.after.as_ref().map_or(i64::MAX, |cursor| cursor.key);
    let args = [
        Arg::text(content),
        Arg::text(site),
        before.into(),
        (page.limit() + 1).into(),
    ];
    let rows = tx.list(LIST_REVISIONS, &args, read_revision)?;
    Ok(Page::cut(rows, page, |revision| Cursor {
        key: revision.number,
        id: revision.id.to_string(),
    }))
}

/// Whether a revision was live at some time.
pub fn was_live(
    tx: &mut Tx<'_>,
    site: SiteId,
    content: ContentId,
    revision: RevisionId,
) -> Result<bool> {
    let args = [Arg::text(content), Arg::text(site), Arg::text(revision)];
    Ok(tx.one(WAS_LIVE, &args)?.int()? > 0)
}

/// A move of a live pointer, made by the proposal that was approved.
#[derive(Debug, Clone)]
pub struct Publication<'a> {
    /// The item.
    pub item: &'a ContentItem,
    /// The revision that is live from now on; none to take the page off the site.
    pub revision: Option<RevisionId>,
    /// The address that the page has, or had until now.
    pub slug: &'a Slug,
    /// The proposal that carries the approval.
    pub proposal: ProposalId,
    /// When.
    pub at: Timestamp,
}

/// Moves the live pointer and notes it in the site's feed. Only the execution of an approved
/// proposal obtains the authorization for it.
pub fn publish(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ActAsServer>,
    publication: &Publication<'_>,
) -> Result<()> {
    let item = publication.item;
    let site = Arg::text(authorized.site());
    tx.execute_one(
        SET_LIVE,
        &[
            Arg::text(item.id),
            site.clone(),
            Arg::opt_text(publication.revision),
            publication
                .revision
                .map(|_| publication.slug.as_str())
                .into(),
            publication.at.into(),
        ],
    )?;
    let seq = tx
        .one(NEXT_PUBLICATION, std::slice::from_ref(&site))?
        .int()?;
    tx.execute_one(
        INSERT_PUBLICATION,
        &[
            site,
            seq.into(),
            Arg::text(item.id),
            Arg::opt_text(publication.revision),
            publication.slug.as_str().into(),
            item.locale.as_str().into(),
            (&item.template).into(),
            Arg::text(publication.proposal),
            publication.at.into(),
        ],
    )
}

/// Puts an item away or brings it back. Only the execution of an approved proposal obtains the
/// authorization for it.
pub fn set_archived(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ActAsServer>,
    content: ContentId,
    (archived_at, now): (Option<Timestamp>, Timestamp),
) -> Result<()> {
    tx.execute_one(
        SET_ARCHIVED,
        &[
            Arg::text(content),
            Arg::text(authorized.site()),
            archived_at.into(),
            now.into(),
        ],
    )
}
