//! The essential facts of an answer, in words that the model and the engines share.

use std::fmt::Display;

/// What was answered: the facts, or the code of the refusal.
pub(super) type Answer = Result<String, &'static str>;

/// Things in a row.
pub(super) fn row<T: Display>(things: impl IntoIterator<Item = T>) -> String {
    let texts: Vec<String> = things.into_iter().map(|thing| thing.to_string()).collect();
    format!("[{}]", texts.join(", "))
}

/// `none`, or the thing.
pub(super) fn maybe<T: Display>(thing: Option<T>) -> String {
    thing.map_or_else(|| "none".to_owned(), |thing| thing.to_string())
}

/// A draft that was written, or that says what its base says.
pub(super) struct Drafted<'a> {
    pub(super) item: usize,
    pub(super) revision: usize,
    pub(super) number: i64,
    pub(super) slug: &'a str,
    pub(super) unchanged: bool,
    pub(super) changes: Vec<String>,
}

impl Drafted<'_> {
    pub(super) fn facts(&self) -> String {
        format!(
            "item {} revision {} number {} at {} unchanged {} changes {}",
            self.item,
            self.revision,
            self.number,
            self.slug,
            self.unchanged,
            row(&self.changes)
        )
    }
}

/// A proposal as it was put before people.
pub(super) struct Proposed<'a> {
    pub(super) proposal: usize,
    pub(super) kind: &'a str,
    pub(super) risk: &'a str,
    pub(super) expires_at: String,
    pub(super) joined: bool,
    pub(super) superseded: Vec<usize>,
}

impl Proposed<'_> {
    pub(super) fn facts(&self) -> String {
        format!(
            "proposal {} {} risk {} until {} joined {} supersedes {}",
            self.proposal,
            self.kind,
            self.risk,
            self.expires_at,
            self.joined,
            row(&self.superseded)
        )
    }
}

/// A proposal as it stands.
pub(super) struct Standing {
    pub(super) proposal: usize,
    /// The name of its state, with the reason or the instant that belongs to it.
    pub(super) state: String,
    pub(super) risk: &'static str,
    pub(super) approvals: usize,
    pub(super) needed: u32,
    /// What keeps it from being carried out, item by item.
    pub(super) stale: Vec<String>,
}

impl Standing {
    pub(super) fn facts(&self) -> String {
        format!(
            "proposal {} {} risk {} approvals {}/{} preconditions {}",
            self.proposal,
            self.state,
            self.risk,
            self.approvals,
            self.needed,
            row(&self.stale)
        )
    }
}

/// An item as a list shows it.
pub(super) struct Listed<'a> {
    pub(super) item: usize,
    pub(super) status: &'a str,
    pub(super) title: &'a str,
    pub(super) draft: usize,
    pub(super) live: Option<usize>,
    pub(super) slug: &'a str,
    pub(super) live_slug: Option<&'a str>,
}

impl Listed<'_> {
    pub(super) fn facts(&self) -> String {
        format!(
            "item {} {} “{}” draft {} at {} live {} at {}",
            self.item,
            self.status,
            self.title,
            self.draft,
            self.slug,
            maybe(self.live),
            maybe(self.live_slug)
        )
    }
}

/// A page that the public can read.
pub(super) struct Live<'a> {
    pub(super) item: usize,
    pub(super) revision: usize,
    pub(super) locale: &'a str,
    pub(super) slug: &'a str,
    pub(super) fields: &'a str,
    pub(super) since: String,
}

impl Live<'_> {
    pub(super) fn facts(&self) -> String {
        format!(
            "item {} revision {} {} {} {} since {}",
            self.item, self.revision, self.locale, self.slug, self.fields, self.since
        )
    }
}
