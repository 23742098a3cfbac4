//! What the public reads: what was approved, and nothing else.

use super::super::facts::{Answer, Live, row};
use super::Model;

impl Model {
    /// Everything that the public can read, in the order in which the pages came to be.
    pub(in super::super) fn live(&self) -> String {
        let live = (0..self.items.len()).filter_map(|number| self.live_page(number));
        row(live)
    }

    /// Every address that there ever was.
    pub(in super::super) fn addresses(&self) -> Vec<(&'static str, String)> {
        let address = |revision: &super::Revision| {
            let locale = self.items[revision.item].locale;
            (locale, revision.slug.clone())
        };
        self.revisions.iter().map(address).collect()
    }

    pub(in super::super) fn page(&self, locale: &str, slug: &str) -> Answer {
        let here = |number: &usize| {
            self.items[*number].locale == locale
                && self.live_slug(*number).is_some_and(|live| live == slug)
        };
        let found = (0..self.items.len()).find(here).ok_or("not_found")?;
        self.live_page(found).ok_or("not_found")
    }

    fn live_page(&self, number: usize) -> Option<String> {
        let item = &self.items[number];
        let revision = item.live?;
        let first = |m: &&super::Move| m.revision == Some(revision);
        let since = self.moves.iter().filter(first).map(|m| m.at).min()?;
        let fields = self.fields_text(revision);
        let live = Live {
            item: number,
            revision,
            locale: item.locale,
            slug: &self.revisions[revision].slug,
            fields: &fields,
            since: since.to_string(),
        };
        Some(live.facts())
    }

    /// The fields as canonical JSON; the texts that come up need no escaping.
    pub(super) fn fields_text(&self, revision: usize) -> String {
        let fields = self.revisions[revision].fields.iter();
        let members: Vec<String> = fields
            .map(|(field, text)| format!("\"{field}\":\"{text}\""))
            .collect();
        format!("{{{}}}", members.join(","))
    }

    /// The last move of each page after a place in the feed.
    pub(in super::super) fn feed(&self, since: i64) -> Answer {
        let start = usize::try_from(since).map_err(|_| "invalid_arguments")?;
        if start > self.moves.len() {
            return Err("invalid_arguments");
        }
        let last = |place: &usize| {
            let item = self.moves[*place].item;
            !self.moves[*place + 1..].iter().any(|m| m.item == item)
        };
        let step = |place: usize| {
            let moved = &self.moves[place];
            let now = self.live_page(moved.item);
            let gone = || format!("item {} gone from {}", moved.item, moved.slug);
            format!("{} {}", place + 1, now.unwrap_or_else(gone))
        };
        let places = (start..self.moves.len()).filter(last);
        Ok(row(places.map(step)))
    }

    /// The revisions that were live once and aren't now.
    pub(in super::super) fn formerly_live(&self, item: usize) -> Vec<usize> {
        let of_it = self.moves.iter().filter(|m| m.item == item);
        let revisions = of_it.filter_map(|m| m.revision);
        revisions
            .filter(|revision| self.items[item].live != Some(*revision))
            .collect()
    }

    pub(in super::super) fn moves(&self) -> usize {
        self.moves.len()
    }
}
