//! Quotations that nobody declared: words of an edition in a row in somebody's prose.
//!
//! Reported is what has seven words or more, or five with a cue: quotation marks, an announcement
//! such as `it is written`, a reference nearby. Phrases of everyday language, and stretches of words
//! that say little, are not reported; they are data, in `data/lexicon`.

mod cue;
mod matches;

use std::ops::Range;

use crate::corpus::library::Library;
use crate::corpus::{GRAM, fold};
use crate::span::Span;
use crate::token;

use cue::Cues;
use matches::{Match, Prose};

/// From how many words on a stretch is reported.
pub const WORDS: usize = 7;

/// From how many words on a stretch is reported that a cue stands by.
pub const WORDS_WITH_CUE: usize = GRAM;

/// The most places that are named for one stretch.
pub const MOST_PLACES: usize = 8;

/// What stands by a stretch that makes it a quotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cue {
    /// Quotation marks.
    Marks,
    /// Words that announce a quotation.
    Announcement,
    /// A reference.
    Reference,
}

impl Cue {
    /// The name for programs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Marks => "marks",
            Self::Announcement => "announcement",
            Self::Reference => "reference",
        }
    }
}

/// Where a stretch stands in an edition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The edition.
    pub edition: String,
    /// The verses.
    pub span: Span,
}

/// A stretch of prose that an edition has word for word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its bytes in the prose.
    pub at: Range<usize>,
    /// How many words it has.
    pub words: usize,
    /// What stands by it.
    pub cue: Option<Cue>,
    /// Where editions have it, at most [`MOST_PLACES`].
    pub places: Vec<Place>,
    /// At how many places more.
    pub more: usize,
}

/// What is known of a text before it is searched.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'k> {
    /// The bytes of quotations that were declared; what lies within them isn't reported.
    pub declared: &'k [Range<usize>],
    /// The bytes of references in the text.
    pub references: &'k [Range<usize>],
}

/// Finds the stretches of a text that editions have word for word, whatever the case of letters.
///
/// ```
/// # use std::sync::Arc;
/// # use ql_scripture::corpus::{Corpus, import::{File, Format, import}, library::Library};
/// # use ql_scripture::corpus::manifest::Description;
/// use ql_scripture::undeclared::{Known, find};
///
/// # let line = "Gen.1.1\tIn the beginning God created the heaven and the earth.\n";
/// # let description = Description {
/// #     id: "kjv".into(), name: "KJV".into(), language: "en".into(),
/// #     licence: "public domain".into(), versification: "english".into(),
/// #     source: "by hand".into(), imported: "2026-12-01".into(), ..Description::default()
/// # };
/// # let file = File { name: "kjv.tsv", bytes: line.as_bytes() };
/// # let normal = import(Format::Tsv.into(), &[file], description)?.normal;
/// # let library = Library::new([Arc::new(Corpus::load(normal.manifest, normal.text)?)]);
/// let text = "Everything has an origin, for in the beginning God created the heaven.";
/// let found = find(&library, text, Known::default());
/// assert_eq!(&text[found[0].at.clone()], "in the beginning God created the heaven");
/// assert_eq!(found[0].places[0].span.to_string(), "Gen.1.1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn find(library: &Library, text: &str, known: Known<'_>) -> Vec<Finding> {
    let prose = Prose::read(text);
    let matches = matches::all(library, &prose);
    let mut cues: Option<Cues> = None;
    let mut found: Vec<Finding> = Vec::new();
    for group in matches::stretches(matches) {
        let Some(first) = group.first() else { continue };
        let words = first.words.clone();
        let at = prose.bytes(words.clone());
        let declared = known.declared.iter();
        if declared
            .clone()
            .any(|d| d.start <= at.start && at.end <= d.end)
        {
            continue;
        }
        if says_little(library, &prose, words.clone()) {
            continue;
        }
        let cues = cues.get_or_insert_with(|| Cues::read(library, text, &prose, known.references));
        let cue = cues.by(&prose, words.clone());
        if words.len() < WORDS && cue.is_none() {
            continue;
        }
        found.push(finding(library, at, cue, &group));
    }
    found.sort_by_key(|finding| finding.at.start);
    found
}

fn finding(library: &Library, at: Range<usize>, cue: Option<Cue>, group: &[Match]) -> Finding {
    let places = group.iter().filter_map(|of| {
        let corpus = library.iter().nth(of.corpus)?;
        let span = corpus.span_of(of.place..of.place + of.words.len())?;
        Some(Place {
            edition: corpus.id().to_owned(),
            span,
        })
    });
    Finding {
        at,
        words: group.first().map_or(0, |of| of.words.len()),
        cue,
        places: places.take(MOST_PLACES).collect(),
        more: group.len().saturating_sub(MOST_PLACES)
            + group.iter().map(|of| of.more).sum::<usize>(),
    }
}

/// Whether a stretch is a phrase of everyday language, or has no word that says something.
fn says_little(library: &Library, prose: &Prose, words: Range<usize>) -> bool {
    let words = &prose.folded()[words];
    let mut lexicons = library.iter().filter_map(|corpus| corpus.lexicon());
    lexicons.any(|lexicon| {
        words.iter().all(|word| lexicon.is_function_word(word))
            || lexicon.phrases().iter().any(|phrase| {
                let mut parts = phrase.windows(words.len());
                parts.any(|part| part == words)
            })
    })
}

/// The words of a text, folded.
pub(crate) fn folded(text: &str) -> (Vec<Box<str>>, Vec<Range<usize>>) {
    let mut words = Vec::new();
    let mut places = Vec::new();
    token::scan(text, |word, token| {
        words.push(fold(word).into());
        places.push(token.range);
    });
    (words, places)
}
