//! The strict reader.

use super::atom::Kind;
use crate::book::Book;

use super::cursor::Cursor;
use super::error::{ParseError, Reason};
use super::grammar::{Grammar, Item, Level, Mode, Separator};
use super::head::{Head, usfm};
use super::names::Care;
use super::resolve::{Resolver, State};
use super::{Citation, Punctuation, Reader, Reference};

impl Reader {
    /// Reads a declared reference whole: OSIS, USFM, or names and numbers as people write them.
    ///
    /// A chapter or a book means all its verses. The psalm title that stands before verse 1 is
    /// written `Ps 3 title`, or as verse 0.
    ///
    /// # Errors
    ///
    /// Whatever isn't understood or doesn't exist, with the byte where it stands.
    ///
    /// ```
    /// use ql_scripture::Reader;
    /// let reader = Reader::english();
    /// for (text, verses) in [
    ///     ("Matt.5.3-Matt.5.7", "Matt.5.3-Matt.5.7"),
    ///     ("MAT 5:3-7,9", "Matt.5.3-Matt.5.7 Matt.5.9"),
    ///     ("II Kings 4:1–5:3a", "2Kgs.4.1-2Kgs.5.3"),
    ///     ("Jude 5", "Jude.1.5"),
    ///     ("Rom 8", "Rom.8.1-Rom.8.39"),
    /// ] {
    ///     assert_eq!(reader.parse(text)?.passage().to_string(), verses);
    /// }
    /// # Ok::<(), ql_scripture::reference::ParseError>(())
    /// ```
    pub fn parse(&self, text: &str) -> Result<Reference, ParseError> {
        let mut grammar = Grammar::new(&self.lexicon, &self.settings, Mode::Strict);
        if is_coded(Cursor::new(text, 0).blanks()) {
            grammar.punctuation = Punctuation::English;
        }
        let mut at = Cursor::new(text, 0).blanks();
        if at.peek().is_none() {
            return Err(error(at, Reason::Empty));
        }
        let mut citations = Vec::new();
        loop {
            let head = grammar.head(at).ok_or_else(|| grammar.no_book(at))?;
            let (items, end) = grammar.items(&head);
            let whole = items
                .first()
                .is_some_and(|item| item.from.kind == Kind::Book);
            if whole && head.care > Care::None && !head.capital {
                return Err(unexpected(at));
            }
            self.resolve(&head, &items, &mut citations)?;
            let last = end.blanks();
            let stop = last.eat(|c| c == '.').unwrap_or(last).blanks();
            if stop.peek().is_none() {
                return Ok(Reference { citations });
            }
            at = grammar.next_book(end, whole)?;
        }
    }

    fn resolve(
        &self,
        head: &Head<'_>,
        items: &[Item<'_>],
        citations: &mut Vec<Citation>,
    ) -> Result<(), ParseError> {
        let resolver = Resolver {
            versification: &self.versification,
        };
        let mut state = State::of(head.book);
        for (index, item) in items.iter().enumerate() {
            if let (Separator::Semicolon, Level::Verse, Kind::Bare(number)) =
                (item.after, state.level, item.from.kind)
            {
                return Err(ParseError {
                    at: item.from.at,
                    reason: Reason::AmbiguousNumber { number },
                });
            }
            let (mut citation, after) = resolver.item(state, item, items.len() == 1)?;
            if index == 0 {
                citation.bytes.start = head.from;
            }
            citations.push(citation);
            state = after;
        }
        Ok(())
    }
}

impl Grammar<'_> {
    /// Why no book begins here.
    fn no_book(&self, at: Cursor<'_>) -> ParseError {
        let found = self.name(at).or_else(|| self.name(self.lead(at)?));
        if let Some(found) = found {
            let mut books = found.named.numbered.iter().flatten();
            if let (Some((first, _)), Some((second, _))) = (books.next(), books.next()) {
                let (name, first, second) = (at.until(found.end).to_owned(), *first, *second);
                let reason = Reason::AmbiguousBook {
                    name,
                    first,
                    second,
                };
                return error(at, reason);
            }
        }
        let rest = at.rest();
        let begins = rest
            .find(|c: char| !c.is_ascii_digit() && c != ' ')
            .unwrap_or(0);
        let length = rest[begins..].find(|c: char| c.is_ascii_digit() || ",;:".contains(c));
        let name = rest[..length.map_or(rest.len(), |length| begins + length)].trim_end();
        let name = name.to_owned();
        error(at, Reason::UnknownBook { name })
    }

    /// Where the next book begins, behind a separator; behind a number a space will do.
    fn next_book<'t>(&self, end: Cursor<'t>, whole: bool) -> Result<Cursor<'t>, ParseError> {
        let separated = self.separator(end, Level::Chapter).map(|(_, at)| at);
        let at = separated.unwrap_or_else(|| end.blanks());
        let apart = separated.is_some() || !whole && at.at() > end.at();
        if apart && (self.head(at).is_some() || self.name(at).is_some()) {
            return Ok(at);
        }
        Err(unexpected(at))
    }
}

/// Whether a reference is in USFM or OSIS, which have one punctuation everywhere.
fn is_coded(at: Cursor<'_>) -> bool {
    let rest = at.rest();
    let osis = rest
        .split(['-', ' ', ',', ';', '!'])
        .next()
        .unwrap_or_default();
    let mut parts = osis.split('.');
    let book = parts.next().and_then(Book::from_osis).is_some();
    let numbers = parts.clone().count();
    let digits = parts.all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let closed = numbers == 2 || numbers == 1 && !rest[osis.len()..].starts_with(',');
    usfm(at).is_some() || book && digits && closed
}

/// What stands there isn't part of a reference.
fn unexpected(at: Cursor<'_>) -> ParseError {
    let rest = at.rest();
    let found = rest.split_whitespace().next().unwrap_or(rest).to_owned();
    error(at, Reason::Unexpected { found })
}

fn error(at: Cursor<'_>, reason: Reason) -> ParseError {
    let at = at.at();
    ParseError { at, reason }
}
