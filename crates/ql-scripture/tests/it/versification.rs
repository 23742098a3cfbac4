//! Traditions of counting, held against real texts and against each other.

use std::collections::BTreeMap;
use std::fs;

use ql_scripture::versification::{Mapping, Unmapped};
use ql_scripture::{Book, Reader, Scheme, Span, Verse, Versification};

use crate::shared;

fn verse(text: &str) -> Verse {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Every verse of a tradition, titles included.
fn all(versification: &Versification) -> Vec<Verse> {
    let books = Book::ALL
        .iter()
        .filter_map(|book| versification.book(*book));
    let verses = books.flat_map(|book| versification.verses(book));
    let with_titles = verses.flat_map(|verse| {
        let title = Verse { verse: 0, ..verse };
        let titled = verse.verse == 1 && versification.contains(title);
        titled.then_some(title).into_iter().chain([verse])
    });
    with_titles.collect()
}

/// Going to another tradition and back leads to the same verse, wherever both ways are defined.
/// Answers how many ways are.
fn there_and_back(from: Scheme, to: Scheme) -> (usize, usize) {
    let (there, back) = (Mapping::between(from, to), Mapping::between(to, from));
    let verses = all(&Versification::of(from));
    let mut defined = 0;
    for verse in &verses {
        let Ok(other) = there.verse(*verse) else {
            continue;
        };
        let Ok(again) = back.verse(other) else {
            continue;
        };
        assert_eq!(again, *verse, "{verse} is {other} in {to:?}");
        defined += 1;
    }
    (defined, verses.len())
}

#[test]
fn every_way_there_and_back_is_the_identity_where_it_is_defined() {
    let mut lines = Vec::new();
    for from in Scheme::ALL {
        for to in Scheme::ALL.into_iter().filter(|to| *to != from) {
            let (defined, number) = there_and_back(from, to);
            let (from, to) = (from.as_str(), to.as_str());
            lines.push(format!("{from} to {to}: {defined} of {number}"));
        }
    }
    insta::assert_snapshot!(lines.join("\n"), @r"
    english to hebrew: 31146 of 37964
    english to septuagint: 35413 of 37964
    english to vulgate: 33806 of 37964
    hebrew to english: 31146 of 31170
    hebrew to septuagint: 30710 of 31170
    hebrew to vulgate: 31099 of 31170
    septuagint to english: 35413 of 36568
    septuagint to hebrew: 30710 of 36568
    septuagint to vulgate: 32501 of 36568
    vulgate to english: 33806 of 37244
    vulgate to hebrew: 31099 of 37244
    vulgate to septuagint: 32501 of 37244
    ");
}

/// Every verse of a text and no other, chapter by chapter.
fn counts(file: &str) -> Option<BTreeMap<(Book, u8), u8>> {
    let text = shared::read(file)?;
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let (place, _) = line.split_once('\t').expect("a reference and a text");
        let Verse {
            book,
            chapter,
            verse,
        } = verse(place);
        counts.insert((book, chapter), verse);
    }
    Some(counts)
}

#[test]
fn the_king_james_and_the_hebrew_bible_have_the_chapters_that_are_counted() {
    for (file, scheme) in [
        ("corpora/kjv.tsv", Scheme::English),
        ("corpora/oshb.tsv", Scheme::Hebrew),
        ("corpora/sblgnt.tsv", Scheme::Hebrew),
    ] {
        let Some(counts) = counts(file) else { return };
        let versification = Versification::of(scheme);
        for ((book, chapter), last) in &counts {
            let counted = versification.last_verse(*book, *chapter);
            // This text ends Romans before the doxology.
            let shorter = file.contains("sblgnt") && (*book, *chapter) == (Book::Rom, 16);
            assert!(
                counted == Some(*last) || shorter,
                "{book} {chapter}: {counted:?}, not {last}"
            );
        }
        let books = counts.keys().map(|(book, _)| *book).collect::<Vec<_>>();
        for book in books {
            let chapters = counts.keys().filter(|(other, _)| *other == book).count();
            assert_eq!(
                usize::from(versification.chapters(book)),
                chapters,
                "{book}"
            );
        }
    }
}

#[test]
fn every_hebrew_verse_has_an_english_place() {
    let Some(text) = shared::read("corpora/oshb.tsv") else {
        return;
    };
    let mapping = Mapping::between(Scheme::Hebrew, Scheme::English);
    for line in text.lines() {
        let (place, _) = line.split_once('\t').expect("a reference and a text");
        let candidates = mapping
            .candidates(verse(place))
            .expect("a verse that is aligned");
        assert!(!candidates.is_empty(), "{place}");
    }
}

#[test]
fn known_differences_are_mapped() {
    for (from, to, here, there) in [
        (Scheme::English, Scheme::Hebrew, "Gen.31.55", "Gen.32.1"),
        (Scheme::English, Scheme::Hebrew, "Mal.4.6", "Mal.3.24"),
        (Scheme::English, Scheme::Hebrew, "Ps.51.1", "Ps.51.3"),
        (Scheme::Hebrew, Scheme::English, "Ps.51.2", "Ps.51.0"),
        (Scheme::Hebrew, Scheme::English, "Joel.4.21", "Joel.3.21"),
        (Scheme::English, Scheme::Septuagint, "Ps.51.1", "Ps.50.3"),
        (
            Scheme::English,
            Scheme::Septuagint,
            "Jer.31.31",
            "Jer.38.31",
        ),
        (Scheme::Septuagint, Scheme::English, "Ps.113.9", "Ps.115.1"),
        (Scheme::English, Scheme::Vulgate, "Ps.23.1", "Ps.22.1"),
        (Scheme::Vulgate, Scheme::English, "John.6.72", "John.6.71"),
        (Scheme::Vulgate, Scheme::Septuagint, "Ps.115.10", "Ps.115.1"),
    ] {
        let mapping = Mapping::between(from, to);
        assert_eq!(mapping.verse(verse(here)), Ok(verse(there)), "{here}");
    }
}

#[test]
fn what_has_no_single_counterpart_says_why() {
    let refused = |from, to, text: &str| {
        let mapping = Mapping::between(from, to);
        mapping
            .verse(verse(text))
            .expect_err("no single counterpart")
            .to_string()
    };
    let lines = [
        refused(Scheme::English, Scheme::Hebrew, "Neh.7.68"),
        refused(Scheme::English, Scheme::Hebrew, "Ps.51.0"),
        refused(Scheme::English, Scheme::Hebrew, "Ps.23.0"),
        refused(Scheme::English, Scheme::Hebrew, "1Sam.20.42"),
        refused(Scheme::English, Scheme::Hebrew, "Tob.1.1"),
        refused(Scheme::English, Scheme::Septuagint, "Exod.36.8"),
        refused(Scheme::English, Scheme::Vulgate, "Tob.2.5"),
        refused(Scheme::English, Scheme::Hebrew, "John.3.37"),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r"
    Neh.7.68 has no counterpart in the hebrew numbering
    Ps.51.0 is Ps.51.1 and Ps.51.2 in the hebrew numbering, not exactly one verse
    Ps.23.0 is Ps.23.1 in the hebrew numbering, not exactly one verse
    1Sam.20.42 is 1Sam.20.42 and 1Sam.21.1 in the hebrew numbering, not exactly one verse
    Tob.1.1 has no counterpart in the hebrew numbering
    Exod.36.8 can't be aligned with the septuagint numbering: the texts differ
    Tob.2.5 can't be aligned with the vulgate numbering: the texts differ
    John 3 has 36 verses, not 37
    ");
}

#[test]
fn a_span_is_mapped_to_runs() {
    let mapping = Mapping::between(Scheme::English, Scheme::Hebrew);
    let span = |from: &str, to: &str| Span::new(verse(from), verse(to)).expect("the right order");
    let mapped = mapping.span(span("Joel.2.25", "Joel.3.2")).expect("a span");
    assert_eq!(mapped.to_string(), "Joel.2.25-Joel.4.2");
    let passage = Reader::english()
        .parse("Ps 51:1-2; Mal 4:5")
        .expect("a reference")
        .passage();
    let mapped = mapping.passage(&passage).expect("a passage");
    assert_eq!(mapped.to_string(), "Ps.51.3-Ps.51.4 Mal.3.23");
    let refused = mapping.span(span("Neh.7.67", "Neh.7.70"));
    assert!(
        matches!(refused, Err(Unmapped::Absent { .. })),
        "{refused:?}"
    );
}

/// A line that isn't understood would be left out without a word.
#[test]
fn every_line_of_the_tables_counts() {
    for scheme in Scheme::ALL {
        let versification = Versification::of(scheme);
        let books = Book::ALL
            .iter()
            .filter(|book| versification.chapters(**book) > 0);
        let chapters: usize = books
            .clone()
            .map(|book| usize::from(versification.chapters(*book)))
            .sum();
        let lines = fs::read_to_string(format!(
            "{}/data/versification/{}.tsv",
            env!("CARGO_MANIFEST_DIR"),
            scheme.as_str()
        ))
        .expect("the table of the tradition");
        let rows: Vec<&str> = lines
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        let numbers: usize = rows.iter().map(|row| row.split(' ').count()).sum();
        assert_eq!(
            (books.count(), chapters),
            (rows.len(), numbers),
            "{scheme:?}"
        );
    }
}
