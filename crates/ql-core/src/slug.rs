//! Slugs: the last part of a page's address.

use std::fmt;
use std::str::FromStr;

/// The most characters a slug may have.
pub const MAX_LENGTH: usize = 200;

/// A page address within its site and locale: segments of `a-z`, `0-9` and `-`, joined by `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);

impl Slug {
    /// The slug's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Makes a slug from a title in any script; a title that leaves nothing becomes `page`.
    pub fn from_title(title: &str) -> Self {
        let plain = deunicode::deunicode(title).to_lowercase();
        let mut text = String::with_capacity(plain.len());
        for symbol in plain.chars() {
            if symbol.is_ascii_alphanumeric() {
                text.push(symbol);
            } else if symbol != '\'' && !text.is_empty() && !text.ends_with('-') {
                text.push('-');
            }
            if text.len() >= 80 {
                break;
            }
        }
        let trimmed = text.trim_matches('-');
        Self(if trimmed.is_empty() {
            "page".to_owned()
        } else {
            trimmed.to_owned()
        })
    }

    /// The same slug with `-number` at its end, for a page whose slug is taken.
    #[must_use]
    pub fn numbered(&self, number: u32) -> Self {
        Self(format!("{}-{number}", self.0))
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that isn't a slug.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a slug: at most 200 of a-z, 0-9 and -, in segments joined by /, such as guides/first-steps"
)]
pub struct InvalidSlug;

impl FromStr for Slug {
    type Err = InvalidSlug;

    fn from_str(text: &str) -> Result<Self, InvalidSlug> {
        let segment = |part: &str| {
            !part.is_empty()
                && !part.starts_with('-')
                && !part.ends_with('-')
                && part
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        if text.len() <= MAX_LENGTH && text.split('/').all(segment) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSlug)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_in_any_script_make_a_valid_slug() {
        let slugs: Vec<String> = [
            "First Steps!",
            "Überraschung für Anfänger",
            "Привет, мир",
            "你好世界",
            "🌱",
            "",
            "Don't panic",
        ]
        .iter()
        .map(|title| {
            let slug = Slug::from_title(title);
            assert_eq!(slug.as_str().parse(), Ok(slug.clone()));
            slug.to_string()
        })
        .collect();
        insta::assert_snapshot!(slugs.join(" | "), @"first-steps | uberraschung-fur-anfanger | privet-mir | ni-hao-shi-jie | seedling | page | dont-panic");
    }

    #[test]
    fn bad_slugs_are_refused() {
        for bad in ["", "A", "a//b", "-a", "a-", "a b", "/a", "a/", "ü", "../a"] {
            assert!(bad.parse::<Slug>().is_err(), "{bad}");
        }
        assert!("guides/first-steps".parse::<Slug>().is_ok());
    }
}
