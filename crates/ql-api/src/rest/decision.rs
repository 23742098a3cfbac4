//! What people do with proposals.

use ql_app::decision::NewDecision;
use ql_app::session::Owned;
use ql_core::hash::Digest;
use ql_core::proposal::Verdict;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::proposal::Proposal;
use super::route::{Answered, Call, Nothing, Route, post};
use crate::input::argument;

pub(super) fn routes() -> Vec<Route> {
    vec![
        post(
            "decide_proposal",
            "/proposals/{id}/decisions",
            "Decides a proposal on the digest that was seen; the approval that suffices carries it out",
            decide,
        ),
        post(
            "cancel_proposal",
            "/proposals/{id}/cancel",
            "Stops an approved publication before its instant",
            cancel,
        ),
        post(
            "withdraw_proposal",
            "/proposals/{id}/withdraw",
            "Takes back one's own proposal while it waits",
            withdraw,
        ),
    ]
}

/// A decision to make.
#[derive(Deserialize, JsonSchema)]
struct NewVerdict {
    /// What is decided.
    #[schemars(schema_with = "verdict")]
    decision: Verdict,
    /// The digest that the proposal showed.
    #[schemars(schema_with = "argument::sha256")]
    digest: Digest,
    /// Why; needed unless it approves.
    #[schemars(length(max = 4000))]
    #[serde(default)]
    comment: String,
}

fn verdict(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(Verdict::ALL.map(Verdict::as_str))
}

async fn decide(call: Call<Nothing, NewVerdict>) -> Answered<Proposal> {
    let id = call.id("proposal")?;
    let ctx = call.on_site_of(Owned::Proposal(id)).await?;
    let new = NewDecision {
        proposal: id,
        verdict: call.body.decision,
        digest: call.body.digest,
        comment: call.body.comment,
    };
    let app = &call.rest.app;
    Ok(Proposal::of(app, app.decide(&ctx, new).await?))
}

async fn cancel(call: Call) -> Answered<Proposal> {
    let id = call.id("proposal")?;
    let ctx = call.on_site_of(Owned::Proposal(id)).await?;
    Ok(Proposal::of(
        call.app(),
        call.app().cancel_proposal(&ctx, id).await?,
    ))
}

async fn withdraw(call: Call) -> Answered<Proposal> {
    let id = call.id("proposal")?;
    let ctx = call.on_site_of(Owned::Proposal(id)).await?;
    Ok(Proposal::of(
        call.app(),
        call.app().withdraw_proposal(&ctx, id).await?,
    ))
}
