//! Who is calling: credentials looked up anew at every call.

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use ql_core::access::{AgentPrincipal, MemberCredential, MemberPrincipal, Principal};
use ql_core::connection::Standing;
use ql_core::hash::Digest;
use ql_core::id::{
    ConnectionId, MemberId, MemberTokenId, OrganizationId, ProposalId, RunId, SessionId, SiteId,
};
use ql_core::scope::ScopeSet;
use ql_core::time::{days, hours};
use ql_core::token::{Token, TokenKind, same_fingerprint};
use ql_store::connection::Grant;
use ql_store::member::Member;
use ql_store::site::Site;
use ql_store::{Tx, connection, member, organization, proposal, run, session, site};

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::text::Checks;

pub use ql_store::session::{MemberToken, Session};

/// Why a caller isn't let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unauthenticated {
    /// The one answer to every credential that opens nothing, whatever the reason.
    #[error("the credential opens nothing")]
    Refused,
    /// The database couldn't be asked, so nothing is said about the credential.
    #[error("the credential can't be looked up now")]
    Unavailable,
}

/// A member that is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    /// The member.
    pub member: Member,
    /// The session; none for a personal token.
    pub session: Option<Session>,
    principal: MemberPrincipal,
}

/// A session that has just begun, with the only copy of its secret.
#[derive(Clone)]
pub struct NewSession {
    /// The member.
    pub member: Member,
    /// What the cookie carries.
    pub secret: String,
    /// The session.
    pub session: Session,
}

impl std::fmt::Debug for NewSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewSession")
            .field("session", &self.session.id)
            .finish_non_exhaustive()
    }
}

/// A secret that is shown once.
#[derive(Clone)]
pub struct IssuedToken {
    /// The token's row.
    pub token: MemberToken,
    /// The secret.
    pub secret: Token,
}

/// A site by its id or its slug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SiteRef {
    /// By id.
    Id(SiteId),
    /// By slug.
    Slug(String),
}

impl SiteRef {
    /// Reads an id or, where it is none, a slug.
    pub fn parse(text: &str) -> Self {
        text.parse()
            .map_or_else(|_| Self::Slug(text.to_owned()), Self::Id)
    }

    pub(crate) fn find(&self, tx: &mut Tx<'_>) -> Result<Option<Site>> {
        Ok(match self {
            Self::Id(id) => site::find(tx, *id)?,
            Self::Slug(slug) => site::find_by_slug(tx, slug)?,
        })
    }
}

/// What names a site by belonging to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owned {
    /// A proposal.
    Proposal(ProposalId),
    /// A run.
    Run(RunId),
    /// A connection.
    Connection(ConnectionId),
}

const SESSION_LIFETIME: std::time::Duration = hours(12);
const LINK_LIFETIME: std::time::Duration = hours(24);
const PASSWORD_LENGTH: std::ops::RangeInclusive<usize> = 10..=200;

fn secret(app: &App) -> String {
    let mut bytes = [0; 32];
    app.ids().fill(&mut bytes);
    Digest::of(&bytes).to_string()
}

impl App {
    /// The context of an agent's call, by the secret it presented: site, scopes and permissions as
    /// they are at this very call.
    pub async fn authenticate_connection(
        &self,
        presented: &str,
    ) -> std::result::Result<OpContext, Unauthenticated> {
        let token =
            Token::parse(TokenKind::Connection, presented).ok_or(Unauthenticated::Refused)?;
        let fingerprint = token.fingerprint();
        let grant = self
            .store()
            .read(|tx| connection::find_grant(tx, &fingerprint))
            .await
            .inspect_err(|error| tracing::error!(%error, "a credential can't be looked up"))
            .map_err(|_| Unauthenticated::Unavailable)?
            .ok_or(Unauthenticated::Refused)?;
        let sound = same_fingerprint(&grant.connection.fingerprint, &fingerprint)
            && grant.connection.standing(self.now()) == Standing::Active;
        if !sound {
            return Err(Unauthenticated::Refused);
        }
        self.note_use(&grant);
        Ok(agent_context(&grant))
    }

    /// Notes a connection's use, at most once a minute and off the request's path.
    fn note_use(&self, grant: &Grant) {
        let (now, id) = (self.now(), grant.connection.id);
        if !self.should_touch(id, now) {
            return;
        }
        let store = self.store().clone();
        tokio::spawn(async move {
            if let Err(error) = store.write(move |tx| connection::touch(tx, id, now)).await {
                tracing::warn!(%error, "a connection's use wasn't noted");
            }
        });
    }

    /// The member behind a session cookie.
    pub async fn authenticate_session(
        &self,
        presented: &str,
    ) -> std::result::Result<SignedIn, Unauthenticated> {
        let fingerprint = Digest::of(presented.as_bytes());
        let now = self.now();
        let found = self.store().read(|tx| {
            let Some(session) = session::find(tx, &fingerprint, now)? else {
                return Ok::<_, Error>(None);
            };
            Ok(living_member(tx, session.member)?.map(|member| (member, session)))
        });
        let (member, session) = found
            .await
            .inspect_err(|error| tracing::error!(?error, "a session can't be looked up"))
            .map_err(|_| Unauthenticated::Unavailable)?
            .ok_or(Unauthenticated::Refused)?;
        let credential = MemberCredential::Session {
            session: session.id,
            reauthenticated_at: session.reauthenticated_at,
        };
        let principal = MemberPrincipal {
            member: member.id,
            role: member.role,
            credential,
        };
        Ok(SignedIn {
            member,
            session: Some(session),
            principal,
        })
    }

    /// The member behind a personal token.
    pub async fn authenticate_personal_token(
        &self,
        presented: &str,
    ) -> std::result::Result<SignedIn, Unauthenticated> {
        let token = Token::parse(TokenKind::Personal, presented).ok_or(Unauthenticated::Refused)?;
        let (fingerprint, now) = (token.fingerprint(), self.now());
        let found = self
            .store()
            .read(|tx| match session::find_token(tx, &fingerprint, now)? {
                Some(token) if same_fingerprint(&token.fingerprint, &fingerprint) => {
                    living_member(tx, token.member)
                }
                Some(_) | None => Ok(None),
            });
        let member = found
            .await
            .inspect_err(|error: &Error| {
                tracing::error!(?error, "a personal token can't be looked up");
            })
            .map_err(|_| Unauthenticated::Unavailable)?
            .ok_or(Unauthenticated::Refused)?;
        let principal = MemberPrincipal {
            member: member.id,
            role: member.role,
            credential: MemberCredential::PersonalToken,
        };
        Ok(SignedIn {
            member,
            session: None,
            principal,
        })
    }

    /// The context of a member on one of its organization's sites.
    pub async fn member_context(
        &self,
        signed_in: &SignedIn,
        site: &SiteRef,
    ) -> Result<(OpContext, Site)> {
        let organization = signed_in.member.organization;
        let site = self
            .store()
            .read(|tx| {
                site.find(tx)?
                    .filter(|site| site.organization == organization)
                    .ok_or(Error::NotFound("site"))
            })
            .await?;
        Ok((
            OpContext::new(
                Principal::Member(signed_in.principal.clone()),
                organization,
                Some(site.id),
            ),
            site,
        ))
    }

    /// The context of a member in its organization as a whole.
    pub fn organization_context(&self, signed_in: &SignedIn) -> OpContext {
        OpContext::new(
            Principal::Member(signed_in.principal.clone()),
            signed_in.member.organization,
            None,
        )
    }

    /// The context of a member on the site that owns something; not found where that is another
    /// organization's.
    pub async fn member_context_of(
        &self,
        signed_in: &SignedIn,
        owned: Owned,
    ) -> Result<(OpContext, Site)> {
        let (found, what) = match owned {
            Owned::Proposal(id) => (
                self.store().read(|tx| proposal::site_of(tx, id)).await?,
                "proposal",
            ),
            Owned::Run(id) => (self.store().read(|tx| run::site_of(tx, id)).await?, "run"),
            Owned::Connection(id) => {
                let found = self.store().read(|tx| connection::find(tx, id)).await?;
                (found.map(|connection| connection.site), "connection")
            }
        };
        let site = found.ok_or(Error::NotFound(what))?;
        self.member_context(signed_in, &SiteRef::Id(site))
            .await
            .map_err(|error| match error {
                Error::NotFound(_) => Error::NotFound(what),
                other => other,
            })
    }

    /// The context of the command line in an organization as a whole; the first one when none is
    /// named.
    pub async fn operator_context(
        &self,
        uid: u32,
        organization: Option<OrganizationId>,
    ) -> Result<OpContext> {
        let all = self.store().read(organization::list).await?;
        let chosen = all
            .iter()
            .find(|known| organization.is_none_or(|id| id == known.id))
            .ok_or(Error::NotFound("organization"))?;
        Ok(OpContext::new(Principal::Operator { uid }, chosen.id, None))
    }

    /// The context of the command line on a site.
    pub async fn operator_site_context(
        &self,
        uid: u32,
        site: &SiteRef,
    ) -> Result<(OpContext, Site)> {
        let site = self
            .store()
            .read(|tx| site.find(tx)?.ok_or(Error::NotFound("site")))
            .await?;
        Ok((
            OpContext::new(
                Principal::Operator { uid },
                site.organization,
                Some(site.id),
            ),
            site,
        ))
    }

    /// Makes a one-time sign-in link's secret for a member, good for a day. The caller is the
    /// operator or an administrator; only an owner makes one for an owner.
    pub async fn create_sign_in_link(&self, ctx: &OpContext, id: MemberId) -> Result<String> {
        let authorized = ctx.authorize_organization::<ql_core::access::ManageMembers>()?;
        let owners = ctx.authorize_organization::<ql_core::access::ManageOrganization>();
        let scribe = Scribe::in_organization(self, authorized.actor(), authorized.organization());
        let secret = secret(self);
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
                    &fingerprint,
                    id,
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
            let used = session::use_link(tx, &fingerprint, now)?;
            let member = match used {
                Some(id) => living_member(tx, id)?,
                None => None,
            };
            let member = member.ok_or(Error::SignInFailed(
                "this sign-in link was used or has expired",
            ))?;
            app.open_session(tx, member, session.clone(), "link")
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
            .read(|tx| member::find_by_email(tx, &email))
            .await?;
        let hash = found
            .as_ref()
            .and_then(|member| member.password_hash.clone());
        // An unknown address costs as much as a wrong password, so the time tells nothing.
        let sound = verify_password(
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
        let (secret, now) = (secret(self), self.now());
        let session = Session {
            id: SessionId::mint(&**self.ids(), now),
            fingerprint: Digest::of(secret.as_bytes()),
            // Replaced by the member that the credential names.
            member: MemberId::mint(&**self.ids(), now),
            csrf: crate::session::secret(self),
            created_at: now,
            reauthenticated_at: now,
            expires_at: now.plus(SESSION_LIFETIME),
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
        let scribe = Scribe::in_organization(
            self,
            ql_core::actor::Actor::Member(member.id),
            member.organization,
        );
        scribe.administration(
            tx,
            "member.signed_in",
            serde_json::json!({"session": session.id, "by": how}),
        )?;
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
        if !verify_password(hash, password.to_owned()).await? {
            return Err(Error::SignInFailed("this isn't your password"));
        }
        let now = self.now();
        self.store()
            .write(move |tx| Ok(session::reauthenticate(tx, session, now)?))
            .await
    }

    /// Sets the signed-in member's password; needs a fresh re-authentication where there is one
    /// already.
    pub async fn set_password(&self, signed_in: &SignedIn, password: &str) -> Result<()> {
        let mut checks = Checks::default();
        checks.that(
            PASSWORD_LENGTH.contains(&password.chars().count()),
            "/password",
            "length",
            "expected 10 to 200 characters",
        );
        checks.finish()?;
        if !signed_in.principal.credential.is_fresh(self.now()) {
            return Err(Error::ReauthenticationRequired);
        }
        let mut salt = [0; 16];
        self.ids().fill(&mut salt);
        let hash = hash_password(password.to_owned(), salt).await?;
        let (id, organization) = (signed_in.member.id, signed_in.member.organization);
        let scribe = Scribe::in_organization(self, ql_core::actor::Actor::Member(id), organization);
        self.store()
            .write(move |tx| {
                member::set_password(tx, id, &hash)?;
                scribe.administration(tx, "member.password_set", serde_json::json!({"member": id}))
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
            ql_core::actor::Actor::Member(token.member),
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
            .read(|tx| Ok(session::list_tokens(tx, id)?))
            .await
    }

    /// Revokes one of the signed-in member's personal tokens.
    pub async fn revoke_personal_token(
        &self,
        signed_in: &SignedIn,
        id: MemberTokenId,
    ) -> Result<()> {
        let (member, now) = (signed_in.member.id, self.now());
        let scribe = Scribe::in_organization(
            self,
            ql_core::actor::Actor::Member(member),
            signed_in.member.organization,
        );
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

/// The cookie of a session over https.
pub const SESSION_COOKIE: &str = "__Host-ql_session";

/// The cookie of a session over plain http on this machine, where browsers refuse the other.
pub const LOOPBACK_SESSION_COOKIE: &str = "ql_session";

impl App {
    /// The name of the cookie that carries a session's secret on this deployment.
    pub fn session_cookie(&self) -> &'static str {
        if self.config().public_url.starts_with("https://") {
            SESSION_COOKIE
        } else {
            LOOPBACK_SESSION_COOKIE
        }
    }

    /// The address that opens a session with a sign-in link's secret.
    pub fn sign_in_url(&self, secret: &str) -> String {
        self.dashboard_url(&format!("/sign-in/{secret}"))
    }
}

impl SignedIn {
    /// Whether `presented` is the CSRF token of this session; the time it takes tells nothing.
    pub fn has_csrf(&self, presented: &str) -> bool {
        let presented = Digest::of(presented.as_bytes());
        self.session.as_ref().is_some_and(|session| {
            same_fingerprint(&Digest::of(session.csrf.as_bytes()), &presented)
        })
    }

    /// Whether the member proved itself within the last five minutes.
    pub fn is_fresh(&self, app: &App) -> bool {
        self.principal.credential.is_fresh(app.now())
    }
}

fn agent_context(grant: &Grant) -> OpContext {
    let connection = &grant.connection;
    let scopes: ScopeSet = connection.scopes.intersect(grant.permissions);
    let agent = AgentPrincipal {
        agent: connection.agent,
        connection: connection.id,
        harness: grant.harness,
        scopes,
    };
    OpContext::new(
        Principal::Agent(agent),
        connection.organization,
        Some(connection.site),
    )
}

pub(crate) fn living_member(tx: &mut Tx<'_>, id: MemberId) -> Result<Option<Member>> {
    Ok(member::find(tx, id)?.filter(|member| member.removed_at.is_none()))
}

/// The Argon2id hash of no password, for addresses that nobody has.
const UNKNOWN_MEMBER: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

async fn verify_password(hash: String, password: String) -> Result<bool> {
    tokio::task::spawn_blocking(move || {
        PasswordHash::new(&hash).is_ok_and(|parsed| {
            Argon2::default()
                .verify_password(password.as_bytes(), &parsed)
                .is_ok()
        })
    })
    .await
    .map_err(|error| Error::Fault(error.to_string()))
}

async fn hash_password(password: String, salt: [u8; 16]) -> Result<String> {
    let hashed = tokio::task::spawn_blocking(move || {
        let hash: PasswordHash =
            Argon2::default().hash_password_with_salt(password.as_bytes(), &salt)?;
        Ok::<_, argon2::password_hash::Error>(hash.to_string())
    });
    hashed
        .await
        .map_err(|error| Error::Fault(error.to_string()))?
        .map_err(|error| Error::Fault(error.to_string()))
}
