//! Reading content.

use ql_core::access::ReadContent;
use ql_core::content::Revision;
use ql_core::id::{ContentId, RevisionId};
use ql_core::page::{Page, PageRequest};
use ql_core::proposal::Proposal;
use ql_store::content;
pub use ql_store::content::{Filter, StoredItem};
use ql_store::proposal;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};

/// An item, with the revision that was asked for where one was.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentView {
    /// The item and where its addresses stand.
    pub stored: StoredItem,
    /// The revision, when fields were asked for.
    pub revision: Option<Revision>,
}

/// An item with its history.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentRecord {
    /// The item and where its addresses stand.
    pub stored: StoredItem,
    /// The current draft.
    pub draft: Revision,
    /// What is live.
    pub live: Option<Revision>,
    /// The fifty newest proposals about it.
    pub proposals: Vec<Proposal>,
}

impl App {
    /// The site's items; with fields, each at its current draft.
    pub async fn list_content(
        &self,
        ctx: &OpContext,
        filter: &Filter,
        page: &PageRequest,
        include_fields: bool,
    ) -> Result<Page<ContentView>> {
        let site = ctx.authorize::<ReadContent>()?.site();
        let (filter, page) = (filter.clone(), page.clone());
        self.store()
            .read(move |tx| {
                let items = content::list(tx, site, &filter, &page)?;
                let mut views = Vec::with_capacity(items.items.len());
                for stored in items.items {
                    let revision = if include_fields {
                        content::find_revision(tx, site, stored.item.current_draft)?
                    } else {
                        None
                    };
                    views.push(ContentView { stored, revision });
                }
                Ok(Page {
                    items: views,
                    next: items.next,
                })
            })
            .await
    }

    /// One item in any status, at one of its revisions or its current draft.
    pub async fn get_content(
        &self,
        ctx: &OpContext,
        id: ContentId,
        revision: Option<RevisionId>,
    ) -> Result<ContentView> {
        let site = ctx.authorize::<ReadContent>()?.site();
        self.store()
            .read(move |tx| {
                let stored = content::find(tx, site, id)?.ok_or(Error::NotFound("content item"))?;
                let wanted = revision.unwrap_or(stored.item.current_draft);
                let found = content::find_revision(tx, site, wanted)?
                    .filter(|revision| revision.content == id)
                    .ok_or(Error::NotFound("revision"))?;
                Ok(ContentView {
                    stored,
                    revision: Some(found),
                })
            })
            .await
    }

    /// One item with its draft, what is live and the proposals about it.
    pub async fn get_content_record(
        &self,
        ctx: &OpContext,
        id: ContentId,
    ) -> Result<ContentRecord> {
        let site = ctx.authorize::<ReadContent>()?.site();
        self.store()
            .read(move |tx| {
                let stored = content::find(tx, site, id)?.ok_or(Error::NotFound("content item"))?;
                let draft = content::find_revision(tx, site, stored.item.current_draft)?
                    .ok_or(Error::NotFound("revision"))?;
                let live = match stored.item.published {
                    Some(live) => content::find_revision(tx, site, live)?,
                    None => None,
                };
                let proposals = proposal::list_by_content(tx, site, id)?;
                Ok(ContentRecord {
                    stored,
                    draft,
                    live,
                    proposals,
                })
            })
            .await
    }

    /// A revision of the site, whatever item it is of.
    pub async fn get_revision(&self, ctx: &OpContext, id: RevisionId) -> Result<Revision> {
        let site = ctx.authorize::<ReadContent>()?.site();
        self.store()
            .read(move |tx| {
                content::find_revision(tx, site, id)?.ok_or(Error::NotFound("revision"))
            })
            .await
    }

    /// An item's revisions, newest first.
    pub async fn list_revisions(
        &self,
        ctx: &OpContext,
        id: ContentId,
        page: &PageRequest,
    ) -> Result<Page<Revision>> {
        let site = ctx.authorize::<ReadContent>()?.site();
        let page = page.clone();
        self.store()
            .read(move |tx| {
                content::find(tx, site, id)?.ok_or(Error::NotFound("content item"))?;
                Ok(content::list_revisions(tx, site, id, &page)?)
            })
            .await
    }
}
