//! The inbox: proposals that wait for a person, by risk and age.

use askama::Template;

use super::Shell;
use crate::part::{Pill, Risk, Select, When, Who};

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
    /// How many proposals match, in words.
    pub count: String,
    /// How many came after the page was first shown.
    pub fresh: usize,
    /// The address that asks for `fresh`, and the one that shows them.
    pub poll: String,
    /// The address of this list from its start.
    pub start: String,
    /// The address of the inbox without filters.
    pub path: String,
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
    /// Whether it can still be rejected.
    pub is_pending: bool,
}
