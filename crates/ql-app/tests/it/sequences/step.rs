//! What somebody does. Things that exist are named by their place in the order in which they came
//! to be, so that a step means the same to the model and to every engine.

mod console;

use std::collections::BTreeMap;

use ql_core::proposal::{ProposalKind, Verdict};
use ql_core::role::Role;
use ql_core::run::Outcome;
use ql_core::scope::ScopeSet;
use ql_core::time::Timestamp;

pub(super) use self::console::{Complete, Console, Take};

/// A run, item, revision, proposal, connection, conversation, turn or lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// The one that came to be at this place, from 0.
    Known(usize),
    /// One that another site owns.
    Elsewhere,
    /// One that never was.
    Never,
}

/// Who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// The agent, by the connection at this place.
    Agent(usize),
    /// The member of a role, who signs in anew for it when `fresh`.
    Member { role: Role, fresh: bool },
}

/// One step of a sequence.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// Somebody calls a use case.
    Call(Request),
    /// Minutes pass; fewer than none when somebody sets the clock back.
    Pass(i64),
    /// The server does what is due.
    Work,
}

/// A call of a use case.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    pub(super) who: Who,
    pub(super) key: Option<&'static str>,
    pub(super) call: Call,
}

/// A use case with its input.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Call {
    Begin(Begin),
    Record(Record),
    Finish(Finish),
    Draft(Which, Draft),
    Claim(Claim),
    Propose(Propose),
    Decide(Decide),
    Cancel(Which),
    Withdraw(Which),
    RollBack(RollBack),
    Read(Read),
    Administer(Administer),
    Console(Console),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Begin {
    pub(super) run_type: &'static str,
    pub(super) outputs: Vec<&'static str>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    pub(super) run: Which,
    pub(super) key: &'static str,
    pub(super) media_type: &'static str,
    pub(super) body: &'static str,
    pub(super) hash: Hash,
    pub(super) about: Option<Which>,
}

/// The hash that a caller says a body has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hash {
    Unsaid,
    Right,
    Wrong,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Finish {
    pub(super) run: Which,
    pub(super) outcome: Outcome,
    pub(super) summary: &'static str,
}

/// The fields of a page; every value is a text.
pub(super) type Fields = BTreeMap<&'static str, String>;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Draft {
    New(New),
    Next(Next),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct New {
    pub(super) template: &'static str,
    pub(super) locale: Option<&'static str>,
    pub(super) slug: Option<&'static str>,
    pub(super) fields: Fields,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Next {
    pub(super) item: Which,
    pub(super) base: Which,
    pub(super) slug: Option<&'static str>,
    pub(super) change: Change,
}

/// How a draft differs from its base.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Change {
    Fields(Fields),
    Patch(&'static str, Option<&'static str>),
    Edit(Edit),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Edit {
    pub(super) field: &'static str,
    pub(super) find: &'static str,
    pub(super) replace: &'static str,
    pub(super) count: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Claim {
    pub(super) run: Which,
    pub(super) revision: Which,
    pub(super) pointer: Option<&'static str>,
    pub(super) sources: usize,
    pub(super) hash: Hash,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Propose {
    pub(super) run: Which,
    pub(super) rationale: &'static str,
    pub(super) payload: Payload,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Payload {
    Create(New),
    Revise(Next),
    Publish(Vec<Publish>),
    Lifecycle(Vec<Lifecycle>),
}

impl Payload {
    pub(super) const fn kind(&self) -> ProposalKind {
        match self {
            Self::Create(_) => ProposalKind::CreateContent,
            Self::Revise(_) => ProposalKind::ContentRevision,
            Self::Publish(_) => ProposalKind::PublishLifecycle,
            Self::Lifecycle(_) => ProposalKind::ContentLifecycle,
        }
    }
}

/// Without a revision, whatever is live goes off the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Publish {
    pub(super) item: Which,
    pub(super) revision: Option<Which>,
    pub(super) at: Option<Timestamp>,
    pub(super) zone: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lifecycle {
    pub(super) item: Which,
    pub(super) archive: bool,
    pub(super) seen: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decide {
    pub(super) proposal: Which,
    pub(super) verdict: Verdict,
    pub(super) digest: Digest,
    pub(super) comment: &'static str,
}

/// The digest that a member decides on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Digest {
    /// The one that the proposal shows now.
    Shown,
    /// The one that the proposer was told.
    Told,
    /// That of something else.
    Other,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RollBack {
    pub(super) item: Which,
    pub(super) to: Which,
    pub(super) comment: &'static str,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Read {
    Content(ContentFilter, u32),
    Item(Which, Option<Which>),
    Proposals(ProposalFilter, u32),
    Proposal(Which),
    Runs(u32),
    Run(Which),
    Claims(Which, u32),
    Feed(i64),
    Page(&'static str, &'static str),
    Conversations(u32),
    Conversation(Which),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ContentFilter {
    pub(super) status: Option<&'static str>,
    pub(super) query: Option<&'static str>,
    pub(super) slug: Option<&'static str>,
    pub(super) locale: Option<&'static str>,
    pub(super) since: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ProposalFilter {
    pub(super) state: Option<&'static str>,
    pub(super) kind: Option<ProposalKind>,
    pub(super) run: Option<Which>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Administer {
    Issue {
        scopes: ScopeSet,
        hours: Option<u64>,
    },
    Rotate(Which),
    Revoke(Which),
    Permit(ScopeSet),
    Policy(Policy),
    Template(Template),
}

/// The approval policies that come up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    /// The one that a site begins with.
    Default,
    /// Two approvals for whatever goes live, reviewers' too, within two days; two pages are many.
    Two,
    /// Owners alone, within an hour, their own too when nobody else could.
    Owner,
    /// Owners alone, and never their own.
    Strict,
}

/// The versions of the article template that come up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Template {
    /// Title and body.
    Plain,
    /// A summary may be there.
    WithSummary,
    /// A summary must be there.
    NeedsSummary,
}

impl Request {
    /// The tool that an idempotency key of this call belongs to.
    pub(super) const fn tool(&self) -> &'static str {
        match self.call {
            Call::Begin(_) => "begin_run",
            Call::Record(_) => "record_artifact",
            Call::Finish(_) => "finish_run",
            Call::Draft(..) => "create_draft",
            Call::Claim(_) => "record_claim_evidence",
            Call::Console(Console::Take(_)) => "claim_console_task",
            Call::Console(_) => "complete_console_task",
            _ => "create_proposal",
        }
    }

    /// The arguments that an idempotency key stands for.
    pub(super) fn arguments(&self) -> String {
        format!("{:?}", self.call)
    }
}
