//! Who is calling: credentials looked up anew at every call.

mod password;
mod sign_in;
mod token;

use ql_core::access::{AgentPrincipal, MemberCredential, MemberPrincipal, Principal};
use ql_core::connection::Standing;
use ql_core::hash::Digest;
use ql_core::id::{
    ConnectionId, ConversationId, EvidenceId, MemberId, OrganizationId, PlanId, ProposalId,
    ReviewId, RunId, SiteId, SourcePackageId, StepId, TurnId,
};
use ql_core::token::{Token, TokenKind, same_fingerprint};
use ql_store::connection::Grant;
use ql_store::member::Member;
use ql_store::site::Site;
use ql_store::{
    Tx, connection, conversation, member, organization, plan, proposal, reverification, run,
    session, site, source, step, turn,
};

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};

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
    /// A conversation.
    Conversation(ConversationId),
    /// A turn.
    Turn(TurnId),
    /// A version of a plan.
    Plan(PlanId),
    /// A step of a plan.
    Step(StepId),
    /// A source package.
    SourcePackage(SourcePackageId),
    /// A piece of evidence.
    Evidence(EvidenceId),
    /// A review of evidence.
    EvidenceReview(ReviewId),
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
            .read(move |tx| connection::find_grant(tx, &fingerprint))
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
        Ok(agent_context(self, &grant))
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
        let found = self.store().read(move |tx| {
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
            let_in_by: session.let_in_by,
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
        let found =
            self.store().read(
                move |tx| match session::find_token(tx, &fingerprint, now)? {
                    Some(token) if same_fingerprint(&token.fingerprint, &fingerprint) => {
                        living_member(tx, token.member)
                    }
                    Some(_) | None => Ok(None),
                },
            );
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
        let (organization, site) = (signed_in.member.organization, site.clone());
        let site = self
            .store()
            .read(move |tx| {
                site.find(tx)?
                    .filter(|site| site.organization == organization)
                    .ok_or(Error::NotFound("site"))
            })
            .await?;
        Ok((
            self.context(
                Principal::Member(signed_in.principal.clone()),
                organization,
                Some(site.id),
            ),
            site,
        ))
    }

    /// The context of a member in its organization as a whole.
    pub fn organization_context(&self, signed_in: &SignedIn) -> OpContext {
        self.context(
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
                self.store()
                    .read(move |tx| proposal::site_of(tx, id))
                    .await?,
                "proposal",
            ),
            Owned::Run(id) => (
                self.store().read(move |tx| run::site_of(tx, id)).await?,
                "run",
            ),
            Owned::Conversation(id) => {
                let found = self.store().read(move |tx| conversation::site_of(tx, id));
                (found.await?, "conversation")
            }
            Owned::Turn(id) => (
                self.store().read(move |tx| turn::site_of(tx, id)).await?,
                "turn",
            ),
            Owned::Plan(id) => (
                self.store().read(move |tx| plan::site_of(tx, id)).await?,
                "plan",
            ),
            Owned::Step(id) => (
                self.store().read(move |tx| step::site_of(tx, id)).await?,
                "step",
            ),
            Owned::Connection(id) => {
                let found = self
                    .store()
                    .read(move |tx| connection::find(tx, id))
                    .await?;
                (found.map(|connection| connection.site), "connection")
            }
            Owned::SourcePackage(id) => (
                self.store().read(move |tx| source::site_of(tx, id)).await?,
                "source package",
            ),
            Owned::Evidence(id) => (
                self.store()
                    .read(move |tx| reverification::site_of(tx, id))
                    .await?,
                "evidence",
            ),
            Owned::EvidenceReview(id) => (
                self.store()
                    .read(move |tx| reverification::site_of_review(tx, id))
                    .await?,
                "evidence review",
            ),
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
        Ok(self.context(Principal::Operator { uid }, chosen.id, None))
    }

    /// The context of the command line on a site.
    pub async fn operator_site_context(
        &self,
        uid: u32,
        site: &SiteRef,
    ) -> Result<(OpContext, Site)> {
        let site = site.clone();
        let site = self
            .store()
            .read(move |tx| site.find(tx)?.ok_or(Error::NotFound("site")))
            .await?;
        Ok((
            self.context(
                Principal::Operator { uid },
                site.organization,
                Some(site.id),
            ),
            site,
        ))
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

pub(crate) fn agent_context(app: &App, grant: &Grant) -> OpContext {
    let connection = &grant.connection;
    let agent = AgentPrincipal::new(
        (connection.agent, grant.harness),
        (connection.id, connection.scopes),
        grant.permissions,
    )
    .playing(grant.plays_roles);
    app.context(
        Principal::Agent(agent),
        connection.organization,
        Some(connection.site),
    )
}

pub(crate) fn living_member(tx: &mut Tx<'_>, id: MemberId) -> Result<Option<Member>> {
    Ok(member::find(tx, id)?.filter(|member| member.removed_at.is_none()))
}
