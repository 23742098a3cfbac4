//! `peek`: what waits for the agent, without taking it.

use std::time::Duration;

use ql_app::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gate::Call;

/// How long to wait.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Body {
    /// How many seconds to wait for a turn; none when left out.
    #[schemars(range(min = 0, max = 45))]
    #[serde(default)]
    wait_seconds: Option<u32>,
}

/// What waits, the longest first.
#[derive(Serialize)]
pub(super) struct Answer {
    turns: Vec<Turn>,
}

#[derive(Serialize)]
struct Turn {
    conversation_id: String,
    #[serde(rename = "turn_id")]
    id: String,
    /// The session that alone may claim it; null where nothing is bound yet.
    session_id: Option<String>,
    waiting_since: String,
}

pub(super) async fn peek(call: Call<Body>) -> Result<Answer, Error> {
    let wait = Duration::from_secs(call.body.wait_seconds.unwrap_or_default().into());
    let turns = call.app.peek_turns(&call.ctx, wait).await?;
    let turns = turns.into_iter().map(|turn| Turn {
        conversation_id: turn.conversation.to_string(),
        id: turn.turn.to_string(),
        session_id: turn.session,
        waiting_since: turn.since.to_string(),
    });
    Ok(Answer {
        turns: turns.collect(),
    })
}
