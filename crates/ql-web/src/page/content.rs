//! Content: the list of items, and one item with its revisions.

use askama::Template;

use super::Shell;
use crate::part::{Fact, Link, Pill, RevisionChip, Select, When, Who};

/// The list of content items.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "content.html")]
pub struct Content {
    /// The frame.
    pub shell: Shell,
    /// What is typed into the search.
    pub query: String,
    /// The other filters.
    pub filters: Vec<Select>,
    /// Whether any filter is set.
    pub is_filtered: bool,
    /// This page of the list.
    pub rows: Vec<ContentRow>,
    /// The address of the next page.
    pub next: Option<String>,
    /// Whether this member may write.
    pub may_edit: bool,
}

/// One item in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentRow {
    /// Its title and page.
    pub link: Link,
    /// Its public path.
    pub path: String,
    /// The template's title.
    pub template: String,
    /// The language.
    pub locale: String,
    /// Where it stands; one or two states.
    pub states: Vec<Pill>,
    /// What is live.
    pub live: Option<RevisionChip>,
    /// The newest draft.
    pub draft: RevisionChip,
    /// Who wrote the newest draft.
    pub by: Who,
    /// When.
    pub at: When,
}

/// One content item.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "content_item.html")]
pub struct ContentPage {
    /// The frame.
    pub shell: Shell,
    /// The item's identifier.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its public path.
    pub path: String,
    /// Its public address, while it's live.
    pub public: Option<String>,
    /// Where it stands.
    pub states: Vec<Pill>,
    /// What can be done next, in the words of its effect: `Ask to publish #12`.
    pub primary: Option<Link>,
    /// What else can be done.
    pub actions: Vec<Link>,
    /// The address of the form for editing, where this member may.
    pub edit: Option<String>,
    /// Proposals about it that are open.
    pub proposals: Vec<Link>,
    /// The revisions, the newest first.
    pub revisions: Vec<RevisionRow>,
    /// The address of earlier revisions.
    pub next: Option<String>,
    /// Other facts.
    pub facts: Vec<Fact>,
    /// Its translations.
    pub translations: Vec<Link>,
    /// The rendered preview of the newest draft.
    pub preview: String,
}

/// One revision in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionRow {
    /// Its identifier.
    pub id: String,
    /// Its chip.
    pub chip: RevisionChip,
    /// `Live` or `Draft`, where it is one.
    pub marks: Vec<Pill>,
    /// Who wrote it.
    pub by: Who,
    /// By which connection.
    pub via: Option<Who>,
    /// In which run.
    pub run: Option<Link>,
    /// What was said about the change.
    pub note: String,
    /// When.
    pub at: When,
    /// The page that rolls back to it.
    pub roll_back: Option<String>,
    /// Whether the comparison starts from it.
    pub is_from: bool,
    /// Whether the comparison ends at it.
    pub is_to: bool,
}
