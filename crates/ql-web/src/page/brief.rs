//! Content briefs: the list, and one.

use askama::Template;

use super::Shell;
use crate::part::{Digest, Fact, Link, Pill, Select, When};

/// The list of briefs.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "briefs.html")]
pub struct Briefs {
    /// The frame.
    pub shell: Shell,
    /// The filters.
    pub filters: Vec<Select>,
    /// Whether any filter is set.
    pub is_filtered: bool,
    /// This page of the list.
    pub rows: Vec<BriefRow>,
    /// The address of the next page.
    pub next: Option<String>,
}

/// One brief in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefRow {
    /// Its title and page.
    pub link: Link,
    /// The search that the page answers.
    pub query: Option<String>,
    /// The nodes above it, as a path.
    pub place: String,
    /// Where its page stands.
    pub status: Pill,
    /// The page that answered it.
    pub content: Option<Link>,
    /// When it was commissioned.
    pub at: When,
}

/// One brief.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "brief.html")]
pub struct BriefPage {
    /// The frame.
    pub shell: Shell,
    /// Its identifier.
    pub id: String,
    /// The working title.
    pub title: String,
    /// Where its page stands.
    pub status: Pill,
    /// What happens next, in a sentence.
    pub next: &'static str,
    /// What it asks for.
    pub facts: Vec<Fact>,
    /// The nodes above it.
    pub above: Vec<String>,
    /// The pages beside it.
    pub beside: Vec<String>,
    /// Its node on the map.
    pub node: Link,
    /// The proposal that commissioned it.
    pub commissioned_by: Link,
    /// When.
    pub at: When,
    /// The page that answered it.
    pub content: Option<Link>,
    /// The proposal whose approval accepted that.
    pub accepted_by: Option<Link>,
    /// The brief's hash.
    pub sha256: Digest,
}
