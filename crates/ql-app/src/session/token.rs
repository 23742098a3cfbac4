//! Personal tokens: a member's own programs.

use ql_core::actor::Actor;
use ql_core::id::MemberTokenId;
use ql_core::time::days;
use ql_core::token::{Token, TokenKind};
use ql_store::session::{self, MemberToken};

use super::{IssuedToken, SignedIn};
use crate::app::App;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::text::Checks;

impl App {
    /// Issues a personal token for the signed-in member.
    pub async fn issue_personal_token(
        &self,
        signed_in: &SignedIn,
        name: &str,
    ) -> Result<IssuedToken> {
        if !signed_in.principal.credential.is_fresh(self.now()) {
            return Err(Error::ReauthenticationRequired);
        }
        let mut checks = Checks::default();
        checks.text("/name", name, 120);
        checks.finish()?;
        let secret = Token::generate(TokenKind::Personal, &**self.ids());
        let now = self.now();
        let token = MemberToken {
            id: MemberTokenId::mint(&**self.ids(), now),
            member: signed_in.member.id,
            name: name.trim().to_owned(),
            prefix: secret.prefix().to_owned(),
            fingerprint: secret.fingerprint(),
            created_at: now,
            expires_at: now.plus(days(90)),
            revoked_at: None,
        };
        let scribe = Scribe::in_organization(
            self,
            Actor::Member(token.member),
            signed_in.member.organization,
        );
        let row = token.clone();
        self.store()
            .write(move |tx| {
                session::insert_token(tx, &row)?;
                let detail = serde_json::json!({"token": row.id, "prefix": row.prefix, "expires_at": row.expires_at});
                scribe.administration(tx, "member.token_issued", detail)
            })
            .await?;
        Ok(IssuedToken { token, secret })
    }

    /// The signed-in member's personal tokens.
    pub async fn list_personal_tokens(&self, signed_in: &SignedIn) -> Result<Vec<MemberToken>> {
        let id = signed_in.member.id;
        self.store()
            .read(move |tx| Ok(session::list_tokens(tx, id)?))
            .await
    }

    /// Revokes one of the signed-in member's personal tokens.
    pub async fn revoke_personal_token(
        &self,
        signed_in: &SignedIn,
        id: MemberTokenId,
    ) -> Result<()> {
        let (member, now) = (signed_in.member.id, self.now());
        let scribe =
            Scribe::in_organization(self, Actor::Member(member), signed_in.member.organization);
        self.store()
            .write(move |tx| {
                if !session::revoke_token(tx, id, member, now)? {
                    return Err(Error::NotFound("personal token"));
                }
                scribe.administration(tx, "member.token_revoked", serde_json::json!({"token": id}))
            })
            .await
    }
}
