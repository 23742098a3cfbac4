//! The finder for prose.

use super::atom::Kind;
use super::cursor::{Cursor, is_letter};
use super::grammar::{Grammar, Item, Mode, Onward};
use super::head::Head;
use super::names::Care;
use super::resolve::Resolver;
use super::{Hit, Reader};

/// The references of a text, in order; see [`Reader::find`].
#[derive(Debug)]
pub struct Hits<'r, 't> {
    reader: &'r Reader,
    grammar: Grammar<'r>,
    text: &'t str,
    at: usize,
}

impl Reader {
    /// Finds every reference in prose, with its bytes.
    ///
    /// A book alone is no reference, only a book with a chapter or a verse. Numbers out of range are
    /// left out, and ranges that go too far are cut.
    ///
    /// ```
    /// use ql_scripture::Reader;
    /// let text = "In Isaiah 53, and again in 1 Pet. 2:21-25 (cf. v. 24b), he suffers.";
    /// let reader = Reader::english();
    /// let hits: Vec<_> = reader.find(text).collect();
    /// assert_eq!(hits.len(), 2);
    /// assert_eq!(&text[hits[1].bytes.clone()], "1 Pet. 2:21-25");
    /// ```
    pub fn find<'r, 't>(&'r self, text: &'t str) -> Hits<'r, 't> {
        Hits {
            reader: self,
            grammar: Grammar::new(&self.lexicon, &self.settings, Mode::Loose),
            text,
            at: 0,
        }
    }
}

impl Iterator for Hits<'_, '_> {
    type Item = Hit;

    fn next(&mut self) -> Option<Hit> {
        while let Some(word) = self.word() {
            let at = Cursor::new(self.text, word.start);
            let lexicon = &self.reader.lexicon;
            let may_begin = word.digits || lexicon.begins_with(&self.text[word.start..word.end]);
            let found = may_begin.then(|| self.grammar.head(at)).flatten();
            let hit = found.and_then(|head| self.hit(&head));
            let guess = || {
                let misspelt = self.reader.settings.guess && !word.digits;
                let end = Cursor::new(self.text, word.end);
                let head = (misspelt && self.stands_before_number(word))
                    .then(|| self.grammar.guess(self.text, at, end))
                    .flatten()?;
                self.hit(&head)
            };
            if let Some(hit) = hit.or_else(guess) {
                self.at = hit.bytes.end;
                return Some(hit);
            }
        }
        None
    }
}

/// A run of letters or of digits.
#[derive(Clone, Copy)]
struct Run {
    start: usize,
    end: usize,
    digits: bool,
}

impl Hits<'_, '_> {
    /// The next run of letters or of digits.
    fn word(&mut self) -> Option<Run> {
        let bytes = self.text.as_bytes();
        let after = bytes.get(self.at..)?;
        let skipped = after
            .iter()
            .position(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
        let start = self.at + skipped?;
        let digits = bytes[start].is_ascii_digit();
        let part = |byte: &u8| byte.is_ascii_alphanumeric() && byte.is_ascii_digit() == digits;
        let length = bytes[start..].iter().position(|byte| !part(byte));
        let mut end = length.map_or(bytes.len(), |length| start + length);
        if !digits && bytes.get(end).is_some_and(|byte| !byte.is_ascii()) {
            let rest = &self.text[end..];
            let letters = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
            let other = rest.chars().next().map_or(1, char::len_utf8);
            end += if end == start {
                letters.max(other)
            } else {
                letters
            };
        }
        self.at = end;
        Some(Run { start, end, digits })
    }

    /// Whether a number follows the word, perhaps behind a full stop and spaces.
    fn stands_before_number(&self, word: Run) -> bool {
        let after = &self.text.as_bytes()[word.end..];
        let mut gap = after.iter().skip_while(|byte| matches!(byte, b' ' | b'.'));
        gap.next().is_some_and(u8::is_ascii_digit)
    }

    fn hit(&self, head: &Head<'_>) -> Option<Hit> {
        let (items, end) = self.grammar.items(head);
        let first = items.first()?;
        if !self.is_certain(head, first) {
            return None;
        }
        let resolver = Resolver {
            versification: &self.reader.versification,
        };
        let citations = resolver.salvage(head, &items);
        let last = citations.last()?.bytes.end;
        Some(Hit {
            bytes: head.from..last.min(end.at()),
            citations,
            guessed: head.guessed,
        })
    }

    /// Whether a name is meant as one: ordinary words and chance letters need more than a number
    /// behind them.
    fn is_certain(&self, head: &Head<'_>, first: &Item<'_>) -> bool {
        let verse = names_a_verse(first) || head.chapter.is_some();
        let length = head.end.at() - head.name.at();
        let glued = head.end.peek().is_some_and(|c| c.is_ascii_digit());
        let before = self.text[..head.from].chars().next_back();
        if length < 4 && before.is_some_and(char::is_alphanumeric) {
            return false;
        }
        if length < 4 && glued && !matches!(first.from.kind, Kind::ChapterVerse(..)) {
            return false;
        }
        let numbered = head.name.at() > head.from;
        match head.care {
            Care::None => verse || !head.guessed,
            Care::Capital => verse || head.capital && !head.guessed,
            Care::Verse => verse && (head.capital || numbered || length > 2),
        }
    }
}

/// Whether an item says more than a number.
fn names_a_verse(item: &Item<'_>) -> bool {
    let more = |kind| !matches!(kind, Kind::Bare(_) | Kind::Book | Kind::Title);
    let to = match item.onward {
        Onward::To(None, atom, _) => more(atom.kind),
        Onward::To(Some(_), ..) | Onward::Next | Onward::Following => true,
        Onward::Nothing => false,
    };
    more(item.from.kind) || to
}
