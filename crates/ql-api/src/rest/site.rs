//! Sites.

use ql_app::sample;
use ql_app::site::{NewSite as Creating, SitePatch};
use ql_core::id::SiteId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Nothing, Route, get, patch, post};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_sites",
            "/sites",
            "Lists the organization's sites, oldest first",
            list,
        ),
        post(
            "create_site",
            "/sites",
            "Creates a site, which starts with the sample templates",
            create,
        )
        .created(),
        get(
            "get_site",
            "/sites/{site}",
            "A site with its settings",
            show,
        ),
        patch(
            "update_site",
            "/sites/{site}",
            "Changes a site's name, address or settings; its slug stays",
            update,
        ),
    ]
}

#[derive(Serialize, JsonSchema)]
struct Site {
    id: Text<SiteId>,
    name: String,
    slug: String,
    base_url: String,
    locale: String,
    time_zone: String,
    run_idle_hours: i64,
    console_lease_seconds: i64,
    created_at: Instant,
}

impl From<ql_app::site::Site> for Site {
    fn from(site: ql_app::site::Site) -> Self {
        Self {
            id: Text(site.id),
            name: site.name,
            slug: site.slug,
            base_url: site.base_url,
            locale: site.locale,
            time_zone: site.time_zone,
            run_idle_hours: site.run_idle_hours,
            console_lease_seconds: site.console_lease_seconds,
            created_at: Instant(site.created_at),
        }
    }
}

async fn list(call: Call) -> Answered<List<Site>> {
    let ctx = call.in_organization();
    let sites = call.app().list_sites(&ctx).await?;
    Ok(List::of(sites, Site::from))
}

async fn show(call: Call) -> Answered<Site> {
    let ctx = call.on_site().await?;
    Ok(call.app().describe_site(&ctx).await?.site.into())
}

/// A site to create.
#[derive(Deserialize, JsonSchema)]
struct NewSite {
    /// The name people see.
    #[schemars(length(min = 1, max = 120))]
    name: String,
    /// Its name in addresses, unique on this server; it never changes.
    #[schemars(length(min = 1, max = 63))]
    slug: String,
    /// Where its pages are, such as <https://example.com>.
    #[schemars(length(min = 1, max = 500))]
    base_url: String,
    /// The language of pages that name none, such as en.
    #[schemars(length(min = 2, max = 35))]
    locale: String,
    /// The IANA time zone that its people think in, such as Europe/Amsterdam.
    #[schemars(length(min = 1, max = 64))]
    time_zone: String,
}

async fn create(call: Call<Nothing, NewSite>) -> Answered<Site> {
    let ctx = call.in_organization();
    let new = Creating {
        name: call.body.name,
        slug: call.body.slug,
        base_url: call.body.base_url,
        locale: call.body.locale,
        time_zone: call.body.time_zone,
    };
    let app = &call.rest.app;
    Ok(app
        .create_site_with(&ctx, new, sample::templates()?)
        .await?
        .into())
}

/// What to change of a site.
#[derive(Deserialize, JsonSchema)]
struct Patch {
    /// Another name.
    #[schemars(length(min = 1, max = 120))]
    #[serde(default)]
    name: Option<String>,
    /// Another address.
    #[schemars(length(min = 1, max = 500))]
    #[serde(default)]
    base_url: Option<String>,
    /// Another language of pages that name none.
    #[schemars(length(min = 2, max = 35))]
    #[serde(default)]
    locale: Option<String>,
    /// Another time zone.
    #[schemars(length(min = 1, max = 64))]
    #[serde(default)]
    time_zone: Option<String>,
    /// After how many hours without work an open run is closed.
    #[schemars(range(min = 1, max = 720))]
    #[serde(default)]
    run_idle_hours: Option<i64>,
    /// How many seconds a claimed console turn is leased for.
    #[schemars(range(min = 30, max = 86_400))]
    #[serde(default)]
    console_lease_seconds: Option<i64>,
}

async fn update(call: Call<Nothing, Patch>) -> Answered<Site> {
    let ctx = call.on_site().await?;
    let patch = SitePatch {
        name: call.body.name,
        base_url: call.body.base_url,
        locale: call.body.locale,
        time_zone: call.body.time_zone,
        run_idle_hours: call.body.run_idle_hours,
        console_lease_seconds: call.body.console_lease_seconds,
    };
    Ok(call.rest.app.update_site(&ctx, patch).await?.into())
}
