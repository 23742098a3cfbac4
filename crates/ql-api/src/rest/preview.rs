//! Preview links.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::Instant;
use super::route::{Answered, Call, Route, post};

pub(super) fn routes() -> Vec<Route> {
    vec![
        post(
            "create_preview",
            "/sites/{site}/revisions/{id}/preview",
            "Makes a link that shows one exact revision to whoever holds it, for an hour",
            create,
        )
        .created(),
    ]
}

/// A link to one revision.
#[derive(Serialize, JsonSchema)]
struct Link {
    url: String,
    expires_at: Instant,
}

async fn create(call: Call) -> Answered<Link> {
    let (ctx, id) = (call.on_site().await?, call.id("revision")?);
    let (token, expires_at) = call.app().create_preview(&ctx, id).await?;
    Ok(Link {
        url: call
            .app()
            .dashboard_url(&format!("/delivery/v1/preview/{token}")),
        expires_at: Instant(expires_at),
    })
}
