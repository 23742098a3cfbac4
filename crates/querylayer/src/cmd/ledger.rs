//! Checking the ledger.

use std::process::ExitCode;

use anyhow::Result;

use crate::admin::Request;
use crate::cli::Place;
use crate::cmd::admin;
use crate::output;

/// Follows every chain of the folder's ledger; the exit code says whether all hold.
///
/// # Errors
/// The folder can't be read.
pub async fn verify(place: &Place) -> Result<ExitCode> {
    let found = admin::answer(Request::VerifyLedger, place).await?;
    output::print(&found, place.json)?;
    Ok(if found["ok"] == true {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
