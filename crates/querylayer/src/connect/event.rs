//! What a connector did, for whoever reads its output. No token, no message and no answer is in it.

use std::fmt;

use serde::Serialize;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The server knows what is here, and the agent's profile is among it.
    Available {
        /// The profile's current name.
        profile: String,
    },
    /// The server knows what is here, and the agent can't work with it.
    Unavailable(Why),
    /// A turn waits that isn't taken.
    NotTaken {
        /// The turn.
        turn_id: String,
        /// Why.
        #[serde(flatten)]
        why: Why,
    },
    /// A turn was taken to its session.
    Taken {
        /// The turn.
        turn_id: String,
        /// The session.
        session_id: String,
    },
    /// The agent's answer ended the turn.
    Answered {
        /// The turn.
        turn_id: String,
    },
    /// The turn ended while the session worked on it: the agent completed it, or a person stopped it.
    Ended {
        /// The turn.
        turn_id: String,
    },
    /// The turn was given back.
    Released {
        /// The turn.
        turn_id: String,
        /// Why.
        #[serde(flatten)]
        why: Why,
    },
    /// The server can't be asked now.
    Retrying {
        /// What stands in the way.
        message: String,
    },
}

/// Why something isn't done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Why {
    /// A stable code.
    pub reason: String,
    /// In words.
    pub message: String,
    /// What to do about it; empty where the words say it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub remedy: String,
}

impl Event {
    /// Whether somebody should look at it.
    pub const fn is_trouble(&self) -> bool {
        match self {
            Self::Available { .. }
            | Self::Taken { .. }
            | Self::Answered { .. }
            | Self::Ended { .. } => false,
            Self::Unavailable(_)
            | Self::NotTaken { .. }
            | Self::Released { .. }
            | Self::Retrying { .. } => true,
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Available { profile } => write!(f, "the agent's profile is here, as {profile}"),
            Self::Unavailable(why) => write!(f, "NOT available: {why}"),
            Self::NotTaken { turn_id, why } => write!(f, "NOT taken {turn_id}: {why}"),
            Self::Taken {
                turn_id,
                session_id,
            } => write!(f, "taken {turn_id} to the session {session_id}"),
            Self::Answered { turn_id } => write!(f, "answered {turn_id}"),
            Self::Ended { turn_id } => write!(f, "ended {turn_id}, by the agent or a person"),
            Self::Released { turn_id, why } => write!(f, "given back {turn_id}: {why}"),
            Self::Retrying { message } => write!(f, "trying again: {message}"),
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.reason)?;
        match self.remedy.as_str() {
            "" => Ok(()),
            remedy => write!(f, ". {remedy}"),
        }
    }
}
