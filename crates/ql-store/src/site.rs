//! Sites: the websites of an organization.

use ql_core::access::{Administer, AdministerSite, Authorized, OnSite};
use ql_core::id::{OrganizationId, SiteId};
use ql_core::time::Timestamp;

use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO sites (id, organization_id, name, slug, base_url, locale, time_zone, \
        run_idle_hours, console_lease_seconds, publication_seq, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10)";
    FIND = "SELECT id, organization_id, name, slug, base_url, locale, time_zone, run_idle_hours, \
        console_lease_seconds, created_at FROM sites WHERE id = $1";
    FIND_BY_SLUG = "SELECT id, organization_id, name, slug, base_url, locale, time_zone, run_idle_hours, \
        console_lease_seconds, created_at FROM sites WHERE slug = $1";
    LIST = "SELECT id, organization_id, name, slug, base_url, locale, time_zone, run_idle_hours, \
        console_lease_seconds, created_at FROM sites WHERE organization_id = $1 ORDER BY id";
    LIST_ALL = "SELECT id, organization_id, name, slug, base_url, locale, time_zone, run_idle_hours, \
        console_lease_seconds, created_at FROM sites ORDER BY id";
    UPDATE = "UPDATE sites SET name = $2, base_url = $3, locale = $4, time_zone = $5, run_idle_hours = $6, \
        console_lease_seconds = $7 WHERE id = $1";
}

/// A website.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Identity.
    pub id: SiteId,
    /// The tenant.
    pub organization: OrganizationId,
    /// The name people gave it.
    pub name: String,
    /// Its name in addresses, unique on this server.
    pub slug: String,
    /// Where its pages are.
    pub base_url: String,
    /// The language of pages that name none.
    pub locale: String,
    /// The IANA zone that its people think in.
    pub time_zone: String,
    /// After how many hours without work an open run is closed.
    pub run_idle_hours: i64,
    /// How many seconds a claimed console turn is leased for.
    pub console_lease_seconds: i64,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Site {
    /// Where acts on this site take place.
    pub const fn place(&self) -> OnSite {
        OnSite {
            organization: self.organization,
            site: self.id,
        }
    }
}

fn read(row: &mut Row) -> Result<Site> {
    Ok(Site {
        id: row.parse()?,
        organization: row.parse()?,
        name: row.text()?,
        slug: row.text()?,
        base_url: row.text()?,
        locale: row.text()?,
        time_zone: row.text()?,
        run_idle_hours: row.int()?,
        console_lease_seconds: row.int()?,
        created_at: row.time()?,
    })
}

/// Adds a site to the organization that the authorization is for.
pub fn insert(tx: &mut Tx<'_>, authorized: &Authorized<Administer>, site: &Site) -> Result<()> {
    tx.execute_one(
        INSERT,
        &[
            Arg::text(site.id),
            Arg::text(authorized.organization()),
            (&site.name).into(),
            (&site.slug).into(),
            (&site.base_url).into(),
            (&site.locale).into(),
            (&site.time_zone).into(),
            site.run_idle_hours.into(),
            site.console_lease_seconds.into(),
            site.created_at.into(),
        ],
    )
}

/// Changes a site's name, addresses and settings; its slug stays.
pub fn update(tx: &mut Tx<'_>, authorized: &Authorized<AdministerSite>, site: &Site) -> Result<()> {
    tx.execute_one(
        UPDATE,
        &[
            Arg::text(authorized.site()),
            (&site.name).into(),
            (&site.base_url).into(),
            (&site.locale).into(),
            (&site.time_zone).into(),
            site.run_idle_hours.into(),
            site.console_lease_seconds.into(),
        ],
    )
}

/// The site with this id.
pub fn find(tx: &mut Tx<'_>, id: SiteId) -> Result<Option<Site>> {
    tx.find(FIND, &[Arg::text(id)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The site with this slug.
pub fn find_by_slug(tx: &mut Tx<'_>, slug: &str) -> Result<Option<Site>> {
    tx.find(FIND_BY_SLUG, &[slug.into()])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// An organization's sites, oldest first.
pub fn list(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<Site>> {
    tx.list(LIST, &[Arg::text(organization)], read)
}

/// Every site of the server, for its own work.
pub fn list_all(tx: &mut Tx<'_>) -> Result<Vec<Site>> {
    tx.list(LIST_ALL, &[], read)
}
