//! Who did something, as history keeps it.

use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

use crate::id::{AgentId, ConnectionId, MemberId};

/// The program that an agent runs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Harness {
    /// Hermes Agent.
    Hermes,
    /// `OpenAI` Codex.
    Codex,
    /// `ChatGPT`.
    Chatgpt,
    /// Claude Code or Claude.
    Claude,
    /// Grok.
    Grok,
    /// Any other MCP client.
    Other,
}

impl Harness {
    /// Every harness.
    pub const ALL: [Self; 6] = [
        Self::Hermes,
        Self::Codex,
        Self::Chatgpt,
        Self::Claude,
        Self::Grok,
        Self::Other,
    ];

    /// The harness's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hermes => "hermes",
            Self::Codex => "codex",
            Self::Chatgpt => "chatgpt",
            Self::Claude => "claude",
            Self::Grok => "grok",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no harness.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no harness; the harnesses are hermes, codex, chatgpt, claude, grok, other")]
pub struct UnknownHarness(pub String);

impl FromStr for Harness {
    type Err = UnknownHarness;

    fn from_str(text: &str) -> Result<Self, UnknownHarness> {
        Self::ALL
            .into_iter()
            .find(|harness| harness.as_str() == text)
            .ok_or_else(|| UnknownHarness(text.to_owned()))
    }
}

/// Who acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Actor {
    /// An agent through one of its connections.
    Agent {
        /// The governance identity.
        agent: AgentId,
        /// The credential it used.
        connection: ConnectionId,
        /// The program it ran in.
        harness: Harness,
    },
    /// A signed-in member.
    Member(MemberId),
    /// Somebody with the machine's own authority, by operating-system user number.
    Operator {
        /// The Unix user id of the calling process.
        uid: u32,
    },
    /// The server itself, when a rule or a time limit made it act.
    System,
}

impl Actor {
    /// The actor as the ledger records it.
    pub fn to_json(self) -> Value {
        match self {
            Self::Agent {
                agent,
                connection,
                harness,
            } => {
                json!({"type": "agent", "agent": agent, "connection": connection, "harness": harness})
            }
            Self::Member(member) => json!({"type": "member", "member": member}),
            Self::Operator { uid } => json!({"type": "operator", "uid": uid}),
            Self::System => json!({"type": "system"}),
        }
    }

    /// The actor as one stored text: `agent:…`, `member:…`, `operator:…` or `system`.
    pub fn to_text(self) -> String {
        match self {
            Self::Agent {
                agent,
                connection,
                harness,
            } => format!("agent:{agent}:{connection}:{harness}"),
            Self::Member(member) => format!("member:{member}"),
            Self::Operator { uid } => format!("operator:{uid}"),
            Self::System => "system".to_owned(),
        }
    }

    /// The beginning of [`Actor::to_text`] that names who acted, whatever credential was used: an
    /// agent is the same one over each of its connections.
    pub fn identity(self) -> String {
        match self {
            Self::Agent { agent, .. } => format!("agent:{agent}:"),
            Self::Member(_) | Self::Operator { .. } | Self::System => self.to_text(),
        }
    }

    /// Whether two may be one and the same person, each given with whoever made the sign-in link that
    /// let it in: whoever makes a link could open it. Only members are people here.
    pub fn may_be_one_person(one: (Self, Option<Self>), other: (Self, Option<Self>)) -> bool {
        let others = [Some(other.0), other.1];
        [Some(one.0), one.1]
            .into_iter()
            .flatten()
            .filter(|actor| matches!(actor, Self::Member(_)))
            .any(|actor| others.contains(&Some(actor)))
    }

    /// Reads what [`Actor::to_text`] wrote.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let actor = match parts.next()? {
            "agent" => Self::Agent {
                agent: parts.next()?.parse().ok()?,
                connection: parts.next()?.parse().ok()?,
                harness: parts.next()?.parse().ok()?,
            },
            "member" => Self::Member(parts.next()?.parse().ok()?),
            "operator" => Self::Operator {
                uid: parts.next()?.parse().ok()?,
            },
            "system" => Self::System,
            _ => return None,
        };
        parts.next().is_none().then_some(actor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SystemIdGen;
    use crate::time::Timestamp;

    #[test]
    fn stored_texts_read_back() {
        let ids = SystemIdGen::default();
        let now = Timestamp::from_micros(1);
        let agent = Actor::Agent {
            agent: AgentId::mint(&ids, now),
            connection: ConnectionId::mint(&ids, now),
            harness: Harness::Codex,
        };
        for actor in [
            agent,
            Actor::Member(MemberId::mint(&ids, now)),
            Actor::Operator { uid: 7 },
            Actor::System,
        ] {
            assert_eq!(Actor::from_text(&actor.to_text()), Some(actor));
        }
        assert_eq!(Actor::from_text("system:extra"), None);
        assert_eq!(Actor::from_text("root"), None);
    }
}
