//! Names and words in the chosen languages, ready to be looked up.

use crate::language::Language;

use super::fold::Folded;
use super::names::Names;
use super::table;
use super::words::{Beginnings, Words};

/// What a word does between numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Chapter,
    Verse,
    And,
    To,
    Title,
    Following,
    Next,
    Lead,
}

/// Every role of a word, one bit each, and the ordinal number that it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Word {
    roles: u8,
    pub(super) ordinal: u8,
}

impl Word {
    pub(super) fn is(self, role: Role) -> bool {
        self.roles & 1 << role as u8 != 0
    }

    /// Whether it has a role or is an ordinal.
    pub(super) fn is_any(self) -> bool {
        self.roles != 0 || self.ordinal > 0
    }

    /// Whether it may be glued to a number.
    pub(super) fn is_known(self) -> bool {
        self.roles & !(1 << Role::Lead as u8) != 0
    }
}

/// Names and words.
#[derive(Debug)]
pub(super) struct Lexicon {
    pub(super) names: Names,
    words: Words<Word>,
    beginnings: Beginnings,
}

impl Lexicon {
    /// The names and words of these languages, the earlier ones first, and OSIS identifiers.
    pub(super) fn of(languages: &[Language]) -> Self {
        let mut beginnings = Beginnings::new();
        let names = Names::of(languages, &mut beginnings);
        let mut words = Words::<Word>::default();
        for (heading, forms) in languages
            .iter()
            .flat_map(|language| table::words(*language))
        {
            for folded in table::list(forms).into_iter().filter_map(Folded::of) {
                let word = words.entry(folded.as_str().into()).or_default();
                match heading.parse::<u8>() {
                    Ok(ordinal) => word.ordinal = ordinal,
                    Err(_) => word.roles |= role(heading).map_or(0, |role| 1 << role as u8),
                }
                if word.ordinal > 0 || word.is(Role::Chapter) {
                    beginnings.add(folded.as_str());
                }
            }
        }
        Self {
            names,
            words,
            beginnings,
        }
    }

    /// Whether a reference can begin with this word: some name, ordinal or word for chapters does.
    pub(super) fn begins_with(&self, word: &str) -> bool {
        self.beginnings.contain(word)
    }

    /// What a word does between numbers.
    pub(super) fn word(&self, word: &str) -> Word {
        let folded = Folded::of(word);
        let found = folded.and_then(|folded| self.words.get(folded.as_str()));
        found.copied().unwrap_or_default()
    }
}

fn role(heading: &str) -> Option<Role> {
    Some(match heading {
        "chapter" => Role::Chapter,
        "verse" => Role::Verse,
        "and" => Role::And,
        "to" => Role::To,
        "title" => Role::Title,
        "following" => Role::Following,
        "next" => Role::Next,
        "lead" => Role::Lead,
        _ => return None,
    })
}
