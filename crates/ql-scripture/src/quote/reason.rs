//! Why a quotation is refused, and what is noted about one that isn't.

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
