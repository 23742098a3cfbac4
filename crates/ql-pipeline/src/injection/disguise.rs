//! Words as they look when a whole text is written backwards or with other letters.

/// What was done to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Disguise {
    /// It is written backwards.
    Reversed,
    /// Every letter was moved that far along the alphabet.
    Shifted(u8),
    /// The alphabet was mirrored: `a` is `z`.
    Mirrored,
}

/// Words that give a disguise away, since injections use them and few other words become them.
const SIGNS: &[&str] = &[
    "instruction",
    "instructions",
    "previous",
    "ignore",
    "disregard",
    "forget",
    "system",
    "prompt",
    "password",
    "passwords",
    "reveal",
    "secret",
    "secrets",
    "command",
    "commands",
    "following",
    "please",
    "should",
    "would",
    "write",
    "answer",
    "respond",
    "output",
    "print",
    "everything",
    "about",
    "which",
    "there",
    "assistant",
    "delete",
    "email",
    "customer",
    "private",
    "override",
    "what",
    "that",
    "your",
    "with",
    "from",
    "this",
    "tell",
    "have",
    "give",
    "when",
    "where",
    "explain",
    "hello",
    "translate",
    "the",
    "you",
    "and",
    "for",
    "are",
    "can",
    "how",
    "who",
    "not",
    "all",
];

/// Every sign in every disguise.
pub(super) fn signs() -> impl Iterator<Item = (String, Disguise)> {
    SIGNS.iter().flat_map(|word| {
        let shifted = (1..26).map(|far| (shift(word, far), Disguise::Shifted(far)));
        let reversed = (word.chars().rev().collect(), Disguise::Reversed);
        let mirrored = (mirror(word), Disguise::Mirrored);
        shifted
            .chain([reversed, mirrored])
            .filter(|(text, _)| !SIGNS.contains(&text.as_str()))
    })
}

/// Whether a word is a sign as it stands.
pub(super) fn is_plain(word: &str) -> bool {
    SIGNS.iter().any(|sign| sign.eq_ignore_ascii_case(word))
}

/// Moves letters along the alphabet.
fn shift(text: &str, far: u8) -> String {
    let moved = |base: u8, letter: char| char::from((letter as u8 - base + far) % 26 + base);
    let letter = |letter: char| match letter {
        'a'..='z' => moved(b'a', letter),
        'A'..='Z' => moved(b'A', letter),
        other => other,
    };
    text.chars().map(letter).collect()
}

fn mirror(text: &str) -> String {
    let letter = |letter: char| match letter {
        'a'..='z' => char::from(b'a' + b'z' - letter as u8),
        'A'..='Z' => char::from(b'A' + b'Z' - letter as u8),
        other => other,
    };
    text.chars().map(letter).collect()
}

impl Disguise {
    /// The text without the disguise.
    pub(super) fn undone(self, text: &str) -> String {
        match self {
            Self::Reversed => text.chars().rev().collect(),
            Self::Shifted(far) => shift(text, 26 - far),
            Self::Mirrored => mirror(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disguise_is_undone() {
        assert_eq!(Disguise::Shifted(13).undone("Vtaber"), "Ignore");
        assert_eq!(Disguise::Mirrored.undone("Rtmliv"), "Ignore");
        assert_eq!(Disguise::Reversed.undone("erongI"), "Ignore");
        let signs: Vec<(String, Disguise)> = signs().collect();
        assert!(signs.contains(&("tpmorp".to_owned(), Disguise::Reversed)));
        assert!(signs.contains(&("lqvwuxfwlrqv".to_owned(), Disguise::Shifted(3))));
    }
}
