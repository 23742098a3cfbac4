//! One proposal: looked at, decided, withdrawn, cancelled.

mod items;
mod show;
mod topical;
mod verdict;

use axum::extract::State;
use http::{HeaderMap, StatusCode};
use ql_app::Error;
use ql_app::decision::NewDecision;
use ql_app::session::Owned;
use ql_core::hash::Digest;
use ql_core::id::ProposalId;
use ql_core::proposal::Verdict;

use super::session::prove;
use crate::config::Web;
use crate::edge::desk::{Desk, signed_in};
use crate::edge::error::{Answer, WebError, go, page_with, sentence, status};
use crate::edge::form::Action;
use crate::edge::params::Id;
use crate::page;
use crate::route::revision::render_preview;

pub(super) async fn find(
    State(web): State<Web>,
    headers: HeaderMap,
    Id(id): Id<ProposalId>,
) -> Answer {
    let signed_in = signed_in(&headers, &format!("/proposals/{id}"), &web).await?;
    let (_, site) = web
        .app
        .member_context_of(&signed_in, Owned::Proposal(id))
        .await?;
    Ok(go(&format!("/sites/{}/proposals/{id}", site.slug)))
}

pub(super) async fn show(Id(id): Id<ProposalId>, desk: Desk) -> Answer {
    respond(&desk, id, None, StatusCode::OK).await
}

/// What was tried and refused, for the page that is shown again.
struct Refused {
    problem: String,
    comment: String,
}

async fn respond(
    desk: &Desk,
    id: ProposalId,
    refused: Option<Refused>,
    status: StatusCode,
) -> Answer {
    let mut shown = show::page(desk, id).await?;
    if let (page::Verdict::Open(open), Some(refused)) = (&mut shown.verdict, refused) {
        open.problem = Some(refused.problem);
        open.comment = refused.comment;
    }
    page_with(status, &shown)
}

pub(super) async fn preview(Id(id): Id<ProposalId>, desk: Desk) -> Answer {
    let view = desk.web.app.get_proposal(&desk.ctx, id).await?;
    let index = desk.params.parse("item").unwrap_or(0);
    let (template, fields, locale) = items::proposed_fields(&desk, &view.proposal, index).await?;
    render_preview(&template, &fields, &locale)
}

pub(super) async fn approve(Id(id): Id<ProposalId>, action: Action) -> Answer {
    decide(id, action, Verdict::Approve).await
}

pub(super) async fn reject(Id(id): Id<ProposalId>, action: Action) -> Answer {
    decide(id, action, Verdict::Reject).await
}

pub(super) async fn request_changes(Id(id): Id<ProposalId>, action: Action) -> Answer {
    decide(id, action, Verdict::RequestChanges).await
}

/// Decides on what was seen. A refusal shows the page again, as it stands now, with the words kept.
async fn decide(id: ProposalId, Action { mut desk, form }: Action, verdict: Verdict) -> Answer {
    let digest: Digest = form
        .get("digest")
        .and_then(|digest| digest.parse().ok())
        .ok_or(WebError::BadForm("The form names no digest.".into()))?;
    let comment = form.text("comment");
    let refused = |error: &Error| Refused {
        problem: format!("{} Nothing was decided.", sentence(error)),
        comment: comment.clone(),
    };
    if let Some(password) = form.get("password") {
        if let Err(error) = prove(&desk.web, &desk.signed_in, password).await {
            return respond(&desk, id, Some(refused(&error)), status(&error)).await;
        }
        desk = desk.refreshed().await?;
    }
    let decision = NewDecision {
        proposal: id,
        verdict,
        digest,
        comment: comment.clone(),
    };
    match desk.web.app.decide(&desk.ctx, decision).await {
        Ok(_) => Ok(go(&desk.at(&format!("proposals/{id}")))),
        Err(error @ (Error::NotFound(_) | Error::Unavailable(_) | Error::Fault(_))) => {
            Err(error.into())
        }
        Err(error) => respond(&desk, id, Some(refused(&error)), status(&error)).await,
    }
}

pub(super) async fn withdraw(Id(id): Id<ProposalId>, Action { desk, .. }: Action) -> Answer {
    desk.web.app.withdraw_proposal(&desk.ctx, id).await?;
    Ok(go(&desk.at(&format!("proposals/{id}"))))
}

pub(super) async fn cancel(Id(id): Id<ProposalId>, Action { desk, .. }: Action) -> Answer {
    desk.web.app.cancel_proposal(&desk.ctx, id).await?;
    Ok(go(&desk.at(&format!("proposals/{id}"))))
}
