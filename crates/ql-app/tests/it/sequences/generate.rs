//! The next step of a sequence, by chance and by what the model knows to be there: mostly work that
//! makes sense, and always some that doesn't.

mod administer;
mod console;
mod decide;
mod propose;
mod read;
mod run;
mod write;

use ql_core::role::Role;
use ql_core::scope::ScopeSet;

use super::chance::Chance;
use super::model::{Model, State};
use super::step::{Call, Request, Step, Which, Who};

/// Choices on what a model knows.
struct Choice<'a> {
    model: &'a Model,
    calm: bool,
    chance: &'a mut Chance,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Begin,
    Record,
    Finish,
    Draft,
    Claim,
    Propose,
    Decide,
    Cancel,
    Withdraw,
    RollBack,
    Read,
    Repeat,
    Connection,
    Authority,
    Ask,
    Serve,
    Pass,
    Work,
}

const SORTS: [(usize, Sort); 18] = [
    (5, Sort::Begin),
    (7, Sort::Record),
    (3, Sort::Finish),
    (16, Sort::Draft),
    (4, Sort::Claim),
    (20, Sort::Propose),
    (24, Sort::Decide),
    (3, Sort::Cancel),
    (3, Sort::Withdraw),
    (6, Sort::RollBack),
    (14, Sort::Read),
    (5, Sort::Repeat),
    (2, Sort::Connection),
    (4, Sort::Authority),
    (10, Sort::Ask),
    (20, Sort::Serve),
    (9, Sort::Pass),
    (8, Sort::Work),
];

const SPANS: [(usize, i64); 9] = [
    (4, 1),
    (4, 6),
    (4, 30),
    (5, 61),
    (2, 13 * 60),
    (2, 25 * 60),
    (1, 15 * 24 * 60),
    (1, 91 * 24 * 60),
    (3, -61),
];

/// What people do on a calm day: they write, ask and approve, and seldom anything else.
const CALM: [(usize, Sort); 7] = [
    (1, Sort::Begin),
    (8, Sort::Draft),
    (8, Sort::Propose),
    (8, Sort::Decide),
    (3, Sort::RollBack),
    (3, Sort::Pass),
    (2, Sort::Work),
];

/// The next step; on a `calm` day pages come and go often, on others everything else happens too.
pub(super) fn next(model: &Model, calm: bool, chance: &mut Chance) -> Step {
    let mut choice = Choice {
        model,
        calm,
        chance,
    };
    let sort = if calm && !choice.chance.percent(5) {
        choice.chance.weighted(&CALM)
    } else {
        choice.chance.weighted(&SORTS)
    };
    match choice.fitting(sort) {
        Sort::Pass => Step::Pass(choice.chance.weighted(&SPANS)),
        Sort::Work => Step::Work,
        sort => Step::Call(choice.request(sort)),
    }
}

impl Choice<'_> {
    /// Mostly another sort of step where nothing is there yet that this sort is about.
    fn fitting(&mut self, sort: Sort) -> Sort {
        let stands = |fitting: fn(&State) -> bool| {
            let mut proposals = self.model.proposals.iter();
            proposals.any(|proposal| fitting(&proposal.state))
        };
        let there = match sort {
            Sort::Claim | Sort::Propose => !self.model.items.is_empty(),
            Sort::Serve => !self.model.console.turns.is_empty(),
            Sort::Decide | Sort::Withdraw => stands(|state| *state == State::Pending),
            Sort::Cancel => stands(|state| matches!(state, State::Approved(..))),
            Sort::RollBack => !self.with_a_past().is_empty(),
            _ => true,
        };
        if self.chance.percent(25) && self.model.permitted != ScopeSet::ALL {
            return Sort::Authority;
        }
        if self.chance.percent(40) && !self.anybody_connected() {
            return Sort::Connection;
        }
        if there || self.chance.percent(5) {
            sort
        } else if sort == Sort::Serve {
            Sort::Ask
        } else if self.model.items.is_empty() {
            Sort::Draft
        } else {
            Sort::Propose
        }
    }

    fn request(&mut self, sort: Sort) -> Request {
        let by_member = match sort {
            Sort::Decide
            | Sort::Cancel
            | Sort::RollBack
            | Sort::Connection
            | Sort::Authority
            | Sort::Ask => 97,
            Sort::Draft | Sort::Claim | Sort::Propose | Sort::Withdraw if self.calm => 3,
            Sort::Draft | Sort::Claim | Sort::Propose | Sort::Withdraw => 12,
            Sort::Read => 30,
            _ => 2,
        };
        let who = if self.chance.percent(by_member) {
            self.member(sort)
        } else {
            self.agent()
        };
        let run = self.run(who);
        if let (Sort::Repeat, Some(repeated)) = (sort, self.repeat(who)) {
            return repeated;
        }
        let call = match sort {
            Sort::Record => self.record(run),
            Sort::Finish => self.finish(run),
            Sort::Draft => Call::Draft(run, self.draft()),
            Sort::Claim => self.claim(run),
            Sort::Propose => Call::Propose(self.propose(run)),
            Sort::Decide => self.decide(),
            Sort::Cancel => {
                Call::Cancel(self.proposal(|state| matches!(state, State::Approved(..))))
            }
            Sort::Withdraw => Call::Withdraw(self.proposal(|state| *state == State::Pending)),
            Sort::RollBack => self.roll_back(),
            Sort::Read => Call::Read(self.read()),
            Sort::Connection => Call::Administer(self.connection_act()),
            Sort::Authority => Call::Administer(self.authority_act()),
            Sort::Ask => self.ask(),
            Sort::Serve => self.serve(),
            Sort::Begin | Sort::Repeat | Sort::Pass | Sort::Work => self.begin(),
        };
        let needs_a_run = matches!(
            sort,
            Sort::Record | Sort::Finish | Sort::Draft | Sort::Propose
        );
        let call = if needs_a_run && self.is_idle(who) && self.chance.percent(80) {
            self.begin()
        } else {
            call
        };
        Request {
            key: self.key(who, sort),
            who,
            call,
        }
    }

    fn agent(&mut self) -> Who {
        let alive: Vec<usize> = (0..self.model.connections.len())
            .filter(|number| self.model.is_alive(*number))
            .collect();
        if alive.is_empty() || self.chance.percent(3) {
            return Who::Agent(self.chance.below(self.model.connections.len()));
        }
        Who::Agent(self.chance.of(&alive))
    }

    fn member(&mut self, sort: Sort) -> Who {
        let authority = matches!(sort, Sort::Connection | Sort::Authority);
        let roles: [(usize, Role); 5] = if authority {
            [
                (6, Role::Owner),
                (5, Role::Admin),
                (1, Role::Editor),
                (1, Role::Reviewer),
                (1, Role::Viewer),
            ]
        } else {
            [
                (6, Role::Owner),
                (4, Role::Admin),
                (4, Role::Editor),
                (2, Role::Reviewer),
                (1, Role::Viewer),
            ]
        };
        let calm = self.calm && self.chance.percent(80);
        let role = if calm {
            Role::Owner
        } else {
            self.chance.weighted(&roles)
        };
        let fresh = calm || self.chance.percent(60);
        Who::Member { role, fresh }
    }

    /// Mostly none; a few keys that come up again and again.
    fn key(&mut self, who: Who, sort: Sort) -> Option<&'static str> {
        let keyed = matches!(
            sort,
            Sort::Begin
                | Sort::Record
                | Sort::Finish
                | Sort::Draft
                | Sort::Claim
                | Sort::Propose
                | Sort::Serve
        );
        let is_agent = matches!(who, Who::Agent(_));
        let wanted = keyed && is_agent && self.chance.percent(25);
        wanted.then(|| self.chance.of(&["a", "b", "c", "d", "e", "f", "g", "h"]))
    }

    /// A call with a key that succeeded, once more.
    fn repeat(&mut self, who: Who) -> Option<Request> {
        let Who::Agent(_) = who else { return None };
        let known = &self.model.keyed;
        if known.is_empty() {
            return None;
        }
        let first = known[self.chance.below(known.len())].clone();
        Some(Request { who, ..first })
    }

    /// One of several things by its number; now and then one elsewhere or one that never was.
    fn among(&mut self, count: usize) -> Which {
        match self.chance.below(100) {
            0 | 1 => Which::Elsewhere,
            2 => Which::Never,
            _ if count == 0 => Which::Never,
            _ => Which::Known(self.chance.below(count)),
        }
    }

    /// An open run of the caller's connection, where it has one.
    fn run(&mut self, who: Who) -> Which {
        let open: Vec<usize> = self.open_runs(who);
        if open.is_empty() || self.chance.percent(4) {
            return self.among(self.model.runs.len());
        }
        Which::Known(self.chance.of(&open))
    }

    fn open_runs(&self, who: Who) -> Vec<usize> {
        let runs = self.model.runs.iter().enumerate();
        let open = runs.filter(|(_, run)| run.ended.is_none() && Who::Agent(run.connection) == who);
        open.map(|(number, _)| number).collect()
    }

    fn is_idle(&self, who: Who) -> bool {
        matches!(who, Who::Agent(_)) && self.open_runs(who).is_empty()
    }
}
