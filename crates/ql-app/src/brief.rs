//! Content briefs: read by whoever writes, answered by a draft that a member accepts.

use ql_core::access::ReadContent;
use ql_core::brief::BriefDraft;
pub use ql_core::brief::{Brief, BriefDocument, BriefState};
use ql_core::id::{BriefId, RevisionId};
use ql_core::lifecycle::StaleReason;
use ql_core::page::{Page, PageRequest};
use ql_core::proposal::{ContentBriefDraft, CreateContent, Proposal, Resolved};
use ql_core::topical_map::NodeStatus;
use ql_store::{Tx, brief};
use serde_json::{Value, json};

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::execution::{Executor, check_draft};
use crate::proposal::{Resolver, draft_of};

impl App {
    /// The site's briefs, newest first; those whose page stands so, where that is asked for.
    pub async fn list_briefs(
        &self,
        ctx: &OpContext,
        status: Option<NodeStatus>,
        page: &PageRequest,
    ) -> Result<Page<BriefState>> {
        let site = ctx.authorize::<ReadContent>()?.site();
        let page = page.clone();
        self.store()
            .read(move |tx| Ok(brief::list(tx, site, status, &page)?))
            .await
    }

    /// One brief.
    pub async fn get_brief(&self, ctx: &OpContext, id: BriefId) -> Result<BriefState> {
        let site = ctx.authorize::<ReadContent>()?.site();
        self.store()
            .read(move |tx| brief::find(tx, site, id)?.ok_or(Error::NotFound("brief")))
            .await
    }

    /// The brief that a revision was the answer to; none where it answered none.
    pub async fn find_revision_brief(
        &self,
        ctx: &OpContext,
        revision: RevisionId,
    ) -> Result<Option<BriefState>> {
        let site = ctx.authorize::<ReadContent>()?.site();
        self.store()
            .read(move |tx| Ok(brief::find_answered(tx, site, revision)?))
            .await
    }
}

/// The item that a draft of a brief makes.
fn creation(state: &BriefState, draft: &ContentBriefDraft) -> CreateContent {
    CreateContent {
        template: state.brief.document.template.clone(),
        slug: draft.slug.clone(),
        locale: None,
        translation_group: None,
        fields: draft.fields.clone(),
    }
}

/// What a draft of a brief stands for.
pub(crate) fn resolve(
    resolver: &Resolver<'_>,
    tx: &mut Tx<'_>,
    draft: &ContentBriefDraft,
) -> Result<(String, Vec<Resolved>)> {
    let state = brief::find(tx, resolver.place.site, draft.brief_id)?;
    let state = state.ok_or(Error::NotFound("brief"))?;
    if let Some(reason) = unanswerable(&state) {
        return Err(Error::invalid(
            "/brief_id",
            reason.code(),
            reason.to_string(),
        ));
    }
    let (_, mut resolved) = resolver.create(tx, &creation(&state, draft))?;
    for seen in &mut resolved {
        seen.brief_id = Some(draft.brief_id);
    }
    let title = &state.brief.document.title;
    Ok((format!("Draft for the brief “{title}”"), resolved))
}

/// Why a brief takes no draft.
fn unanswerable(state: &BriefState) -> Option<StaleReason> {
    match (&state.draft, state.status) {
        (Some(_), _) => Some(StaleReason::BriefAnswered),
        (None, NodeStatus::Retired) => Some(StaleReason::BriefRetired),
        (None, _) => None,
    }
}

/// Whether the draft of a brief could still be written as it was seen.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    app: &App,
    (proposal, seen): (&Proposal, &Resolved),
    draft: &ContentBriefDraft,
) -> Result<Option<StaleReason>> {
    let state = brief::find(tx, proposal.site, draft.brief_id)?.ok_or(Error::NotFound("brief"))?;
    if let Some(reason) = unanswerable(&state) {
        return Ok(Some(reason));
    }
    let new = draft_of(&creation(&state, draft), Some(seen));
    check_draft(tx, app, (proposal, seen), &new, None)
}

/// Writes the draft in the proposer's name and keeps that it answered the brief.
pub(crate) fn carry_out(
    executor: &Executor<'_>,
    tx: &mut Tx<'_>,
    proposal: &Proposal,
    draft: &ContentBriefDraft,
) -> Result<Value> {
    let state = brief::find(tx, proposal.site, draft.brief_id)?.ok_or(Error::NotFound("brief"))?;
    let new = draft_of(&creation(&state, draft), proposal.resolved.first());
    let drafted = executor.write_draft(tx, proposal, &new)?;
    let kept = BriefDraft {
        content: drafted.content_id,
        revision: drafted.revision_id,
        proposal: proposal.id,
    };
    brief::insert_draft(
        tx,
        executor.server(),
        draft.brief_id,
        &kept,
        executor.scribe.at,
    )?;
    Ok(json!({
        "brief": draft.brief_id, "content": drafted.content_id, "revision": drafted.revision_id,
        "sha256": drafted.sha256,
    }))
}
