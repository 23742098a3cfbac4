//! Inboxes as the tests and the gallery show them.

use ql_core::proposal::Risk::{self, High, Low, Medium};

use super::Section;
use super::inbox::{Inbox, InboxRow, Tab};
use super::sample::{DIGEST, ago, shell, writer};
use crate::part::{self, Choice, Pill, Select, Tone};

impl Inbox {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Inbox),
            tabs: vec![
                tab("pending", "Needs you", Some(4)),
                tab("approved", "Scheduled", None),
                tab("executed", "Carried out", None),
                tab("all", "All", None),
            ],
            query: String::new(),
            filters: vec![
                choose("state", "State", &["Needs you", "Any state"]),
                choose("kind", "Kind", &["Any kind", "Publication"]),
                choose("risk", "Risk", &["Any risk", "high risk"]),
                choose("agent", "Proposer", &["Any proposer", "Garden writer"]),
            ],
            count: "4 proposals".into(),
            fresh: 3,
            poll: "/sites/elmsea/inbox?since=prop_4".into(),
            start: "/sites/elmsea/inbox".into(),
            path: "/sites/elmsea/inbox".into(),
            rows: vec![
                row(
                    "prop_4",
                    High,
                    (
                        "Archive /opening-hours-2019 and 2 more",
                        "Put old hours away",
                    ),
                    190,
                ),
                row(
                    "prop_1",
                    Medium,
                    (
                        "Publish revision #12 of /visit",
                        "New ticket prices from January",
                    ),
                    12,
                ),
                row(
                    "prop_2",
                    Medium,
                    (
                        "Take /summer-lates off the site",
                        "The summer lates are over",
                    ),
                    48,
                ),
                row(
                    "prop_3",
                    Low,
                    (
                        "Create a draft of /dogs from the template Landing page",
                        "A page about dogs",
                    ),
                    1_600,
                ),
            ],
            next: None,
            may_reject: true,
            is_filtered: false,
            mcp_url: "https://cms.garden.example/mcp".into(),
        }
    }

    /// An inbox with nothing in it.
    pub fn empty_sample() -> Self {
        Self {
            rows: vec![],
            count: "0 proposals".into(),
            fresh: 0,
            ..Self::sample()
        }
    }
}

fn tab(state: &str, text: &'static str, count: Option<u64>) -> Tab {
    Tab {
        href: format!("/sites/elmsea/inbox?state={state}"),
        text,
        count,
        is_here: state == "pending",
    }
}

fn choose(name: &'static str, label: &'static str, words: &[&str]) -> Select {
    Select {
        name,
        label,
        chosen: String::new(),
        choices: words.iter().map(|word| Choice::new(*word, *word)).collect(),
    }
}

fn row(id: &str, risk: Risk, (effect, title): (&str, &str), minutes: i64) -> InboxRow {
    InboxRow {
        id: id.into(),
        digest: DIGEST.into(),
        href: format!("/sites/elmsea/proposals/{id}"),
        effect: effect.into(),
        title: title.into(),
        risk: part::Risk(risk),
        state: Pill::new(Tone::Needs, "Needs you"),
        by: writer(),
        at: ago(minutes),
        is_pending: true,
    }
}
