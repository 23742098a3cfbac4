//! Authorization: who is calling, and the proof that a call was allowed.
//!
//! [`Principal::authorize`] is the only way to an [`Authorized`], and every mutating function of
//! the store demands one, so a path without a check doesn't compile.

#[cfg(test)]
mod table;

use std::marker::PhantomData;

use crate::actor::{Actor, Harness};
use crate::id::{AgentId, ConnectionId, MemberId, OrganizationId, SessionId, SiteId};
use crate::proposal::ProposalKind;
use crate::role::{MemberAct, Role};
use crate::scope::{Scope, ScopeSet};
use crate::time::{Timestamp, minutes};

/// Who is calling, resolved by the server from a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Principal {
    /// An agent, by one connection.
    Agent(AgentPrincipal),
    /// A member, by session or personal token.
    Member(MemberPrincipal),
    /// Somebody at the machine, by the command line.
    Operator {
        /// The Unix user id of the calling process.
        uid: u32,
    },
    /// The server's own jobs.
    System,
}

/// An agent's connection, with the scopes that hold at this very call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPrincipal {
    /// The governance identity.
    pub agent: AgentId,
    /// The credential.
    pub connection: ConnectionId,
    /// The program it runs in.
    pub harness: Harness,
    /// The connection's scopes ∩ the agent's permissions on the site.
    pub scopes: ScopeSet,
    /// Whether it plays roles of productions itself, as a member says.
    pub plays_roles: bool,
}

impl AgentPrincipal {
    /// An agent by a connection that holds `held`, while the agent is permitted `permitted`: it may
    /// do what is in both.
    pub const fn new(
        (agent, harness): (AgentId, Harness),
        (connection, held): (ConnectionId, ScopeSet),
        permitted: ScopeSet,
    ) -> Self {
        Self {
            agent,
            connection,
            harness,
            scopes: held.intersect(permitted),
            plays_roles: false,
        }
    }

    /// The same, where it plays roles of productions itself or doesn't.
    #[must_use]
    pub const fn playing(self, plays_roles: bool) -> Self {
        Self {
            plays_roles,
            ..self
        }
    }
}

/// A member and the credential it came with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberPrincipal {
    /// The member.
    pub member: MemberId,
    /// The role it has now.
    pub role: Role,
    /// How it signed in.
    pub credential: MemberCredential,
}

/// How a member signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberCredential {
    /// A browser session, re-authenticated at this instant.
    Session {
        /// The session.
        session: SessionId,
        /// When the member last proved its password or opened a sign-in link.
        reauthenticated_at: Timestamp,
        /// Who made the sign-in link that opened the session; none when a password did.
        let_in_by: Option<Actor>,
    },
    /// A personal token, which may neither decide nor change authority.
    PersonalToken,
}

/// How recent a re-authentication must be for high risk.
pub const REAUTHENTICATION_WINDOW: std::time::Duration = minutes(5);

impl MemberCredential {
    /// Whether the member proved itself within [`REAUTHENTICATION_WINDOW`].
    pub fn is_fresh(self, now: Timestamp) -> bool {
        match self {
            Self::Session {
                reauthenticated_at, ..
            } => now.since(reauthenticated_at) <= REAUTHENTICATION_WINDOW,
            Self::PersonalToken => false,
        }
    }

    /// Who made the sign-in link that opened the session.
    pub fn let_in_by(self) -> Option<Actor> {
        match self {
            Self::Session { let_in_by, .. } => let_in_by,
            Self::PersonalToken => None,
        }
    }
}

/// Where an act takes place: one site, or an organization as a whole.
pub trait Place: Copy {
    /// The tenant.
    fn organization(&self) -> OrganizationId;
}

/// One site of an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnSite {
    /// The tenant.
    pub organization: OrganizationId,
    /// The site.
    pub site: SiteId,
}

/// An organization as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InOrganization {
    /// The tenant.
    pub organization: OrganizationId,
}

impl Place for OnSite {
    fn organization(&self) -> OrganizationId {
        self.organization
    }
}

impl Place for InOrganization {
    fn organization(&self) -> OrganizationId {
        self.organization
    }
}

/// One thing that can be allowed, as a type.
pub trait Capability {
    /// Where it applies.
    type Place: Place;
    /// The scope that allows it to an agent; none when no agent may.
    const SCOPE: Option<Scope>;
    /// The act that a member's role must allow; none when no member may.
    const ACT: Option<MemberAct>;
    /// Whether a personal token suffices for a member.
    const BY_TOKEN: bool;
    /// Whether the command line may.
    const BY_OPERATOR: bool;
    /// Whether the server's own jobs may.
    const BY_SYSTEM: bool;
}

macro_rules! capabilities {
    ($($(#[$doc:meta])* $name:ident on $place:ty { scope: $scope:expr, act: $act:expr, token: $token:literal, operator: $operator:literal, system: $system:literal })*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}

        impl Capability for $name {
            type Place = $place;
            const SCOPE: Option<Scope> = $scope;
            const ACT: Option<MemberAct> = $act;
            const BY_TOKEN: bool = $token;
            const BY_OPERATOR: bool = $operator;
            const BY_SYSTEM: bool = $system;
        }
    )*

        /// Every capability by its name, with the question whether a principal has it.
        #[cfg(test)]
        const EVERY: &[(&str, fn(&Principal) -> Result<(), Denied>)] = &[
            $((stringify!($name), table::answer::<$name>)),*
        ];
    };
}

capabilities! {
    /// Read the console: conversations, turns and plans.
    ReadConsole on OnSite { scope: None, act: Some(MemberAct::Read), token: true, operator: true, system: true }
    /// Talk with agents: begin conversations, write turns, open steps again, give them up.
    UseConsole on OnSite { scope: None, act: Some(MemberAct::Edit), token: true, operator: false, system: false }
    /// Direct productions: start them, cast their roles, have stages done again.
    DirectProductions on OnSite { scope: None, act: Some(MemberAct::Edit), token: true, operator: true, system: false }
    /// Read the site's description.
    ReadSite on OnSite { scope: Some(Scope::SiteRead), act: Some(MemberAct::Read), token: true, operator: true, system: true }
    /// Read content and evidence.
    ReadContent on OnSite { scope: Some(Scope::ContentRead), act: Some(MemberAct::Read), token: true, operator: true, system: true }
    /// Read the topical map and its opportunities.
    ReadTopicalMap on OnSite { scope: Some(Scope::TopicalMapRead), act: Some(MemberAct::Read), token: true, operator: true, system: true }
    /// Read runs and proposals.
    ReadRuns on OnSite { scope: Some(Scope::RunsRead), act: Some(MemberAct::Read), token: true, operator: true, system: true }
    /// Read the audit trail and the site's administration.
    ReadAdministration on OnSite { scope: None, act: Some(MemberAct::Read), token: true, operator: true, system: true }
    /// Begin, feed and finish a governed run.
    WriteRuns on OnSite { scope: Some(Scope::RunsWrite), act: None, token: false, operator: false, system: true }
    /// Write drafts.
    WriteContent on OnSite { scope: Some(Scope::ContentWrite), act: Some(MemberAct::Edit), token: true, operator: true, system: true }
    /// Record claims and their evidence.
    WriteEvidence on OnSite { scope: Some(Scope::ContentWrite), act: Some(MemberAct::Edit), token: true, operator: false, system: false }
    /// Stage source packages.
    StageSources on OnSite { scope: Some(Scope::ContentWrite), act: None, token: false, operator: false, system: false }
    /// Say what becomes of staged source records.
    DisposeSources on OnSite { scope: None, act: Some(MemberAct::Edit), token: true, operator: false, system: false }
    /// Say when evidence is looked at again, and what to make of what was found.
    ReviewEvidence on OnSite { scope: None, act: Some(MemberAct::Review), token: true, operator: false, system: false }
    /// Propose a change of content.
    ProposeContent on OnSite { scope: Some(Scope::ContentWrite), act: Some(MemberAct::Edit), token: true, operator: false, system: false }
    /// Propose a change of the topical map.
    ProposeTopicalMap on OnSite { scope: Some(Scope::TopicalMapWrite), act: Some(MemberAct::Edit), token: true, operator: false, system: false }
    /// Import a strategy artifact.
    ImportStrategy on OnSite { scope: None, act: Some(MemberAct::Edit), token: true, operator: false, system: false }
    /// Ask for publication, unpublication, archiving or restoring.
    ProposePublication on OnSite { scope: Some(Scope::PublishRequest), act: Some(MemberAct::Edit), token: true, operator: false, system: false }
    /// Create and version templates.
    EditTemplates on OnSite { scope: None, act: Some(MemberAct::Edit), token: true, operator: true, system: true }
    /// Make forms and mark their posts.
    EditForms on OnSite { scope: None, act: Some(MemberAct::Edit), token: true, operator: true, system: false }
    /// Read what visitors sent.
    ReadSubmissions on OnSite { scope: None, act: Some(MemberAct::ReadSubmissions), token: true, operator: false, system: false }
    /// Decide a proposal.
    Decide on OnSite { scope: None, act: Some(MemberAct::Decide), token: false, operator: false, system: false }
    /// Decide archiving and restoring.
    DecideContentLifecycle on OnSite { scope: None, act: Some(MemberAct::DecideContentLifecycle), token: false, operator: false, system: false }
    /// Move a live page back to an earlier revision.
    RollBack on OnSite { scope: None, act: Some(MemberAct::RollBack), token: false, operator: false, system: false }
    /// Administer one site: settings and connections.
    AdministerSite on OnSite { scope: None, act: Some(MemberAct::Administer), token: true, operator: true, system: false }
    /// Change who may do what on one site: agents' permissions and the approval policy.
    ChangeAuthority on OnSite { scope: None, act: Some(MemberAct::ChangeAuthority), token: false, operator: true, system: false }
    /// Administer the organization: sites and agents.
    Administer on InOrganization { scope: None, act: Some(MemberAct::Administer), token: true, operator: true, system: false }
    /// Add, change and remove members, and let them in.
    ManageMembers on InOrganization { scope: None, act: Some(MemberAct::ChangeAuthority), token: false, operator: true, system: false }
    /// Change the organization itself and its owners.
    ManageOrganization on InOrganization { scope: None, act: Some(MemberAct::ManageOrganization), token: false, operator: true, system: false }
    /// Read the organization's members and agents.
    ReadOrganization on InOrganization { scope: None, act: Some(MemberAct::Read), token: true, operator: true, system: true }
    /// Carry out what was approved, close what ran out: the server's own work.
    ActAsServer on OnSite { scope: None, act: None, token: false, operator: false, system: true }
}

/// The proof that a principal may do `C` at a place. It can't be made, only obtained.
#[derive(Debug)]
pub struct Authorized<C: Capability> {
    actor: Actor,
    place: C::Place,
    capability: PhantomData<fn() -> C>,
}

impl<C: Capability> Clone for Authorized<C> {
    fn clone(&self) -> Self {
        Self {
            actor: self.actor,
            place: self.place,
            capability: PhantomData,
        }
    }
}

impl<C: Capability> Authorized<C> {
    /// Who acts.
    pub fn actor(&self) -> Actor {
        self.actor
    }

    /// Where.
    pub fn place(&self) -> C::Place {
        self.place
    }

    /// The tenant.
    pub fn organization(&self) -> OrganizationId {
        self.place.organization()
    }
}

impl<C: Capability<Place = OnSite>> Authorized<C> {
    /// The site.
    pub fn site(&self) -> SiteId {
        self.place.site
    }
}

/// Why a principal may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// The connection's effective scopes lack one.
    #[error("this needs the scope {0}")]
    Scope(Scope),
    /// The member's role doesn't allow it.
    #[error("the role {role} may not {}", .act.describe())]
    Role {
        /// The member's role.
        role: Role,
        /// What it may not do.
        act: MemberAct,
    },
    /// A personal token may not do this; a signed-in session may.
    #[error("a personal token may not {}", .0.describe())]
    PersonalToken(MemberAct),
    /// Only a member can.
    #[error("only a signed-in member may do this")]
    MembersOnly,
    /// Only an agent's connection can.
    #[error("only an agent's connection may do this")]
    AgentsOnly,
}

impl Principal {
    /// The actor that history will name.
    pub fn actor(&self) -> Actor {
        match self {
            Self::Agent(agent) => Actor::Agent {
                agent: agent.agent,
                connection: agent.connection,
                harness: agent.harness,
            },
            Self::Member(member) => Actor::Member(member.member),
            Self::Operator { uid } => Actor::Operator { uid: *uid },
            Self::System => Actor::System,
        }
    }

    /// Who made the sign-in link that let a member in.
    pub fn let_in_by(&self) -> Option<Actor> {
        match self {
            Self::Member(member) => member.credential.let_in_by(),
            Self::Agent(_) | Self::Operator { .. } | Self::System => None,
        }
    }

    /// Checks that this principal may do `C` at `place`.
    pub fn authorize<C: Capability>(&self, place: C::Place) -> Result<Authorized<C>, Denied> {
        match self {
            Self::Agent(agent) => match C::SCOPE {
                Some(scope) if agent.scopes.contains(scope) => Ok(()),
                Some(scope) => Err(Denied::Scope(scope)),
                None => Err(Denied::MembersOnly),
            },
            Self::Member(member) => check_member::<C>(member),
            Self::Operator { .. } if C::BY_OPERATOR => Ok(()),
            Self::System if C::BY_SYSTEM => Ok(()),
            Self::Operator { .. } | Self::System if C::ACT.is_none() => Err(Denied::AgentsOnly),
            Self::Operator { .. } | Self::System => Err(Denied::MembersOnly),
        }?;
        Ok(Authorized {
            actor: self.actor(),
            place,
            capability: PhantomData,
        })
    }
}

fn check_member<C: Capability>(member: &MemberPrincipal) -> Result<(), Denied> {
    let act = C::ACT.ok_or(Denied::AgentsOnly)?;
    if !member.role.may(act) {
        return Err(Denied::Role {
            role: member.role,
            act,
        });
    }
    match member.credential {
        MemberCredential::PersonalToken if !C::BY_TOKEN => Err(Denied::PersonalToken(act)),
        MemberCredential::PersonalToken | MemberCredential::Session { .. } => Ok(()),
    }
}

/// The proof that a principal may propose a change of some kind.
#[derive(Debug, Clone)]
pub struct MayPropose {
    actor: Actor,
    let_in_by: Option<Actor>,
    place: OnSite,
    kind: ProposalKind,
}

impl MayPropose {
    /// Checks that `principal` may propose `kind` at `place`.
    pub fn check(principal: &Principal, kind: ProposalKind, place: OnSite) -> Result<Self, Denied> {
        match kind.scope() {
            Scope::ContentWrite => principal.authorize::<ProposeContent>(place).map(drop),
            Scope::TopicalMapWrite => principal.authorize::<ProposeTopicalMap>(place).map(drop),
            _ => principal.authorize::<ProposePublication>(place).map(drop),
        }?;
        Ok(Self {
            actor: principal.actor(),
            let_in_by: principal.let_in_by(),
            place,
            kind,
        })
    }

    /// Checks that `principal` may move a live page back at `place`, which proposes and executes a
    /// publication in one step.
    pub fn roll_back(principal: &Principal, place: OnSite) -> Result<Self, Denied> {
        principal.authorize::<RollBack>(place)?;
        Ok(Self {
            actor: principal.actor(),
            let_in_by: principal.let_in_by(),
            place,
            kind: ProposalKind::PublishLifecycle,
        })
    }

    /// Who proposes.
    pub fn actor(&self) -> Actor {
        self.actor
    }

    /// Who made the sign-in link that let the proposer in.
    pub fn let_in_by(&self) -> Option<Actor> {
        self.let_in_by
    }

    /// Where.
    pub fn place(&self) -> OnSite {
        self.place
    }

    /// What kind was allowed.
    pub fn kind(&self) -> ProposalKind {
        self.kind
    }
}

/// The proof that a member may decide a proposal of some kind.
#[derive(Debug, Clone)]
pub struct MayDecide {
    member: MemberPrincipal,
    place: OnSite,
}

impl MayDecide {
    /// Checks that `principal` may decide `kind` at `place`; the policy narrows this further.
    pub fn check(principal: &Principal, kind: ProposalKind, place: OnSite) -> Result<Self, Denied> {
        if kind == ProposalKind::ContentLifecycle {
            principal.authorize::<DecideContentLifecycle>(place)?;
        } else {
            principal.authorize::<Decide>(place)?;
        }
        match principal {
            Principal::Member(member) => Ok(Self {
                member: member.clone(),
                place,
            }),
            Principal::Agent(_) | Principal::Operator { .. } | Principal::System => {
                Err(Denied::MembersOnly)
            }
        }
    }

    /// Who decides, with whoever made the sign-in link that let it in.
    pub fn by(&self) -> (Actor, Option<Actor>) {
        let member = &self.member;
        (Actor::Member(member.member), member.credential.let_in_by())
    }

    /// The deciding member.
    pub fn member(&self) -> &MemberPrincipal {
        &self.member
    }

    /// Where.
    pub fn place(&self) -> OnSite {
        self.place
    }
}
