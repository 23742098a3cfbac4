//! One verse.

use std::fmt;
use std::str::FromStr;

use crate::book::Book;

/// The place of one verse in some versification.
///
/// Verse 0 is what stands before verse 1: the title of a psalm, the heading of a chapter. The order
/// is that of the canon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Verse {
    /// The book.
    pub book: Book,
    /// The chapter, from 1; 1 in books of a single chapter.
    pub chapter: u8,
    /// The verse, from 1, or 0 for a title.
    pub verse: u8,
}

impl Verse {
    /// A verse by its place. Whether it exists is a question to a versification.
    pub const fn new(book: Book, chapter: u8, verse: u8) -> Self {
        Self {
            book,
            chapter,
            verse,
        }
    }

    /// The verse in 24 bits that sort as the verses do.
    pub const fn pack(self) -> u32 {
        (self.book.index() as u32) << 16 | (self.chapter as u32) << 8 | self.verse as u32
    }

    /// The verse of which [`Verse::pack`] made this number.
    pub fn unpack(packed: u32) -> Option<Self> {
        let [high, book, chapter, verse] = packed.to_be_bytes();
        let book = Book::from_index(book).filter(|_| high == 0)?;
        Some(Self::new(book, chapter, verse))
    }
}

/// The OSIS form, `John.3.16`.
impl fmt::Display for Verse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.book, self.chapter, self.verse)
    }
}

/// A text isn't one verse in the OSIS form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a verse in the OSIS form, as in John.3.16")]
pub struct NotAVerse;

/// Reads the OSIS form of one verse, and nothing looser.
///
/// ```
/// use ql_scripture::Verse;
/// let verse: Verse = "John.3.16".parse()?;
/// assert_eq!(verse.to_string(), "John.3.16");
/// # Ok::<(), ql_scripture::verse::NotAVerse>(())
/// ```
impl FromStr for Verse {
    type Err = NotAVerse;

    fn from_str(text: &str) -> Result<Self, NotAVerse> {
        let mut parts = text.split('.');
        let (Some(book), Some(chapter), Some(verse), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(NotAVerse);
        };
        let book = Book::from_osis(book).ok_or(NotAVerse)?;
        let chapter = number(chapter)
            .filter(|chapter| *chapter > 0)
            .ok_or(NotAVerse)?;
        Ok(Self::new(book, chapter, number(verse).ok_or(NotAVerse)?))
    }
}

/// Digits alone: no sign, no space.
fn number(text: &str) -> Option<u8> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}
