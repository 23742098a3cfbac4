//! From one tradition to another.
//!
//! Every tradition is described against one hub: the Hebrew numbering, the Greek one of the New
//! Testament, and the English one of the deuterocanonical books. The differences are data:
//! `data/versification/*-map.tsv`.

use std::collections::{BTreeMap, BTreeSet};

use crate::book::Book;
use crate::span::{Passage, Span};
use crate::verse::Verse;

use super::{OutOfRange, Scheme, Versification};

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
        let Some(hub) = self.from.to_hub(verse) else {
            return Err(unaligned);
        };
        let mut found = BTreeSet::new();
        for place in hub {
            found.extend(self.to.from_hub(place).ok_or_else(|| unaligned.clone())?);
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

    /// A title that the other tradition counts into its first verse is a part of that.
    fn is_part(&self, verse: Verse, only: Verse) -> bool {
        verse.verse == 0 && self.from.is_in_first_verse(verse) && only.verse > 0
    }
}

/// One tradition beside the hub.
#[derive(Debug)]
struct Side {
    versification: Versification,
    hub: Hub,
    /// What a verse is in the hub; nothing where it is absent.
    to_hub: BTreeMap<Verse, Vec<Verse>>,
    from_hub: BTreeMap<Verse, Vec<Verse>>,
    unaligned: BTreeSet<Verse>,
}

impl Side {
    fn of(scheme: Scheme) -> Self {
        let mut side = Self {
            versification: Versification::of(scheme),
            hub: Hub::new(),
            to_hub: BTreeMap::new(),
            from_hub: BTreeMap::new(),
            unaligned: BTreeSet::new(),
        };
        for line in scheme.map().lines().filter(|line| !line.starts_with('#')) {
            let (here, hub) = line.split_once('\t').expect("a test reads every table");
            side.add(here, hub);
        }
        side
    }

    fn add(&mut self, here: &str, hub: &str) {
        let here: Vec<Verse> = self.versification.verses(span(here)).collect();
        match hub {
            "?" => self.unaligned.extend(here),
            "-" => self
                .to_hub
                .extend(here.into_iter().map(|verse| (verse, Vec::new()))),
            _ => {
                let there = self.hub.verses(span(hub));
                let pairs = here.len().max(there.len());
                for place in 0..pairs {
                    let verse = here[place.min(here.len() - 1)];
                    let other = there[place.min(there.len() - 1)];
                    self.to_hub.entry(verse).or_default().push(other);
                    self.from_hub.entry(other).or_default().push(verse);
                }
            }
        }
    }

    /// Where a verse is in the hub; `None` where it can't be aligned.
    fn to_hub(&self, verse: Verse) -> Option<Vec<Verse>> {
        if self.unaligned.contains(&verse) {
            return None;
        }
        if let Some(known) = self.to_hub.get(&verse) {
            return Some(known.clone());
        }
        let first = Verse {
            verse: verse.verse.max(1),
            ..verse
        };
        let same = self.hub.contains(first) && !self.from_hub.contains_key(&first);
        Some(if same { vec![first] } else { Vec::new() })
    }

    /// Which verses have the text of a place in the hub; `None` where it can't be aligned.
    fn from_hub(&self, place: Verse) -> Option<Vec<Verse>> {
        if let Some(known) = self.from_hub.get(&place) {
            return Some(known.clone());
        }
        if self.unaligned.contains(&place) {
            return None;
        }
        let same = self.versification.contains(place) && !self.to_hub.contains_key(&place);
        Some(if same { vec![place] } else { Vec::new() })
    }

    fn is_in_first_verse(&self, title: Verse) -> bool {
        !self.to_hub.contains_key(&title)
    }

    /// Verses as spans, one for each run without a gap.
    fn runs(&self, verses: &BTreeSet<Verse>) -> Passage {
        let mut spans: Vec<Span> = Vec::new();
        for verse in verses.iter().copied() {
            let next = spans
                .last()
                .filter(|last| self.versification.after(last.to()) == Some(verse));
            let begun = next.and_then(|last| Span::new(last.from(), verse));
            match begun {
                Some(longer) => {
                    spans.pop();
                    spans.push(longer);
                }
                None => spans.push(Span::of(verse)),
            }
        }
        spans.into_iter().collect()
    }
}

/// The places that all traditions are described against.
#[derive(Debug)]
struct Hub {
    hebrew: Versification,
    english: Versification,
}

impl Hub {
    fn new() -> Self {
        Self {
            hebrew: Versification::of(Scheme::Hebrew),
            english: Versification::of(Scheme::English),
        }
    }

    fn of(&self, book: Book) -> &Versification {
        if book.is_deuterocanonical() {
            &self.english
        } else {
            &self.hebrew
        }
    }

    fn contains(&self, verse: Verse) -> bool {
        self.of(verse.book).contains(verse)
    }

    fn verses(&self, span: Span) -> Vec<Verse> {
        self.of(span.from().book).verses(span).collect()
    }
}

fn span(text: &str) -> Span {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let verse = |text: &str| text.parse().expect("a test reads every table");
    Span::new(verse(from), verse(to)).expect("a test reads every table")
}
