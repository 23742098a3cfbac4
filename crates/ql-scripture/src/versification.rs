//! How chapters and verses are counted.
//!
//! The numbers are data: `data/versification/*.tsv`, one line for each book.

mod bounds;
mod mapping;
mod side;
mod verses;

pub use bounds::OutOfRange;
pub use mapping::{Mapping, Unmapped};
pub use verses::Verses;

use crate::book::Book;
use crate::span::Span;
use crate::verse::Verse;

/// A tradition of counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// English Bibles since 1611; psalm titles aren't counted.
    English,
    /// The Hebrew Bible; a psalm's title is often its first verse, or its first two.
    Hebrew,
    /// The Greek Old Testament; most psalms have a number less by one.
    Septuagint,
    /// The Latin Bible.
    Vulgate,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::English, Self::Hebrew, Self::Septuagint, Self::Vulgate];

    /// The name in lower case, as manifests spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::English => "english",
            Self::Hebrew => "hebrew",
            Self::Septuagint => "septuagint",
            Self::Vulgate => "vulgate",
        }
    }

    /// The tradition with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.as_str() == name)
    }

    /// The differences to the Hebrew numbering; none in the Hebrew one itself.
    const fn map(self) -> &'static str {
        match self {
            Self::English => include_str!("../data/versification/english-map.tsv"),
            Self::Hebrew => "",
            Self::Septuagint => include_str!("../data/versification/septuagint-map.tsv"),
            Self::Vulgate => include_str!("../data/versification/vulgate-map.tsv"),
        }
    }

    const fn table(self) -> &'static str {
        match self {
            Self::English => include_str!("../data/versification/english.tsv"),
            Self::Hebrew => include_str!("../data/versification/hebrew.tsv"),
            Self::Septuagint => include_str!("../data/versification/septuagint.tsv"),
            Self::Vulgate => include_str!("../data/versification/vulgate.tsv"),
        }
    }
}

/// Psalms without a title, of the 150 as Hebrew and English number them.
const UNTITLED: [u8; 34] = [
    1, 2, 10, 33, 43, 71, 91, 93, 94, 95, 96, 97, 99, 104, 105, 106, 107, 111, 112, 113, 114, 115,
    116, 117, 118, 119, 135, 136, 137, 146, 147, 148, 149, 150,
];

/// The chapters and verses of one tradition.
///
/// ```
/// use ql_scripture::{Book, Scheme, Versification};
/// let english = Versification::of(Scheme::English);
/// assert_eq!(english.last_verse(Book::John, 3), Some(36));
/// let hebrew = Versification::of(Scheme::Hebrew);
/// assert_eq!((english.chapters(Book::Joel), hebrew.chapters(Book::Joel)), (3, 4));
/// ```
#[derive(Clone, Debug)]
pub struct Versification {
    scheme: Scheme,
    /// By the place of the book, then of the chapter: the last verse.
    last: Vec<Vec<u8>>,
}

impl Versification {
    /// Reads the numbers of one tradition. Keep the value; this takes some microseconds.
    pub fn of(scheme: Scheme) -> Self {
        let mut last = vec![Vec::new(); Book::ALL.len()];
        for line in scheme.table().lines() {
            let row = line.split_once('\t');
            let row = row.and_then(|(book, verses)| Some((Book::from_osis(book)?, verses)));
            if let Some((book, verses)) = row {
                let verses = verses.split(' ').filter_map(|number| number.parse().ok());
                last[usize::from(book.index())] = verses.collect();
            }
        }
        Self { scheme, last }
    }

    /// Which tradition it is.
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// How many chapters a book has; 0 if the tradition doesn't number it.
    pub fn chapters(&self, book: Book) -> u8 {
        let chapters = self.last[usize::from(book.index())].len();
        u8::try_from(chapters).unwrap_or(u8::MAX)
    }

    /// The number of the last verse of a chapter, if there is one.
    pub fn last_verse(&self, book: Book, chapter: u8) -> Option<u8> {
        let place = usize::from(chapter).checked_sub(1)?;
        let last = self.last[usize::from(book.index())].get(place).copied();
        last.filter(|last| *last > 0)
    }

    /// Whether a title stands before verse 1 and has no number of its own.
    pub fn has_title(&self, book: Book, chapter: u8) -> bool {
        self.scheme == Scheme::English
            && book == Book::Ps
            && chapter <= self.chapters(book)
            && !UNTITLED.contains(&chapter)
    }

    /// Every verse of a chapter, without its title.
    pub fn chapter(&self, book: Book, chapter: u8) -> Option<Span> {
        let last = Verse::new(book, chapter, self.last_verse(book, chapter)?);
        Span::new(Verse::new(book, chapter, 1), last)
    }

    /// Every verse of a book, if the tradition has it.
    pub fn book(&self, book: Book) -> Option<Span> {
        let chapters = self.chapters(book);
        let last = Verse::new(book, chapters, self.last_verse(book, chapters)?);
        Span::new(Verse::new(book, 1, 1), last)
    }

    /// The verses of a span that exist, in order. Titles inside it are left out, except where it
    /// begins with one.
    pub fn verses(&self, span: Span) -> Verses<'_> {
        Verses::new(self, span)
    }
}
