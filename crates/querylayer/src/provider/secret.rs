//! Keys of providers.

use std::fmt;

use reqwest::header::HeaderValue;

/// How many characters of a key in a row make a text one that repeats it.
const TELLING: usize = 8;

/// A key. It has no `Display`, and `Debug` shows nothing of it.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// A key as it was given, without white space around it; none where nothing is left, or where no
    /// header can carry it.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_fit = !text.is_empty() && HeaderValue::from_str(text).is_ok();
        is_fit.then(|| Self(text.to_owned()))
    }

    /// A header with the key after a prefix, which no log of headers shows.
    pub(super) fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Whether a text repeats the key or a telling part of it.
    pub(super) fn is_repeated_in(&self, text: &str) -> bool {
        let key: Vec<char> = self.0.chars().collect();
        let width = key.len().min(TELLING);
        key.windows(width)
            .any(|part| text.contains(&part.iter().collect::<String>()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
