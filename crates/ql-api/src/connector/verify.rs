//! `verify`: whether a session exists under a profile that was reported.

use ql_app::Error;
use ql_app::runtime::{Looked, LookedFor};
use ql_core::runtime::{Doubt, Unavailable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gate::Call;

/// What was looked for, and whether it is there.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Body {
    /// The connector, as in its last report.
    #[schemars(length(min = 1, max = 100))]
    connector_id: String,
    /// The profile under which it looked.
    #[schemars(length(min = 1, max = 200))]
    profile_id: String,
    /// The session.
    #[schemars(length(min = 1, max = 200))]
    session_id: String,
    /// Whether it is there.
    found: bool,
    /// Why it isn't known whether a turn can go on in it.
    #[schemars(schema_with = "super::report::doubt")]
    #[serde(default)]
    doubt: Option<Doubt>,
}

/// Whether a claim in that session is let in now.
#[derive(Serialize)]
pub(super) struct Answer {
    available: bool,
    reason: Option<&'static str>,
    message: Option<String>,
    remedy: Option<&'static str>,
}

pub(super) async fn verify(call: Call<Body>) -> Result<Answer, Error> {
    let looked = LookedFor {
        connector: call.body.connector_id,
        profile_id: call.body.profile_id,
        seen: Looked {
            session: call.body.session_id,
            found: call.body.found,
            doubt: call.body.doubt,
        },
    };
    let why = call.app.verify_session(&call.ctx, looked).await?.err();
    Ok(Answer {
        available: why.is_none(),
        reason: why.map(Unavailable::code),
        message: why.map(|why| why.to_string()),
        remedy: why.map(Unavailable::remedy),
    })
}
