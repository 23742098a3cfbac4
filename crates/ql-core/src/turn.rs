//! Turns of a conversation: queued, leased to one worker at a time, ended with one outcome.

use std::fmt;
use std::str::FromStr;

use crate::actor::Actor;
use crate::id::{ConnectionId, ConversationId, LeaseToken, ProposalId, RunId, StepId, TurnId};
use crate::time::Timestamp;

/// How often a turn is claimed at most before a person must look: once, and two retries.
pub const MAX_ATTEMPTS: i64 = 3;
/// The most characters of a turn's message or reply.
pub const MAX_MESSAGE: usize = 20_000;
/// The most seconds that a claim waits.
pub const MAX_WAIT_SECONDS: u32 = 45;

/// The code of a turn that nobody brought to its end, however often it was claimed.
pub const RETRIES_EXHAUSTED: &str = "retries_exhausted";
/// The code of a lease that ran out.
pub const LEASE_EXPIRED: &str = "lease_expired";
/// The code of a turn that its worker gave back.
pub const RELEASED: &str = "released";

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Identity.
    pub id: TurnId,
    /// The conversation.
    pub conversation: ConversationId,
    /// Its place in the conversation, from 1.
    pub number: i64,
    /// Who wrote it: a member, or the server for a plan's step.
    pub author: Actor,
    /// The plan's step that it delivers.
    pub step: Option<StepId>,
    /// What is asked for.
    pub message: String,
    /// Where it stands.
    pub state: TurnState,
    /// How often it was claimed since a person last opened it.
    pub attempts: i64,
    /// How often it was claimed at all: the number that fences each lease.
    pub fence: i64,
    /// Why it last came back or stopped: a stable code.
    pub reason: Option<String>,
    /// What the worker that gave it back said; none where it was taken from it.
    pub returned_with: Option<String>,
    /// When it was written.
    pub created_at: Timestamp,
}

/// Where a turn stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnState {
    /// It waits to be claimed.
    Queued,
    /// Somebody works on it.
    Leased(Lease),
    /// It is over.
    Ended(Ended),
}

/// The right to work on a turn for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// What every call must carry that works under it; each claim has its own.
    pub token: LeaseToken,
    /// The connection that claimed.
    pub connection: ConnectionId,
    /// When it runs out, unless a call renews it.
    pub until: Timestamp,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// With what.
    pub outcome: TurnOutcome,
    /// The agent's own words.
    pub reply: String,
    /// The run that the agent named.
    pub run: Option<RunId>,
    /// The proposal that the agent named.
    pub proposal: Option<ProposalId>,
    /// The lease under which the agent ended it; none when the server or a person did.
    pub lease: Option<LeaseToken>,
    /// When.
    pub at: Timestamp,
}

/// With what a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnOutcome {
    /// The agent did it.
    Completed,
    /// The agent couldn't.
    Failed,
    /// A person must answer something first.
    NeedsHumanInput,
    /// The server stopped it; a person opens it again.
    Blocked,
    /// A person stopped it.
    Cancelled,
}

impl TurnOutcome {
    /// Every outcome.
    pub const ALL: [Self; 5] = [
        Self::Completed,
        Self::Failed,
        Self::NeedsHumanInput,
        Self::Blocked,
        Self::Cancelled,
    ];

    /// The outcome's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::NeedsHumanInput => "needs_human_input",
            Self::Blocked => "blocked",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What an agent says when it is done with a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It is done.
    Completed,
    /// It couldn't be done.
    Failed,
    /// A person must answer something first.
    NeedsHumanInput,
    /// Somebody else shall do it: the turn goes back to the queue.
    Released,
}

impl Reply {
    /// Every reply.
    pub const ALL: [Self; 4] = [
        Self::Completed,
        Self::Failed,
        Self::NeedsHumanInput,
        Self::Released,
    ];

    /// The reply's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::NeedsHumanInput => "needs_human_input",
            Self::Released => "released",
        }
    }

    /// The outcome that it ends the turn with; none where the turn goes back to the queue.
    pub const fn outcome(self) -> Option<TurnOutcome> {
        match self {
            Self::Completed => Some(TurnOutcome::Completed),
            Self::Failed => Some(TurnOutcome::Failed),
            Self::NeedsHumanInput => Some(TurnOutcome::NeedsHumanInput),
            Self::Released => None,
        }
    }
}

impl fmt::Display for TurnOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no outcome of a turn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no outcome of a turn")]
pub struct UnknownTurnOutcome(pub String);

impl FromStr for TurnOutcome {
    type Err = UnknownTurnOutcome;

    fn from_str(text: &str) -> Result<Self, UnknownTurnOutcome> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == text)
            .ok_or_else(|| UnknownTurnOutcome(text.to_owned()))
    }
}

/// The token isn't that of the lease that holds now, or that lease ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this lease doesn't hold any more")]
pub struct LeaseLost;

/// A change of a turn that isn't lawful where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the turn is {from} and can't be changed that way")]
pub struct InvalidTurnTransition {
    /// The state it is in.
    pub from: &'static str,
}

impl TurnState {
    /// The state's text.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Leased(_) => "leased",
            Self::Ended(ended) => ended.outcome.as_str(),
        }
    }

    /// The lease that holds at `now`.
    pub fn lease(&self, now: Timestamp) -> Option<&Lease> {
        match self {
            Self::Leased(lease) if lease.until > now => Some(lease),
            Self::Queued | Self::Leased(_) | Self::Ended(_) => None,
        }
    }
}

impl Turn {
    /// Whether its lease ran out by `now`.
    pub fn has_lapsed(&self, now: Timestamp) -> bool {
        matches!(&self.state, TurnState::Leased(lease) if lease.until <= now)
    }

    /// The turn under a new lease; the attempt counts from here.
    pub fn claim(&self, lease: Lease) -> Result<Self, InvalidTurnTransition> {
        match self.state {
            TurnState::Queued => Ok(Self {
                state: TurnState::Leased(lease),
                attempts: self.attempts + 1,
                fence: self.fence + 1,
                ..self.clone()
            }),
            TurnState::Leased(_) | TurnState::Ended(_) => Err(self.unlawful()),
        }
    }

    /// Checks that `token` is that of the lease that holds the turn at `now`.
    pub fn require_lease(
        &self,
        token: Option<LeaseToken>,
        now: Timestamp,
    ) -> Result<Lease, LeaseLost> {
        match self.state.lease(now) {
            Some(lease) if Some(lease.token) == token => Ok(*lease),
            Some(_) | None => Err(LeaseLost),
        }
    }

    /// The turn back in the queue, or stopped when it was claimed too often; with what its worker
    /// said, where it said something.
    pub fn give_back(
        &self,
        (code, words): (&str, Option<&str>),
        at: Timestamp,
    ) -> Result<Self, InvalidTurnTransition> {
        if !matches!(self.state, TurnState::Leased(_)) {
            return Err(self.unlawful());
        }
        let mut next = self.clone();
        if self.attempts < MAX_ATTEMPTS {
            next.state = TurnState::Queued;
            next.reason = Some(code.to_owned());
            next.returned_with = words.map(str::to_owned);
            return Ok(next);
        }
        next.reason = Some(RETRIES_EXHAUSTED.to_owned());
        next.returned_with = None;
        next.state = TurnState::Ended(Ended {
            reply: words.unwrap_or_default().to_owned(),
            ..Ended::by_server(TurnOutcome::Blocked, at)
        });
        Ok(next)
    }

    /// The turn at its end, as its worker says.
    pub fn end(&self, ended: Ended) -> Result<Self, InvalidTurnTransition> {
        match self.state {
            TurnState::Leased(_) => Ok(Self {
                state: TurnState::Ended(ended),
                reason: None,
                returned_with: None,
                ..self.clone()
            }),
            TurnState::Queued | TurnState::Ended(_) => Err(self.unlawful()),
        }
    }

    /// The turn stopped by the server or by a person, with a stable code; whoever works on it has
    /// lost its lease.
    pub fn stop(
        &self,
        outcome: TurnOutcome,
        code: &str,
        at: Timestamp,
    ) -> Result<Self, InvalidTurnTransition> {
        match self.state {
            TurnState::Queued | TurnState::Leased(_) => Ok(Self {
                state: TurnState::Ended(Ended::by_server(outcome, at)),
                reason: Some(code.to_owned()),
                returned_with: None,
                ..self.clone()
            }),
            TurnState::Ended(_) => Err(self.unlawful()),
        }
    }

    /// The turn opened again by a person, with a fresh count of attempts.
    pub fn reopen(&self) -> Result<Self, InvalidTurnTransition> {
        match &self.state {
            TurnState::Ended(ended)
                if !matches!(
                    ended.outcome,
                    TurnOutcome::Completed | TurnOutcome::Cancelled
                ) =>
            {
                Ok(Self {
                    state: TurnState::Queued,
                    attempts: 0,
                    reason: None,
                    ..self.clone()
                })
            }
            TurnState::Queued | TurnState::Leased(_) | TurnState::Ended(_) => Err(self.unlawful()),
        }
    }

    const fn unlawful(&self) -> InvalidTurnTransition {
        InvalidTurnTransition {
            from: self.state.as_str(),
        }
    }
}

impl Ended {
    fn by_server(outcome: TurnOutcome, at: Timestamp) -> Self {
        Self {
            outcome,
            reply: String::new(),
            run: None,
            proposal: None,
            lease: None,
            at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{MemberId, SystemIdGen};

    const AT: Timestamp = Timestamp::from_micros(1_000);

    fn turn() -> Turn {
        let ids = SystemIdGen::default();
        Turn {
            id: TurnId::mint(&ids, AT),
            conversation: ConversationId::mint(&ids, AT),
            number: 1,
            author: Actor::Member(MemberId::mint(&ids, AT)),
            step: None,
            message: "Write.".into(),
            state: TurnState::Queued,
            attempts: 0,
            fence: 0,
            reason: None,
            returned_with: None,
            created_at: AT,
        }
    }

    fn lease(until: i64) -> Lease {
        let ids = SystemIdGen::default();
        Lease {
            token: LeaseToken::mint(&ids, AT),
            connection: ConnectionId::mint(&ids, AT),
            until: Timestamp::from_micros(until),
        }
    }

    fn ended(outcome: TurnOutcome) -> Ended {
        Ended::by_server(outcome, AT)
    }

    #[test]
    fn only_the_lawful_transitions_exist() {
        let mut states = vec![TurnState::Queued, TurnState::Leased(lease(5_000))];
        states.extend(TurnOutcome::ALL.map(|outcome| TurnState::Ended(ended(outcome))));
        let mut lawful = Vec::new();
        for state in states {
            let from = Turn { state, ..turn() };
            let tried = [
                ("claim", from.claim(lease(5_000))),
                ("give back", from.give_back((RELEASED, None), AT)),
                ("end", from.end(ended(TurnOutcome::Completed))),
                ("stop", from.stop(TurnOutcome::Cancelled, "cancelled", AT)),
                ("reopen", from.reopen()),
            ];
            for (how, next) in tried {
                if let Ok(next) = next {
                    let (from, to) = (from.state.as_str(), next.state.as_str());
                    lawful.push(format!("{from} -> {to} ({how})"));
                }
            }
        }
        insta::assert_snapshot!(lawful.join("\n"), @"
        queued -> leased (claim)
        queued -> cancelled (stop)
        leased -> queued (give back)
        leased -> completed (end)
        leased -> cancelled (stop)
        failed -> queued (reopen)
        needs_human_input -> queued (reopen)
        blocked -> queued (reopen)
        ");
    }

    #[test]
    fn each_claim_counts_and_the_third_that_comes_back_stops_the_turn() {
        let mut now = turn();
        for attempt in 1..=MAX_ATTEMPTS {
            now = now.claim(lease(5_000)).expect("queued");
            assert_eq!((now.attempts, now.fence), (attempt, attempt));
            now = now
                .give_back((RELEASED, Some("No gateway.")), AT)
                .expect("leased");
            let words = match &now.state {
                TurnState::Ended(ended) => Some(ended.reply.as_str()),
                TurnState::Queued | TurnState::Leased(_) => now.returned_with.as_deref(),
            };
            assert_eq!(words, Some("No gateway."));
        }
        assert_eq!(now.state.as_str(), "blocked");
        assert_eq!(now.reason.as_deref(), Some(RETRIES_EXHAUSTED));
        let again = now.reopen().expect("blocked");
        assert_eq!(
            (again.attempts, again.fence),
            (0, 3),
            "the fence only grows"
        );
    }

    #[test]
    fn a_lease_holds_by_its_own_token_and_in_its_time_alone() {
        let mine = lease(5_000);
        let held = turn().claim(mine).expect("queued");
        let at = Timestamp::from_micros;
        assert_eq!(held.require_lease(Some(mine.token), at(4_999)), Ok(mine));
        assert_eq!(
            held.require_lease(Some(mine.token), at(5_000)),
            Err(LeaseLost)
        );
        let other = lease(5_000).token;
        assert_eq!(held.require_lease(Some(other), at(1_000)), Err(LeaseLost));
        assert_eq!(held.require_lease(None, at(1_000)), Err(LeaseLost));
        assert_eq!(
            turn().require_lease(Some(mine.token), at(1_000)),
            Err(LeaseLost)
        );
    }
}
