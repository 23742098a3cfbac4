//! From what is said to the verses that exist.

use crate::book::Book;
use crate::span::Span;
use crate::verse::Verse;
use crate::versification::{OutOfRange, Versification};

use super::Citation;
use super::atom::{Atom, Kind};
use super::error::{ParseError, Reason};
use super::grammar::{Item, Level, Onward};
use super::head::has_one_chapter;

/// What the numbers of a list refer to.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) book: Book,
    /// The chapter that was named last.
    pub(super) chapter: Option<u32>,
    pub(super) level: Level,
}

impl State {
    /// Behind a book's name.
    pub(super) fn of(book: Book) -> Self {
        Self {
            book,
            chapter: None,
            level: Level::Book,
        }
    }
}

/// A place that exists.
#[derive(Clone, Copy, Debug)]
pub(super) enum Point {
    Book(Book),
    Chapter(Book, u8),
    Verse(Verse),
}

/// Places in one versification.
#[derive(Debug)]
pub(super) struct Resolver<'r> {
    pub(super) versification: &'r Versification,
}

impl Resolver<'_> {
    /// The verses of an item, and what the numbers behind it refer to.
    pub(super) fn item(
        &self,
        state: State,
        item: &Item<'_>,
        alone: bool,
    ) -> Result<(Citation, State), ParseError> {
        let single = matches!(item.onward, Onward::Nothing) && alone;
        let (first, after) = self.point(state, &item.from, single)?;
        let mut after = after;
        let end = match item.onward {
            Onward::Nothing => self.end(first),
            Onward::Next => self.end(self.next(first).map_err(|error| at(&item.from, error))?),
            Onward::Following => self.end(whole(first)),
            Onward::To(head, atom, _) => {
                let state = head.map_or(after, |head| State::of(head.book));
                let (second, state) = self.point(state, &atom, false)?;
                after = state;
                self.end(second)
            }
        };
        let span = Span::new(start(first), end);
        let span = span.ok_or(ParseError {
            at: item.from.at,
            reason: Reason::Backwards,
        })?;
        Ok((citation(span, item), after))
    }

    /// The place of an atom, and what the numbers behind it refer to.
    pub(super) fn point(
        &self,
        state: State,
        atom: &Atom,
        alone: bool,
    ) -> Result<(Point, State), ParseError> {
        let found = match atom.kind {
            Kind::Book => Ok(Point::Book(state.book)),
            Kind::Chapter(chapter) => self.chapter(state.book, chapter),
            Kind::ChapterVerse(chapter, verse) => self.verse(state.book, chapter, verse),
            Kind::ChapterTitle(chapter) => self.verse(state.book, chapter, 0),
            Kind::Title => self.verse(state.book, state.chapter.unwrap_or(1), 0),
            Kind::Verse(verse) => {
                let only = has_one_chapter(state.book).then_some(1);
                let chapter = state.chapter.or(only).ok_or(ParseError {
                    at: atom.at,
                    reason: Reason::NoChapter {
                        book: state.book,
                        verse,
                    },
                })?;
                self.verse(state.book, chapter, verse)
            }
            Kind::Bare(number) => self.bare(state, number, alone),
        };
        let point = found.map_err(|error| at(atom, error))?;
        Ok((point, after_point(state, atom, point)))
    }

    /// A number by what stands before it.
    fn bare(&self, state: State, number: u32, alone: bool) -> Result<Point, OutOfRange> {
        let verses = has_one_chapter(state.book) && !(number == 1 && alone);
        match state.level {
            Level::Verse => self.verse(state.book, state.chapter.unwrap_or(1), number),
            Level::Book if verses => self.verse(state.book, 1, number),
            Level::Book | Level::Chapter => self.chapter(state.book, number),
        }
    }

    pub(super) fn chapter(&self, book: Book, chapter: u32) -> Result<Point, OutOfRange> {
        let (book, chapter) = moved(book, chapter);
        let chapter = self.versification.find_chapter(book, chapter)?;
        Ok(Point::Chapter(book, chapter))
    }

    pub(super) fn verse(&self, book: Book, chapter: u32, verse: u32) -> Result<Point, OutOfRange> {
        let (book, chapter) = moved(book, chapter);
        let verse = self.versification.find(book, chapter, verse)?;
        Ok(Point::Verse(verse))
    }

    /// The last verse of a place.
    pub(super) fn end(&self, point: Point) -> Verse {
        let last = |book, chapter| self.versification.last_verse(book, chapter).unwrap_or(1);
        match point {
            Point::Book(book) => {
                let chapter = self.versification.chapters(book);
                Verse::new(book, chapter, last(book, chapter))
            }
            Point::Chapter(book, chapter) => Verse::new(book, chapter, last(book, chapter)),
            Point::Verse(verse) => verse,
        }
    }

    /// The place behind, of the same kind.
    fn next(&self, point: Point) -> Result<Point, OutOfRange> {
        match point {
            Point::Book(book) => Ok(Point::Book(book)),
            Point::Chapter(book, chapter) => self.chapter(book, u32::from(chapter) + 1),
            Point::Verse(verse) => {
                self.verse(verse.book, verse.chapter.into(), u32::from(verse.verse) + 1)
            }
        }
    }
}

fn after_point(state: State, atom: &Atom, point: Point) -> State {
    let named = match atom.kind {
        Kind::Chapter(chapter) | Kind::ChapterVerse(chapter, _) | Kind::ChapterTitle(chapter) => {
            Some(chapter)
        }
        Kind::Book | Kind::Verse(_) | Kind::Bare(_) | Kind::Title => None,
    };
    let (chapter, level) = match point {
        Point::Book(_) => (None, Level::Chapter),
        Point::Chapter(_, chapter) => (Some(chapter.into()), Level::Chapter),
        Point::Verse(verse) => (Some(verse.chapter.into()), Level::Verse),
    };
    // The psalm after the last counts as a chapter of the Psalms to whoever writes it.
    let last = state
        .chapter
        .filter(|chapter| *chapter == EXTRA_PSALM && level == Level::Verse);
    State {
        book: state.book,
        chapter: named.or(last).or(chapter),
        level,
    }
}

/// The first verse of a place.
pub(super) fn start(point: Point) -> Verse {
    match point {
        Point::Book(book) => Verse::new(book, 1, 1),
        Point::Chapter(book, chapter) => Verse::new(book, chapter, 1),
        Point::Verse(verse) => verse,
    }
}

/// The last place of the chapter, for a verse, or of the book.
fn whole(point: Point) -> Point {
    match point {
        Point::Book(book) | Point::Chapter(book, _) => Point::Book(book),
        Point::Verse(verse) => Point::Chapter(verse.book, verse.chapter),
    }
}

/// The psalm that is a book of its own among the deuterocanonical ones.
const EXTRA_PSALM: u32 = 151;

fn moved(book: Book, chapter: u32) -> (Book, u32) {
    if book == Book::Ps && chapter == EXTRA_PSALM {
        return (Book::AddPs, 1);
    }
    (book, chapter)
}

fn at(atom: &Atom, error: OutOfRange) -> ParseError {
    ParseError {
        at: atom.at,
        reason: error.into(),
    }
}

/// An item's verses with its place in the text.
pub(super) fn citation(span: Span, item: &Item<'_>) -> Citation {
    let to_part = match item.onward {
        Onward::Nothing => item.from.part,
        Onward::To(_, atom, _) => atom.part,
        Onward::Next | Onward::Following => None,
    };
    Citation {
        span,
        bytes: item.from.at..item.end,
        from_part: item.from.part,
        to_part,
    }
}
