//! Conversations: what people say and do in them, and what a look at them shows.

use std::collections::BTreeMap;

use ql_core::time::Timestamp;

use super::super::facts::{Answer, maybe, row};
use super::super::step::{Console as Call, Request, Which};
use super::read::{newest_first, pages};
use super::{Caller, EDITORS, Mistake, Model};

/// How often a turn may come back before people must look.
const MOST_ATTEMPTS: u32 = 3;

/// Everything in the console. A call that is refused leaves it as it was.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Console {
    pub(in super::super) conversations: Vec<Conversation>,
    pub(in super::super) turns: Vec<Turn>,
    /// How many leases there ever were.
    pub(in super::super) leases_taken: usize,
    /// The conversation of each session.
    pub(super) sessions: BTreeMap<&'static str, usize>,
}

#[derive(Debug, Clone)]
pub(in super::super) struct Conversation {
    pub(super) created_at: Timestamp,
    pub(super) root: Option<&'static str>,
    pub(super) tip: Option<&'static str>,
    /// From when on a claim that is bound to no session finds it.
    pub(super) claimable_at: Timestamp,
    pub(super) turns: Vec<usize>,
}

#[derive(Debug, Clone)]
pub(in super::super) struct Turn {
    pub(super) conversation: usize,
    pub(super) message: &'static str,
    pub(super) created_at: Timestamp,
    pub(super) attempts: u32,
    pub(super) reason: Option<&'static str>,
    pub(super) stands: Stands,
}

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    Queued,
    Leased(Lease),
    /// With an outcome, and under which lease where an agent ended it.
    Over(&'static str, Option<usize>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lease {
    pub(super) number: usize,
    pub(super) connection: usize,
    pub(super) until: Timestamp,
}

impl Stands {
    /// Whether people can open it again.
    fn has_stopped(self) -> bool {
        let outcomes = ["failed", "needs_human_input", "blocked"];
        matches!(self, Self::Over(outcome, _) if outcomes.contains(&outcome))
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Leased(_) => "leased",
            Self::Over(outcome, _) => outcome,
        }
    }
}

impl Console {
    /// Every turn that is leased, with its lease.
    pub(in super::super) fn held(&self) -> Vec<(usize, usize)> {
        let turns = self.turns.iter().enumerate();
        turns
            .filter_map(|(number, turn)| match turn.stands {
                Stands::Leased(lease) => Some((number, lease.number)),
                Stands::Queued | Stands::Over(..) => None,
            })
            .collect()
    }

    /// The turns that stopped before they were done.
    pub(in super::super) fn stopped(&self) -> Vec<usize> {
        let turns = self.turns.iter().enumerate();
        turns
            .filter(|(_, turn)| turn.stands.has_stopped())
            .map(|(number, _)| number)
            .collect()
    }

    /// The sessions that conversations are bound to now.
    pub(in super::super) fn newest_sessions(&self) -> Vec<&'static str> {
        self.conversations.iter().filter_map(|of| of.tip).collect()
    }

    /// The first turn of a conversation that isn't over.
    pub(super) fn next(&self, conversation: usize) -> Option<usize> {
        let turns = self.conversations[conversation].turns.iter().copied();
        turns
            .filter(|turn| !matches!(self.turns[*turn].stands, Stands::Over(..)))
            .min()
    }

    /// Notes from when on a conversation's next turn can be claimed.
    pub(super) fn refresh(&mut self, conversation: usize, now: Timestamp) {
        let next = self.next(conversation).map(|turn| self.turns[turn].stands);
        self.conversations[conversation].claimable_at = match next {
            Some(Stands::Leased(lease)) => lease.until,
            _ => now,
        };
    }

    /// A turn goes back to the queue, or stops when it was claimed too often.
    pub(super) fn give_back(
        &mut self,
        turn: usize,
        reason: &'static str,
        (now, ever): (Timestamp, bool),
    ) {
        let found = &mut self.turns[turn];
        if found.attempts < MOST_ATTEMPTS || ever {
            found.stands = Stands::Queued;
            found.reason = Some(reason);
        } else {
            found.stands = Stands::Over("blocked", None);
            found.reason = Some("retries_exhausted");
        }
        let conversation = found.conversation;
        self.refresh(conversation, now);
    }
}

impl Model {
    pub(super) fn at_the_console(
        &mut self,
        caller: Caller,
        request: &Request,
        call: &Call,
    ) -> Answer {
        match call {
            Call::Converse(agent) => self.converse(caller, *agent),
            Call::Say(conversation, message) => self.say(caller, *conversation, message),
            Call::Take(take) => self.take_turn(caller, request, *take),
            Call::Renew(turn, lease) => self.renew(caller, *turn, *lease),
            Call::Complete(complete) => self.complete(caller, request, complete),
            Call::Reopen(turn) => self.reopen(caller, *turn),
            Call::Stop(turn) => self.stop(caller, *turn),
        }
    }

    fn converse(&mut self, caller: Caller, agent: Which) -> Answer {
        caller.as_member(&EDITORS)?;
        self.known(agent)?;
        self.console.conversations.push(Conversation {
            created_at: self.now,
            root: None,
            tip: None,
            claimable_at: self.now,
            turns: Vec::new(),
        });
        let number = self.console.conversations.len() - 1;
        Ok(format!("conversation {number}"))
    }

    fn say(&mut self, caller: Caller, of: Which, message: &'static str) -> Answer {
        caller.as_member(&EDITORS)?;
        if message.is_empty() {
            return Err("invalid_arguments");
        }
        let conversation = self.known(of)?;
        let turn = self.console.turns.len();
        self.console.turns.push(Turn {
            conversation,
            message,
            created_at: self.now,
            attempts: 0,
            reason: None,
            stands: Stands::Queued,
        });
        self.console.conversations[conversation].turns.push(turn);
        self.console.refresh(conversation, self.now);
        Ok(self.turn_facts(turn))
    }

    fn reopen(&mut self, caller: Caller, turn: Which) -> Answer {
        caller.as_member(&EDITORS)?;
        let number = self.known(turn)?;
        let turn = &mut self.console.turns[number];
        if !turn.stands.has_stopped() {
            return Err("invalid_transition");
        }
        (turn.stands, turn.attempts, turn.reason) = (Stands::Queued, 0, None);
        let conversation = turn.conversation;
        self.console.refresh(conversation, self.now);
        Ok(self.turn_facts(number))
    }

    fn stop(&mut self, caller: Caller, turn: Which) -> Answer {
        caller.as_member(&EDITORS)?;
        let number = self.known(turn)?;
        let turn = &mut self.console.turns[number];
        if matches!(turn.stands, Stands::Over(..)) {
            return Err("invalid_transition");
        }
        turn.stands = Stands::Over("cancelled", None);
        turn.reason = Some("cancelled_by_member");
        let conversation = turn.conversation;
        self.console.refresh(conversation, self.now);
        Ok(self.turn_facts(number))
    }

    /// Takes turns from workers whose time ran out; answers how many.
    pub(super) fn return_lapsed(&mut self) -> usize {
        let lapsed: Vec<usize> = (0..self.console.turns.len())
            .filter(|turn| self.has_lapsed(*turn))
            .collect();
        for turn in &lapsed {
            self.lapse(*turn);
        }
        lapsed.len()
    }

    pub(super) fn has_lapsed(&self, turn: usize) -> bool {
        matches!(self.console.turns[turn].stands, Stands::Leased(lease) if lease.until <= self.now)
    }

    pub(super) fn lapse(&mut self, turn: usize) {
        let ever = self.errs(Mistake::TurnsComeBackForEver);
        let when = (self.now, ever);
        self.console.give_back(turn, "lease_expired", when);
    }

    pub(super) fn turn_facts(&self, number: usize) -> String {
        let turn = &self.console.turns[number];
        format!(
            "turn {number} of {} {} after {} because {}",
            turn.conversation,
            turn.stands.name(),
            turn.attempts,
            maybe(turn.reason)
        )
    }

    pub(super) fn look_at_conversation(&self, conversation: Which) -> Answer {
        let number = self.known(conversation)?;
        let of = &self.console.conversations[number];
        let turns = of.turns.iter().map(|turn| self.turn_facts(*turn));
        let (root, tip) = (maybe(of.root), maybe(of.tip));
        Ok(format!(
            "conversation {number} from {root} to {tip} {}",
            row(turns)
        ))
    }

    pub(super) fn list_conversations(&self, limit: u32) -> String {
        let all = &self.console.conversations;
        let mut found: Vec<usize> = (0..all.len()).collect();
        newest_first(&mut found, |number| all[number].created_at);
        let facts = |number: usize| {
            let last = all[number].turns.last().map(|turn| self.turn_facts(*turn));
            format!("conversation {number} last {}", maybe(last))
        };
        pages(&found.into_iter().map(facts).collect::<Vec<_>>(), limit)
    }
}
