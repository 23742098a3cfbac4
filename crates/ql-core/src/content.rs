//! Content items and their immutable revisions.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::actor::Actor;
use crate::hash::Digest;
use crate::id::{ContentId, RevisionId, RunId, SiteId, TranslationGroupId};
use crate::slug::Slug;
use crate::time::Timestamp;

/// A page of the site, whatever its revisions say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentItem {
    /// Identity.
    pub id: ContentId,
    /// The site.
    pub site: SiteId,
    /// The key of the template it is written against.
    pub template: String,
    /// Its language.
    pub locale: Locale,
    /// The items that are translations of each other.
    pub translation_group: TranslationGroupId,
    /// What the newest draft is called.
    pub title: String,
    /// The newest draft.
    pub current_draft: RevisionId,
    /// What the public sees; none when it sees nothing.
    pub published: Option<RevisionId>,
    /// When it was put away; none when it is in use.
    pub archived_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When anything of it last changed.
    pub updated_at: Timestamp,
}

impl ContentItem {
    /// Where the item stands, for lists.
    pub fn status(&self) -> ContentStatus {
        if self.archived_at.is_some() {
            ContentStatus::Archived
        } else if self.published == Some(self.current_draft) {
            ContentStatus::Published
        } else if self.published.is_some() {
            ContentStatus::PublishedWithDraft
        } else {
            ContentStatus::Draft
        }
    }
}

/// Where an item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContentStatus {
    /// Never or no longer live.
    Draft,
    /// Live, and the newest draft is what is live.
    Published,
    /// Live, with a draft that isn't live.
    PublishedWithDraft,
    /// Put away.
    Archived,
}

impl ContentStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [
        Self::Draft,
        Self::Published,
        Self::PublishedWithDraft,
        Self::Archived,
    ];

    /// The status's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Published => "published",
            Self::PublishedWithDraft => "published_with_draft",
            Self::Archived => "archived",
        }
    }
}

impl fmt::Display for ContentStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ContentStatus {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| format!("`{text}` is no status; the statuses are draft, published, published_with_draft, archived"))
    }
}

/// An immutable full snapshot of an item's fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Revision {
    /// Identity.
    pub id: RevisionId,
    /// The item.
    pub content: ContentId,
    /// 1 for the first of the item.
    pub number: i64,
    /// The address it would be live at.
    pub slug: Slug,
    /// The fields.
    pub fields: Value,
    /// The SHA-256 of the canonical form of slug and fields.
    pub sha256: Digest,
    /// The version of the template it was written against.
    pub template_version: i64,
    /// Who wrote it.
    pub author: Actor,
    /// The run it was written in.
    pub run: Option<RunId>,
    /// The revision it started from.
    pub parent: Option<RevisionId>,
    /// Why, in the author's words.
    pub note: String,
    /// When.
    pub created_at: Timestamp,
}

/// The digest that identifies what a revision says: the canonical form of its slug and fields,
/// given the fields in canonical form already.
pub fn revision_digest(slug: &Slug, canonical_fields: &str) -> Digest {
    // The keys stand in canonical order and a slug needs no escaping, so this is RFC 8785 as well.
    Digest::of_parts(&[
        b"{\"fields\":",
        canonical_fields.as_bytes(),
        b",\"slug\":\"",
        slug.as_str().as_bytes(),
        b"\"}",
    ])
}

/// A BCP 47 language tag of the simple kind: `en`, `pt-BR`, `zh-Hans`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Locale(String);

impl Locale {
    /// The tag's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Locale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that isn't a language tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a language tag such as en, pt-BR or zh-Hans")]
pub struct InvalidLocale;

impl FromStr for Locale {
    type Err = InvalidLocale;

    fn from_str(text: &str) -> Result<Self, InvalidLocale> {
        let mut parts = text.split('-');
        let language = parts.next().unwrap_or_default();
        let language_sound =
            (2..=3).contains(&language.len()) && language.bytes().all(|b| b.is_ascii_lowercase());
        let rest_sound = parts.all(|part| {
            (2..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
        });
        if language_sound && rest_sound && text.len() <= 35 {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidLocale)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon;
    use serde_json::json;

    #[test]
    fn the_digest_is_that_of_the_canonical_document() {
        let slug: Slug = "a/b-c".parse().expect("a slug");
        let fields = json!({"title": "Ünïcode \"quoted\"", "n": [1, 2.5]});
        let document = json!({"slug": slug.as_str(), "fields": fields});
        assert_eq!(
            revision_digest(&slug, &canon::to_string(&fields)),
            canon::digest(&document)
        );
    }

    #[test]
    fn language_tags_are_simple_and_strict() {
        for good in ["en", "pt-BR", "zh-Hans", "gsw"] {
            assert!(good.parse::<Locale>().is_ok(), "{good}");
        }
        for bad in ["", "EN", "e", "english", "en_", "en-", "en-x/y"] {
            assert!(bad.parse::<Locale>().is_err(), "{bad}");
        }
    }
}
