//! The generator's own idea of words, so that it doesn't inherit the library's mistakes.

use std::ops::Range;

/// Words that negate, in the generator's own list.
const NEGATIONS: [&str; 14] = [
    "not", "no", "nor", "neither", "never", "none", "nothing", "cannot", "without", "nay", "lest",
    "nobody", "nought", "naught",
];

/// The places of the words: letters and figures with apostrophes and hyphens between them.
pub(crate) fn places(text: &str) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    for (index, (at, character)) in characters.iter().copied().enumerate() {
        let next = characters
            .get(index + 1)
            .is_some_and(|(_, c)| c.is_alphanumeric());
        let joins = open && next && matches!(character, '\'' | '’' | '-');
        if character.is_alphanumeric() || joins {
            let end = at + character.len_utf8();
            match places.last_mut().filter(|_| open) {
                Some(word) => word.end = end,
                None => places.push(at..end),
            }
            open = true;
        } else {
            open = false;
        }
    }
    places
}

/// A word for comparison.
pub(crate) fn plain(word: &str) -> String {
    word.to_lowercase().replace('’', "'")
}

/// The words of a text for comparison; hyphens part them, so that doubtful cases count as alike.
pub(crate) fn all(text: &str) -> Vec<String> {
    let words = places(text).into_iter().map(|place| plain(&text[place]));
    words
        .flat_map(|word| word.split('-').map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// Whether a word negates.
pub(crate) fn negates(word: &str) -> bool {
    let word = plain(word);
    NEGATIONS.contains(&word.as_str()) || word.ends_with("n't")
}

/// How often some words stand in a row among others.
pub(crate) fn times(text: &[String], words: &[String]) -> usize {
    let windows = text.windows(words.len().max(1));
    windows.filter(|window| *window == words).count()
}

/// Whether some words stand in a row among others.
pub(crate) fn holds(text: &[String], words: &[String]) -> bool {
    words.is_empty() || text.windows(words.len()).any(|window| window == words)
}
