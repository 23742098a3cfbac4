//! What a use case answers when it doesn't do what was asked.

use ql_core::access::Denied;
use ql_core::conversation::SessionRefused;
use ql_core::id::{PlanId, RevisionId};
use ql_core::policy::MayNotApprove;
use ql_core::problem::Problem;
use ql_core::production::InvalidStageTransition;
use ql_core::proposal::InvalidTransition;
use ql_core::run::{self, RunClosed};
use ql_core::runtime::Unavailable;
use ql_core::scope::ScopeSet;
use ql_core::step::InvalidStepTransition;
use ql_core::turn::{InvalidTurnTransition, LeaseLost};
use ql_store::StoreError;
use serde_json::{Value, json};

use crate::ledger::Signing;

/// A result of a use case.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a use case didn't do what was asked. All but [`Error::Fault`] are intended by governance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no such thing on the caller's site; also for what belongs to another.
    #[error("there is no such {0} here")]
    NotFound(&'static str),
    /// The caller may not.
    #[error("{0}")]
    Denied(#[from] Denied),
    /// The input doesn't fit; every problem with its place.
    #[error("the input doesn't fit in {} place(s): {}", .0.len(), summary(.0))]
    Invalid(Vec<Problem>),
    /// The run is finished.
    #[error("{0}")]
    RunClosed(#[from] RunClosed),
    /// The run holds as much as a run may.
    #[error(
        "a run holds at most {} events and {} bytes",
        run::MAX_EVENTS,
        run::MAX_INLINE_BYTES
    )]
    RunLimitExceeded,
    /// The draft doesn't start from the current one.
    #[error("the base revision is not the current draft; somebody wrote a newer one")]
    StaleRevision {
        /// The current draft.
        current: RevisionId,
    },
    /// The change doesn't start from the topical map as it is.
    #[error("the topical map has changed; it is at version {current} now")]
    StaleMap {
        /// The version of the map.
        current: i64,
    },
    /// A site receives one strategy artifact at a time.
    #[error("another strategy import of this site is receiving its rows")]
    ImportRunning,
    /// The item is put away.
    #[error("the item is archived and can't be written or published")]
    Archived,
    /// Another page holds the address.
    #[error("another page of this site and locale holds the address `{0}`")]
    SlugTaken(String),
    /// The key was used with other arguments.
    #[error("this idempotency key was used with other arguments")]
    IdempotencyConflict,
    /// What was decided on isn't what stands.
    #[error("the proposal isn't what the decision was made on")]
    DigestMismatch {
        /// The digest that stands.
        current: String,
    },
    /// High risk needs a proof of identity in the last five minutes.
    #[error("this needs a re-authentication in the last five minutes")]
    ReauthenticationRequired,
    /// The policy doesn't let this member approve.
    #[error("{0}")]
    MayNotApprove(#[from] MayNotApprove),
    /// The member approved this already.
    #[error("you have approved this already; it waits for others")]
    AlreadyApproved,
    /// The proposal is past that.
    #[error("{0}")]
    InvalidTransition(#[from] InvalidTransition),
    /// The turn is past that.
    #[error("{0}")]
    InvalidTurnTransition(#[from] InvalidTurnTransition),
    /// The step is past that.
    #[error("{0}")]
    InvalidStepTransition(#[from] InvalidStepTransition),
    /// The stage is past that, or not there yet.
    #[error("{0}")]
    InvalidStageTransition(#[from] InvalidStageTransition),
    /// Nothing waits that this claim may have.
    #[error("no turn waits for this agent in this session")]
    NoTask {
        /// Whether turns wait for other sessions.
        elsewhere: bool,
    },
    /// The lease doesn't hold any more.
    #[error("{0}")]
    LeaseLost(#[from] LeaseLost),
    /// The session isn't let into the conversation.
    #[error("{0}")]
    SessionRefused(#[from] SessionRefused),
    /// The agent's runtime isn't there, or can't be told apart.
    #[error("{0}")]
    RuntimeUnavailable(#[from] Unavailable),
    /// A step that changes something succeeds only through its proposal.
    #[error("this step succeeds only through a `{kind}` proposal made in a run of its own turn")]
    NeedsProposal {
        /// The kind it needs.
        kind: &'static str,
    },
    /// The conversation works on another plan.
    #[error("the conversation works on another version of a plan")]
    PlanStands {
        /// The version that stands.
        plan: PlanId,
    },
    /// The connection would have more than its agent.
    #[error("the connection would have scopes that its agent lacks on this site: {missing}")]
    ScopeExceedsPermission {
        /// What the agent lacks.
        missing: ScopeSet,
    },
    /// The name is taken.
    #[error("another {0} has that name already")]
    NameTaken(&'static str),
    /// An organization keeps an owner.
    #[error("an organization keeps at least one owner")]
    LastOwner,
    /// Two changes met; the other one was kept.
    #[error("somebody changed the same thing at the same moment")]
    Conflict,
    /// Name and password don't fit, or the link is used up.
    #[error("{0}")]
    SignInFailed(&'static str),
    /// The ledger can't be signed here, so nothing of it can be proven to others.
    #[error("{0}")]
    Unsigned(Signing),
    /// The database doesn't answer, or too many change the same thing at once. The text is for the
    /// server's own log.
    #[error(
        "the server can't reach its database at the moment, or too many change the same thing at once"
    )]
    Unavailable(String),
    /// The server failed. The text is for its own log.
    #[error("the server failed")]
    Fault(String),
}

fn summary(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems
        .iter()
        .take(3)
        .map(|problem| {
            format!(
                "{} {}",
                if problem.pointer.is_empty() {
                    "/"
                } else {
                    &problem.pointer
                },
                problem.message
            )
        })
        .collect();
    lines.join("; ")
}

impl Error {
    /// One problem at one place.
    pub fn invalid(
        pointer: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self::Invalid(vec![Problem::new(pointer, code, message)])
    }

    /// A stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "not_found",
            Self::Denied(Denied::Scope(_)) => "scope_denied",
            Self::Denied(Denied::Role { .. }) => "role_denied",
            Self::Denied(Denied::PersonalToken(_)) => "session_required",
            Self::Denied(Denied::MembersOnly) => "members_only",
            Self::Denied(Denied::AgentsOnly) => "agents_only",
            Self::Invalid(_) => "invalid_arguments",
            Self::RunClosed(_) => "run_closed",
            Self::RunLimitExceeded => "run_limit_exceeded",
            Self::StaleRevision { .. } => "stale_revision",
            Self::StaleMap { .. } => "stale_map",
            Self::ImportRunning => "import_running",
            Self::Archived => "archived",
            Self::SlugTaken(_) => "slug_taken",
            Self::IdempotencyConflict => "idempotency_conflict",
            Self::DigestMismatch { .. } => "digest_mismatch",
            Self::ReauthenticationRequired => "reauthentication_required",
            Self::MayNotApprove(MayNotApprove::OwnProposal) => "own_proposal",
            Self::MayNotApprove(MayNotApprove::SamePerson) => "same_person",
            Self::MayNotApprove(MayNotApprove::Role(_)) => "policy_denied",
            Self::AlreadyApproved => "already_approved",
            Self::InvalidTransition(_)
            | Self::InvalidTurnTransition(_)
            | Self::InvalidStepTransition(_)
            | Self::InvalidStageTransition(_) => "invalid_transition",
            Self::NoTask { .. } => "no_task",
            Self::LeaseLost(_) => "lease_lost",
            Self::SessionRefused(_) => "session_refused",
            Self::RuntimeUnavailable(_) => "runtime_unavailable",
            Self::NeedsProposal { .. } => "needs_proposal",
            Self::PlanStands { .. } => "plan_stands",
            Self::ScopeExceedsPermission { .. } => "scope_exceeds_permission",
            Self::NameTaken(_) => "name_taken",
            Self::LastOwner => "last_owner",
            Self::Conflict => "conflict",
            Self::SignInFailed(_) => "sign_in_failed",
            Self::Unsigned(_) => "ledger_unsigned",
            Self::Unavailable(_) => "unavailable",
            Self::Fault(_) => "internal_error",
        }
    }

    /// Which rule was met, in words that may be shown.
    pub fn message(&self) -> String {
        self.to_string()
    }

    /// What to do next.
    pub fn remedy(&self) -> String {
        let text = match self {
            Self::NotFound(_) => {
                "Check the id; list what there is with the matching list call. What belongs to another site can't be seen from here."
            }
            Self::Denied(denied) => where_denied(*denied),
            Self::Invalid(_) => "Correct every listed place and call again; nothing was written.",
            Self::RunClosed(_) => "Begin a new run and do the work in that.",
            Self::RunLimitExceeded => "Finish this run and go on in a new one.",
            Self::StaleRevision { .. } => {
                "Read the current draft, apply your change to it, and call again with its id as the base."
            }
            Self::StaleMap { .. } => {
                "Read the map again, fit your operations to it, and call again with its version as the base."
            }
            Self::ImportRunning => {
                "Wait until it is complete, or five minutes after its last row, then import again."
            }
            Self::Archived => "Propose `content_lifecycle` with action `restore` first.",
            Self::SlugTaken(_) => {
                "Choose another slug, or unpublish or move the page that holds it."
            }
            Self::IdempotencyConflict => {
                "Use a new key for a new request; repeat a key only with the same arguments."
            }
            Self::DigestMismatch { .. } => {
                "Look at the proposal as it stands now and decide on the digest it shows."
            }
            Self::ReauthenticationRequired => "Enter your password again, then decide.",
            Self::MayNotApprove(why) => instead_of_approving(*why),
            Self::AlreadyApproved => "Nothing is left for you to do; another member decides.",
            Self::InvalidTransition(_) => {
                "Look at its state; make a new proposal if the change is still wanted."
            }
            Self::InvalidTurnTransition(_)
            | Self::InvalidStepTransition(_)
            | Self::InvalidStageTransition(_) => {
                "Look at where it stands now; what is over stays so, or is opened again by a person."
            }
            Self::NoTask { elsewhere } => until_there_is_a_task(*elsewhere),
            Self::LeaseLost(_) => {
                "Stop this work and claim again; it waits once more or somebody else has it."
            }
            Self::SessionRefused(why) => in_the_right_session(*why),
            Self::RuntimeUnavailable(why) => why.remedy(),
            Self::NeedsProposal { .. } => {
                "Begin a run under this lease, make the proposal in it, and complete with its proposal_id. Complete as failed or needs_human_input if that can't be."
            }
            Self::PlanStands { .. } => {
                "Name the version that stands in replaces_plan_id to put another in its place."
            }
            Self::ScopeExceedsPermission { .. } => {
                "Grant the permissions to the agent first, or leave those scopes out."
            }
            Self::NameTaken(_) => "Choose another name.",
            Self::LastOwner => "Make another member owner first.",
            Self::Conflict => "Look at how it stands now and try again.",
            Self::SignInFailed(_) => {
                "Check the address and the password, or ask an administrator for a new sign-in link."
            }
            Self::Unsigned(why) => until_it_is_signed(*why),
            Self::Unavailable(_) => {
                "Try again in a moment. Whether this call was carried out is unknown; with the same idempotency key it is carried out once."
            }
            Self::Fault(_) => "Try again; if it stays, tell the operator the time of the call.",
        };
        text.to_owned()
    }

    /// What belongs to the refusal, for programs.
    pub fn details(&self) -> Option<Value> {
        match self {
            Self::Invalid(problems) => Some(json!({"problems": problems})),
            Self::StaleRevision { current } => Some(json!({"current_revision_id": current})),
            Self::StaleMap { current } => Some(json!({"current_map_version": current})),
            Self::Denied(Denied::Scope(scope)) => Some(json!({"scope": scope.as_str()})),
            Self::DigestMismatch { current } => Some(json!({"current_digest": current})),
            Self::ScopeExceedsPermission { missing } => Some(json!({"missing": missing})),
            Self::SlugTaken(slug) => Some(json!({"slug": slug})),
            Self::RunClosed(RunClosed { outcome }) => Some(json!({"outcome": outcome})),
            Self::InvalidTransition(InvalidTransition { from }) => Some(json!({"state": from})),
            Self::InvalidTurnTransition(InvalidTurnTransition { from })
            | Self::InvalidStepTransition(InvalidStepTransition { from })
            | Self::InvalidStageTransition(InvalidStageTransition { from, .. }) => {
                Some(json!({"state": from}))
            }
            Self::NoTask { elsewhere } => Some(json!({"waiting_for_other_sessions": elsewhere})),
            Self::SessionRefused(why) => Some(json!({"reason": why.code()})),
            Self::RuntimeUnavailable(why) => Some(json!({"reason": why.code()})),
            Self::NeedsProposal { kind } => Some(json!({"kind": kind})),
            Self::PlanStands { plan } => Some(json!({"plan_id": plan})),
            Self::LeaseLost(_)
            | Self::NotFound(_)
            | Self::Denied(_)
            | Self::RunLimitExceeded
            | Self::ImportRunning
            | Self::Archived
            | Self::IdempotencyConflict
            | Self::ReauthenticationRequired
            | Self::MayNotApprove(_)
            | Self::AlreadyApproved
            | Self::NameTaken(_)
            | Self::LastOwner
            | Self::Conflict
            | Self::SignInFailed(_)
            | Self::Unsigned(_)
            | Self::Unavailable(_)
            | Self::Fault(_) => None,
        }
    }

    /// Whether the server is to blame.
    pub const fn is_fault(&self) -> bool {
        matches!(self, Self::Fault(_))
    }

    /// For a fault, and where the database doesn't answer, the text for the server's own log.
    pub fn internal(&self) -> Option<&str> {
        match self {
            Self::Fault(internal) | Self::Unavailable(internal) => Some(internal),
            _ => None,
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict(_) => Self::Conflict,
            StoreError::Unavailable(why) => Self::Unavailable(why),
            StoreError::Corrupt { .. } | StoreError::Unsupported(_) | StoreError::Bug(_) => {
                Self::Fault(error.to_string())
            }
        }
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Fault(format!("JSON that the server made or stored: {error}"))
    }
}

/// What to do where something isn't allowed.
const fn where_denied(denied: Denied) -> &'static str {
    match denied {
        Denied::Scope(_) => {
            "Ask an administrator of the site to grant the scope to the agent and to this connection. It works from the next call on."
        }
        Denied::Role { .. } => {
            "Ask a member whose role allows it, or an administrator to change your role."
        }
        Denied::PersonalToken(_) => "Sign in on the dashboard and do it there.",
        Denied::MembersOnly => "A person does this on the dashboard.",
        Denied::AgentsOnly => "An agent does this over MCP.",
    }
}

/// What to do where nothing can be signed.
const fn until_it_is_signed(why: Signing) -> &'static str {
    match why {
        Signing::OtherKey => {
            "Ask on a server that has the key, or have the operator copy keys/ledger.key to this one."
        }
        Signing::Unlike => {
            "Have the operator run `querylayer ledger verify` and compare with a backup."
        }
        _ => "Try again in a moment.",
    }
}

/// What to do where one may not approve.
const fn instead_of_approving(why: MayNotApprove) -> &'static str {
    match why {
        MayNotApprove::OwnProposal => "Ask another member to decide.",
        MayNotApprove::SamePerson => {
            "Sign in with your own password and decide then, or ask another member."
        }
        MayNotApprove::Role(_) => "Ask a member whose role the policy names.",
    }
}

/// What to do without a task.
const fn until_there_is_a_task(elsewhere: bool) -> &'static str {
    if elsewhere {
        "Turns wait for other sessions of this agent, which alone may claim them. Call again for this session, with wait_seconds up to 45."
    } else {
        "Call again, with wait_seconds up to 45 to be answered as soon as there is one."
    }
}

/// What to do about a session that was refused.
const fn in_the_right_session(why: SessionRefused) -> &'static str {
    match why {
        SessionRefused::Unnamed => "Name the harness's own session in session_id.",
        SessionRefused::Superseded => "Claim in the session that goes on from it.",
        SessionRefused::UnknownPrevious => {
            "Name the session that claimed last in previous_session_id, or none in a new session."
        }
        SessionRefused::AnotherConversation => {
            "Claim in the session that the conversation is bound to."
        }
    }
}
