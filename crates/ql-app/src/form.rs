//! Forms: made and versioned by members, fetched by visitors.

use ql_core::access::{ActAsServer, Authorized, EditForms, Principal, ReadSite};
use ql_core::form::{Field, Fill, Form, Rules, check_fields};
use ql_core::hash::Digest;
use ql_core::id::FormId;
use ql_core::key::is_key;
use ql_core::time::Timestamp;
use ql_store::site::Site;
use ql_store::{Tx, form};
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::session::SiteRef;
use crate::text::Checks;

mod metrics;
mod post;
mod submission;

pub use metrics::{Day, MetricsQuery, ReasonCount, ScreeningMetrics, StandingCount};
pub use post::{Post, Received};

/// What a form's version says.
#[derive(Debug, Clone, PartialEq)]
pub struct NewForm {
    /// The site-wide key, such as `contact`.
    pub key: String,
    /// The name people see; made from the key when empty.
    pub title: String,
    /// What it asks.
    pub fields: Vec<Field>,
    /// How its posts are screened.
    pub rules: Rules,
}

impl NewForm {
    fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.that(
            is_key(&self.key),
            "/key",
            "format",
            "expected a key: a-z, 0-9, _ and -, beginning with a letter, at most 64 characters",
        );
        checks.optional_text("/title", &self.title, 120);
        checks.extend(check_fields(&self.fields));
        checks.extend(self.rules.check());
        checks.finish()
    }

    fn title(&self) -> String {
        if !self.title.trim().is_empty() {
            return self.title.trim().to_owned();
        }
        let words = self.key.replace(['_', '-'], " ");
        let mut letters = words.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect()
    }
}

/// A form as a visitor gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicForm {
    /// The site.
    pub site: Site,
    /// The form.
    pub form: Form,
}

/// A fill token: when the form was fetched, sealed by the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FillToken {
    /// What the post sends back as `ql_token`.
    pub token: String,
    /// The earliest instant at which a post with it is taken for a person's.
    pub not_before: Timestamp,
    /// The last one.
    pub expires_at: Timestamp,
}

impl App {
    /// The latest version of each of the site's forms.
    pub async fn list_forms(&self, ctx: &OpContext) -> Result<Vec<Form>> {
        let site = ctx.authorize::<ReadSite>()?.site();
        self.store().read(move |tx| Ok(form::list(tx, site)?)).await
    }

    /// The latest version of one form.
    pub async fn get_form(&self, ctx: &OpContext, key: &str) -> Result<Form> {
        let site = ctx.authorize::<ReadSite>()?.site();
        let key = key.to_owned();
        self.store()
            .read(move |tx| form::find(tx, site, &key)?.ok_or(Error::NotFound("form")))
            .await
    }

    /// Creates a form, or adds a version to the one with the same key. A version that says what the
    /// latest one says isn't added.
    pub async fn save_form(&self, ctx: &OpContext, new: NewForm) -> Result<Form> {
        let authorized = ctx.authorize::<EditForms>()?;
        new.check()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let fresh = FormId::mint(scribe.ids(), scribe.at);
        self.store()
            .write(move |tx| save(tx, &authorized, &scribe, (fresh, &new)))
            .await
    }

    /// A site's form by the names that its address has.
    pub async fn public_form(&self, site: &SiteRef, key: &str) -> Result<PublicForm> {
        let (site, key) = (site.clone(), key.to_owned());
        self.store()
            .read(move |tx| {
                const MISSING: Error = Error::NotFound("form");
                let site = site.find(tx)?.ok_or(MISSING)?;
                let form = form::find(tx, site.id, &key)?.ok_or(MISSING)?;
                Ok(PublicForm { site, form })
            })
            .await
    }

    /// A token that says when a form was fetched. It is used by one post.
    pub fn fill_token(&self, form: &Form) -> Result<FillToken> {
        let now = self.now();
        let mut nonce = [0_u8; 16];
        self.ids().fill(&mut nonce);
        let nonce = u128::from_be_bytes(nonce);
        let claim = format!("fill.{}.{}.{nonce:032x}", form.id, now.as_micros());
        Ok(FillToken {
            token: self.seal(&claim)?,
            not_before: now.plus(form.rules.min_fill()),
            expires_at: now.plus(form.rules.max_fill()),
        })
    }

    /// What a token says about the time that a form was filled in, and what the token is known by.
    fn read_fill(&self, form: &Form, token: Option<&str>) -> Result<(Fill, Option<Digest>)> {
        let Some(token) = token.filter(|token| !token.is_empty()) else {
            return Ok((Fill::Missing, None));
        };
        let claim = self.unseal(token)?.unwrap_or_default();
        let mut parts = claim.split('.');
        let fetched = match (parts.next(), parts.next(), parts.next()) {
            (Some("fill"), Some(id), Some(at)) if id.parse() == Ok(form.id) => at.parse().ok(),
            _ => None,
        };
        let Some(fetched) = fetched.map(Timestamp::from_micros) else {
            return Ok((Fill::Invalid, None));
        };
        let now = self.now();
        let fill = if now < fetched.plus(form.rules.min_fill()) {
            Fill::TooFast
        } else if now >= fetched.plus(form.rules.max_fill()) {
            Fill::Expired
        } else {
            Fill::Sound
        };
        Ok((fill, Some(Digest::of(token.as_bytes()))))
    }
}

/// The server's own authority on a site, for what a visitor causes.
fn server_on(site: &Site) -> Result<Authorized<ActAsServer>> {
    Ok(Principal::System.authorize::<ActAsServer>(site.place())?)
}

fn save(
    tx: &mut Tx<'_>,
    authorized: &Authorized<EditForms>,
    scribe: &Scribe,
    (fresh, new): (FormId, &NewForm),
) -> Result<Form> {
    let before = form::find(tx, authorized.site(), &new.key)?;
    let next = Form {
        id: before.as_ref().map_or(fresh, |form| form.id),
        key: new.key.clone(),
        version: before.as_ref().map_or(1, |form| form.version + 1),
        title: new.title(),
        fields: new.fields.clone(),
        rules: new.rules.clone(),
        created_at: scribe.at,
    };
    match before {
        Some(same)
            if (&same.title, &same.fields, &same.rules)
                == (&next.title, &next.fields, &next.rules) =>
        {
            return Ok(same);
        }
        Some(_) => form::advance(tx, authorized, &next)?,
        None => form::insert(tx, authorized, &next)?,
    }
    let said = json!({"fields": next.fields, "rules": next.rules});
    let detail = json!({
        "form": next.id, "key": next.key, "version": next.version,
        "definition_sha256": ql_core::canon::digest(&said),
    });
    scribe.administration(tx, "form.saved", detail)?;
    Ok(next)
}
