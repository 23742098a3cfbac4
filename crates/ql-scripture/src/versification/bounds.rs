//! Verses that aren't there, and the bound that they break.

use crate::book::Book;
use crate::verse::Verse;

use super::{Scheme, Versification};

/// Why a place isn't in a versification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutOfRange {
    /// The tradition doesn't number the book.
    #[error("{} is no book of the {} numbering", .book.english(), .scheme.as_str())]
    Book {
        /// The book.
        book: Book,
        /// The tradition.
        scheme: Scheme,
    },
    /// The book has fewer chapters.
    #[error("{} has {last} chapter{}, not {chapter}", .book.english(), plural(*.last))]
    Chapter {
        /// The book.
        book: Book,
        /// What was asked for.
        chapter: u32,
        /// How many there are.
        last: u8,
    },
    /// The chapter has fewer verses.
    #[error("{} {chapter} has {last} verse{}, not {verse}", .book.english(), plural(*.last))]
    Verse {
        /// The book.
        book: Book,
        /// The chapter.
        chapter: u8,
        /// What was asked for.
        verse: u32,
        /// How many there are.
        last: u8,
    },
    /// Nothing stands before verse 1.
    #[error("{} {chapter} has no title of its own in the {} numbering", .book.english(), .scheme.as_str())]
    Title {
        /// The book.
        book: Book,
        /// The chapter.
        chapter: u8,
        /// The tradition.
        scheme: Scheme,
    },
}

fn plural(number: u8) -> &'static str {
    if number == 1 { "" } else { "s" }
}

impl Versification {
    /// The chapter with this number, if the book has it.
    pub fn find_chapter(&self, book: Book, chapter: u32) -> Result<u8, OutOfRange> {
        let last = self.chapters(book);
        if last == 0 {
            let scheme = self.scheme();
            return Err(OutOfRange::Book { book, scheme });
        }
        let exists = |number: &u8| self.last_verse(book, *number).is_some();
        let found = u8::try_from(chapter).ok().filter(exists);
        found.ok_or(OutOfRange::Chapter {
            book,
            chapter,
            last,
        })
    }

    /// The verse with these numbers, if it exists; verse 0 is a title.
    ///
    /// ```
    /// use ql_scripture::{Book, Scheme, Versification};
    /// let english = Versification::of(Scheme::English);
    /// let error = english.find(Book::John, 3, 37).unwrap_err();
    /// assert_eq!(error.to_string(), "John 3 has 36 verses, not 37");
    /// ```
    pub fn find(&self, book: Book, chapter: u32, verse: u32) -> Result<Verse, OutOfRange> {
        let chapter = self.find_chapter(book, chapter)?;
        let last = self.last_verse(book, chapter).unwrap_or(0);
        let scheme = self.scheme();
        match u8::try_from(verse) {
            Ok(0) if !self.has_title(book, chapter) => Err(OutOfRange::Title {
                book,
                chapter,
                scheme,
            }),
            Ok(verse) if verse <= last => Ok(Verse::new(book, chapter, verse)),
            _ => Err(OutOfRange::Verse {
                book,
                chapter,
                verse,
                last,
            }),
        }
    }

    /// Whether the verse exists, titles included.
    pub fn contains(&self, verse: Verse) -> bool {
        self.find(verse.book, verse.chapter.into(), verse.verse.into())
            .is_ok()
    }
}
