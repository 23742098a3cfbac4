//! What happens in the console.

use ql_core::turn::Reply;

use super::Which;

/// A call about conversations, their turns and the leases on them.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) enum Console {
    /// Somebody begins a conversation with an agent: the first is the site's own.
    Converse(Which),
    /// Somebody writes the next turn.
    Say(Which, &'static str),
    Take(Take),
    Renew(Which, Which),
    Complete(Complete),
    /// Somebody opens a turn again.
    Reopen(Which),
    /// Somebody stops a turn.
    Stop(Which),
}

/// The agent claims a turn, in a session that may go on from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Take {
    pub(in super::super) session: Option<&'static str>,
    pub(in super::super) previous: Option<&'static str>,
}

/// The agent says what came of a turn, with the token of a lease.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Complete {
    pub(in super::super) turn: Which,
    pub(in super::super) lease: Which,
    pub(in super::super) reply: Reply,
    pub(in super::super) message: &'static str,
    pub(in super::super) session: Option<&'static str>,
}
