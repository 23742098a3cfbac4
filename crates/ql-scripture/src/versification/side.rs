//! One tradition and how it differs from the hub.

use std::collections::{BTreeMap, BTreeSet};

use crate::book::Book;
use crate::span::{Passage, Span};
use crate::verse::Verse;

use super::{Scheme, Versification};

/// One tradition beside the hub.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) versification: Versification,
    hub: Hub,
    /// What a verse is in the hub; nothing where it is absent.
    to_hub: BTreeMap<Verse, Vec<Verse>>,
    from_hub: BTreeMap<Verse, Vec<Verse>>,
    unaligned: BTreeSet<Verse>,
}

impl Side {
    pub(super) fn of(scheme: Scheme) -> Self {
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
    pub(super) fn hub_of(&self, verse: Verse) -> Option<Vec<Verse>> {
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
    pub(super) fn verses_of(&self, place: Verse) -> Option<Vec<Verse>> {
        if let Some(known) = self.from_hub.get(&place) {
            return Some(known.clone());
        }
        if self.unaligned.contains(&place) {
            return None;
        }
        let same = self.versification.contains(place) && !self.to_hub.contains_key(&place);
        Some(if same { vec![place] } else { Vec::new() })
    }

    pub(super) fn is_in_first_verse(&self, title: Verse) -> bool {
        !self.to_hub.contains_key(&title)
    }

    /// Verses as spans, one for each run without a gap.
    pub(super) fn runs(&self, verses: &BTreeSet<Verse>) -> Passage {
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
