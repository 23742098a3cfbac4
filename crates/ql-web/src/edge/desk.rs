//! Who sits at the dashboard, and at which site.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use http::request::Parts;
use http::{Extensions, HeaderMap};
use ql_app::session::SiteRef;
use ql_app::site::Site;
use ql_app::{OpContext, SignedIn};
use ql_core::access::Denied;
use ql_core::role::{MemberAct, Role};
use ql_core::time::Timestamp;

use super::cookie::Cookie;
use super::error::WebError;
use super::params::{Params, named};
use crate::config::Web;
use crate::page::{Csrf, Section, Shell, SiteLink};
use crate::part::{When, Who};
use crate::view::notice;

/// A signed-in member at one site.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) web: Web,
    pub(crate) signed_in: SignedIn,
    pub(crate) ctx: OpContext,
    pub(crate) site: Site,
    pub(crate) params: Params,
    /// The instant that the page is made for.
    pub(crate) now: Timestamp,
    headers: HeaderMap,
}

impl FromRequestParts<Web> for Desk {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, WebError> {
        let here = parts
            .uri
            .path_and_query()
            .map_or("/", |address| address.as_str());
        let signed_in = signed_in(&parts.headers, here, web).await?;
        let slug: String = named(parts, web, "site").await?;
        let Ok(params) = Params::from_request_parts(parts, web).await;
        let (ctx, site) = web
            .app
            .member_context(&signed_in, &SiteRef::parse(&slug))
            .await?;
        let headers = parts.headers.clone();
        Ok(Self {
            now: web.app.now(),
            web: web.clone(),
            signed_in,
            ctx,
            site,
            params,
            headers,
        })
    }
}

/// The member behind the session cookie.
pub(crate) async fn signed_in(
    headers: &HeaderMap,
    here: &str,
    web: &Web,
) -> Result<SignedIn, WebError> {
    let from_elsewhere = headers
        .get("sec-fetch-site")
        .is_some_and(|site| site == "cross-site");
    let signed_out = || WebError::SignedOut(here.to_owned());
    let secret = match Cookie::Session.read(headers, &web.config) {
        Some(secret) => secret,
        // A strict cookie doesn't come along with a link from another site, such as a mail. The
        // page that answers then goes to the same address by itself, and the cookie comes along.
        None if from_elsewhere => return Err(WebError::ComeAgain(here.to_owned())),
        None => return Err(signed_out()),
    };
    web.app
        .authenticate_session(&secret)
        .await
        .map_err(|_| signed_out())
}

/// Who sent a request, as far as limits count: an IPv4 address, or the /64 that an IPv6 host
/// chooses freely within.
pub(crate) fn peer(extensions: &Extensions) -> String {
    let known = extensions.get::<ConnectInfo<SocketAddr>>();
    match known.map(|ConnectInfo(address)| address.ip().to_canonical()) {
        Some(IpAddr::V4(address)) => address.to_string(),
        Some(IpAddr::V6(address)) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            Ipv6Addr::from_bits(network).to_string()
        }
        None => "unknown".to_owned(),
    }
}

impl Desk {
    /// A desk at the first site of the member's organization, for pages of no site.
    pub(crate) async fn at_home(
        web: &Web,
        signed_in: SignedIn,
        headers: HeaderMap,
    ) -> Result<Self, WebError> {
        let all = web
            .app
            .list_sites(&web.app.organization_context(&signed_in))
            .await?;
        let first = all.first().ok_or(ql_app::Error::NotFound("site"))?;
        let (ctx, site) = web
            .app
            .member_context(&signed_in, &SiteRef::Id(first.id))
            .await?;
        let params = Params::default();
        Ok(Self {
            now: web.app.now(),
            web: web.clone(),
            signed_in,
            ctx,
            site,
            params,
            headers,
        })
    }

    /// The same desk after the member proved itself again.
    pub(crate) async fn refreshed(self) -> Result<Self, WebError> {
        let signed_in = signed_in(&self.headers, "/", &self.web).await?;
        let site = SiteRef::Id(self.site.id);
        let (ctx, site) = self.web.app.member_context(&signed_in, &site).await?;
        Ok(Self {
            signed_in,
            ctx,
            site,
            ..self
        })
    }

    /// The token that this session's forms carry.
    pub(crate) fn csrf(&self) -> &str {
        self.signed_in
            .session
            .as_ref()
            .map_or("", |session| session.csrf.as_str())
    }

    /// The member's role.
    pub(crate) fn role(&self) -> Role {
        self.signed_in.member.role
    }

    /// Whether the role allows an act. The use cases decide; pages only hide what they'd refuse.
    pub(crate) fn may(&self, act: MemberAct) -> bool {
        self.role().may(act)
    }

    /// Refuses a page or a form to a role that couldn't use it, before anything of it is read. The
    /// use case checks again.
    pub(crate) fn require(&self, act: MemberAct) -> Result<(), WebError> {
        if self.may(act) {
            return Ok(());
        }
        let denied = Denied::Role {
            role: self.role(),
            act,
        };
        Err(WebError::App(denied.into()))
    }

    /// The address of `path` on this site.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("/sites/{}/{path}", self.site.slug)
    }

    /// How an instant looks from here.
    pub(crate) fn when(&self, at: Timestamp) -> When {
        When::new(at, self.now)
    }

    /// The frame of a page.
    pub(crate) async fn shell(&self, section: Section) -> Result<Shell, WebError> {
        let organization = self.web.app.organization_context(&self.signed_in);
        let sites = self.web.app.list_sites(&organization).await?;
        let pending = self.web.app.count_pending(&self.ctx).await?;
        let link = |site: &Site| SiteLink {
            slug: site.slug.clone(),
            name: site.name.clone(),
        };
        let pending = pending.iter().map(|(_, count)| count.unsigned_abs()).sum();
        Ok(Shell {
            site: link(&self.site),
            sites: sites.iter().map(link).collect(),
            section,
            member: Who::person(self.signed_in.member.name.as_str()).with(self.role().as_str()),
            pending,
            csrf: Csrf {
                token: self.csrf().to_owned(),
            },
            notice: notice::read(&self.params),
        })
    }
}
