//! How references are written in a language.

use crate::book::Book;
use crate::language::Language;

use super::Punctuation;
use super::table;

/// The names that are written.
#[derive(Debug)]
pub(super) struct Wording {
    /// By the place of the book.
    long: Vec<String>,
    short: Vec<String>,
    /// The Psalms together; each is written in the singular.
    pub(super) psalms: &'static str,
    /// What names the verse before verse 1.
    pub(super) title: &'static str,
}

impl Wording {
    /// The names of a language.
    pub(super) fn of(language: Language) -> Self {
        let number = word(language, "number");
        let mut names = Self {
            long: Book::ALL
                .iter()
                .map(|book| book.english().to_owned())
                .collect(),
            short: Book::ALL
                .iter()
                .map(|book| book.osis().to_owned())
                .collect(),
            psalms: word(language, "psalms"),
            title: word(language, "title"),
        };
        for row in table::rows(language).filter(|row| !row.long.is_empty()) {
            for (index, book) in row.books.iter().enumerate() {
                let place = usize::from(book.index());
                let prefix = if row.numbered {
                    number.replace("{}", &(index + 1).to_string())
                } else {
                    String::new()
                };
                names.long[place] = format!("{prefix}{}", row.long);
                names.short[place] = format!("{prefix}{}", row.short);
            }
        }
        names
    }

    /// The punctuation that is usual in a language.
    pub(super) fn punctuation(language: Language) -> Punctuation {
        match word(language, "marks") {
            "european" => Punctuation::European,
            _ => Punctuation::English,
        }
    }

    /// The name in full.
    pub(super) fn long(&self, book: Book) -> &str {
        &self.long[usize::from(book.index())]
    }

    /// The usual abbreviation.
    pub(super) fn short(&self, book: Book) -> &str {
        &self.short[usize::from(book.index())]
    }
}

/// The first of the words under a heading, with its spaces.
fn word(language: Language, heading: &str) -> &'static str {
    let mut words = table::words(language);
    let found = words.find(|(key, _)| *key == heading);
    found.map_or("", |(_, words)| words.split(';').next().unwrap_or_default())
}
