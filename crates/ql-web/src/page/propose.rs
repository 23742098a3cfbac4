//! Asking for something by hand, and rolling back: what will change beside the button that does it.

use askama::Template;

use super::proposal::Effect;
use super::sample::{fields, next_fields, revision, schema, shell};
use super::{Section, Shell};
use crate::diff::Diff;
use crate::part::{Link, RevisionChip};

/// A member's own proposal before it is made.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "propose.html")]
pub struct Propose {
    /// The frame.
    pub shell: Shell,
    /// The item.
    pub content: Link,
    /// What the page is called: `Ask to publish #12 of /visit`.
    pub heading: String,
    /// What happens then, in a sentence.
    pub then: String,
    /// Where the form goes.
    pub action: String,
    /// Values that the form carries.
    pub hidden: Vec<(&'static str, String)>,
    /// The words of the button.
    pub button: String,
    /// Whether the button takes effect at once, as a roll-back does.
    pub is_at_once: bool,
    /// Whether the password is asked for.
    pub asks_password: bool,
    /// What changes.
    pub effect: Effect,
    /// What the sides of the comparison are.
    pub sides: (
        &'static str,
        Option<RevisionChip>,
        &'static str,
        Option<RevisionChip>,
    ),
    /// The differences, where contents change.
    pub diff: Option<Diff>,
    /// When it is to happen, for a publication.
    pub schedule: Option<Schedule>,
    /// What the reason is called.
    pub reason_label: &'static str,
    /// The reason as typed.
    pub reason: String,
    /// Why it didn't work.
    pub problem: Option<String>,
}

/// A later publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// The site's time zone.
    pub zone: String,
    /// The local time as typed.
    pub at: String,
}

impl Propose {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let page = "/sites/elmsea/content/cnt_visit";
        Self {
            shell: shell(Section::Content),
            content: Link::new(page, "/visit"),
            heading: "Ask to publish #12 of /visit".into(),
            then: "It goes to the inbox. When somebody who may approves it, exactly this revision \
                   becomes what the public reads."
                .into(),
            action: format!("{page}/propose"),
            hidden: vec![("action", "publish".into()), ("revision", "rev_12".into())],
            button: "Ask to publish #12 of /visit".into(),
            is_at_once: false,
            asks_password: false,
            effect: Effect {
                path: "/visit".into(),
                moves_from: Some("/visiting".into()),
                before: Some(revision(9)),
                before_word: "not live",
                after: Some(revision(12)),
                after_word: "not live",
            },
            sides: (
                "Live now",
                Some(revision(9)),
                "Asked for",
                Some(revision(12)),
            ),
            diff: Some(Diff::between(&fields(), &next_fields(), &schema())),
            schedule: Some(Schedule {
                zone: "Europe/London".into(),
                at: String::new(),
            }),
            reason_label: "Why",
            reason: String::new(),
            problem: None,
        }
    }

    /// A roll-back, which takes effect at once.
    pub fn roll_back_sample() -> Self {
        let page = "/sites/elmsea/content/cnt_visit";
        Self {
            heading: "Roll /visit back to #8".into(),
            then: "The public reads #8 again at once. Newer drafts stay as they are.".into(),
            action: format!("{page}/roll-back"),
            hidden: vec![("to", "rev_8".into())],
            button: "Put #8 of /visit live again".into(),
            is_at_once: true,
            asks_password: true,
            effect: Effect {
                path: "/visit".into(),
                moves_from: None,
                before: Some(revision(9)),
                before_word: "not live",
                after: Some(revision(8)),
                after_word: "not live",
            },
            sides: (
                "Live now",
                Some(revision(9)),
                "Live again",
                Some(revision(8)),
            ),
            schedule: None,
            diff: Some(Diff::between(&next_fields(), &fields(), &schema())),
            ..Self::sample()
        }
    }
}
