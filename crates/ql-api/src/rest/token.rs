//! The member's own personal tokens.

use ql_app::session::{IssuedToken, MemberToken};
use ql_core::id::MemberTokenId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Nothing, Route, delete, get, post};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_tokens",
            "/tokens",
            "Lists the member's own personal tokens",
            list,
        ),
        post(
            "create_token",
            "/tokens",
            "Issues a personal token, good for 90 days; its secret is shown once",
            create,
        )
        .created(),
        delete(
            "revoke_token",
            "/tokens/{id}",
            "Revokes a personal token at once",
            revoke,
        ),
    ]
}

#[derive(Serialize, JsonSchema)]
struct Token {
    id: Text<MemberTokenId>,
    name: String,
    /// The first twelve characters of the secret.
    prefix: String,
    created_at: Instant,
    expires_at: Instant,
    revoked_at: Option<Instant>,
}

impl From<MemberToken> for Token {
    fn from(token: MemberToken) -> Self {
        Self {
            id: Text(token.id),
            name: token.name,
            prefix: token.prefix,
            created_at: Instant(token.created_at),
            expires_at: Instant(token.expires_at),
            revoked_at: token.revoked_at.map(Instant),
        }
    }
}

async fn list(call: Call) -> Answered<List<Token>> {
    let tokens = call.app().list_personal_tokens(&call.signed_in).await?;
    Ok(List::of(tokens, Token::from))
}

/// A personal token to issue.
#[derive(Deserialize, JsonSchema)]
struct NewToken {
    /// What it is for.
    #[schemars(length(min = 1, max = 120))]
    name: String,
}

/// A token with its secret, which is shown this once.
#[derive(Serialize, JsonSchema)]
struct Issued {
    id: Text<MemberTokenId>,
    /// The first twelve characters of the secret.
    prefix: String,
    /// The secret.
    token: String,
    expires_at: Instant,
}

async fn create(call: Call<Nothing, NewToken>) -> Answered<Issued> {
    let IssuedToken { token, secret } = call
        .app()
        .issue_personal_token(&call.signed_in, &call.body.name)
        .await?;
    Ok(Issued {
        id: Text(token.id),
        prefix: token.prefix,
        token: secret.expose().to_owned(),
        expires_at: Instant(token.expires_at),
    })
}

async fn revoke(call: Call) -> Answered<()> {
    let id = call.id("personal token")?;
    Ok(call
        .app()
        .revoke_personal_token(&call.signed_in, id)
        .await?)
}
