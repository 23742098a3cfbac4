//! What is said of a quotation.

use std::ops::Range;

use super::reason::{NoteKind, Reason};
use crate::span::{Passage, Span};

/// What a quotation is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grade {
    /// The whole passage, character for character.
    Exact,
    /// The whole passage, word for word.
    ExactNormalised,
    /// Words in a row from the passage.
    PartialExact,
    /// Words from the passage in their order, with marked elisions.
    Elided,
    /// Words from the passage, with insertions in square brackets.
    Bracketed,
    /// The words stand elsewhere in the edition.
    WrongReference,
    /// The words are those of another edition.
    WrongTranslation,
    /// Much like the passage, and not it.
    NearMiss,
    /// Nothing like it was found.
    NotFound,
    /// The edition doesn't have the verses.
    VerseAbsentInEdition,
}

impl Grade {
    /// Every grade.
    pub const ALL: [Self; 10] = [
        Self::Exact,
        Self::ExactNormalised,
        Self::PartialExact,
        Self::Elided,
        Self::Bracketed,
        Self::WrongReference,
        Self::WrongTranslation,
        Self::NearMiss,
        Self::NotFound,
        Self::VerseAbsentInEdition,
    ];

    /// Whether the quotation is what it claims to be.
    pub const fn verifies(self) -> bool {
        match self {
            Self::Exact
            | Self::ExactNormalised
            | Self::PartialExact
            | Self::Elided
            | Self::Bracketed => true,
            Self::WrongReference
            | Self::WrongTranslation
            | Self::NearMiss
            | Self::NotFound
            | Self::VerseAbsentInEdition => false,
        }
    }

    /// The name for programs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Exact => "EXACT",
            Self::ExactNormalised => "EXACT_NORMALISED",
            Self::PartialExact => "PARTIAL_EXACT",
            Self::Elided => "ELIDED",
            Self::Bracketed => "BRACKETED",
            Self::WrongReference => "WRONG_REFERENCE",
            Self::WrongTranslation => "WRONG_TRANSLATION",
            Self::NearMiss => "NEAR_MISS",
            Self::NotFound => "NOT_FOUND",
            Self::VerseAbsentInEdition => "VERSE_ABSENT_IN_EDITION",
        }
    }
}

/// A note with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What is noted.
    pub kind: NoteKind,
    /// The bytes of the quotation that it is about, where it is about some.
    pub at: Option<Range<usize>>,
    /// What the edition has, where that is another word.
    pub edition: Option<String>,
}

/// How a stretch of a quotation differs from the passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The edition has words there that the quotation lacks.
    Missing,
    /// The quotation has words that the edition lacks.
    Added,
    /// Other words.
    Replaced,
    /// The same word with other capitals, hyphens or points.
    Spelled,
}

impl Kind {
    /// The name for programs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Added => "added",
            Self::Replaced => "replaced",
            Self::Spelled => "spelled",
        }
    }
}

/// One difference between a quotation and the passage that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// How they differ.
    pub kind: Kind,
    /// The bytes of the quotation; empty where something is missing.
    pub at: Range<usize>,
    /// What the edition has there.
    pub expected: String,
    /// What the quotation has there.
    pub found: String,
    /// The verse of the edition.
    pub verse: Option<Span>,
}

/// A stretch of the edition that is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matched {
    /// The verses in which it stands.
    pub span: Span,
    /// How many words it has.
    pub words: usize,
}

/// A place where the words do stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The edition.
    pub edition: String,
    /// The verses.
    pub span: Span,
}

/// What is said of a quotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What it is worth.
    pub grade: Grade,
    /// The edition that was named.
    pub edition: String,
    /// The SHA-256 of the edition's normal form.
    pub corpus_sha256: String,
    /// The passage that was named.
    pub passage: Passage,
    /// What is quoted, one stretch for each segment between elisions; empty if nothing is verified.
    pub matched: Vec<Matched>,
    /// The rules against it.
    pub reasons: Vec<Reason>,
    /// What else is worth knowing.
    pub notes: Vec<Note>,
    /// How it differs from what the edition has at that passage.
    pub differences: Vec<Difference>,
    /// Where the words stand, if it isn't the passage and edition that were named.
    pub elsewhere: Vec<Elsewhere>,
    /// How much of the quotation the passage shares, in thousandths; a hint that decides nothing.
    pub likeness: Option<u16>,
}
