//! Delivery: what the public may read, which is what was approved.

use ql_core::content::Locale;
use ql_core::id::SiteId;
use ql_core::page::{Page, PageRequest};
use ql_core::slug::Slug;
use ql_store::Tx;
use ql_store::delivery::{self, SiteName};
use ql_store::site::Site;

use crate::app::App;
use crate::error::{Error, Result};
use crate::session::SiteRef;

pub use ql_store::delivery::{Address, FeedItem, Filter, LiveHead, LivePage};

/// A page of a site, as the public asks for it.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The site.
    pub site: SiteRef,
    /// The address.
    pub slug: Slug,
    /// The language; the site's own when absent.
    pub locale: Option<Locale>,
    /// The language to look in when there is nothing in the first.
    pub fallback: Option<Locale>,
}

/// A site's live pages at one place of its feed.
#[derive(Debug, Clone, PartialEq)]
pub struct LivePages {
    /// The pages.
    pub pages: Page<LivePage>,
    /// The place.
    pub seq: i64,
}

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

/// Where a part of a site's live pages are.
#[derive(Debug, Clone, PartialEq)]
pub struct Addresses {
    /// The addresses of this part.
    pub items: Vec<Address>,
    /// How many live pages the site has.
    pub total: u64,
}

impl App {
    /// A site as the public knows it, and the place of the newest move in its feed: as long as that
    /// stands, everything that the public reads of its pages is the same.
    pub async fn public_site(&self, site: &SiteRef) -> Result<(Site, i64)> {
        let site = site.clone();
        self.store()
            .read(move |tx| {
                let site = site.find(tx)?.ok_or(Error::NotFound("site"))?;
                let seq = delivery::last_seq(tx, site.id)?;
                Ok((site, seq))
            })
            .await
    }

    /// Which revision is live at an address; none where nothing is. It costs one look.
    pub async fn live_head(&self, wanted: Wanted) -> Result<Option<LiveHead>> {
        self.store()
            .read(move |tx| {
                let site = match &wanted.site {
                    SiteRef::Id(id) => SiteName::Id(*id),
                    SiteRef::Slug(slug) => SiteName::Slug(slug),
                };
                let locale = wanted.locale.as_ref();
                let found = delivery::find_head(tx, site, locale, &wanted.slug)?;
                match (found, &wanted.fallback) {
                    (None, Some(other)) => {
                        Ok(delivery::find_head(tx, site, Some(other), &wanted.slug)?)
                    }
                    (found, _) => Ok(found),
                }
            })
            .await
    }

    /// The page that is live at an address, and the site that it is on.
    pub async fn live_page(&self, wanted: Wanted) -> Result<(SiteId, LivePage)> {
        self.store().read(move |tx| look_up(tx, &wanted)).await
    }

    /// The site's live pages, newest first.
    pub async fn live_pages(
        &self,
        site: &Site,
        filter: &Filter,
        page: &PageRequest,
    ) -> Result<LivePages> {
        let (site, filter, page) = (site.id, filter.clone(), page.clone());
        self.store()
            .read(move |tx| {
                Ok(LivePages {
                    pages: delivery::list(tx, site, &filter, &page)?,
                    seq: delivery::last_seq(tx, site)?,
                })
            })
            .await
    }

    /// Where the site's live pages are, oldest first: at most `limit` after the first `skip`.
    pub async fn live_addresses(&self, site: &Site, part: (u32, u32)) -> Result<Addresses> {
        let id = site.id;
        self.store()
            .scan(move |tx| {
                Ok(Addresses {
                    items: delivery::addresses(tx, id, part)?,
                    total: delivery::count(tx, id)?.unsigned_abs(),
                })
            })
            .await
    }

    /// What changed after a place in the site's feed; at most `limit` pages.
    pub async fn changes(&self, site: &Site, since: i64, limit: u32) -> Result<Changes> {
        let site = site.id;
        self.store()
            .read(move |tx| {
                let last = delivery::last_seq(tx, site)?;
                if since < 0 || since > last {
                    return Err(Error::invalid(
                        "/since",
                        "range",
                        "this token wasn't made by this site; leave it out to start again",
                    ));
                }
                let mut items = delivery::changes(tx, site, since, limit + 1)?;
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

fn look_up(tx: &mut Tx<'_>, wanted: &Wanted) -> Result<(SiteId, LivePage)> {
    let site = wanted.site.find(tx)?.ok_or(Error::NotFound("site"))?;
    let own = site.locale.as_str();
    let locale = wanted.locale.as_ref().map_or(own, Locale::as_str);
    if let Some(found) = delivery::find(tx, site.id, locale, &wanted.slug)? {
        return Ok((site.id, found));
    }
    let other = match &wanted.fallback {
        Some(fallback) => delivery::find(tx, site.id, fallback.as_str(), &wanted.slug)?,
        None => None,
    };
    let found = other.ok_or(Error::NotFound("page"))?;
    Ok((site.id, found))
}
