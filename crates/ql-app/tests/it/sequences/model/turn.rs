//! Turns under leases: one worker at a time, in the one session that the conversation is bound to.

use ql_core::scope::Scope;
use ql_core::time::{Timestamp, minutes};
use ql_core::turn::Reply;

use super::super::facts::{Answer, maybe};
use super::super::step::{Complete, Request, Take, Which};
use super::console::{Lease, Stands};
use super::{Caller, Mistake, Model};

const SPAN: std::time::Duration = minutes(10);
/// How many conversations one claim looks into.
const ROUNDS: usize = 16;

/// Where a claim looks.
#[derive(Debug, Clone, Copy)]
enum Reach {
    Bound(usize),
    Unbound,
}

impl Model {
    pub(super) fn take_turn(&mut self, caller: Caller, request: &Request, take: Take) -> Answer {
        caller.as_agent(Scope::RunsWrite)?;
        let Caller::Agent { connection, .. } = caller else {
            return Err("agents_only");
        };
        self.follow(take)?;
        // That the session goes on from another holds even where nothing is there to claim.
        self.keyed(request, |model| {
            let reach = model.reach(take)?;
            let turn = model.find_turn(connection, take, reach).ok_or("no_task")?;
            let number = model.lease(connection, turn, (take, reach));
            Ok(model.claimed(turn, number))
        })
    }

    /// Lets a session go on from the one before it.
    fn follow(&mut self, take: Take) -> Result<(), &'static str> {
        let (Some(session), Some(previous)) = (take.session, take.previous) else {
            return Ok(());
        };
        if self.console.sessions.contains_key(session) {
            return self.reach(take).map(drop);
        }
        let conversation = *self
            .console
            .sessions
            .get(previous)
            .ok_or("session_refused")?;
        let of = &mut self.console.conversations[conversation];
        if of.tip != Some(previous) {
            return Err("session_refused");
        }
        of.tip = Some(session);
        self.console.sessions.insert(session, conversation);
        Ok(())
    }

    fn reach(&self, take: Take) -> Result<Reach, &'static str> {
        let Some(session) = take.session else {
            let lost = take.previous.map(|_| Err("session_refused"));
            return lost.unwrap_or(Ok(Reach::Unbound));
        };
        let of = |session| self.console.sessions.get(session).copied();
        let Some(conversation) = of(session) else {
            let lost = take.previous.map(|_| Err("session_refused"));
            return lost.unwrap_or(Ok(Reach::Unbound));
        };
        if self.errs(Mistake::SessionsReachEverything) {
            return Ok(Reach::Unbound);
        }
        let is_newest = self.console.conversations[conversation].tip == Some(session);
        let agrees = take
            .previous
            .is_none_or(|before| of(before) == Some(conversation));
        if is_newest && agrees {
            Ok(Reach::Bound(conversation))
        } else {
            Err("session_refused")
        }
    }

    fn find_turn(&mut self, connection: usize, take: Take, reach: Reach) -> Option<usize> {
        if let Reach::Bound(conversation) = reach {
            return self.next_for(connection, conversation);
        }
        if take.session.is_none() {
            let held = self.held_by(connection);
            let unbound = |turn: &usize| self.is_unbound(self.console.turns[*turn].conversation);
            if let Some(turn) = held.into_iter().find(unbound) {
                return Some(turn);
            }
        }
        for _ in 0..ROUNDS {
            let conversation = self.longest_waiting()?;
            if let Some(turn) = self.next_for(connection, conversation) {
                return Some(turn);
            }
        }
        None
    }

    fn is_unbound(&self, conversation: usize) -> bool {
        self.console.conversations[conversation].tip.is_none()
    }

    /// The turns that a connection holds by living leases, in the order of their identifiers.
    fn held_by(&self, connection: usize) -> Vec<usize> {
        let mut held: Vec<usize> = (0..self.console.turns.len())
            .filter(|turn| {
                matches!(self.console.turns[*turn].stands, Stands::Leased(lease)
                    if lease.connection == connection && lease.until > self.now)
            })
            .collect();
        held.sort_by_key(|turn| self.order(*turn));
        held
    }

    /// Identifiers sort by the millisecond in which they were made, then by their order.
    fn order(&self, turn: usize) -> (i64, usize) {
        (self.console.turns[turn].created_at.as_micros() / 1000, turn)
    }

    fn longest_waiting(&self) -> Option<usize> {
        let all = 0..self.console.conversations.len();
        let waiting = all.filter(|number| {
            self.is_unbound(*number) && self.console.conversations[*number].claimable_at <= self.now
        });
        let next =
            waiting.filter_map(|number| Some((self.order(self.console.next(number)?), number)));
        next.min().map(|(_, number)| number)
    }

    /// The next turn of a conversation, unless somebody else holds it.
    fn next_for(&mut self, connection: usize, conversation: usize) -> Option<usize> {
        loop {
            let turn = self.console.next(conversation)?;
            if self.has_lapsed(turn) {
                self.lapse(turn);
                continue;
            }
            return match self.console.turns[turn].stands {
                Stands::Leased(lease) if lease.connection != connection => None,
                _ => Some(turn),
            };
        }
    }

    /// Leases a turn, or renews the lease that is there; answers its number.
    fn lease(&mut self, connection: usize, turn: usize, (take, reach): (Take, Reach)) -> usize {
        let until = self.now.plus(SPAN);
        if let Stands::Leased(held) = self.console.turns[turn].stands {
            self.hold(turn, held, until);
            return held.number;
        }
        let conversation = self.console.turns[turn].conversation;
        if let (Reach::Unbound, Some(session)) = (reach, take.session) {
            let of = &mut self.console.conversations[conversation];
            (of.root, of.tip) = (Some(session), Some(session));
            self.console.sessions.insert(session, conversation);
        }
        let number = self.console.leases_taken;
        self.console.leases_taken += 1;
        let lease = Lease {
            number,
            connection,
            until,
        };
        let turn = &mut self.console.turns[turn];
        turn.attempts += 1;
        turn.stands = Stands::Leased(lease);
        self.console.refresh(conversation, self.now);
        number
    }

    /// Lets a lease last until another instant.
    fn hold(&mut self, turn: usize, lease: Lease, until: Timestamp) {
        let conversation = self.console.turns[turn].conversation;
        self.console.turns[turn].stands = Stands::Leased(Lease { until, ..lease });
        if self.console.next(conversation) == Some(turn) {
            self.console.conversations[conversation].claimable_at = until;
        }
    }

    fn claimed(&self, number: usize, lease: usize) -> String {
        let turn = &self.console.turns[number];
        let of = &self.console.conversations[turn.conversation];
        let until = match turn.stands {
            Stands::Leased(lease) => Some(lease.until),
            Stands::Queued | Stands::Over(..) => None,
        };
        format!(
            "turn {number} of {} lease {lease} until {} attempt {} in {} “{}”",
            turn.conversation,
            maybe(until),
            turn.attempts,
            maybe(of.tip),
            turn.message
        )
    }

    /// The lease that holds a turn, where it is the one that is named and its time isn't over.
    fn required(&self, turn: usize, named: Which) -> Result<Lease, &'static str> {
        let Stands::Leased(lease) = self.console.turns[turn].stands else {
            return Err("lease_lost");
        };
        let right = Which::Known(lease.number) == named || self.errs(Mistake::AnyTokenWillDo);
        let living = lease.until > self.now || self.errs(Mistake::LeasesHoldForEver);
        if right && living {
            Ok(lease)
        } else {
            Err("lease_lost")
        }
    }

    pub(super) fn renew(&mut self, caller: Caller, turn: Which, named: Which) -> Answer {
        caller.as_agent(Scope::RunsWrite)?;
        let turn = self.known(turn)?;
        let lease = self.required(turn, named)?;
        let until = self.now.plus(SPAN);
        self.hold(turn, lease, until);
        Ok(format!("until {until}"))
    }

    pub(super) fn complete(
        &mut self,
        caller: Caller,
        request: &Request,
        said: &Complete,
    ) -> Answer {
        caller.as_agent(Scope::RunsWrite)?;
        if said.message.is_empty() {
            return Err("invalid_arguments");
        }
        self.keyed(request, |model| {
            let number = model.known(said.turn)?;
            let lease = model.required(number, said.lease)?;
            let conversation = model.console.turns[number].conversation;
            let tip = model.console.conversations[conversation].tip;
            if said.session.is_some() && said.session != tip {
                return Err("session_refused");
            }
            match said.reply {
                Reply::Released => {
                    let ever = model.errs(Mistake::TurnsComeBackForEver);
                    model
                        .console
                        .give_back(number, "released", (model.now, ever));
                }
                Reply::Completed | Reply::Failed | Reply::NeedsHumanInput => {
                    let turn = &mut model.console.turns[number];
                    turn.stands = Stands::Over(said.reply.as_str(), Some(lease.number));
                    turn.reason = None;
                    model.console.refresh(conversation, model.now);
                }
            }
            let stands = model.console.turns[number].stands.name();
            Ok(format!(
                "turn {number} of {conversation} said {} is {stands}",
                said.reply.as_str()
            ))
        })
    }

    /// The lease that a run is begun under: the only one that its connection holds.
    pub(super) fn begin_under(&mut self, connection: usize) -> Option<(usize, usize)> {
        let held = self.held_by(connection);
        let [turn] = held[..] else { return None };
        let Stands::Leased(lease) = self.console.turns[turn].stands else {
            return None;
        };
        self.hold(turn, lease, self.now.plus(SPAN));
        Some((turn, lease.number))
    }

    /// A call in a run holds the lease longer that the run was begun under. What was completed under
    /// it goes on; what was lost doesn't.
    pub(super) fn work_under(
        &mut self,
        (turn, number): (usize, usize),
    ) -> Result<(), &'static str> {
        match self.console.turns[turn].stands {
            Stands::Leased(lease) if lease.number == number && lease.until > self.now => {
                self.hold(turn, lease, self.now.plus(SPAN));
                Ok(())
            }
            Stands::Over(_, Some(under)) if under == number => Ok(()),
            _ => Err("lease_lost"),
        }
    }
}
