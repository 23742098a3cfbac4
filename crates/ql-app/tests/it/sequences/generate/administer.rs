//! Connections, permissions, policies and templates to change.

use ql_core::scope::{Scope, ScopeSet};

use super::super::step::{Administer, Policy, Template};
use super::Choice;

impl Choice<'_> {
    pub(super) fn anybody_connected(&self) -> bool {
        (0..self.model.connections.len()).any(|number| self.model.is_alive(number))
    }

    pub(super) fn connection_act(&mut self) -> Administer {
        let connection = self.among(self.model.connections.len());
        match self.chance.below(4) {
            0 if self.anybody_connected() => Administer::Revoke(connection),
            1 => Administer::Rotate(connection),
            _ => Administer::Issue {
                scopes: self.scopes(),
                hours: self.chance.weighted(&[(3, None), (2, Some(2))]),
            },
        }
    }

    pub(super) fn authority_act(&mut self) -> Administer {
        let policies = [
            (3, Policy::Default),
            (2, Policy::Two),
            (1, Policy::Owner),
            (1, Policy::Strict),
        ];
        let templates = [
            (3, Template::Plain),
            (2, Template::WithSummary),
            (1, Template::NeedsSummary),
        ];
        let whole = self.model.permitted == ScopeSet::ALL;
        match self.chance.below(if whole { 5 } else { 8 }) {
            0 | 1 => Administer::Policy(self.chance.weighted(&policies)),
            2 => Administer::Template(self.chance.weighted(&templates)),
            _ if whole => Administer::Permit(self.scopes()),
            _ => Administer::Permit(ScopeSet::ALL),
        }
    }

    /// Mostly everything, else everything but one scope, or nothing.
    pub(super) fn scopes(&mut self) -> ScopeSet {
        let without = self.chance.of(&Scope::ALL);
        let kept = ScopeSet::from_bits(without as u16);
        self.chance.weighted(&[
            (5, ScopeSet::ALL),
            (3, ScopeSet::ALL.minus(kept)),
            (1, ScopeSet::EMPTY),
        ])
    }
}
