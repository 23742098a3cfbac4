//! Writing down what happened, in the transaction in which it happens.

use std::sync::Arc;

use ql_core::access::OnSite;
use ql_core::actor::Actor;
use ql_core::id::{ConversationId, EntryId, IdGen, OrganizationId, ProposalId, RunId, SiteId};
use ql_core::ledger::{Event, Head, Subject};
use ql_core::run::{MAX_EVENTS, MAX_INLINE_BYTES};
use ql_core::time::Timestamp;
use ql_store::{Tx, ledger};
use serde_json::Value;

use crate::app::App;
use crate::error::{Error, Result};

/// Who does something, where and when, for the ledger.
///
/// Entries' identifiers are minted inside the transaction; one that is run again leaves its first
/// identifiers unused.
#[derive(Clone)]
pub(crate) struct Scribe {
    ids: Arc<dyn IdGen>,
    organization: OrganizationId,
    site: Option<SiteId>,
    pub(crate) actor: Actor,
    pub(crate) at: Timestamp,
}

impl Scribe {
    /// Writes for `actor` on a site.
    pub(crate) fn on_site(app: &App, actor: Actor, place: OnSite) -> Self {
        Self {
            ids: Arc::clone(app.ids()),
            organization: place.organization,
            site: Some(place.site),
            actor,
            at: app.now(),
        }
    }

    /// Writes for `actor` in an organization as a whole.
    pub(crate) fn in_organization(app: &App, actor: Actor, organization: OrganizationId) -> Self {
        Self {
            ids: Arc::clone(app.ids()),
            organization,
            site: None,
            actor,
            at: app.now(),
        }
    }

    /// The same hand writing for the server itself.
    pub(crate) fn as_system(&self) -> Self {
        Self {
            actor: Actor::System,
            ..self.clone()
        }
    }

    /// The site that this hand writes on.
    pub(crate) fn place(&self) -> Result<OnSite> {
        Ok(OnSite {
            organization: self.organization,
            site: self.site.ok_or(Error::NotFound("site"))?,
        })
    }

    /// The site that it's written on.
    pub(crate) fn site(&self) -> Result<SiteId> {
        self.site.ok_or(Error::NotFound("site"))
    }

    pub(crate) fn ids(&self) -> &dyn IdGen {
        &*self.ids
    }

    fn append(
        &self,
        tx: &mut Tx<'_>,
        (subject, kind): (Subject, &'static str),
        detail: Value,
        bytes: i64,
    ) -> Result<Head> {
        let event = Event {
            id: EntryId::mint(&*self.ids, self.at),
            organization: self.organization,
            site: self.site,
            subject,
            kind,
            actor: self.actor,
            at: self.at,
            detail,
            bytes,
        };
        Ok(ledger::append(tx, &event)?)
    }

    /// Appends to a run's chain; `bytes` is what the event adds to the run's stored size.
    ///
    /// # Errors
    /// [`Error::RunLimitExceeded`] when the run is full; one place is kept for its end.
    pub(crate) fn run(
        &self,
        tx: &mut Tx<'_>,
        run: RunId,
        event: (&'static str, Value),
        bytes: usize,
    ) -> Result<()> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let head = self.append(tx, (Subject::Run(run), event.0), event.1, bytes)?;
        let full = head.seq >= MAX_EVENTS || head.bytes > MAX_INLINE_BYTES;
        if full {
            Err(Error::RunLimitExceeded)
        } else {
            Ok(())
        }
    }

    /// Appends the last entry of a run's chain.
    pub(crate) fn run_end(&self, tx: &mut Tx<'_>, run: RunId, detail: Value) -> Result<()> {
        self.append(tx, (Subject::Run(run), "run.finished"), detail, 0)
            .map(drop)
    }

    /// Appends to a proposal's chain.
    pub(crate) fn proposal(
        &self,
        tx: &mut Tx<'_>,
        id: ProposalId,
        kind: &'static str,
        detail: Value,
    ) -> Result<()> {
        self.append(tx, (Subject::Proposal(id), kind), detail, 0)
            .map(drop)
    }

    /// Appends to a conversation's chain.
    pub(crate) fn conversation(
        &self,
        tx: &mut Tx<'_>,
        id: ConversationId,
        (kind, detail): (&'static str, Value),
    ) -> Result<()> {
        self.append(tx, (Subject::Conversation(id), kind), detail, 0)
            .map(drop)
    }

    /// Appends to the site's chain, or to the organization's where there is no site.
    pub(crate) fn administration(
        &self,
        tx: &mut Tx<'_>,
        kind: &'static str,
        detail: Value,
    ) -> Result<()> {
        self.append(tx, (self.administered(), kind), detail, 0)
            .map(drop)
    }

    /// As [`Scribe::administration`]; answers in which chain and where.
    pub(crate) fn export(
        &self,
        tx: &mut Tx<'_>,
        kind: &'static str,
        detail: Value,
    ) -> Result<(Subject, Head)> {
        let subject = self.administered();
        let head = self.append(tx, (subject, kind), detail, 0)?;
        Ok((subject, head))
    }

    /// The site, or the organization where there is no site.
    fn administered(&self) -> Subject {
        self.site
            .map_or(Subject::Organization(self.organization), Subject::Site)
    }

    /// Appends to the chain of the run, where there is one, else to the site's.
    pub(crate) fn work(
        &self,
        tx: &mut Tx<'_>,
        run: Option<RunId>,
        event: (&'static str, Value),
        bytes: usize,
    ) -> Result<()> {
        match run {
            Some(run) => self.run(tx, run, event, bytes),
            None => self.administration(tx, event.0, event.1),
        }
    }
}
