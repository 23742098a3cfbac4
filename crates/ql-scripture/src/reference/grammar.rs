//! Items of a reference: what is said of a book, before it is known what exists.

use crate::book::Book;

use super::atom::{Atom, Kind};
use super::cursor::{Cursor, is_dash};
use super::head::{Head, has_one_chapter, undotted};
use super::lexicon::{Lexicon, Role};
use super::{Punctuation, Settings};

/// Whether everything must be understood, or as much as can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Strict,
    Loose,
}

/// What stands between two items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// The item follows its book.
    Head,
    /// A comma, a word for "and", or nothing before a word such as "verse".
    Comma,
    /// A semicolon.
    Semicolon,
    /// A full stop.
    Dot,
}

/// What the verses go on to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Onward<'t> {
    /// Nothing: it is said once.
    Nothing,
    /// "f": the next one too.
    Next,
    /// "ff": to the end of the chapter or the book.
    Following,
    /// A range, perhaps into another book.
    To(Option<Head<'t>>, Atom, By),
}

/// What a range is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Dash,
    Word,
}

/// One verse, chapter or range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'t> {
    pub(super) after: Separator,
    pub(super) from: Atom,
    pub(super) onward: Onward<'t>,
    /// The byte where it ends.
    pub(super) end: usize,
}

/// Whether the numbers of a list are chapters or verses by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Book,
    Chapter,
    Verse,
}

/// The rules of one language and punctuation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grammar<'g> {
    pub(super) lexicon: &'g Lexicon,
    pub(super) punctuation: Punctuation,
    pub(super) mode: Mode,
}

impl<'g> Grammar<'g> {
    pub(super) fn new(lexicon: &'g Lexicon, settings: &Settings, mode: Mode) -> Self {
        Self {
            lexicon,
            punctuation: settings.punctuation,
            mode,
        }
    }

    /// Everything that is said of a book, and where it ends.
    pub(super) fn items<'t>(&self, head: &Head<'t>) -> (Vec<Item<'t>>, Cursor<'t>) {
        let mut items = Vec::new();
        let mut end = head.end;
        let Some((item, after)) = self.first(head) else {
            return (items, end);
        };
        let mut level = level_after(&item, Level::Book, head);
        (items, end) = (vec![item], after);
        while let Some((separator, at)) = self.separator(end, level) {
            if self.head(at).is_some() {
                break;
            }
            let Some((item, after)) = self.item(at, separator, level) else {
                break;
            };
            level = level_after(&item, level, head);
            items.push(item);
            end = after;
        }
        (items, end)
    }

    /// The first item: behind the book's name, before it ("23rd Psalm"), or in it ("1–3 John").
    fn first<'t>(&self, head: &Head<'t>) -> Option<(Item<'t>, Cursor<'t>)> {
        match (head.through, head.chapter) {
            (Some(last), _) => Some(through(head, last)),
            (None, Some(chapter)) => Some(self.in_chapter_before(head, chapter)),
            (None, None) => self.behind(head),
        }
    }

    /// What follows a name; to a strict reader a name alone is the whole book.
    fn behind<'t>(&self, head: &Head<'t>) -> Option<(Item<'t>, Cursor<'t>)> {
        let at = self.gap(head);
        let item = at.and_then(|at| self.item(at, Separator::Head, Level::Book));
        let whole = || {
            let atom = Atom::at(Kind::Book, head.from);
            self.onward(atom, Separator::Head, head.end)
        };
        item.or_else(|| (self.mode == Mode::Strict).then(whole))
    }

    /// "23rd Psalm" and "23rd Psalm, verse 2".
    fn in_chapter_before<'t>(&self, head: &Head<'t>, chapter: u32) -> (Item<'t>, Cursor<'t>) {
        let at = head.end.blanks();
        let at = at.eat(|c| c == ',').unwrap_or(at).blanks();
        let (kind, end) = match self.atom(at, Level::Chapter) {
            Some((
                Atom {
                    kind: Kind::Verse(verse),
                    ..
                },
                after,
            )) => (Kind::ChapterVerse(chapter, verse), after),
            _ => (Kind::Chapter(chapter), head.end),
        };
        self.onward(Atom::at(kind, head.from), Separator::Head, end)
    }

    /// From the book's name to its first number.
    fn gap<'t>(&self, head: &Head<'t>) -> Option<Cursor<'t>> {
        let dot = undotted(head.end);
        let at = dot.blanks();
        let colon = at.eat(|c| c == ':').map_or(at, Cursor::blanks);
        let plain = colon.peek().is_some_and(char::is_alphanumeric);
        if plain || self.mode == Mode::Strict {
            return Some(colon);
        }
        let mark = colon.eat(|c| c == ',' || c == '(' || is_dash(c))?;
        let after = mark.blanks();
        let digit = after.peek().is_some_and(|c| c.is_ascii_digit());
        let keyword = after.word().is_some_and(|(word, _)| self.is_keyword(word));
        if !digit && !keyword {
            return None;
        }
        let tight = mark.at() == head.end.at() + 1 && after.at() == mark.at();
        let (atom, _) = self.atom(after, Level::Book)?;
        (tight || !matches!(atom.kind, Kind::Bare(_))).then_some(after)
    }

    fn item<'t>(
        &self,
        at: Cursor<'t>,
        separator: Separator,
        level: Level,
    ) -> Option<(Item<'t>, Cursor<'t>)> {
        let (atom, after) = self.atom(at, level)?;
        let doubtful = self.mode == Mode::Loose && separator == Separator::Dot;
        if doubtful && matches!(atom.kind, Kind::Bare(_)) && level != Level::Verse {
            return None;
        }
        Some(self.onward(atom, separator, after))
    }

    /// What an atom goes on to.
    fn onward<'t>(&self, from: Atom, after: Separator, end: Cursor<'t>) -> (Item<'t>, Cursor<'t>) {
        let (onward, end) = self
            .following(end)
            .or_else(|| self.range(end, from.kind == Kind::Book))
            .unwrap_or((Onward::Nothing, end));
        let item = Item {
            after,
            from,
            onward,
            end: end.at(),
        };
        (item, end)
    }

    /// "f" and "ff".
    fn following<'t>(&self, end: Cursor<'t>) -> Option<(Onward<'t>, Cursor<'t>)> {
        let at = end.blanks();
        let (word, after) = at.word()?;
        let known = self.lexicon.word(word);
        let glued = at.at() == end.at();
        let dotted = after.peek() == Some('.');
        if known.is(Role::Following) {
            return Some((Onward::Following, after));
        }
        (known.is(Role::Next) && (glued || dotted)).then_some((Onward::Next, after))
    }

    /// A dash or a word for "to", and where the range ends. Between numbers a digit behind the dash is
    /// one of them, and not the number of a book.
    fn range<'t>(&self, end: Cursor<'t>, of_books: bool) -> Option<(Onward<'t>, Cursor<'t>)> {
        let (at, by) = self.dash(end)?;
        let tight = end.peek().is_some_and(is_dash) && at.at() == end.skip(1).at();
        let number_first = tight
            && !of_books
            && at
                .number()
                .is_some_and(|(_, after)| after.peek() == Some(' '));
        let head = if number_first { None } else { self.head(at) };
        let Some(head) = head else {
            let (atom, after) = self.atom(at, Level::Verse)?;
            return Some((Onward::To(None, atom, by), after));
        };
        let numbers = self.gap(&head).and_then(|at| self.atom(at, Level::Book));
        // In prose "to" between a verse and a name alone is a word like others.
        if numbers.is_none() && !of_books && by == By::Word && self.mode == Mode::Loose {
            return None;
        }
        let whole = Atom::at(Kind::Book, head.from);
        let (atom, after) = numbers.unwrap_or((whole, head.end));
        Some((Onward::To(Some(head), atom, by), after))
    }
}

/// Several books of one name.
fn through<'t>(head: &Head<'t>, last: Book) -> (Item<'t>, Cursor<'t>) {
    let whole = Atom::at(Kind::Book, head.from);
    let last = Head::new(last, head.end, head.end);
    let item = Item {
        after: Separator::Head,
        from: whole,
        onward: Onward::To(Some(last), whole, By::Dash),
        end: head.end.at(),
    };
    (item, head.end)
}

/// Whether the next number of the list is a chapter or a verse.
fn level_after(item: &Item<'_>, level: Level, head: &Head<'_>) -> Level {
    let last = match item.onward {
        Onward::To(_, atom, _) if atom.kind != Kind::Book => atom,
        Onward::To(..) | Onward::Nothing | Onward::Next | Onward::Following => item.from,
    };
    match last.kind {
        Kind::ChapterVerse(..) | Kind::Verse(_) | Kind::Title | Kind::ChapterTitle(_) => {
            Level::Verse
        }
        Kind::Chapter(_) | Kind::Book => Level::Chapter,
        Kind::Bare(_) if level == Level::Book && has_one_chapter(head.book) => Level::Verse,
        Kind::Bare(_) if level == Level::Book => Level::Chapter,
        Kind::Bare(_) => level,
    }
}
