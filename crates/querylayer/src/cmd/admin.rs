//! Administration: through the running server where there is one, else on the folder itself.

use anyhow::Result;
use serde_json::Value;

use crate::admin::{self, Org, Request};
use crate::cli::Place;
use crate::{output, socket};

/// Carries a request out and prints the answer.
///
/// # Errors
/// The refusal, or a folder that can't be worked on.
pub async fn run(request: Request, place: &Place) -> Result<()> {
    let answer = answer(request, place).await?;
    output::print(&answer, place.json)
}

/// Carries a request out where it can be: over the socket, or on the stopped folder.
///
/// # Errors
/// The refusal, or a folder that can't be worked on.
pub async fn answer(request: Request, place: &Place) -> Result<Value> {
    let data = place.data_dir();
    // A folder of one's own begins with its organization.
    if !matches!(request, Request::Org(Org::Create { .. })) {
        data.require()?;
    }
    if let Some(answer) = socket::ask(&data, &request).await? {
        return Ok(answer);
    }
    let public_url = std::env::var("QUERYLAYER_PUBLIC_URL")
        .unwrap_or_else(|_| "http://127.0.0.1:8090".to_owned());
    let app = data.open(&public_url)?;
    let answer = admin::run(&app, rustix::process::getuid().as_raw(), request).await;
    app.store().close();
    answer
}
