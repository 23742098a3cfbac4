//! What has to be known of a language to judge quotations in it: which words negate, which name
//! God, which say little, which phrases are everybody's, and what announces a quotation.
//!
//! All of it is data, in `data/lexicon`; a language without a file is known not to be known.

use std::collections::HashSet;

use rustc_hash::FxBuildHasher;

use crate::corpus::fold;
use crate::token;

type Words = HashSet<Box<str>, FxBuildHasher>;

/// The data of one language.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    /// Words that negate, in small letters; with vowel points where these tell words apart.
    negations: Words,
    /// Beginnings and ends by which a word negates, such as `n'` and `n't`.
    prefixes: Vec<Box<str>>,
    suffixes: Vec<Box<str>>,
    /// Pairs of words that negate together, such as `no man`.
    pairs: Words,
    /// Words that turn a sentence round when they are inserted.
    reversals: Words,
    names: Words,
    function: Words,
    phrases: Vec<Vec<Box<str>>>,
    cues: Vec<Vec<Box<str>>>,
}

impl Lexicon {
    /// The language of a BCP 47 tag, whatever its region, if it is known.
    pub(crate) fn of(tag: &str) -> Option<Self> {
        let data = match tag.split('-').next().unwrap_or_default() {
            "en" | "eng" => include_str!("../data/lexicon/en.txt"),
            "es" | "spa" => include_str!("../data/lexicon/es.txt"),
            "fr" | "fra" => include_str!("../data/lexicon/fr.txt"),
            "de" | "deu" => include_str!("../data/lexicon/de.txt"),
            "pt" | "por" => include_str!("../data/lexicon/pt.txt"),
            "hbo" | "he" | "heb" => include_str!("../data/lexicon/hbo.txt"),
            "grc" | "el" | "ell" => include_str!("../data/lexicon/grc.txt"),
            _ => return None,
        };
        Some(Self::read(data))
    }

    fn read(data: &str) -> Self {
        let mut language = Self::default();
        let mut section = "";
        let lines = data.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                Some(name) => section = name,
                None => language.entry(section, line),
            }
        }
        language
    }

    fn entry(&mut self, section: &str, line: &str) {
        match section {
            "negations" => self.negation(line),
            "reversals" => self
                .reversals
                .extend(line.split_whitespace().map(Into::into)),
            "names" => self.names.extend(line.split_whitespace().map(Into::into)),
            "function" => self
                .function
                .extend(line.split_whitespace().map(Into::into)),
            "phrases" => self.phrases.push(phrase(line)),
            "cues" => self.cues.push(phrase(line)),
            _ => debug_assert!(false, "an unknown section: {section}"),
        }
    }

    fn negation(&mut self, entry: &str) {
        if let Some(suffix) = entry.strip_prefix('*') {
            self.suffixes.push(suffix.into());
        } else if let Some(prefix) = entry.strip_suffix('*') {
            self.prefixes.push(prefix.into());
        } else if entry.contains(' ') {
            self.pairs.insert(entry.into());
        } else {
            let (words, _) = token::words(entry);
            let words = words.into_iter().map(|(word, _)| word.into_boxed_str());
            self.negations.extend(words);
        }
    }

    /// Whether a word in its normal form negates.
    pub(crate) fn negates(&self, word: &str) -> bool {
        let small = word.to_lowercase();
        self.negations.contains(small.as_str())
            || self.negations.contains(fold(word).as_ref())
            || self
                .prefixes
                .iter()
                .any(|prefix| small.starts_with(&**prefix))
            || self
                .suffixes
                .iter()
                .any(|suffix| small.ends_with(&**suffix))
    }

    /// Whether a word, inserted into a sentence, can turn it round.
    pub(crate) fn reverses(&self, word: &str) -> bool {
        self.negates(word) || self.reversals.contains(fold(word).as_ref())
    }

    /// Whether two words in a row negate together what follows or precedes them.
    pub(crate) fn negate(&self, first: &str, second: &str) -> bool {
        let pair = format!("{} {}", fold(first), fold(second));
        self.pairs.contains(pair.as_str())
    }

    /// Whether a word names God, so that its capital letters mean something. A possessive is the
    /// word it is made of.
    pub(crate) fn names_god(&self, word: &str) -> bool {
        let folded = fold(word);
        let bare = folded.strip_suffix("'s").unwrap_or(&folded);
        self.names.contains(bare)
    }

    /// Whether a folded word says little by itself.
    pub(crate) fn is_function_word(&self, word: &str) -> bool {
        self.function.contains(word)
    }

    /// Phrases of everyday language, in folded words.
    pub(crate) fn phrases(&self) -> &[Vec<Box<str>>] {
        &self.phrases
    }

    /// Phrases that announce a quotation, in folded words.
    pub(crate) fn cues(&self) -> &[Vec<Box<str>>] {
        &self.cues
    }
}

fn phrase(line: &str) -> Vec<Box<str>> {
    let (words, _) = token::words(line);
    let folded = words.iter().map(|(word, _)| fold(word).into());
    folded.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_knows_its_negations() {
        let cases = [
            (
                "en",
                "not Cannot couldn't NEITHER nothing",
                "knot note another",
            ),
            ("es", "no nunca jamás ni", "nota niño"),
            ("fr", "ne pas n'est jamais", "nous passer"),
            ("de", "nicht keine niemand", "nacht"),
            ("pt", "não nunca ninguém", "nao"),
            ("hbo", "לֹא וְלֹא אַל־ אֵין", "אֶל־ אֵל"),
            ("grc", "οὐ οὐκ μὴ Οὐδεὶς", "οὗ"),
        ];
        for (tag, negations, others) in cases {
            let language = Lexicon::of(tag).expect("a known language");
            for (word, _) in token::words(negations).0 {
                assert!(language.negates(&word), "{tag}: {word}");
            }
            for (word, _) in token::words(others).0 {
                assert!(!language.negates(&word), "{tag}: {word}");
            }
        }
        assert!(Lexicon::of("tlh").is_none());
    }
}
