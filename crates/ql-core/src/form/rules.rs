//! How the posts of a form are screened.

use serde::{Deserialize, Serialize};

use crate::fold::fold;
use crate::problem::Problem;
use crate::time::{days, hours, minutes};

/// How the posts of a form are screened. What is left out of a stored or given text has its usual
/// value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Posts that come sooner than so many seconds after the form was fetched are rejected.
    pub min_fill_seconds: u32,
    /// Posts that come later than so many hours after it are held.
    pub max_fill_hours: u32,
    /// Posts with more links than this are held.
    pub max_links: u32,
    /// So many posts of one network are taken within `network_minutes`, and more are rejected; 0
    /// for any number.
    pub posts_per_network: u32,
    /// See `posts_per_network`.
    pub network_minutes: u32,
    /// A text that came within so many hours before is held; 0 for never.
    pub duplicate_hours: u32,
    /// What becomes of posts with a throw-away mail address.
    pub disposable_addresses: Action,
    /// What becomes of posts with certain texts.
    pub texts: Vec<TextRule>,
    /// Rejected posts are removed after so many days, and their totals with them.
    pub retention_days: u32,
}

/// What a rule does with a post that it meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Nothing.
    Allow,
    /// Keeps it back for a member.
    #[default]
    Hold,
    /// Turns it away.
    Reject,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Hold, Self::Reject];

    /// The action's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Hold => "hold",
            Self::Reject => "reject",
        }
    }
}

impl std::str::FromStr for Action {
    type Err = UnknownAction;

    fn from_str(text: &str) -> Result<Self, UnknownAction> {
        let known = Self::ALL.into_iter().find(|action| action.as_str() == text);
        known.ok_or(UnknownAction)
    }
}

/// A text that names no action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected allow, hold or reject")]
pub struct UnknownAction;

/// A text that a form's posts are searched for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextRule {
    /// The words; case and accents don't matter.
    pub contains: String,
    /// What becomes of a post that holds them.
    #[serde(default)]
    pub action: Action,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            min_fill_seconds: 3,
            max_fill_hours: 24,
            max_links: 2,
            posts_per_network: 20,
            network_minutes: 10,
            duplicate_hours: 24,
            disposable_addresses: Action::Hold,
            texts: Vec::new(),
            retention_days: 30,
        }
    }
}

impl Rules {
    /// The shortest time that a person takes to fill the form in.
    pub fn min_fill(&self) -> std::time::Duration {
        std::time::Duration::from_secs(self.min_fill_seconds.into())
    }

    /// How long a fetched form can be sent.
    pub fn max_fill(&self) -> std::time::Duration {
        hours(self.max_fill_hours.into())
    }

    /// The time in which one network's posts are counted.
    pub fn network_window(&self) -> std::time::Duration {
        minutes(self.network_minutes.into())
    }

    /// The time in which the same text is a duplicate.
    pub fn duplicate_window(&self) -> std::time::Duration {
        hours(self.duplicate_hours.into())
    }

    /// How long rejected posts are kept.
    pub fn retention(&self) -> std::time::Duration {
        days(self.retention_days.into())
    }

    /// Everything that is wrong with the rules.
    pub fn check(&self) -> Vec<Problem> {
        let bounds = [
            ("min_fill_seconds", self.min_fill_seconds, 0..=600),
            ("max_fill_hours", self.max_fill_hours, 1..=720),
            ("max_links", self.max_links, 0..=100),
            ("posts_per_network", self.posts_per_network, 0..=100_000),
            ("network_minutes", self.network_minutes, 1..=1_440),
            ("duplicate_hours", self.duplicate_hours, 0..=720),
            ("retention_days", self.retention_days, 1..=365),
        ];
        let mut problems: Vec<Problem> = bounds
            .into_iter()
            .filter(|(_, value, lawful)| !lawful.contains(value))
            .map(|(name, value, lawful)| {
                let (low, high) = lawful.into_inner();
                let message = format!("expected {low} to {high}, found {value}");
                Problem::new(format!("/rules/{name}"), "range", message)
            })
            .collect();
        if self.texts.len() > 200 {
            let message = "expected at most 200 texts";
            problems.push(Problem::new("/rules/texts", "range", message));
        }
        for (index, rule) in self.texts.iter().enumerate() {
            let length = fold(rule.contains.trim()).len();
            if !(2..=200).contains(&length) {
                let at = format!("/rules/texts/{index}/contains");
                problems.push(Problem::new(at, "range", "expected 2 to 200 characters"));
            }
        }
        problems
    }
}
