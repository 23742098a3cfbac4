//! Conversations to begin and go on with, and turns to claim, renew and complete.

use ql_core::turn::Reply;

use super::super::step::{Call, Complete, Console, Take, Which};
use super::Choice;

/// The sessions that come up.
const SESSIONS: [&str; 4] = ["s1", "s2", "s3", "s4"];

impl Choice<'_> {
    /// What people do in the console.
    pub(super) fn ask(&mut self) -> Call {
        let conversations = self.model.console.conversations.len();
        let turns = self.model.console.turns.len();
        let any_stopped = !self.model.console.stopped().is_empty();
        let call = match self.chance.below(10) {
            _ if conversations == 0 => Console::Converse(Which::Known(0)),
            0..=4 if any_stopped => Console::Reopen(self.stopped_turn()),
            0 | 1 => Console::Converse(self.among(1)),
            7 if turns > 0 => Console::Reopen(self.stopped_turn()),
            8 if turns > 0 => Console::Stop(self.among(turns)),
            _ => {
                let message = if self.chance.percent(3) {
                    ""
                } else {
                    "Please."
                };
                Console::Say(self.among(conversations), message)
            }
        };
        Call::Console(call)
    }

    /// What an agent does there: it ends what it holds, holds it longer, or takes the next turn.
    pub(super) fn serve(&mut self) -> Call {
        let held = self.held_turn();
        let call = match self.chance.below(10) {
            0..=4 if held.is_some() => Console::Complete(self.complete()),
            5 | 6 if held.is_some() => {
                let (turn, lease) = self.turn_and_lease();
                Console::Renew(turn, lease)
            }
            9 => Console::Complete(self.complete()),
            _ => Console::Take(self.take()),
        };
        Call::Console(call)
    }

    fn take(&mut self) -> Take {
        let named = self.chance.percent(75);
        let follows = self.chance.percent(15);
        let bound = self.model.console.newest_sessions();
        let known = !bound.is_empty() && self.chance.percent(60);
        let session = if known {
            self.chance.of(&bound)
        } else {
            self.chance.of(&SESSIONS)
        };
        Take {
            session: named.then_some(session),
            previous: follows.then(|| self.chance.of(&SESSIONS)),
        }
    }

    fn complete(&mut self) -> Complete {
        let (turn, lease) = self.turn_and_lease();
        let replies = [
            (5, Reply::Completed),
            (4, Reply::Failed),
            (3, Reply::NeedsHumanInput),
            (5, Reply::Released),
        ];
        let session = self.chance.percent(10);
        Complete {
            turn,
            lease,
            reply: self.chance.weighted(&replies),
            message: if self.chance.percent(3) {
                ""
            } else {
                "So be it."
            },
            session: session.then(|| self.chance.of(&SESSIONS)),
        }
    }

    /// Mostly a turn that is held with the lease that holds it.
    fn turn_and_lease(&mut self) -> (Which, Which) {
        let (turns, leases) = (
            self.model.console.turns.len(),
            self.model.console.leases_taken,
        );
        let Some((turn, lease)) = self.held_turn() else {
            return (self.among(turns), self.among(leases));
        };
        match self.chance.below(10) {
            0 => (self.among(turns), Which::Known(lease)),
            1 | 2 => (Which::Known(turn), self.other_lease(lease)),
            _ => (Which::Known(turn), Which::Known(lease)),
        }
    }

    /// Another lease than this one.
    fn other_lease(&mut self, lease: usize) -> Which {
        match self.among(self.model.console.leases_taken) {
            Which::Known(other) if other == lease => Which::Elsewhere,
            other => other,
        }
    }

    /// Mostly a turn that people can open again.
    fn stopped_turn(&mut self) -> Which {
        let stopped = self.model.console.stopped();
        if stopped.is_empty() || self.chance.percent(20) {
            return self.among(self.model.console.turns.len());
        }
        Which::Known(self.chance.of(&stopped))
    }

    fn held_turn(&mut self) -> Option<(usize, usize)> {
        let held = self.model.console.held();
        (!held.is_empty()).then(|| self.chance.of(&held))
    }
}
