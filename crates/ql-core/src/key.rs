//! The keys that people give to templates, forms and their fields.

/// Whether `text` can be such a key: 1 to 64 of `a-z 0-9 _ -`, beginning with a letter.
pub fn is_key(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.as_bytes()[0].is_ascii_lowercase()
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b))
}
