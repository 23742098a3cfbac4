//! Counting what a work quotes.

use std::collections::{BTreeMap, BTreeSet};

use super::{Artefact, Bound, Grant, Limit, Standing, Use};
use crate::book::Book;
use crate::corpus::manifest::Manifest;
use crate::span::Span;
use crate::token;
use crate::verse::Verse;

/// What a work quotes.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) words: u64,
    pub(super) words_of_work: u64,
    /// Distinct verses quoted of each book, and how many the edition has.
    pub(super) books: BTreeMap<Book, (u64, u64)>,
}

/// Counts distinct verses and words.
pub(super) fn count(manifest: &Manifest, work: &[Artefact<'_>]) -> Counted {
    let quotations = work.iter().flat_map(|artefact| artefact.quotations);
    let words = quotations.clone().map(|quotation| quotation.words).sum();
    let spans = quotations.flat_map(|quotation| quotation.passage.spans());
    let quoted: BTreeSet<Verse> = spans.flat_map(|span| verses(manifest, *span)).collect();
    let mut books = BTreeMap::new();
    for verse in quoted {
        let of = u64::from(manifest.verses_of_book(verse.book));
        books.entry(verse.book).or_insert((0, of)).0 += 1;
    }
    let words_of = |artefact: &Artefact<'_>| {
        let mut words = 0;
        token::scan(artefact.text, |_, _| words += 1);
        words
    };
    Counted {
        words,
        words_of_work: work.iter().map(words_of).sum(),
        books,
    }
}

/// The numbered verses of a span that the edition has.
fn verses(manifest: &Manifest, span: Span) -> impl Iterator<Item = Verse> {
    let books = manifest.books.iter().filter_map(move |of| {
        let book = Book::from_osis(&of.book)?;
        (span.from().book..=span.to().book)
            .contains(&book)
            .then_some((book, of))
    });
    let chapters = books.flat_map(|(book, of)| {
        let chapters = (1_u8..).zip(&of.verses);
        chapters.map(move |(chapter, count)| (book, chapter, *count))
    });
    chapters.flat_map(move |(book, chapter, count)| {
        // A chapter that lacks a verse inside has higher numbers than its count.
        let last = last(manifest, book, chapter, count);
        let verses = (1..=last).map(move |verse| Verse::new(book, chapter, verse));
        verses.filter(move |verse| span.contains(*verse) && !is_absent(manifest, *verse))
    })
}

/// The last number of a chapter: as many as it has verses and numbers left out.
fn last(manifest: &Manifest, book: Book, chapter: u8, count: u8) -> u8 {
    let absent = manifest.absent.iter().filter(|verse| {
        let verse = verse.parse::<Verse>().ok();
        verse.is_some_and(|verse| (verse.book, verse.chapter) == (book, chapter))
    });
    let absent = u8::try_from(absent.count()).unwrap_or(u8::MAX);
    count.saturating_add(absent)
}

fn is_absent(manifest: &Manifest, verse: Verse) -> bool {
    let name = verse.to_string();
    manifest.absent.contains(&name)
}

/// How much of each limit is used.
pub(super) fn uses(grant: &Grant, counted: &Counted, verses: u64) -> Vec<Use> {
    let most = grant.max_verses.map(|most| {
        let granted = Bound::Verses(most);
        standing(Limit::Verses, granted, verses, u64::from(most))
    });
    let work = grant
        .max_share_of_work
        .map(|granted| standing(Limit::Work, granted, counted.words, counted.words_of_work));
    let books = grant.max_share_of_book.into_iter().flat_map(|granted| {
        let books = counted.books.iter();
        books.map(move |(book, (used, of))| standing(Limit::Book(*book), granted, *used, *of))
    });
    most.into_iter().chain(work).chain(books).collect()
}

fn standing(limit: Limit, granted: Bound, used: u64, of: u64) -> Use {
    let standing = if !granted.holds(used, of) {
        Standing::Exceeded
    } else if granted.holds(used + 1, of) {
        Standing::Within
    } else {
        Standing::Met
    };
    Use {
        limit,
        used,
        of,
        granted,
        standing,
    }
}
