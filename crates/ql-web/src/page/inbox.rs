//! The inbox: proposals that wait for a person, by risk and age.

use askama::Template;

use super::sample::{ago, shell, writer};
use super::{Section, Shell};
use crate::part::{Choice, Pill, Risk, Select, Tone, When, Who};

/// The list of proposals.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "inbox.html")]
pub struct Inbox {
    /// The frame.
    pub shell: Shell,
    /// The lists by state.
    pub tabs: Vec<Tab>,
    /// What is typed into the search.
    pub query: String,
    /// The other filters.
    pub filters: Vec<Select>,
    /// How many proposals match.
    pub count: u64,
    /// How many came after the page was first shown.
    pub fresh: u64,
    /// The address that asks for `fresh`, and the one that shows them.
    pub poll: String,
    /// The address of this list from its start.
    pub start: String,
    /// This page of the list.
    pub rows: Vec<InboxRow>,
    /// The address of the next page.
    pub next: Option<String>,
    /// Whether this member may reject any of them.
    pub may_reject: bool,
    /// Whether any filter is set.
    pub is_filtered: bool,
    /// The MCP endpoint, for the empty inbox.
    pub mcp_url: String,
}

/// One list of the inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    /// Its address.
    pub href: String,
    /// The value of `state` in the address.
    pub state: &'static str,
    /// Its word.
    pub text: &'static str,
    /// How many it holds, where that is worth saying.
    pub count: Option<u64>,
    /// Whether it's the one shown.
    pub is_here: bool,
}

/// One proposal in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxRow {
    /// Its identifier.
    pub id: String,
    /// The digest that a decision made from the list would name.
    pub digest: String,
    /// Its page.
    pub href: String,
    /// What approving it does: `Publish revision #12 of /visit`.
    pub effect: String,
    /// What the proposer called it.
    pub title: String,
    /// How much can go wrong.
    pub risk: Risk,
    /// Where it stands.
    pub state: Pill,
    /// Who proposed it.
    pub by: Who,
    /// When it was proposed.
    pub at: When,
    /// When it can no longer be approved.
    pub expires: Option<When>,
    /// Whether it can still be rejected.
    pub is_pending: bool,
}

impl Inbox {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        use ql_core::proposal::Risk::{High, Low, Medium};
        let choose = |name, label, all: &str, rest: &[&str]| Select {
            name,
            label,
            chosen: String::new(),
            choices: std::iter::once(Choice::new("", all))
                .chain(rest.iter().map(|text| Choice::new(*text, *text)))
                .collect(),
        };
        let tab = |state: &'static str, text, count, is_here| Tab {
            href: format!("/sites/elmsea/inbox?state={state}"),
            state,
            text,
            count,
            is_here,
        };
        let row = |id: &str, risk, effect: &str, title: &str, minutes| InboxRow {
            id: id.into(),
            digest: super::sample::DIGEST.into(),
            href: format!("/sites/elmsea/proposals/{id}"),
            effect: effect.into(),
            title: title.into(),
            risk: Risk(risk),
            state: Pill::new(Tone::Needs, "Needs you"),
            by: writer(),
            at: ago(minutes),
            expires: Some(ago(-60 * 24 * 13)),
            is_pending: true,
        };
        Self {
            shell: shell(Section::Inbox),
            tabs: vec![
                tab("pending", "Needs you", Some(4), true),
                tab("scheduled", "Scheduled", Some(1), false),
                tab("decided", "Decided", None, false),
                tab("all", "All", None, false),
            ],
            query: String::new(),
            filters: vec![
                choose("kind", "Kind", "Any kind", &["Publication", "New content"]),
                choose("risk", "Risk", "Any risk", &["high", "medium", "low"]),
                choose("agent", "Agent", "Any proposer", &["Garden writer"]),
            ],
            count: 4,
            fresh: 3,
            poll: "/sites/elmsea/inbox?since=prop_4".into(),
            start: "/sites/elmsea/inbox".into(),
            rows: vec![
                row(
                    "prop_4",
                    High,
                    "Archive /opening-hours-2019 and 2 more",
                    "Put old hours away",
                    190,
                ),
                row(
                    "prop_1",
                    Medium,
                    "Publish revision #12 of /visit",
                    "New ticket prices from January",
                    12,
                ),
                row(
                    "prop_2",
                    Medium,
                    "Take /summer-lates off the site",
                    "The summer lates are over",
                    48,
                ),
                row(
                    "prop_3",
                    Low,
                    "Create /dogs from the template Landing page",
                    "A page about dogs",
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
            count: 0,
            fresh: 0,
            ..Self::sample()
        }
    }
}
