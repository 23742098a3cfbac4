//! References: a strict reader for what somebody declares, and a finder for prose.
//!
//! Both are one [`Reader`], which keeps the names of books in the chosen languages, the punctuation
//! and the versification.

mod atom;
mod cursor;
mod ending;
mod error;
mod find;
mod fold;
mod format;
mod grammar;
mod guess;
mod head;
mod join;
mod lexicon;
mod names;
mod numeral;
mod parse;
mod repair;
mod resolve;
mod spelling;
mod table;
mod wording;
mod words;

use std::ops::Range;

pub use error::{ParseError, Reason};
pub use find::Hits;
pub use format::Style;

use crate::language::Language;
use crate::span::{Passage, Span};
use crate::versification::{Scheme, Versification};

use lexicon::Lexicon;
use wording::Wording;

/// What stands between chapter, verse and verse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Punctuation {
    /// `5:3-7, 9; 6:1`.
    English,
    /// `5,3-7.9; 6,1`.
    European,
}

/// What a [`Reader`] is made of.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The languages of book names. Where two of them mean different books by one name, the earlier
    /// one counts. The first one's forms are written.
    pub languages: Vec<Language>,
    /// What stands between chapter and verse.
    pub punctuation: Punctuation,
    /// The tradition that the numbers are of.
    pub scheme: Scheme,
    /// Whether the finder takes a misspelt name that can only be one book, where a verse stands
    /// beside it. What it guessed says so.
    pub guess: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            languages: vec![Language::English],
            punctuation: Punctuation::English,
            scheme: Scheme::English,
            guess: true,
        }
    }
}

/// One stretch of a reference, and where it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The verses.
    pub span: Span,
    /// The bytes of the text that name it. Several citations may share the book's name, which
    /// belongs to the first.
    pub bytes: Range<usize>,
    /// The part of the first verse where it begins, as in `6b`.
    pub from_part: Option<char>,
    /// The part of the last verse where it ends, as in `6a`.
    pub to_part: Option<char>,
}

/// A declared reference, read whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// What it names, in its order.
    pub citations: Vec<Citation>,
}

impl Reference {
    /// The verses alone.
    pub fn passage(&self) -> Passage {
        self.citations
            .iter()
            .map(|citation| citation.span)
            .collect()
    }
}

/// A reference found in prose: one book and everything that is said of it in one go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its bytes in the text; they begin and end on characters.
    pub bytes: Range<usize>,
    /// What it names, in its order. Numbers out of range are left out, ends out of range are cut.
    pub citations: Vec<Citation>,
    /// Whether the book was guessed, from a misspelling or from a name without its number.
    pub guessed: bool,
}

impl Hit {
    /// The verses alone.
    pub fn passage(&self) -> Passage {
        self.citations
            .iter()
            .map(|citation| citation.span)
            .collect()
    }
}

/// Reads, finds and writes references. Building one takes a millisecond; keep it.
///
/// ```
/// use ql_scripture::Reader;
/// let reader = Reader::english();
/// let reference = reader.parse("Matt 5:3-7, 9; 6:1")?;
/// assert_eq!(reference.passage().to_string(), "Matt.5.3-Matt.5.7 Matt.5.9 Matt.6.1");
/// let error = reader.parse("John 3:37").unwrap_err();
/// assert_eq!(error.to_string(), "John 3 has 36 verses, not 37 (at byte 5)");
///
/// let text = "God so loved (John 3:16) that Paul wrote Rom. viii. 31ff.";
/// let found: Vec<String> = reader.find(text).map(|hit| hit.passage().to_string()).collect();
/// assert_eq!(found, ["John.3.16", "Rom.8.31-Rom.8.39"]);
/// # Ok::<(), ql_scripture::reference::ParseError>(())
/// ```
#[derive(Debug)]
pub struct Reader {
    settings: Settings,
    versification: Versification,
    lexicon: Lexicon,
    wordings: Vec<(Language, Wording)>,
}

impl Reader {
    /// A reader with these settings.
    pub fn new(settings: Settings) -> Self {
        let wordings = Language::ALL.map(|language| (language, Wording::of(language)));
        Self {
            versification: Versification::of(settings.scheme),
            lexicon: Lexicon::of(&settings.languages),
            wordings: wordings.into(),
            settings,
        }
    }

    /// English names, punctuation and versification.
    pub fn english() -> Self {
        Self::new(Settings::default())
    }

    /// The punctuation and the names that are usual in a language, with the English versification.
    pub fn of(language: Language) -> Self {
        Self::new(Settings {
            languages: vec![language],
            punctuation: Wording::punctuation(language),
            ..Settings::default()
        })
    }

    /// What it was made of.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The chapters and verses that it holds references against.
    pub fn versification(&self) -> &Versification {
        &self.versification
    }
}
