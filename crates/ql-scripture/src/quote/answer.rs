//! What is said of a quotation.

use std::ops::Range;

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

/// The rule by which words that stand in the passage aren't a quotation of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// There is no word to compare.
    Empty,
    /// A capital or a small letter that its place doesn't explain.
    Case,
    /// A hyphen for a space, or a space for a hyphen.
    Hyphen,
    /// Other vowel points.
    Points,
    /// The quotation begins after a negation, or ends before one, that belongs to it.
    NegationCut,
    /// An elision leaves out a negation.
    NegationElided,
    /// An insertion negates.
    NegationInserted,
    /// What the language's negations are isn't known, so that nothing may be left out or inserted.
    NegationsUnknown,
    /// An elision leaves out too much.
    ElisionTooLong,
    /// There are too many elisions, or one word alone between two of them.
    Scattered,
    /// Nothing is quoted but words that say nothing by themselves.
    SaysLittle,
    /// Too much is inserted.
    InsertionTooLong,
    /// A number that isn't the number of the verse that follows.
    VerseNumber,
}

impl Reason {
    /// The name for programs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Empty => "EMPTY",
            Self::Case => "CASE",
            Self::Hyphen => "HYPHEN",
            Self::Points => "POINTS",
            Self::NegationCut => "NEGATION_CUT",
            Self::NegationElided => "NEGATION_ELIDED",
            Self::NegationInserted => "NEGATION_INSERTED",
            Self::NegationsUnknown => "NEGATIONS_UNKNOWN",
            Self::ElisionTooLong => "ELISION_TOO_LONG",
            Self::Scattered => "SCATTERED",
            Self::SaysLittle => "SAYS_LITTLE",
            Self::InsertionTooLong => "INSERTION_TOO_LONG",
            Self::VerseNumber => "VERSE_NUMBER",
        }
    }

    /// What to do about it.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Empty => "quote at least one word",
            Self::Case => "write the word's letters as the edition does",
            Self::Hyphen => "write hyphens and spaces as the edition does",
            Self::Points => "write the vowel points of the edition, or none at all",
            Self::NegationCut => "quote the negation with what it negates",
            Self::NegationElided => "quote the negation as well, or make two quotations of it",
            Self::NegationsUnknown => "quote without elision and insertion",
            Self::ElisionTooLong => "make two quotations of it",
            Self::Scattered | Self::SaysLittle => "quote more words in a row",
            Self::NegationInserted | Self::InsertionTooLong => "say it outside of the quotation",
            Self::VerseNumber => "put the number before its verse, or leave it out",
        }
    }
}

/// Something about a quotation that doesn't decide on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NoteKind {
    /// A name of God in another style, such as `Lord` for `LORD`.
    DivineName,
    /// A letter's case that the place explains.
    Capital,
    /// The quotation is wholly in capitals.
    Capitals,
    /// The quotation has no vowel points.
    Unpointed,
    /// Numbers of verses stand in it.
    VerseNumbers,
    /// It quotes the title before verse 1.
    Title,
    /// A question mark that the edition doesn't have, or the other way round.
    Question,
    /// One word or two, which say little.
    Short,
    /// A negation stands in the part of a clause that was left off.
    NegationNear,
    /// What the language's negations are isn't known.
    NegationsUnknown,
    /// The edition doesn't have some verse of the passage.
    VerseAbsent,
}

impl NoteKind {
    /// The name for programs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::DivineName => "DIVINE_NAME_STYLE",
            Self::Capital => "CAPITAL",
            Self::Capitals => "CAPITALS",
            Self::Unpointed => "UNPOINTED",
            Self::VerseNumbers => "VERSE_NUMBERS",
            Self::Title => "TITLE",
            Self::Question => "QUESTION",
            Self::Short => "SHORT",
            Self::NegationNear => "NEGATION_NEAR",
            Self::NegationsUnknown => "NEGATIONS_UNKNOWN",
            Self::VerseAbsent => "VERSE_ABSENT",
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
