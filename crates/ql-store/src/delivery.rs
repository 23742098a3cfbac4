//! What the public may read: live revisions, and nothing else by construction. Every statement
//! here begins at the live pointer.

use ql_core::content::Locale;
use ql_core::id::{ContentId, RevisionId, SiteId, TranslationGroupId};
use ql_core::page::{Cursor, Page, PageRequest};
use ql_core::slug::Slug;
use ql_core::time::Timestamp;

use crate::run::AFTER_ALL;
use crate::{Arg, Result, Row, Tx};

statements! {
    HEAD_BY_ID = "SELECT s.id, i.id, i.live_id, i.template_key FROM sites s JOIN content_items i ON i.site_id = s.id \
        AND i.locale = COALESCE(CAST($2 AS TEXT), s.locale) AND i.live_slug = $3 WHERE s.id = $1";
    HEAD_BY_SLUG = "SELECT s.id, i.id, i.live_id, i.template_key FROM sites s JOIN content_items i ON i.site_id = s.id \
        AND i.locale = COALESCE(CAST($2 AS TEXT), s.locale) AND i.live_slug = $3 WHERE s.slug = $1";
    FIND = "SELECT i.id, r.id, i.template_key, i.locale, i.translation_group, r.slug, r.fields, \
        (SELECT MIN(p.at) FROM publications p WHERE p.content_id = i.id AND p.revision_id = i.live_id) \
        FROM content_items i JOIN content_revisions r ON r.id = i.live_id \
        WHERE i.site_id = $1 AND i.locale = $2 AND i.live_slug = $3";
    LIST = "SELECT i.id, r.id, i.template_key, i.locale, i.translation_group, r.slug, r.fields, \
        (SELECT MIN(p.at) FROM publications p WHERE p.content_id = i.id AND p.revision_id = i.live_id) \
        FROM content_items i JOIN content_revisions r ON r.id = i.live_id \
        WHERE i.site_id = $1 AND i.live_id IS NOT NULL AND i.id < $2 \
        AND (CAST($3 AS TEXT) IS NULL OR i.template_key = $3) AND (CAST($4 AS TEXT) IS NULL OR i.locale = $4) \
        ORDER BY i.id DESC LIMIT $5";
    COUNT = "SELECT COUNT(*) FROM content_items WHERE site_id = $1 AND live_id IS NOT NULL";
    ADDRESSES = "SELECT i.live_slug, i.locale, i.translation_group, \
        (SELECT MIN(p.at) FROM publications p WHERE p.content_id = i.id AND p.revision_id = i.live_id) \
        FROM content_items i WHERE i.site_id = $1 AND i.live_id IS NOT NULL ORDER BY i.id LIMIT $2 OFFSET $3";
    CHANGES = "SELECT p.seq, p.content_id, p.revision_id, p.slug, p.locale, p.template_key, p.at, i.live_id, \
        i.translation_group, r.slug, r.fields, \
        (SELECT MIN(f.at) FROM publications f WHERE f.content_id = p.content_id AND f.revision_id = i.live_id) \
        FROM publications p JOIN content_items i ON i.id = p.content_id \
        LEFT JOIN content_revisions r ON r.id = i.live_id \
        WHERE p.site_id = $1 AND p.seq > $2 AND NOT EXISTS (SELECT 1 FROM publications q \
        WHERE q.content_id = p.content_id AND q.seq > p.seq) ORDER BY p.seq LIMIT $3";
    LAST = "SELECT publication_seq FROM sites WHERE id = $1";
}

/// Which revision is live at an address: enough to say whether somebody's copy is still good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveHead {
    /// The site.
    pub site: SiteId,
    /// The item.
    pub content: ContentId,
    /// The live revision.
    pub revision: RevisionId,
    /// The template's key.
    pub template: String,
}

/// A site by one of its two names.
#[derive(Debug, Clone, Copy)]
pub enum SiteName<'a> {
    /// Its id.
    Id(SiteId),
    /// Its slug.
    Slug(&'a str),
}

/// What is live at an address, in `locale` or the site's own.
pub fn find_head(
    tx: &mut Tx<'_>,
    site: SiteName<'_>,
    locale: Option<&Locale>,
    slug: &Slug,
) -> Result<Option<LiveHead>> {
    let (statement, site) = match site {
        SiteName::Id(id) => (HEAD_BY_ID, Arg::text(id)),
        SiteName::Slug(slug) => (HEAD_BY_SLUG, slug.into()),
    };
    let args = [
        site,
        locale.map(Locale::as_str).into(),
        slug.as_str().into(),
    ];
    let Some(mut row) = tx.find(statement, &args)? else {
        return Ok(None);
    };
    Ok(Some(LiveHead {
        site: row.parse()?,
        content: row.parse()?,
        revision: row.parse()?,
        template: row.text()?,
    }))
}

/// A live page. Everything but its place in lists follows from the revision, so that one revision
/// is always shown the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LivePage {
    /// The item.
    pub content: ContentId,
    /// The live revision.
    pub revision: RevisionId,
    /// The template's key.
    pub template: String,
    /// The language.
    pub locale: Locale,
    /// The pages that are translations of each other.
    pub translation_group: TranslationGroupId,
    /// The address.
    pub slug: Slug,
    /// The fields, as the canonical JSON text that is stored.
    pub fields: String,
    /// When this revision first went live.
    pub published_at: Timestamp,
}

fn read(row: &mut Row) -> Result<LivePage> {
    Ok(LivePage {
        content: row.parse()?,
        revision: row.parse()?,
        template: row.text()?,
        locale: row.parse()?,
        translation_group: row.parse()?,
        slug: row.parse()?,
        fields: row.text()?,
        published_at: row.time()?,
    })
}

/// The page that is live at an address.
pub fn find(tx: &mut Tx<'_>, site: SiteId, locale: &str, slug: &Slug) -> Result<Option<LivePage>> {
    let args = [Arg::text(site), locale.into(), slug.as_str().into()];
    tx.find(FIND, &args)?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// Which live pages to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The template's key.
    pub template: Option<String>,
    /// The language.
    pub locale: Option<Locale>,
}

/// The site's live pages, newest first.
pub fn list(
    tx: &mut Tx<'_>,
    site: SiteId,
    filter: &Filter,
    page: &PageRequest,
) -> Result<Page<LivePage>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let rows = tx.list(
        LIST,
        &[
            Arg::text(site),
            before.into(),
            filter.template.as_deref().into(),
            filter.locale.as_ref().map(Locale::as_str).into(),
            (page.limit() + 1).into(),
        ],
        read,
    )?;
    Ok(Page::cut(rows, page, |page| Cursor {
        key: page.published_at.as_micros(),
        id: page.content.to_string(),
    }))
}

/// Where one live page is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The address.
    pub slug: Slug,
    /// The language.
    pub locale: Locale,
    /// The pages that are translations of each other.
    pub translation_group: TranslationGroupId,
    /// When its revision first went live.
    pub published_at: Timestamp,
}

/// How many pages of the site are live.
pub fn count(tx: &mut Tx<'_>, site: SiteId) -> Result<i64> {
    tx.one(COUNT, &[Arg::text(site)])?.int()
}

/// Where the site's live pages are, oldest first: `limit` of them after the first `skip`.
pub fn addresses(tx: &mut Tx<'_>, site: SiteId, (limit, skip): (u32, u32)) -> Result<Vec<Address>> {
    let args = [Arg::text(site), limit.into(), skip.into()];
    tx.list(ADDRESSES, &args, |row| {
        Ok(Address {
            slug: row.parse()?,
            locale: row.parse()?,
            translation_group: row.parse()?,
            published_at: row.time()?,
        })
    })
}

/// One step of the feed: what an item's live pointer is now, at the place of its last move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedItem {
    /// The page is live.
    Upsert {
        /// Its place in the feed.
        seq: i64,
        /// The page.
        page: Box<LivePage>,
    },
    /// The page was live and isn't any more.
    Tombstone {
        /// Its place in the feed.
        seq: i64,
        /// The item.
        content: ContentId,
        /// The address it had.
        slug: Slug,
        /// The language.
        locale: Locale,
        /// The template's key.
        template: String,
        /// When it was taken off.
        at: Timestamp,
    },
}

impl FeedItem {
    /// Its place in the feed.
    pub const fn seq(&self) -> i64 {
        match self {
            Self::Upsert { seq, .. } | Self::Tombstone { seq, .. } => *seq,
        }
    }
}

fn read_change(row: &mut Row) -> Result<FeedItem> {
    let seq = row.int()?;
    let content = row.parse()?;
    let revision: Option<RevisionId> = row.opt_parse()?;
    let slug = row.parse()?;
    let locale = row.parse()?;
    let template = row.text()?;
    let at = row.time()?;
    let live: Option<RevisionId> = row.opt_parse()?;
    let translation_group = row.parse()?;
    let live_slug: Option<Slug> = row.opt_parse()?;
    let fields = row.opt_text()?;
    let published_at = row.opt_time()?;
    Ok(match (revision.and(live), live_slug, fields) {
        (Some(revision), Some(slug), Some(fields)) => FeedItem::Upsert {
            seq,
            page: Box::new(LivePage {
                content,
                revision,
                template,
                locale,
                translation_group,
                slug,
                fields,
                published_at: published_at.unwrap_or(at),
            }),
        },
        _ => FeedItem::Tombstone {
            seq,
            content,
            slug,
            locale,
            template,
            at,
        },
    })
}

/// The last move of each item after `since`, in order; at most `limit`.
pub fn changes(tx: &mut Tx<'_>, site: SiteId, since: i64, limit: u32) -> Result<Vec<FeedItem>> {
    tx.list(
        CHANGES,
        &[Arg::text(site), since.into(), limit.into()],
        read_change,
    )
}

/// The place of the newest move of the site.
pub fn last_seq(tx: &mut Tx<'_>, site: SiteId) -> Result<i64> {
    tx.one(LAST, &[Arg::text(site)])?.int()
}
