//! Conversations of people with one agent, each bound to one session that the agent's harness owns.

use crate::id::{AgentId, ConversationId, MemberId, OrganizationId, SiteId, TurnId};
use crate::time::Timestamp;

/// The most characters of a session's identifier.
pub const MAX_SESSION: usize = 200;

/// A conversation of people with an agent on a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// Identity.
    pub id: ConversationId,
    /// The tenant.
    pub organization: OrganizationId,
    /// The site.
    pub site: SiteId,
    /// The agent that people talk with.
    pub agent: AgentId,
    /// Who began it.
    pub started_by: MemberId,
    /// The session it is bound to; none before the first claim that names one.
    pub binding: Option<Binding>,
    /// The first turn that isn't over.
    pub next_turn: Option<TurnId>,
    /// From when on that turn can be claimed; in the future while somebody holds its lease.
    pub claimable_at: Timestamp,
    /// How many turns there are.
    pub turns: i64,
    /// A number that grows with every change.
    pub version: i64,
    /// When it began.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The harness's session that a conversation is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The session that the first claim named.
    pub root: String,
    /// The session that goes on from it now: harnesses begin a new one when they compress.
    pub tip: String,
}

/// The sessions that a claim names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Presented {
    /// The session that claims.
    pub session: Option<String>,
    /// The one that it goes on from.
    pub previous: Option<String>,
}

/// What is known about a session: its conversation, and whether it is the newest one there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// Whether no other session goes on from it.
    pub is_tip: bool,
}

/// Where a claim may look for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// In the session's own conversation.
    Bound(ConversationId),
    /// In that conversation, once the session is recorded as the one that goes on from its tip.
    Succeeds(ConversationId),
    /// In any conversation that isn't bound yet.
    Unbound,
}

/// Why a session isn't let into a conversation. Nothing is ever put in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SessionRefused {
    /// The harness owns named sessions and named none.
    #[error("the session that claims isn't named")]
    Unnamed,
    /// A later session goes on from it.
    #[error("a later session goes on from this one")]
    Superseded,
    /// The session that is named as the one before belongs to no conversation.
    #[error("the session that it shall go on from belongs to no conversation of this agent")]
    UnknownPrevious,
    /// The session belongs to another conversation.
    #[error("the session belongs to another conversation")]
    AnotherConversation,
}

impl SessionRefused {
    /// A stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unnamed => "session_unnamed",
            Self::Superseded => "session_superseded",
            Self::UnknownPrevious => "previous_session_unknown",
            Self::AnotherConversation => "session_of_another_conversation",
        }
    }
}

impl Presented {
    /// Where a claim with these sessions may look, given what is known of each of them.
    pub fn reach(
        &self,
        session: Option<Known>,
        previous: Option<Known>,
    ) -> Result<Reach, SessionRefused> {
        match (&self.session, session, &self.previous) {
            (None, _, Some(_)) => Err(SessionRefused::Unnamed),
            (None, _, None) | (Some(_), None, None) => Ok(Reach::Unbound),
            (Some(_), Some(known), _) if !known.is_tip => Err(SessionRefused::Superseded),
            (Some(_), Some(known), None) => Ok(Reach::Bound(known.conversation)),
            (Some(_), Some(known), Some(_)) => match previous {
                // A claim that is repeated names the one before once more.
                Some(before) if before.conversation == known.conversation => {
                    Ok(Reach::Bound(known.conversation))
                }
                Some(_) | None => Err(SessionRefused::AnotherConversation),
            },
            (Some(_), None, Some(_)) => match previous {
                Some(before) if before.is_tip => Ok(Reach::Succeeds(before.conversation)),
                Some(_) => Err(SessionRefused::Superseded),
                None => Err(SessionRefused::UnknownPrevious),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SystemIdGen;

    #[test]
    fn a_session_reaches_its_own_conversation_or_one_that_is_bound_to_none() {
        let (ids, now) = (SystemIdGen::default(), Timestamp::from_micros(1));
        let [ours, other] = [(); 2].map(|()| ConversationId::mint(&ids, now));
        let tip = |conversation| {
            Some(Known {
                conversation,
                is_tip: true,
            })
        };
        let old = |conversation| {
            Some(Known {
                conversation,
                is_tip: false,
            })
        };
        let named = |session: Option<&str>, previous: Option<&str>| Presented {
            session: session.map(str::to_owned),
            previous: previous.map(str::to_owned),
        };
        let alone = named(Some("s2"), None);
        let after = named(Some("s2"), Some("s1"));
        for (presented, session, previous, expected) in [
            (named(None, None), None, None, Ok(Reach::Unbound)),
            (
                named(None, Some("s1")),
                None,
                tip(ours),
                Err(SessionRefused::Unnamed),
            ),
            (alone.clone(), None, None, Ok(Reach::Unbound)),
            (alone.clone(), tip(ours), None, Ok(Reach::Bound(ours))),
            (alone, old(ours), None, Err(SessionRefused::Superseded)),
            (after.clone(), None, tip(ours), Ok(Reach::Succeeds(ours))),
            (
                after.clone(),
                None,
                old(ours),
                Err(SessionRefused::Superseded),
            ),
            (
                after.clone(),
                None,
                None,
                Err(SessionRefused::UnknownPrevious),
            ),
            (after.clone(), tip(ours), old(ours), Ok(Reach::Bound(ours))),
            (
                after.clone(),
                tip(ours),
                tip(other),
                Err(SessionRefused::AnotherConversation),
            ),
            (
                after,
                tip(ours),
                None,
                Err(SessionRefused::AnotherConversation),
            ),
        ] {
            let found = presented.reach(session, previous);
            assert_eq!(found, expected, "{presented:?} {session:?} {previous:?}");
        }
    }
}
