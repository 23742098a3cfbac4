//! The languages in which books are named.

/// A language with its book names and its words for chapters and verses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    English,
    /// Spanish.
    Spanish,
    /// German.
    German,
    /// French.
    French,
    /// Portuguese.
    Portuguese,
    /// Italian.
    Italian,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::English,
        Self::Spanish,
        Self::German,
        Self::French,
        Self::Portuguese,
        Self::Italian,
    ];

    /// The code of ISO 639-1.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
            Self::German => "de",
            Self::French => "fr",
            Self::Portuguese => "pt",
            Self::Italian => "it",
        }
    }

    /// The language with this code of ISO 639-1.
    pub fn from_code(code: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|language| language.code().eq_ignore_ascii_case(code))
    }

    /// Names and words as they are written in `data/names`.
    pub(crate) const fn table(self) -> &'static str {
        match self {
            Self::English => include_str!("../data/names/en.tsv"),
            Self::Spanish => include_str!("../data/names/es.tsv"),
            Self::German => include_str!("../data/names/de.tsv"),
            Self::French => include_str!("../data/names/fr.tsv"),
            Self::Portuguese => include_str!("../data/names/pt.tsv"),
            Self::Italian => include_str!("../data/names/it.tsv"),
        }
    }
}
