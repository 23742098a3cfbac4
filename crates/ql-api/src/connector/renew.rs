//! `renew`: keeps the lease of a turn while the session works on it.

use ql_app::Error;
use ql_core::id::TurnId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gate::Call;
use crate::input::argument;

/// The lease.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Body {
    /// The turn that was claimed.
    #[schemars(schema_with = "argument::id")]
    turn_id: String,
    /// The token that the claim gave.
    lease_token: String,
}

/// Until when it holds now.
#[derive(Serialize)]
pub(super) struct Answer {
    lease_expires_at: String,
}

pub(super) async fn renew(call: Call<Body>) -> Result<Answer, Error> {
    let turn: TurnId = argument::named("turn", &call.body.turn_id)?;
    // A token that can't be read holds nothing.
    let token = call.body.lease_token.parse().ok();
    let until = call.app.renew_turn(&call.ctx, turn, token).await?;
    Ok(Answer {
        lease_expires_at: until.to_string(),
    })
}
