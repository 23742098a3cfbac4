//! Preview links: one exact revision for one short time, signed by the server.

use ql_core::access::ReadContent;
use ql_core::content::Revision;
use ql_core::id::{RevisionId, SiteId};
use ql_core::time::{Timestamp, hours};
use ql_store::content;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};

/// How long a preview link works.
pub const PREVIEW_LIFETIME: std::time::Duration = hours(1);

/// A revision that somebody holds a preview link for.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// The site.
    pub site: SiteId,
    /// The revision.
    pub revision: Revision,
    /// The template's key.
    pub template: String,
    /// When the link ends.
    pub expires_at: Timestamp,
}

impl App {
    /// Makes a link's token for one revision of the site.
    pub async fn create_preview(
        &self,
        ctx: &OpContext,
        id: RevisionId,
    ) -> Result<(String, Timestamp)> {
        let site = ctx.authorize::<ReadContent>()?.site();
        self.get_revision(ctx, id).await?;
        let expires_at = self.now().plus(PREVIEW_LIFETIME);
        let claim = format!("preview.{site}.{id}.{}", expires_at.as_micros());
        Ok((self.seal(&claim)?, expires_at))
    }

    /// The revision that a link's token names.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a token that the server didn't sign or whose time ran out.
    pub async fn open_preview(&self, token: &str) -> Result<Preview> {
        const GONE: Error = Error::NotFound("preview");
        let claim = self.unseal(token)?.ok_or(GONE)?;
        let parts: Vec<&str> = claim.split('.').collect();
        let ["preview", site, revision, micros] = parts[..] else {
            return Err(GONE);
        };
        let site: SiteId = site.parse().map_err(|_| GONE)?;
        let id: RevisionId = revision.parse().map_err(|_| GONE)?;
        let expires_at = Timestamp::from_micros(micros.parse().map_err(|_| GONE)?);
        if expires_at <= self.now() {
            return Err(GONE);
        }
        self.store()
            .read(move |tx| {
                let revision = content::find_revision(tx, site, id)?.ok_or(GONE)?;
                let item = content::find(tx, site, revision.content)?.ok_or(GONE)?;
                Ok(Preview {
                    site,
                    revision,
                    template: item.item.template,
                    expires_at,
                })
            })
            .await
    }
}
