//! Sites: created, described and set up.

use ql_core::access::{
    Administer, AdministerSite, EditTemplates, OnSite, ReadOrganization, ReadSite,
};
use ql_core::connection::{Agent, Connection};
use ql_core::content::Locale;
use ql_core::id::SiteId;
use ql_core::scope::ScopeSet;
use ql_core::slug::Slug;
use ql_core::template::Template;
use ql_core::time::TimeZone;
use ql_store::organization::Organization;
use ql_store::policy::PolicyVersion;
use ql_store::{agent, connection, organization, policy, site};
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::template::{self, NewTemplate};
use crate::text::Checks;

pub use ql_store::site::Site;

/// A site to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSite {
    /// The name people see.
    pub name: String,
    /// Its name in addresses, unique on this server.
    pub slug: String,
    /// Where its pages are.
    pub base_url: String,
    /// The language of pages that name none.
    pub locale: String,
    /// The IANA zone that its people think in.
    pub time_zone: String,
}

/// What to change of a site; its slug never changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SitePatch {
    /// Another name.
    pub name: Option<String>,
    /// Another address.
    pub base_url: Option<String>,
    /// Another language of pages that name none.
    pub locale: Option<String>,
    /// Another zone.
    pub time_zone: Option<String>,
    /// After how many hours without work an open run is closed, 1 to 720.
    pub run_idle_hours: Option<i64>,
    /// How many seconds a claimed console turn is leased for, 30 to 86,400.
    pub console_lease_seconds: Option<i64>,
}

/// What an agent is told about where it is and what it may do.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteDescription {
    /// The tenant.
    pub organization: Organization,
    /// The site.
    pub site: Site,
    /// The calling agent with its connection and effective scopes; none for a member.
    pub agent: Option<(Agent, Connection, ScopeSet)>,
    /// The latest version of each template.
    pub templates: Vec<Template>,
    /// The approval policy in force.
    pub policy: PolicyVersion,
}

fn check(site: &Site) -> Result<()> {
    let mut checks = Checks::default();
    checks.text("/name", &site.name, 120);
    let slug =
        site.slug.parse::<Slug>().is_ok() && !site.slug.contains('/') && site.slug.len() <= 63;
    checks.that(
        slug,
        "/slug",
        "format",
        "expected a slug: a-z, 0-9 and -, at most 63 characters",
    );
    let address = site.base_url.starts_with("https://") || site.base_url.starts_with("http://");
    checks.that(
        address && site.base_url.len() <= 500,
        "/base_url",
        "format",
        "expected an http or https address",
    );
    checks.parsed::<Locale>("/locale", &site.locale);
    checks.parsed::<TimeZone>("/time_zone", &site.time_zone);
    checks.that(
        (1..=720).contains(&site.run_idle_hours),
        "/run_idle_hours",
        "range",
        "expected 1 to 720",
    );
    checks.that(
        (30..=86_400).contains(&site.console_lease_seconds),
        "/console_lease_seconds",
        "range",
        "expected 30 to 86400",
    );
    checks.finish()
}

impl App {
    /// Creates a site in the caller's organization, without templates.
    pub async fn create_site(&self, ctx: &OpContext, new: NewSite) -> Result<Site> {
        self.create_site_with(ctx, new, Vec::new()).await
    }

    /// Creates a site in the caller's organization, with its first templates.
    pub async fn create_site_with(
        &self,
        ctx: &OpContext,
        new: NewSite,
        templates: Vec<NewTemplate>,
    ) -> Result<Site> {
        let authorized = ctx.authorize_organization::<Administer>()?;
        let id = SiteId::mint(&**self.ids(), self.now());
        let place = OnSite {
            organization: authorized.organization(),
            site: id,
        };
        let editing = ctx.principal().authorize::<EditTemplates>(place)?;
        let scribe = Scribe::on_site(self, authorized.actor(), place);
        let created = Site {
            id,
            organization: authorized.organization(),
            name: new.name.trim().to_owned(),
            slug: new.slug,
            base_url: new.base_url.trim_end_matches('/').to_owned(),
            locale: new.locale,
            time_zone: new.time_zone,
            run_idle_hours: 24,
            console_lease_seconds: 600,
            created_at: scribe.at,
        };
        check(&created)?;
        let templates = template::mint(&scribe, templates)?;
        let row = created.clone();
        self.store()
            .write(move |tx| {
                if site::find_by_slug(tx, &row.slug)?.is_some() {
                    return Err(Error::NameTaken("site"));
                }
                site::insert(tx, &authorized, &row)?;
                let detail = json!({"name": row.name, "slug": row.slug});
                scribe.administration(tx, "site.created", detail)?;
                template::save_all(tx, &editing, &scribe, &templates).map(drop)
            })
            .await?;
        Ok(created)
    }

    /// Changes a site's name, address or settings.
    pub async fn update_site(&self, ctx: &OpContext, patch: SitePatch) -> Result<Site> {
        let authorized = ctx.authorize::<AdministerSite>()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        self.store()
            .write(move |tx| {
                let before = site::find(tx, authorized.site())?.ok_or(Error::NotFound("site"))?;
                let patch = patch.clone();
                let base_url = patch.base_url.unwrap_or_else(|| before.base_url.clone());
                let name = patch.name.unwrap_or_else(|| before.name.clone());
                let after = Site {
                    name: name.trim().to_owned(),
                    base_url: base_url.trim_end_matches('/').to_owned(),
                    locale: patch.locale.unwrap_or_else(|| before.locale.clone()),
                    time_zone: patch.time_zone.unwrap_or_else(|| before.time_zone.clone()),
                    run_idle_hours: patch.run_idle_hours.unwrap_or(before.run_idle_hours),
                    console_lease_seconds: patch.console_lease_seconds.unwrap_or(before.console_lease_seconds),
                    ..before.clone()
                };
                check(&after)?;
                if after == before {
                    return Ok(after);
                }
                site::update(tx, &authorized, &after)?;
                let detail = json!({
                    "name": after.name, "base_url": after.base_url, "locale": after.locale, "time_zone": after.time_zone,
                    "run_idle_hours": after.run_idle_hours, "console_lease_seconds": after.console_lease_seconds,
                });
                scribe.administration(tx, "site.updated", detail)?;
                Ok(after)
            })
            .await
    }

    /// The organization's sites, oldest first.
    pub async fn list_sites(&self, ctx: &OpContext) -> Result<Vec<Site>> {
        let organization = ctx
            .authorize_organization::<ReadOrganization>()?
            .organization();
        self.store()
            .read(move |tx| Ok(site::list(tx, organization)?))
            .await
    }

    /// Where the caller is and what it may do.
    pub async fn describe_site(&self, ctx: &OpContext) -> Result<SiteDescription> {
        let authorized = ctx.authorize::<ReadSite>()?;
        let ctx = ctx.clone();
        self.store()
            .read(move |tx| {
                let id = authorized.site();
                let agent = match ctx.agent() {
                    Err(_) => None,
                    Ok(caller) => {
                        let agent =
                            agent::find(tx, caller.agent)?.ok_or(Error::NotFound("agent"))?;
                        let connection = connection::find(tx, caller.connection)?
                            .ok_or(Error::NotFound("connection"))?;
                        Some((agent, connection, caller.scopes))
                    }
                };
                Ok(SiteDescription {
                    organization: organization::find(tx, authorized.organization())?
                        .ok_or(Error::NotFound("organization"))?,
                    site: site::find(tx, id)?.ok_or(Error::NotFound("site"))?,
                    agent,
                    templates: ql_store::template::list(tx, id)?,
                    policy: policy::current(tx, id)?,
                })
            })
            .await
    }
}
