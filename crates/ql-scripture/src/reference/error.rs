//! Why a declared reference is refused.

use crate::book::Book;
use crate::versification::OutOfRange;

/// A refusal and the byte at which its reason stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} (at byte {at})")]
pub struct ParseError {
    /// The byte; always at the beginning of a character, or the end of the text.
    pub at: usize,
    /// The reason.
    pub reason: Reason,
}

/// Why a declared reference is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// There is nothing to read.
    #[error("the reference is empty")]
    Empty,
    /// It begins with something that names no book.
    #[error("`{name}` is no book that is known here")]
    UnknownBook {
        /// What stands there.
        name: String,
    },
    /// The name belongs to several books that a number tells apart.
    #[error("`{name}` needs its number: it may be {} or {}", .first.english(), .second.english())]
    AmbiguousBook {
        /// What stands there.
        name: String,
        /// The first that it may be.
        first: Book,
        /// The second.
        second: Book,
    },
    /// A book, chapter or verse that the versification doesn't have.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// A verse of a book with several chapters, without its chapter.
    #[error("verse {verse} of {} needs its chapter", .book.english())]
    NoChapter {
        /// The book.
        book: Book,
        /// The verse.
        verse: u32,
    },
    /// A number after a semicolon that may be a chapter or a verse.
    #[error("{number} may be a chapter or a verse: write chapter and verse")]
    AmbiguousNumber {
        /// The number.
        number: u32,
    },
    /// A range that ends before it begins.
    #[error("the range ends before it begins")]
    Backwards,
    /// Something that isn't part of a reference.
    #[error("`{found}` isn't part of a reference")]
    Unexpected {
        /// What stands there, up to the next space.
        found: String,
    },
}
