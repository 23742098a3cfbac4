//! What the holder of a translation's rights grants.

use serde::{Deserialize, Serialize};

use crate::corpus::manifest::is_day;

/// A fraction of whole numbers, between nothing and everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "(u32, u32)", into = "(u32, u32)")]
pub struct Share {
    part: u32,
    whole: u32,
}

/// A fraction that is none, or that is more than everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a share is two whole numbers, the first not above the second, the second not zero")]
pub struct NoShare;

impl Share {
    /// `part` of `whole`, as in 25 of 100; nothing where that is no fraction, or more than one.
    pub fn new(part: u32, whole: u32) -> Option<Self> {
        (whole > 0 && part <= whole).then_some(Self { part, whole })
    }

    /// The numbers.
    pub const fn parts(self) -> (u32, u32) {
        (self.part, self.whole)
    }

    /// How `used` of `of` compares with it. What is a part of nothing is all of it.
    fn compare(self, used: u64, of: u64) -> std::cmp::Ordering {
        let used = u128::from(used) * u128::from(self.whole);
        used.cmp(&(u128::from(of) * u128::from(self.part)))
    }
}

impl TryFrom<(u32, u32)> for Share {
    type Error = NoShare;

    fn try_from((part, whole): (u32, u32)) -> Result<Self, NoShare> {
        Self::new(part, whole).ok_or(NoShare)
    }
}

impl From<Share> for (u32, u32) {
    fn from(share: Share) -> Self {
        share.parts()
    }
}

/// A limit, with or without the limit itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// This much and no more.
    AtMost(Share),
    /// Less than this, as in "do not amount to a complete book".
    Below(Share),
    /// This many verses and no more.
    Verses(u32),
}

impl Bound {
    /// Whether `used` of `of` is granted.
    pub(super) fn holds(self, used: u64, of: u64) -> bool {
        match self {
            Self::AtMost(share) => share.compare(used, of).is_le(),
            Self::Below(share) => used == 0 || share.compare(used, of).is_lt(),
            Self::Verses(most) => used <= u64::from(most),
        }
    }
}

/// The words that must appear, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notice {
    /// The words.
    pub text: String,
    /// The kinds of artefacts in which they must appear.
    pub places: Vec<String>,
}

/// A translation's terms, as they were read on a day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The edition.
    pub edition: String,
    /// The day on which the terms were read, `YYYY-MM-DD`.
    pub as_of: String,
    /// Where they were read.
    pub source: String,
    /// How many verses a work may quote; no limit if it isn't given.
    #[serde(default)]
    pub max_verses: Option<u32>,
    /// How much of the work's words may be quoted.
    #[serde(default)]
    pub max_share_of_work: Option<Bound>,
    /// How much of a book of the Bible may be quoted.
    #[serde(default)]
    pub max_share_of_book: Option<Bound>,
    /// The media in which the work may appear; any if none is named.
    #[serde(default)]
    pub media: Vec<String>,
    /// The notice that must appear.
    #[serde(default)]
    pub notice: Option<Notice>,
}

/// What can't be said in a grant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct UnfitGrant {
    /// Which field.
    pub field: &'static str,
    /// What is expected.
    pub message: &'static str,
}

impl Grant {
    /// Everything about the record that isn't fit for use.
    pub fn unfit(&self) -> Vec<UnfitGrant> {
        let is_share = |bound: Option<Bound>| !matches!(bound, Some(Bound::Verses(_)));
        let notice = self.notice.as_ref();
        let fits =
            notice.is_none_or(|notice| !notice.text.trim().is_empty() && !notice.places.is_empty());
        let share = "a share, as `at_most` or `below`";
        let checks = [
            (
                !self.edition.is_empty(),
                "edition",
                "the edition's identifier",
            ),
            (
                is_day(&self.as_of),
                "as_of",
                "the day of the terms, YYYY-MM-DD",
            ),
            (
                !self.source.trim().is_empty(),
                "source",
                "where the terms were read",
            ),
            (is_share(self.max_share_of_work), "max_share_of_work", share),
            (is_share(self.max_share_of_book), "max_share_of_book", share),
            (fits, "notice", "its words and at least one place"),
        ];
        let unfit = checks.into_iter().filter(|(fit, ..)| !fit);
        unfit
            .map(|(_, field, message)| UnfitGrant { field, message })
            .collect()
    }

    /// Whether a work may appear in a medium.
    pub fn allows_medium(&self, medium: &str) -> bool {
        self.media.is_empty() || self.media.iter().any(|allowed| allowed == medium)
    }
}
