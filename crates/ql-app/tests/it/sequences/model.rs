//! The product as its contract describes it, in plain Rust over vectors: what each call must answer
//! and what it changes. It shares names with the product (roles, outcomes, instants) and no rules.

mod administer;
mod caller;
mod console;
mod draft;
mod live;
mod mistake;
mod proposal;
mod read;
mod resolve;
mod run;
mod server;
mod turn;
mod verdict;

use std::collections::BTreeMap;

use ql_core::proposal::Verdict;
use ql_core::role::Role;
use ql_core::run::Outcome;
use ql_core::scope::ScopeSet;
use ql_core::time::{Timestamp, hours, minutes};

use self::caller::{ADMINS, Caller, DECIDERS, EDITORS};
use self::console::Console;
pub(super) use self::mistake::Mistake;
use super::facts::Answer;
use super::step::{Call, Fields, Payload, Policy, Request, Step, Template, Which, Who};

pub(super) struct Model {
    pub(super) now: Timestamp,
    pub(super) mistake: Option<Mistake>,
    pub(super) connections: Vec<Connection>,
    pub(super) permitted: ScopeSet,
    /// When the member of a role last signed in.
    sessions: BTreeMap<Role, Timestamp>,
    pub(super) template: Template,
    template_version: i64,
    pub(super) policy: Policy,
    policy_version: i64,
    pub(super) runs: Vec<Run>,
    artifacts: usize,
    pub(super) items: Vec<Item>,
    pub(super) revisions: Vec<Revision>,
    pub(super) proposals: Vec<Proposal>,
    claims: Vec<Claim>,
    /// Who holds an address: its language and slug.
    slugs: BTreeMap<(&'static str, String), usize>,
    keys: BTreeMap<(&'static str, &'static str), (String, String)>,
    /// Calls with a key that succeeded, to be repeated.
    pub(super) keyed: Vec<Request>,
    moves: Vec<Move>,
    pub(super) console: Console,
    /// How many publications were scheduled.
    scheduled: usize,
}

pub(super) struct Connection {
    scopes: ScopeSet,
    created_at: Timestamp,
    expires_at: Timestamp,
    revoked: bool,
}

pub(super) struct Run {
    pub(super) connection: usize,
    begun_at: Timestamp,
    outputs: Vec<&'static str>,
    events: Vec<&'static str>,
    active_at: Timestamp,
    pub(super) ended: Option<Outcome>,
    artifacts: Vec<Artifact>,
    /// The turn and the lease that it was begun under.
    lease: Option<(usize, usize)>,
}

struct Artifact {
    number: usize,
    key: &'static str,
    version: i64,
    media_type: &'static str,
    body: &'static str,
    recorded_at: Timestamp,
}

pub(super) struct Item {
    locale: &'static str,
    created_at: Timestamp,
    updated_at: Timestamp,
    pub(super) draft: usize,
    pub(super) live: Option<usize>,
    pub(super) archived_at: Option<Timestamp>,
}

pub(super) struct Revision {
    pub(super) item: usize,
    number: i64,
    slug: String,
    fields: Fields,
}

struct Claim {
    revision: usize,
    recorded_at: Timestamp,
}

/// A move of a live pointer.
struct Move {
    item: usize,
    revision: Option<usize>,
    slug: String,
    at: Timestamp,
}

pub(super) struct Proposal {
    pub(super) payload: Payload,
    resolved: Vec<Resolved>,
    /// The agent, or the member of a role.
    proposer: Option<Role>,
    run: Option<usize>,
    risk: &'static str,
    created_at: Timestamp,
    expires_at: Timestamp,
    pub(super) state: State,
    decisions: Vec<Decision>,
    told: Policy,
    events: Vec<&'static str>,
}

/// What an item of a payload stood for.
#[derive(Debug, Clone, PartialEq)]
struct Resolved {
    item: Option<usize>,
    revision: Option<usize>,
    slug: String,
    locale: &'static str,
    fields: Option<Fields>,
    live: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum State {
    Pending,
    /// It waits for an instant; those of one instant go in the order of their approvals.
    Approved(Timestamp, (i64, usize)),
    Executed,
    Stale(&'static str),
    Settled(&'static str),
}

struct Decision {
    role: Role,
    verdict: Verdict,
    policy: Policy,
}

const SESSION: std::time::Duration = hours(12);
const FRESH: std::time::Duration = minutes(5);

impl Model {
    /// A site with an agent that holds every scope by one connection, and a member of every role.
    pub(super) fn new(now: Timestamp, mistake: Option<Mistake>) -> Self {
        let connection = Connection {
            scopes: ScopeSet::ALL,
            created_at: now,
            expires_at: now.plus(hours(90 * 24)),
            revoked: false,
        };
        Self {
            now,
            mistake,
            connections: vec![connection],
            permitted: ScopeSet::ALL,
            sessions: BTreeMap::new(),
            template: Template::Plain,
            template_version: 1,
            policy: Policy::Default,
            policy_version: 0,
            runs: Vec::new(),
            artifacts: 0,
            items: Vec::new(),
            revisions: Vec::new(),
            proposals: Vec::new(),
            claims: Vec::new(),
            slugs: BTreeMap::new(),
            keys: BTreeMap::new(),
            keyed: Vec::new(),
            moves: Vec::new(),
            console: Console::default(),
            scheduled: 0,
        }
    }

    fn errs(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }

    /// Foretells the answer of a step and does what it does.
    pub(super) fn take(&mut self, step: &Step) -> Answer {
        match step {
            Step::Call(request) => self.call(request),
            Step::Pass(span) => {
                let micros = self.now.as_micros() + span * 60_000_000;
                self.now = Timestamp::from_micros(micros);
                Ok(self.now.to_string())
            }
            Step::Work => Ok(self.work()),
        }
    }

    fn call(&mut self, request: &Request) -> Answer {
        let caller = self.admit(request.who).ok_or("unauthenticated")?;
        match &request.call {
            Call::Begin(begin) => self.begin(caller, request, begin),
            Call::Record(record) => self.record(caller, request, record),
            Call::Finish(finish) => self.finish(caller, request, finish),
            Call::Draft(run, draft) => self.draft(caller, request, (*run, draft)),
            Call::Claim(claim) => self.claim(caller, request, claim),
            Call::Propose(propose) => self.propose(caller, request, propose),
            Call::Decide(decide) => self.decide(caller, decide),
            Call::Cancel(proposal) => self.cancel(caller, *proposal),
            Call::Withdraw(proposal) => self.withdraw(caller, *proposal),
            Call::RollBack(roll_back) => self.roll_back(caller, roll_back),
            Call::Read(read) => self.read(caller, read),
            Call::Administer(act) => self.administer(caller, *act),
            Call::Console(call) => self.at_the_console(caller, request, call),
        }
    }

    /// Contract §1: scopes are those of the connection that the agent is permitted at this call.
    fn admit(&mut self, who: Who) -> Option<Caller> {
        match who {
            Who::Agent(connection) => self.is_alive(connection).then(|| Caller::Agent {
                connection,
                scopes: self.effective(connection),
            }),
            Who::Member { role, fresh } => {
                let lives = |begun: &Timestamp| begun.plus(SESSION) > self.now;
                if fresh || !self.sessions.get(&role).is_some_and(lives) {
                    self.sessions.insert(role, self.now);
                }
                let fresh = self.now.since(self.sessions[&role]) <= FRESH;
                Some(Caller::Member { role, fresh })
            }
        }
    }

    pub(super) fn is_alive(&self, connection: usize) -> bool {
        let found = &self.connections[connection];
        let revoked = found.revoked && !self.errs(Mistake::RevokedConnectionsWork);
        !revoked && found.expires_at > self.now
    }

    fn effective(&self, connection: usize) -> ScopeSet {
        let scopes = self.connections[connection].scopes;
        if self.errs(Mistake::PermissionsHoldForever) {
            scopes
        } else {
            scopes.intersect(self.permitted)
        }
    }

    /// What is refused leaves the console as it was: no lease is renewed by it, no turn taken back.
    fn whole(&mut self, work: impl FnOnce(&mut Self) -> Answer) -> Answer {
        let before = self.console.clone();
        let answer = work(self);
        if answer.is_err() {
            self.console = before;
        }
        answer
    }

    /// The answer of a call with a key: the first success again, whatever happened meanwhile.
    fn keyed(&mut self, request: &Request, work: impl FnOnce(&mut Self) -> Answer) -> Answer {
        let Some(key) = request.key else {
            return self.whole(work);
        };
        let name = (request.tool(), key);
        let arguments = request.arguments();
        match self.keys.get(&name) {
            Some((first, facts)) if *first == arguments && !self.errs(Mistake::KeysMeanNothing) => {
                return Ok(facts.clone());
            }
            Some((first, _)) if *first != arguments => return Err("idempotency_conflict"),
            _ => {}
        }
        let facts = self.whole(work)?;
        self.keys.insert(name, (arguments, facts.clone()));
        self.keyed.push(request.clone());
        Ok(facts)
    }

    /// The open run of exactly this connection, for work in it: where the lease was lost that it was
    /// begun under, so is the right to work.
    fn open_run(&mut self, caller: Caller, run: Which) -> Result<Option<usize>, &'static str> {
        let found = self.unfinished_run(caller, run)?;
        if let Some(lease) = found.and_then(|number| self.runs[number].lease) {
            self.work_under(lease)?;
        }
        Ok(found)
    }

    /// The open run of exactly this connection.
    fn unfinished_run(&self, caller: Caller, run: Which) -> Result<Option<usize>, &'static str> {
        let Caller::Agent { connection, .. } = caller else {
            return Ok(None);
        };
        let Which::Known(number) = run else {
            return Err("not_found");
        };
        let found = &self.runs[number];
        if found.connection != connection {
            return Err("not_found");
        }
        if found.ended.is_some() && !self.errs(Mistake::FinishedRunsAcceptWork) {
            return Err("run_closed");
        }
        Ok(Some(number))
    }

    fn note(&mut self, run: Option<usize>, event: &'static str) {
        if let Some(run) = run {
            self.runs[run].events.push(event);
            self.runs[run].active_at = self.now;
        }
    }

    fn known(&self, which: Which) -> Result<usize, &'static str> {
        match which {
            Which::Known(number) => Ok(number),
            Which::Elsewhere if self.errs(Mistake::OtherSitesAnswerOtherwise) => Err("denied"),
            Which::Elsewhere | Which::Never => Err("not_found"),
        }
    }
}
