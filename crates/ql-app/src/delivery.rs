//! Delivery: what the public may read, which is what was approved.

use ql_core::content::Locale;
use ql_core::page::{Page, PageRequest};
use ql_core::slug::Slug;
use ql_store::delivery::{self, FeedItem, Filter, LivePage};
use ql_store::site::Site;

use crate::app::App;
use crate::error::{Error, Result};
use crate::session::SiteRef;

/// What changed on a site since a place in its feed.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// The last move of each page that moved, in order.
    pub items: Vec<FeedItem>,
    /// The place to ask from next time.
    pub next: i64,
    /// Whether there is more after that place already.
    pub more: bool,
}

impl App {
    /// A site as the public knows it.
    pub async fn public_site(&self, site: &SiteRef) -> Result<Site> {
        self.store()
            .read(|tx| site.find(tx)?.ok_or(Error::NotFound("site")))
            .await
    }

    /// The page that is live at an address, in `locale` or, where it has none there, in `fallback`.
    pub async fn live_page(
        &self,
        site: &Site,
        slug: &Slug,
        (locale, fallback): (&Locale, Option<&Locale>),
    ) -> Result<LivePage> {
        self.store()
            .read(|tx| {
                if let Some(page) = delivery::find(tx, site.id, locale, slug)? {
                    return Ok(page);
                }
                let other = match fallback {
                    Some(fallback) => delivery::find(tx, site.id, fallback, slug)?,
                    None => None,
                };
                other.ok_or(Error::NotFound("page"))
            })
            .await
    }

    /// The site's live pages, newest first.
    pub async fn live_pages(
        &self,
        site: &Site,
        filter: &Filter,
        page: &PageRequest,
    ) -> Result<Page<LivePage>> {
        self.store()
            .read(|tx| Ok(delivery::list(tx, site.id, filter, page)?))
            .await
    }

    /// What changed after a place in the site's feed; at most `limit` pages.
    pub async fn changes(&self, site: &Site, since: i64, limit: u32) -> Result<Changes> {
        self.store()
            .read(|tx| {
                let last = delivery::last_seq(tx, site.id)?;
                if since < 0 || since > last {
                    return Err(Error::invalid(
                        "/since",
                        "range",
                        "this token wasn't made by this site; leave it out to start again",
                    ));
                }
                let mut items = delivery::changes(tx, site.id, since, limit + 1)?;
                let more = items.len() > limit as usize;
                items.truncate(limit as usize);
                let next = if more {
                    items.last().map_or(since, FeedItem::seq)
                } else {
                    last
                };
                Ok(Changes { items, next, more })
            })
            .await
    }
}
