//! What kind of model a role needs.

use serde::{Deserialize, Serialize};

/// What kind of model a role needs (seed, §7). Which model serves a tier is the server's
/// configuration and no part of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Thinks: research, exegesis, direction, analytics.
    Reasoning,
    /// Writes: scripts, descriptions, shorts.
    Writing,
    /// Sees.
    Vision,
    /// Draws.
    Image,
    /// Speaks.
    Tts,
    /// Needs no model: publishing.
    None,
}

impl Tier {
    /// Every tier.
    pub const ALL: [Self; 6] = [
        Self::Reasoning,
        Self::Writing,
        Self::Vision,
        Self::Image,
        Self::Tts,
        Self::None,
    ];

    /// The name for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reasoning => "reasoning",
            Self::Writing => "writing",
            Self::Vision => "vision",
            Self::Image => "image",
            Self::Tts => "tts",
            Self::None => "none",
        }
    }
}
