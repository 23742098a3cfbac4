//! Letters: folded so that a word is found however it is dressed up.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;

/// Which alphabets a word was written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Scripts {
    pub(super) latin: bool,
    /// Cyrillic, Greek, Armenian or Cherokee: the alphabets with Latin look-alikes.
    pub(super) lookalike: bool,
    /// Mathematical, full-width or circled letters.
    pub(super) styled: bool,
}

/// Letters of other alphabets with the Latin ones that they look like (Unicode's confusables, the
/// part that matters to English words).
const CONFUSABLES: &[(&str, char)] = &[
    ("аαɑᎪ", 'a'),
    ("вβᏴ", 'b'),
    ("сϲⅽᏟ", 'c'),
    ("ԁⅾᏧ", 'd'),
    ("еεєҽᎬ", 'e'),
    ("ғ", 'f'),
    ("ɡԍց", 'g'),
    ("һнհᎻ", 'h'),
    ("іιıӏᎥ", 'i'),
    ("јϳ", 'j'),
    ("кκᏦ", 'k'),
    ("ⅼᏞ", 'l'),
    ("мμᎷ", 'm'),
    ("пηոν", 'n'),
    ("оοօσ", 'o'),
    ("рρᏢ", 'p'),
    ("ԛզ", 'q'),
    ("гᏒ", 'r'),
    ("ѕꜱᏚ", 's'),
    ("тτᎢ", 't'),
    ("υսц", 'u'),
    ("ѵᏙ", 'v'),
    ("ѡԝωᎳ", 'w'),
    ("хχ", 'x'),
    ("уγүყ", 'y'),
    ("ᴢᏃ", 'z'),
];

/// The Latin letter that a letter of another alphabet looks like.
pub(super) fn lookalike(letter: char) -> Option<char> {
    if letter.is_ascii() {
        return Some(letter);
    }
    let is_it = |(others, _): &&(&str, char)| others.contains(letter);
    CONFUSABLES.iter().find(is_it).map(|(_, latin)| *latin)
}

/// Whether a character takes no place and shows nothing.
pub(super) const fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character belongs to a script that is written without spaces.
pub(super) const fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' | '\u{3005}')
}

/// Adds a character to a word: lower case, without accents, compatibility forms resolved.
pub(super) fn fold(letter: char, word: &mut String, scripts: &mut Scripts) {
    if letter.is_ascii() {
        scripts.latin |= letter.is_ascii_alphabetic();
        word.push(letter.to_ascii_lowercase());
        return;
    }
    scripts.styled |= is_styled(letter);
    let parts = letter
        .to_lowercase()
        .flat_map(|part| [part].into_iter().nfkd());
    for part in parts.filter(|part| canonical_combining_class(*part) == 0) {
        for part in part.to_lowercase() {
            scripts.latin |= part.is_ascii_alphabetic();
            scripts.lookalike |= matches!(part,
                '\u{370}'..='\u{58f}' | '\u{10d0}'..='\u{10ff}' | '\u{13a0}'..='\u{13fd}');
            push(part, word);
        }
    }
}

/// Letters that have no decomposition and are another's variant all the same.
fn push(letter: char, word: &mut String) {
    match letter {
        'ß' => word.push_str("ss"),
        'æ' => word.push_str("ae"),
        'œ' => word.push_str("oe"),
        'ø' => word.push('o'),
        'ł' => word.push('l'),
        'đ' => word.push('d'),
        'ı' => word.push('i'),
        'ς' => word.push('σ'),
        _ => word.push(letter),
    }
}

const fn is_styled(letter: char) -> bool {
    matches!(letter,
        '\u{1d400}'..='\u{1d7ff}' | '\u{ff21}'..='\u{ff5a}' | '\u{2460}'..='\u{24ff}'
        | '\u{2100}'..='\u{214f}' | '\u{1d00}'..='\u{1dbf}' | '\u{1f130}'..='\u{1f189}')
}

/// A word whose figures stand for letters, as letters.
pub(super) fn without_figures(word: &str) -> String {
    let letter = |letter: char| match letter {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        '9' => 'g',
        other => other,
    };
    word.chars().map(letter).collect()
}

/// A word without letters of other alphabets, or nothing where one has no Latin look-alike.
pub(super) fn as_latin(word: &str) -> Option<String> {
    word.chars().map(lookalike).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> (String, Scripts) {
        let (mut word, mut scripts) = (String::new(), Scripts::default());
        for letter in text.chars() {
            fold(letter, &mut word, &mut scripts);
        }
        (word, scripts)
    }

    #[test]
    fn dress_is_taken_off() {
        assert_eq!(folded("Précédentes").0, "precedentes");
        assert_eq!(folded("vergißt").0, "vergisst");
        let (word, scripts) = folded("𝐈𝐠𝐧𝐨𝐫𝐞");
        assert_eq!((word.as_str(), scripts.styled), ("ignore", true));
        let (word, scripts) = folded("ІGNОRЕ");
        assert!(scripts.latin && scripts.lookalike);
        assert_eq!(as_latin(&word).as_deref(), Some("ignore"));
        assert_eq!(as_latin("правила"), None);
        assert_eq!(without_figures("1gn0r3"), "ignore");
    }
}
