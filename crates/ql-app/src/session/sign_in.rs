//! Signing in and out: one-time links, passwords, and the sessions that they open.

use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::{MemberId, SessionId};
use ql_core::time::hours;
use ql_store::member::Member;
use ql_store::session::Session;
use ql_store::{Tx, member, session};

use super::password::{self, UNKNOWN_MEMBER};
use super::{NewSession, SignedIn, living_member};
use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::text::Checks;

const SESSION_LIFETIME: std::time::Duration = hours(12);
const LINK_LIFETIME: std::time::Duration = hours(24);
const PASSWORD_LENGTH: std::ops::RangeInclusive<usize> = 10..=200;

fn new_secret(app: &App) -> String {
    let mut bytes = [0; 32];
    app.ids().fill(&mut bytes);
    Digest::of(&bytes).to_string()
}

impl App {
    /// Makes a one-time sign-in link's secret for a member, good for a day. The caller is the
    /// operator or an administrator; only an owner makes one for an owner.
    pub async fn create_sign_in_link(&self, ctx: &OpContext, id: MemberId) -> Result<String> {
        let authorized = ctx.authorize_organization::<ql_core::access::ManageMembers>()?;
        let owners = ctx.authorize_organization::<ql_core::access::ManageOrganization>();
        let scribe = Scribe::in_organization(self, authorized.actor(), authorized.organization());
        let secret = new_secret(self);
        let fingerprint = Digest::of(secret.as_bytes());
        self.store()
            .write(move |tx| {
                let member = living_member(tx, id)?
                    .filter(|member| member.organization == authorized.organization())
                    .ok_or(Error::NotFound("member"))?;
                if member.role == ql_core::role::Role::Owner {
                    owners.clone()?;
                }
                session::insert_link(
                    tx,
                    &authorized,
                    (&fingerprint, id),
                    (scribe.at, scribe.at.plus(LINK_LIFETIME)),
                )?;
                scribe.administration(
                    tx,
                    "member.sign_in_link_created",
                    serde_json::json!({"member": id}),
                )
            })
            .await?;
        Ok(secret)
    }

    /// Opens a session with a sign-in link, which is used up by it. It counts as a fresh
    /// re-authentication.
    pub async fn sign_in_with_link(&self, presented: &str) -> Result<NewSession> {
        let (fingerprint, now) = (Digest::of(presented.as_bytes()), self.now());
        let (secret, session) = self.new_session();
        let app = self.clone();
        let opened = self.store().write(move |tx| {
            const FAILED: Error = Error::SignInFailed("this sign-in link was used or has expired");
            let used = session::use_link(tx, &fingerprint, now)?.ok_or(FAILED)?;
            let member = living_member(tx, used.member)?.ok_or(FAILED)?;
            let session = Session {
                let_in_by: used.made_by,
                ..session.clone()
            };
            app.open_session(tx, member, session, "link")
        });
        let (member, session) = opened.await?;
        Ok(NewSession {
            member,
            secret,
            session,
        })
    }

    /// Opens a session with an address and a password.
    pub async fn sign_in_with_password(&self, email: &str, password: &str) -> Result<NewSession> {
        const FAILED: Error =
            Error::SignInFailed("the address and the password don't fit together");
        let email = email.trim().to_lowercase();
        let found = self
            .store()
            .read(move |tx| member::find_by_email(tx, &email))
            .await?;
        let hash = found
            .as_ref()
            .and_then(|member| member.password_hash.clone());
        // An unknown address costs as much as a wrong password, so the time tells nothing.
        let sound = password::verify(
            hash.unwrap_or_else(|| UNKNOWN_MEMBER.to_owned()),
            password.to_owned(),
        )
        .await?;
        let member = found
            .filter(|member| sound && member.password_hash.is_some())
            .ok_or(FAILED)?;
        let (secret, session) = self.new_session();
        let app = self.clone();
        let opened = self.store().write(move |tx| {
            let member = living_member(tx, member.id)?.ok_or(FAILED)?;
            app.open_session(tx, member, session.clone(), "password")
        });
        let (member, session) = opened.await?;
        Ok(NewSession {
            member,
            secret,
            session,
        })
    }

    fn new_session(&self) -> (String, Session) {
        let (secret, now) = (new_secret(self), self.now());
        let session = Session {
            id: SessionId::mint(&**self.ids(), now),
            fingerprint: Digest::of(secret.as_bytes()),
            // Replaced by the member that the credential names.
            member: MemberId::mint(&**self.ids(), now),
            csrf: new_secret(self),
            created_at: now,
            reauthenticated_at: now,
            expires_at: now.plus(SESSION_LIFETIME),
            let_in_by: None,
        };
        (secret, session)
    }

    fn open_session(
        &self,
        tx: &mut Tx<'_>,
        member: Member,
        session: Session,
        how: &str,
    ) -> Result<(Member, Session)> {
        let session = Session {
            member: member.id,
            ..session
        };
        session::insert(tx, &session)?;
        let scribe = Scribe::in_organization(self, Actor::Member(member.id), member.organization);
        let mut detail = serde_json::json!({"session": session.id, "by": how});
        if let Some(actor) = session.let_in_by {
            detail["let_in_by"] = actor.to_json();
        }
        scribe.administration(tx, "member.signed_in", detail)?;
        Ok((member, session))
    }

    /// Proves a signed-in member again by its password.
    pub async fn reauthenticate(&self, signed_in: &SignedIn, password: &str) -> Result<()> {
        let session = signed_in
            .session
            .as_ref()
            .ok_or(Error::SignInFailed(
                "a personal token can't re-authenticate",
            ))?
            .id;
        let hash = signed_in
            .member
            .password_hash
            .clone()
            .ok_or(Error::SignInFailed("set a password first"))?;
        if !password::verify(hash, password.to_owned()).await? {
            return Err(Error::SignInFailed("this isn't your password"));
        }
        let now = self.now();
        self.store()
            .write(move |tx| Ok(session::reauthenticate(tx, session, now)?))
            .await
    }

    /// Sets the signed-in member's password, and ends every session of the member but this one. It
    /// needs a fresh proof of identity.
    pub async fn set_password(&self, signed_in: &SignedIn, password: &str) -> Result<()> {
        let mut checks = Checks::default();
        checks.that(
            PASSWORD_LENGTH.contains(&password.chars().count()),
            "/password",
            "length",
            "expected 10 to 200 characters",
        );
        checks.finish()?;
        let fresh = signed_in.principal.credential.is_fresh(self.now());
        let kept = signed_in.session.as_ref().filter(|_| fresh);
        let kept = kept.ok_or(Error::ReauthenticationRequired)?;
        let (kept, let_in_by) = (kept.id, kept.let_in_by);
        let mut salt = [0; 16];
        self.ids().fill(&mut salt);
        let hash = password::hash(password.to_owned(), salt).await?;
        let (id, organization) = (signed_in.member.id, signed_in.member.organization);
        let scribe = Scribe::in_organization(self, Actor::Member(id), organization);
        self.store()
            .write(move |tx| {
                member::set_password(tx, id, &hash)?;
                session::end_others(tx, id, kept, scribe.at)?;
                let mut detail = serde_json::json!({"member": id});
                if let Some(actor) = let_in_by {
                    detail["let_in_by"] = actor.to_json();
                }
                scribe.administration(tx, "member.password_set", detail)
            })
            .await
    }

    /// Ends a session.
    pub async fn sign_out(&self, signed_in: &SignedIn) -> Result<()> {
        let Some(id) = signed_in.session.as_ref().map(|session| session.id) else {
            return Ok(());
        };
        let now = self.now();
        self.store()
            .write(move |tx| Ok(session::end(tx, id, now)?))
            .await
    }
}
