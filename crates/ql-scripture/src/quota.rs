//! How much of a translation a work quotes, against what the holder of its rights grants.
//!
//! A grant is dated: its terms as they were read on a day, at a source. Nothing is rounded: shares
//! are compared as fractions of whole numbers.

mod count;
mod grant;
mod notice;

use std::collections::BTreeMap;

use crate::book::Book;
use crate::corpus::manifest::Manifest;
use crate::span::Passage;

pub use grant::{Bound, Grant, Notice, Share, UnfitGrant};

/// A part of a work: a script, a description, a picture's text.
#[derive(Clone, Debug)]
pub struct Artefact<'a> {
    /// Its name, for the report.
    pub name: &'a str,
    /// What kind of part it is; notices are asked for by kind, such as `description`.
    pub place: &'a str,
    /// The medium in which it is published, such as `video`.
    pub medium: &'a str,
    /// Its whole text.
    pub text: &'a str,
    /// What it quotes of the translation.
    pub quotations: &'a [Quotation],
}

/// A quotation in an artefact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotation {
    /// The verses, in the translation's own versification. A part of a verse counts as the verse.
    pub passage: Passage,
    /// How many words of the artefact it takes.
    pub words: u64,
}

/// How a work stands to one limit of a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// There is room for more.
    Within,
    /// Lawful, and no further verse or word would be.
    Met,
    /// Too much.
    Exceeded,
}

impl Standing {
    /// The name for programs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Within => "within",
            Self::Met => "met",
            Self::Exceeded => "exceeded",
        }
    }
}

/// Which limit is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// How many verses.
    Verses,
    /// The share of the work's words.
    Work,
    /// The share of a book's verses.
    Book(Book),
}

/// How much of one limit is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Which limit.
    pub limit: Limit,
    /// How many verses or words are quoted.
    pub used: u64,
    /// Of how many there are in all; for the number of verses, how many are granted.
    pub of: u64,
    /// What is granted.
    pub granted: Bound,
    /// How the work stands to it.
    pub standing: Standing,
}

/// A notice that must appear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeDue {
    /// In which kind of artefact.
    pub place: String,
    /// Its words.
    pub text: String,
    /// The artefacts of that kind that have it.
    pub present_in: Vec<String>,
    /// The artefacts of that kind that lack it.
    pub missing_in: Vec<String>,
    /// Whether the work has no artefact of that kind at all.
    pub no_such_place: bool,
}

impl NoticeDue {
    /// Whether it appears wherever it must.
    pub fn is_met(&self) -> bool {
        self.missing_in.is_empty() && !self.no_such_place
    }
}

/// How a work stands to a grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The edition.
    pub edition: String,
    /// The day of the grant's terms.
    pub as_of: String,
    /// Where they were read.
    pub source: String,
    /// How many distinct verses are quoted.
    pub verses: u64,
    /// How many of the work's words are quoted.
    pub words: u64,
    /// How many words the work has.
    pub words_of_work: u64,
    /// How many distinct verses of each book are quoted, and how many the edition has.
    pub books: BTreeMap<Book, (u64, u64)>,
    /// How the work stands to each limit that is granted.
    pub uses: Vec<Use>,
    /// The artefacts whose medium isn't granted.
    pub media_refused: Vec<String>,
    /// The notices that must appear.
    pub notices: Vec<NoticeDue>,
}

impl Report {
    /// Whether the work may be published under the grant as it is.
    pub fn is_lawful(&self) -> bool {
        let exceeded = |of: &Use| of.standing == Standing::Exceeded;
        !self.uses.iter().any(exceeded)
            && self.media_refused.is_empty()
            && self.notices.iter().all(NoticeDue::is_met)
    }
}

/// Counts what a work quotes of a translation and compares it with the grant.
///
/// A work that quotes nothing of the translation uses nothing, and owes no notice.
///
/// ```
/// # use ql_scripture::corpus::import::{File, Format, import};
/// # use ql_scripture::corpus::manifest::Description;
/// use ql_scripture::quota::{Artefact, Bound, Grant, Quotation, Share, Standing, report};
/// use ql_scripture::{Span, Verse};
///
/// # let lines = "3John.1.1\tOne.\n3John.1.2\tTwo.\n";
/// # let description = Description {
/// #     id: "sample".into(), name: "Sample".into(), language: "en".into(),
/// #     licence: "all rights reserved".into(), versification: "english".into(),
/// #     source: "by hand".into(), imported: "2026-12-01".into(), ..Description::default()
/// # };
/// # let file = File { name: "s.tsv", bytes: lines.as_bytes() };
/// # let manifest = import(Format::Tsv.into(), &[file], description)?.normal.manifest;
/// let grant = Grant {
///     edition: "sample".into(),
///     as_of: "2026-11-30".into(),
///     source: "the publisher's page".into(),
///     max_share_of_book: Some(Bound::Below(Share::new(1, 2).expect("one half"))),
///     ..Grant::default()
/// };
/// let quotation = Quotation {
///     passage: Span::of("3John.1.1".parse::<Verse>()?).into(),
///     words: 1,
/// };
/// let script = Artefact {
///     name: "script", place: "script", medium: "video", text: "One.", quotations: &[quotation],
/// };
/// let report = report(&grant, &manifest, &[script]);
/// assert_eq!(report.uses[0].standing, Standing::Exceeded);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn report(grant: &Grant, manifest: &Manifest, work: &[Artefact<'_>]) -> Report {
    let counted = count::count(manifest, work);
    let verses = counted.books.values().map(|(used, _)| used).sum();
    let quotes = work.iter().any(|artefact| !artefact.quotations.is_empty());
    let refused = work.iter().filter(|artefact| {
        !artefact.quotations.is_empty() && !grant.allows_medium(artefact.medium)
    });
    Report {
        edition: grant.edition.clone(),
        as_of: grant.as_of.clone(),
        source: grant.source.clone(),
        verses,
        words: counted.words,
        words_of_work: counted.words_of_work,
        uses: count::uses(grant, &counted, verses),
        books: counted.books,
        media_refused: refused.map(|artefact| artefact.name.to_owned()).collect(),
        notices: match &grant.notice {
            Some(notice) if quotes => notice::due(notice, work),
            _ => Vec::new(),
        },
    }
}
