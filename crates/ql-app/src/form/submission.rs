//! Posts as members see them: listed, marked, and removed when their time is over.

use ql_core::access::{ActAsServer, Authorized, EditForms, Principal, ReadSubmissions};
use ql_core::form::{Form, Mark, Standing, Submission};
use ql_core::id::{SiteId, SubmissionId};
use ql_core::page::{Page, PageRequest};
use ql_core::time::{Timestamp, days};
use ql_store::site::Site;
use ql_store::{Tx, form, submission};
use serde_json::json;

use super::post::day_of;
use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;

/// The most posts that one transaction removes.
const SWEPT_AT_ONCE: u32 = 2_000;

/// What the time of rejected posts applies to.
const PASSING: [&str; 2] = ["rejected", "marked_spam"];

impl App {
    /// A form's posts of one standing, newest first.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a standing that there isn't.
    pub async fn list_submissions(
        &self,
        ctx: &OpContext,
        (key, standing): (&str, &str),
        page: &PageRequest,
    ) -> Result<Page<Submission>> {
        let site = ctx.authorize::<ReadSubmissions>()?.site();
        if !Standing::NAMES.contains(&standing) {
            let message = format!("expected one of {}", Standing::NAMES.join(", "));
            return Err(Error::invalid("/standing", "unknown", message));
        }
        let (key, standing, page) = (key.to_owned(), standing.to_owned(), page.clone());
        self.store()
            .read(move |tx| {
                let form = form::find(tx, site, &key)?.ok_or(Error::NotFound("form"))?;
                Ok(submission::list(tx, form.id, &standing, &page)?)
            })
            .await
    }

    /// Marks a post as a real one or as spam, whatever the screening came to.
    pub async fn mark_submission(
        &self,
        ctx: &OpContext,
        id: SubmissionId,
        mark: Mark,
    ) -> Result<Submission> {
        let authorized = ctx.authorize::<EditForms>()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        self.store()
            .write(move |tx| {
                const MISSING: Error = Error::NotFound("submission");
                let site = authorized.site();
                let before = submission::find(tx, site, id)?.ok_or(MISSING)?;
                if submission::mark(tx, &authorized, id, (mark, scribe.at))? {
                    let detail = json!({
                        "submission": id, "form": before.form,
                        "from": before.standing.as_str(), "to": mark.as_str(),
                    });
                    scribe.administration(tx, "form.submission_marked", detail)?;
                }
                submission::find(tx, site, id)?.ok_or(MISSING)
            })
            .await
    }

    /// Removes what the forms of a site kept of rejected posts, once their time is over, and the
    /// keys that their networks were hidden by; answers how many posts. Where nothing is to be
    /// removed it only looks.
    pub(crate) async fn sweep_submissions(&self, site: &Site) -> Result<u64> {
        let server = Principal::System.authorize::<ActAsServer>(site.place())?;
        let (at, id) = (self.now(), site.id);
        let before = day_of(at.minus(days(2)));
        let (passed, old_keys) = self
            .store()
            .read(move |tx| Ok::<_, Error>((passed(tx, id, at)?, form::has_day_keys(tx, before)?)))
            .await?;
        let mut removed = 0;
        for (form, standing) in passed {
            loop {
                let swept = self.sweep_part(&server, (&form, standing)).await?;
                removed += swept;
                if swept < u64::from(SWEPT_AT_ONCE) {
                    break;
                }
            }
        }
        if old_keys {
            self.store()
                .write(move |tx| Ok::<_, Error>(form::forget_day_keys(tx, &server, before)?))
                .await?;
        }
        Ok(removed)
    }

    async fn sweep_part(
        &self,
        server: &Authorized<ActAsServer>,
        (form, standing): (&Form, &'static str),
    ) -> Result<u64> {
        let (server, form) = (server.clone(), form.clone());
        let scribe = Scribe::on_site(self, server.actor(), server.place());
        self.store()
            .write(move |tx| {
                let until = scribe.at.minus(form.rules.retention());
                let of = (&form, standing);
                let swept = submission::sweep(tx, &server, of, (until, SWEPT_AT_ONCE))?;
                if swept > 0 {
                    let detail = json!({
                        "form": form.id, "standing": standing, "removed": swept, "until": until,
                    });
                    scribe.administration(tx, "form.submissions_removed", detail)?;
                }
                Ok::<_, Error>(swept)
            })
            .await
    }
}

/// Which forms have posts whose time is over, and of which standing.
fn passed(tx: &mut Tx<'_>, site: SiteId, at: Timestamp) -> Result<Vec<(Form, &'static str)>> {
    let mut found = Vec::new();
    for form in form::list(tx, site)? {
        let until = at.minus(form.rules.retention());
        for standing in PASSING {
            if submission::has_passed(tx, (&form, standing), until)? {
                found.push((form.clone(), standing));
            }
        }
    }
    Ok(found)
}
