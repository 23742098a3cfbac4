//! What is known of an edition beside its text.

use serde::{Deserialize, Serialize};

use crate::book::Book;
use crate::versification::Scheme;

/// The form of manifests and texts that this crate writes.
pub const FORMAT: u32 = 1;

/// What whoever imports an edition says of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// A short name for references to it, such as `kjv`.
    pub id: String,
    /// The edition in full, such as `King James Version, 1769`.
    pub name: String,
    /// The language as a BCP 47 tag, such as `en` or `hbo`.
    pub language: String,
    /// The licence, as the holder of the rights words it or by its SPDX identifier.
    pub licence: String,
    /// What differs by country, such as the Crown's patent on the King James Version.
    #[serde(default)]
    pub jurisdictions: String,
    /// The versification whose numbers the edition has, by the name of its [`Scheme`].
    pub versification: String,
    /// Where the text came from.
    pub source: String,
    /// The day of the import, `YYYY-MM-DD`.
    pub imported: String,
}

/// An edition's description with everything by which its text is known again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The form of this manifest and of the text, [`FORMAT`].
    pub format: u32,
    /// What was said of it.
    #[serde(flatten)]
    pub description: Description,
    /// How many verses the edition has.
    pub verses: u32,
    /// How many titles stand before the first verse of a chapter.
    pub titles: u32,
    /// The SHA-256 of the normal form, in hexadecimal digits.
    pub sha256: String,
    /// The SHA-256 of the bytes that were imported, in hexadecimal digits.
    pub source_sha256: String,
    /// How many verses each chapter of each book has, in the order of the canon.
    pub books: Vec<Chapters>,
    /// Verses that the versification counts in the edition's chapters and that the edition doesn't
    /// have, in the OSIS form.
    pub absent: Vec<String>,
}

/// The chapters of one book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chapters {
    /// The book's OSIS identifier.
    pub book: String,
    /// How many verses each chapter has that the edition has, from the first.
    pub verses: Vec<u8>,
}

impl std::ops::Deref for Manifest {
    type Target = Description;

    fn deref(&self) -> &Description {
        &self.description
    }
}

impl Manifest {
    /// How many verses the edition has of a chapter.
    pub fn verses_of(&self, book: Book, chapter: u8) -> Option<u8> {
        let chapters = self.books.iter().find(|of| of.book == book.osis())?;
        chapters
            .verses
            .get(usize::from(chapter).checked_sub(1)?)
            .copied()
    }

    /// How many verses the edition has of a book.
    pub fn verses_of_book(&self, book: Book) -> u32 {
        let chapters = self.books.iter().find(|of| of.book == book.osis());
        let verses = chapters.map(|of| of.verses.iter().map(|verses| u32::from(*verses)).sum());
        verses.unwrap_or(0)
    }
}

/// What can't be said of an edition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct Unfit {
    /// Which field.
    pub field: &'static str,
    /// What is expected.
    pub message: &'static str,
}

impl Description {
    /// Everything about the description that isn't fit for use.
    pub fn unfit(&self) -> Vec<Unfit> {
        let is_id = |text: &str| {
            let ok = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            (1..=32).contains(&text.len()) && text.bytes().all(ok) && !text.starts_with('-')
        };
        let is_tag = |text: &str| {
            let ok = |part: &str| {
                (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
            };
            text.len() >= 2 && text.split('-').all(ok)
        };
        let checks = [
            (
                is_id(&self.id),
                "id",
                "up to 32 small letters, figures and hyphens",
            ),
            (!self.name.trim().is_empty(), "name", "the edition in full"),
            (
                is_tag(&self.language),
                "language",
                "a BCP 47 tag such as en or grc",
            ),
            (
                !self.licence.trim().is_empty(),
                "licence",
                "the licence, or `public domain`",
            ),
            (
                Scheme::from_name(&self.versification).is_some(),
                "versification",
                "english, hebrew, septuagint or vulgate",
            ),
            (
                !self.source.trim().is_empty(),
                "source",
                "where the text came from",
            ),
            (is_day(&self.imported), "imported", "a day as YYYY-MM-DD"),
        ];
        let unfit = checks.into_iter().filter(|(fit, ..)| !fit);
        unfit
            .map(|(_, field, message)| Unfit { field, message })
            .collect()
    }
}

/// Whether a text is a day of the calendar's form, `YYYY-MM-DD`.
pub(crate) fn is_day(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut number = |digits: usize| {
        let part = parts.next().filter(|part| part.len() == digits)?;
        let plain = part.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| part.parse::<u32>().ok()).flatten()
    };
    let day = (number(4), number(2), number(2));
    let lawful = matches!(day, (Some(_), Some(1..=12), Some(1..=31)));
    lawful && parts.next().is_none()
}
