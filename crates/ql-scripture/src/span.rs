//! Stretches of verses, and lists of them.

use std::fmt;

use crate::verse::Verse;

/// Every verse from one to another, both included, in the order of the canon.
///
/// Always lawful: `from` isn't after `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    from: Verse,
    to: Verse,
}

impl Span {
    /// The verses between the two, or nothing if they stand in the wrong order.
    pub fn new(from: Verse, to: Verse) -> Option<Self> {
        (from <= to).then_some(Self { from, to })
    }

    /// One verse alone.
    pub const fn of(verse: Verse) -> Self {
        Self {
            from: verse,
            to: verse,
        }
    }

    /// The first verse.
    pub const fn from(self) -> Verse {
        self.from
    }

    /// The last verse.
    pub const fn to(self) -> Verse {
        self.to
    }

    /// Whether it holds the verse.
    pub fn contains(self, verse: Verse) -> bool {
        (self.from..=self.to).contains(&verse)
    }

    /// Whether it holds all of the other.
    pub fn covers(self, other: Self) -> bool {
        self.from <= other.from && other.to <= self.to
    }

    /// Whether some verse is in both.
    pub fn overlaps(self, other: Self) -> bool {
        self.from <= other.to && other.from <= self.to
    }
}

impl From<Verse> for Span {
    fn from(verse: Verse) -> Self {
        Self::of(verse)
    }
}

/// The OSIS form, `John.3.16` or `John.3.16-John.3.18`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.from == self.to {
            return self.from.fmt(f);
        }
        write!(f, "{}-{}", self.from, self.to)
    }
}

/// A list of spans in the order in which somebody named them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Passage(Vec<Span>);

impl Passage {
    /// The spans in their order.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    /// Whether it names nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of its spans holds the verse.
    pub fn contains(&self, verse: Verse) -> bool {
        self.0.iter().any(|span| span.contains(verse))
    }

    /// Whether some verse is in both.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.0
            .iter()
            .any(|one| other.0.iter().any(|two| one.overlaps(*two)))
    }

    /// The same verses in the order of the canon, each once: what overlaps becomes one span.
    #[must_use]
    pub fn merged(&self) -> Self {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let mut merged: Vec<Span> = Vec::with_capacity(sorted.len());
        for span in sorted {
            match merged.last_mut() {
                Some(last) if span.from <= last.to => last.to = last.to.max(span.to),
                _ => merged.push(span),
            }
        }
        Self(merged)
    }
}

impl FromIterator<Span> for Passage {
    fn from_iter<I: IntoIterator<Item = Span>>(spans: I) -> Self {
        Self(spans.into_iter().collect())
    }
}

impl From<Span> for Passage {
    fn from(span: Span) -> Self {
        Self(vec![span])
    }
}

/// The OSIS forms of the spans, separated by spaces.
impl fmt::Display for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, span) in self.0.iter().enumerate() {
            let gap = if index > 0 { " " } else { "" };
            write!(f, "{gap}{span}")?;
        }
        Ok(())
    }
}
