//! Books, verses and spans.

use std::collections::BTreeSet;

use ql_scripture::{Book, Passage, Span, Verse};

use crate::shared;

fn span(from: &str, to: &str) -> Span {
    let verse = |text: &str| text.parse::<Verse>().expect("a verse");
    Span::new(verse(from), verse(to)).expect("the right order")
}

#[test]
fn every_book_is_found_by_both_of_its_identifiers() {
    for book in Book::ALL.iter().copied() {
        assert_eq!(Book::from_osis(book.osis()), Some(book));
        assert_eq!(Book::from_usfm(book.usfm()), Some(book));
        assert_eq!(Book::from_index(book.index()), Some(book));
    }
    let ids: BTreeSet<_> = Book::ALL
        .iter()
        .flat_map(|book| [book.osis(), book.usfm()])
        .collect();
    assert_eq!(ids.len(), 2 * Book::ALL.len());
    assert_eq!(Book::from_index(u8::MAX), None);
}

#[test]
fn a_packed_verse_sorts_as_the_verse_and_comes_back() {
    let verses = [
        "Gen.1.1",
        "Gen.1.2",
        "Gen.2.1",
        "Ps.119.176",
        "Mal.4.6",
        "Matt.1.1",
        "Tob.1.1",
    ];
    let verses = verses.map(|text| text.parse::<Verse>().expect("a verse"));
    assert!(verses.is_sorted() && verses.map(Verse::pack).is_sorted());
    for verse in verses {
        assert_eq!(Verse::unpack(verse.pack()), Some(verse));
    }
    assert_eq!(Verse::unpack(u32::MAX), None);
}

#[test]
fn what_is_no_verse_is_none() {
    for text in [
        "",
        "Gen",
        "Gen.1",
        "Gen.1.1.1",
        "Gen.+1.1",
        "Gen.0.1",
        "Gen.1.256",
        "Foo.1.1",
        "Gen.1. 1",
    ] {
        assert!(text.parse::<Verse>().is_err(), "{text}");
    }
}

#[test]
fn a_passage_keeps_its_order_and_merges_what_overlaps() {
    let passage: Passage = [
        span("Matt.6.1", "Matt.6.4"),
        span("Matt.5.3", "Matt.5.7"),
        span("Matt.5.5", "Matt.5.9"),
    ]
    .into_iter()
    .collect();
    insta::assert_snapshot!(passage, @"Matt.6.1-Matt.6.4 Matt.5.3-Matt.5.7 Matt.5.5-Matt.5.9");
    insta::assert_snapshot!(passage.merged(), @"Matt.5.3-Matt.5.9 Matt.6.1-Matt.6.4");
    assert_eq!(
        Span::new(
            "Gen.1.2".parse().expect("a verse"),
            "Gen.1.1".parse().expect("a verse")
        ),
        None
    );
}

/// Every text is in the order of the canon, so whoever reads it may search it by halves.
#[test]
fn the_texts_are_in_canonical_order() {
    for id in ["kjv", "asv", "bsb", "oshb"] {
        let Some(text) = shared::read(&format!("corpora/{id}.tsv")) else {
            return;
        };
        let verses = text.lines().map(|line| {
            let (verse, _) = line.split_once('\t').expect("a reference and a text");
            verse
                .parse::<Verse>()
                .unwrap_or_else(|error| panic!("{verse}: {error}"))
        });
        assert!(verses.is_sorted(), "{id}");
    }
}
