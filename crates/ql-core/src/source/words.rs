//! Places in a text.

/// The line, from 1, that a byte of a text stands in.
pub(super) fn line_at(text: &str, byte: usize) -> u32 {
    let breaks = text.as_bytes()[..byte].iter().filter(|b| **b == b'\n');
    u32::try_from(breaks.count() + 1).unwrap_or(u32::MAX)
}

/// The words of a text in lower case, each with the byte that it begins at.
pub(super) fn words(text: &str) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    let mut begin = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        let in_word = character.is_alphanumeric() || character == '\'';
        match begin {
            None if in_word => begin = Some(at),
            Some(start) if !in_word => {
                words.push((start, text[start..at].to_lowercase()));
                begin = None;
            }
            None | Some(_) => {}
        }
    }
    words
}
