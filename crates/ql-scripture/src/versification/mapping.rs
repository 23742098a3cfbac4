//! From one tradition to another.
//!
//! Every tradition is described against one hub: the Hebrew numbering, the Greek one of the New
//! Testament, and the English one of the deuterocanonical books. The differences are data:
//! `data/versification/*-map.tsv`.

use std::collections::BTreeSet;

use crate::span::{Passage, Span};
use crate::verse::Verse;

use super::side::Side;
use super::{OutOfRange, Scheme};

/// Why a verse has no single counterpart.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmapped {
    /// The verse doesn't exist where it is said to be.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// The other tradition lacks the verse.
    #[error("{verse} has no counterpart in the {} numbering", .to.as_str())]
    Absent {
        /// The verse.
        verse: Verse,
        /// The other tradition.
        to: Scheme,
    },
    /// The text of the verse is in these verses, or in a part of them.
    #[error("{verse} is {} in the {} numbering, not exactly one verse", list(.candidates), .to.as_str())]
    Ambiguous {
        /// The verse.
        verse: Verse,
        /// The other tradition.
        to: Scheme,
        /// Every verse that holds some of it.
        candidates: Vec<Verse>,
    },
    /// The traditions have texts there that differ too much in order or wording.
    #[error("{verse} can't be aligned with the {} numbering: the texts differ", .to.as_str())]
    Unaligned {
        /// The verse.
        verse: Verse,
        /// The other tradition.
        to: Scheme,
    },
}

fn list(verses: &[Verse]) -> String {
    let texts: Vec<String> = verses.iter().map(Verse::to_string).collect();
    texts.join(" and ")
}

/// The way from one tradition to another.
///
/// ```
/// use ql_scripture::versification::{Mapping, Unmapped};
/// use ql_scripture::{Scheme, Verse};
/// let to_hebrew = Mapping::between(Scheme::English, Scheme::Hebrew);
/// let verse = |text: &str| text.parse::<Verse>().unwrap();
/// assert_eq!(to_hebrew.verse(verse("Joel.2.28")), Ok(verse("Joel.3.1")));
/// assert_eq!(to_hebrew.verse(verse("Ps.3.0")), Ok(verse("Ps.3.1")));
/// assert!(matches!(to_hebrew.verse(verse("Neh.7.68")), Err(Unmapped::Absent { .. })));
/// let to_greek = Mapping::between(Scheme::English, Scheme::Septuagint);
/// assert_eq!(to_greek.verse(verse("Ps.23.1")), Ok(verse("Ps.22.1")));
/// ```
#[derive(Debug)]
pub struct Mapping {
    from: Side,
    to: Side,
}

impl Mapping {
    /// Reads the differences of both. Keep the value; this takes some milliseconds.
    pub fn between(from: Scheme, to: Scheme) -> Self {
        Self {
            from: Side::of(from),
            to: Side::of(to),
        }
    }

    /// The one verse that has the same text.
    pub fn verse(&self, verse: Verse) -> Result<Verse, Unmapped> {
        let candidates = self.candidates(verse)?;
        let to = self.to.versification.scheme();
        match *candidates.as_slice() {
            [] => Err(Unmapped::Absent { verse, to }),
            [only] if !self.is_part(verse, only) => Ok(only),
            _ => Err(Unmapped::Ambiguous {
                verse,
                to,
                candidates,
            }),
        }
    }

    /// Every verse that has some of its text, in order.
    pub fn candidates(&self, verse: Verse) -> Result<Vec<Verse>, Unmapped> {
        let (book, chapter) = (verse.book, verse.chapter.into());
        self.from
            .versification
            .find(book, chapter, verse.verse.into())?;
        if self.from.versification.scheme() == self.to.versification.scheme() {
            return Ok(vec![verse]);
        }
        let to = self.to.versification.scheme();
        let unaligned = Unmapped::Unaligned { verse, to };
        let Some(hub) = self.from.hub_of(verse) else {
            return Err(unaligned);
        };
        let mut found = BTreeSet::new();
        for place in hub {
            found.extend(self.to.verses_of(place).ok_or_else(|| unaligned.clone())?);
        }
        Ok(found.into_iter().collect())
    }

    /// The verses that have the text of a span, with all of every verse that has some of it.
    ///
    /// # Errors
    ///
    /// The first verse that is absent or can't be aligned.
    pub fn span(&self, span: Span) -> Result<Passage, Unmapped> {
        let to = self.to.versification.scheme();
        let mut found = BTreeSet::new();
        for verse in self.from.versification.verses(span) {
            let candidates = self.candidates(verse)?;
            if candidates.is_empty() {
                return Err(Unmapped::Absent { verse, to });
            }
            found.extend(candidates);
        }
        Ok(self.to.runs(&found))
    }

    /// The verses of every span of a passage, in its order.
    ///
    /// # Errors
    ///
    /// As of [`Mapping::span`].
    pub fn passage(&self, passage: &Passage) -> Result<Passage, Unmapped> {
        let mut spans = Vec::new();
        for span in passage.spans() {
            spans.extend_from_slice(self.span(*span)?.spans());
        }
        Ok(spans.into_iter().collect())
    }

    /// A title that the other tradition counts into its first verse is a part of that.
    fn is_part(&self, verse: Verse, only: Verse) -> bool {
        verse.verse == 0 && self.from.is_in_first_verse(verse) && only.verse > 0
    }
}
