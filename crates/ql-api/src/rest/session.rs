//! The member's own session.

use ql_app::SignedIn;
use ql_core::id::MemberId;
use ql_core::role::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Instant, Text};
use super::refusal::too_many;
use super::route::{Answered, Call, Nothing, Route, delete, get, post, put};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("get_session", "/session", "Who is signed in", show),
        post(
            "reauthenticate",
            "/session/reauth",
            "Proves the member again by its password, for five minutes",
            reauthenticate,
        ),
        put(
            "set_password",
            "/session/password",
            "Sets the member's own password",
            set_password,
        ),
        delete("sign_out", "/session", "Ends the session", sign_out),
    ]
}

/// Who is signed in, and how.
#[derive(Serialize, JsonSchema)]
struct Session {
    member: Person,
    role: Text<Role>,
    /// What changes carry in `X-CSRF-Token`; null for a personal token, which needs none.
    csrf_token: Option<String>,
    /// When the member last proved itself; null for a personal token.
    reauthenticated_at: Option<Instant>,
}

#[derive(Serialize, JsonSchema)]
struct Person {
    id: Text<MemberId>,
    name: String,
    email: String,
}

impl From<SignedIn> for Session {
    fn from(
        SignedIn {
            member, session, ..
        }: SignedIn,
    ) -> Self {
        Self {
            role: Text(member.role),
            member: Person {
                id: Text(member.id),
                name: member.name,
                email: member.email,
            },
            reauthenticated_at: session.as_ref().map(|s| Instant(s.reauthenticated_at)),
            csrf_token: session.map(|session| session.csrf),
        }
    }
}

async fn show(call: Call) -> Answered<Session> {
    Ok(call.signed_in.into())
}

/// A password.
#[derive(Deserialize, JsonSchema)]
struct Password {
    /// The password.
    #[schemars(length(min = 1, max = 200))]
    password: String,
}

async fn reauthenticate(call: Call<Nothing, Password>) -> Answered<Session> {
    if let Some(limit) = &call.rest.passwords {
        limit
            .count(call.signed_in.member.id, call.app().now())
            .map_err(|wait| too_many(wait, "too many passwords were tried"))?;
    }
    let at = call.app().now();
    call.app()
        .reauthenticate(&call.signed_in, &call.body.password)
        .await?;
    let mut session = Session::from(call.signed_in);
    session.reauthenticated_at = Some(Instant(at));
    Ok(session)
}

async fn set_password(call: Call<Nothing, Password>) -> Answered<Session> {
    call.app()
        .set_password(&call.signed_in, &call.body.password)
        .await?;
    Ok(call.signed_in.into())
}

async fn sign_out(call: Call) -> Answered<()> {
    Ok(call.app().sign_out(&call.signed_in).await?)
}
