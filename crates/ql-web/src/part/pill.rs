//! States: one of four meanings or none, always with an icon and a word.

use std::borrow::Cow;

use askama::Template;

use super::{Icon, icon};

/// What a state means to the person who looks at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// The public sees it, or it did what it should.
    Live,
    /// On its way: proposed, scheduled or running.
    Proposed,
    /// Waits for a person.
    Needs,
    /// Refused, failed, expired or revoked.
    Stopped,
    /// None of the four.
    Quiet,
}

impl Tone {
    /// The word in class names and icons.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Proposed => "proposed",
            Self::Needs => "needs",
            Self::Stopped => "stopped",
            Self::Quiet => "quiet",
        }
    }

    /// The icon that stands for the meaning.
    pub const fn icon(self) -> Icon {
        icon(self.as_str())
    }
}

impl std::fmt::Display for Tone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A state in one word or two.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(
    ext = "html",
    source = r#"<span class="pill pill-{{ tone }}">{{ tone.icon() }}{{ word }}</span>"#
)]
pub struct Pill {
    /// What the state means.
    pub tone: Tone,
    /// The state's word.
    pub word: Cow<'static, str>,
}

impl Pill {
    /// A state called `word`.
    pub fn new(tone: Tone, word: impl Into<Cow<'static, str>>) -> Self {
        Self {
            tone,
            word: word.into(),
        }
    }
}

super::markup!(Pill, Tone);
