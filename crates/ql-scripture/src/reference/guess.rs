//! Misspelt names of books, where a chapter and a verse stand beside them.

use super::cursor::Cursor;
use super::fold::Folded;
use super::grammar::Grammar;
use super::head::{Head, undotted};
use super::lexicon::Role;
use super::names::Named;
use super::spelling;

impl Grammar<'_> {
    /// The one book whose name is nearly this word, if a colon between two numbers follows it.
    pub(super) fn guess<'t>(
        &self,
        text: &'t str,
        at: Cursor<'t>,
        end: Cursor<'t>,
    ) -> Option<Head<'t>> {
        let dot = undotted(end).blanks();
        let (_, after) = dot.number()?;
        after.eat(|c| c == ':')?.number()?;
        let word = at.until(end);
        if self.lexicon.word(word).is_any() {
            return None;
        }
        let folded = Folded::of(word)?;
        let before = self.before(text, at);
        let led = before.is_some() || self.is_led(text, at);
        let named = self.nearest(folded.as_str(), led)?;
        let (place, from) = before.unwrap_or((0, at.at()));
        let numbered = named
            .numbered
            .get(usize::from(place).saturating_sub(1))
            .copied()
            .flatten();
        let (book, from) = match (named.single, numbered) {
            (_, Some((book, _))) if place > 0 => (book, from),
            (Some((book, _)), _) | (None, Some((book, _))) => (book, at.at()),
            (None, None) => return None,
        };
        Some(Head {
            guessed: true,
            from,
            ..Head::new(book, at, end)
        })
    }

    /// The ordinal number before a name, and where it begins.
    fn before(&self, text: &str, name: Cursor<'_>) -> Option<(u8, usize)> {
        let (at, _) = word_before(text, name);
        let (ordinal, end) = self.ordinal(at)?;
        end.rest().is_empty().then_some((ordinal, at.at()))
    }

    /// Whether a word such as "gospel" or "saint" stands before a name, or a little one beside it.
    fn is_led(&self, text: &str, name: Cursor<'_>) -> bool {
        let (_, word) = word_before(text, name);
        self.lexicon.word(word).is(Role::Lead)
    }

    fn nearest(&self, word: &str, led: bool) -> Option<&Named> {
        let mut best: Option<(u32, &Named)> = None;
        let mut tied = false;
        for (name, named) in self.lexicon.names.whole() {
            let Some(distance) = spelling::distance(word, name, led) else {
                continue;
            };
            match best {
                Some((nearest, _)) if nearest < distance => {}
                Some((nearest, other)) if nearest == distance => {
                    tied |= !same(other, named);
                }
                _ => {
                    best = Some((distance, named));
                    tied = false;
                }
            }
        }
        best.filter(|_| !tied).map(|(_, named)| named)
    }
}
/// The word before a place, and where it begins.
fn word_before<'t>(text: &'t str, at: Cursor<'_>) -> (Cursor<'t>, &'t str) {
    let before = text.get(..at.at()).unwrap_or_default();
    let before = before.trim_end_matches([' ', '.']);
    let start = before.rfind(|c: char| !c.is_alphanumeric());
    let start = start.map_or(0, |place| {
        place + before[place..].chars().next().map_or(1, char::len_utf8)
    });
    (Cursor::new(before, start), &before[start..])
}

fn same(one: &Named, other: &Named) -> bool {
    let books = |named: &Named| {
        let numbered = named.numbered.map(|found| found.map(|(book, _)| book));
        (named.single.map(|(book, _)| book), numbered)
    };
    books(one) == books(other)
}
