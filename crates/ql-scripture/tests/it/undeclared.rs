//! Quotations that nobody declared.

use ql_scripture::Reader;
use ql_scripture::undeclared::{Known, find};

use crate::editions::library;

/// What is found in a text, one line each.
fn found(text: &str, declared: &[&str]) -> Option<String> {
    let library = library()?;
    let reader = Reader::english();
    let references: Vec<_> = reader.find(text).map(|hit| hit.bytes).collect();
    let places = declared.iter().map(|of| {
        let at = text.find(of).expect("part of the text");
        at..at + of.len()
    });
    let declared: Vec<_> = places.collect();
    let known = Known {
        declared: &declared,
        references: &references,
    };
    let lines = find(library, text, known).into_iter().map(|finding| {
        let cue = finding.cue.map_or("none", |cue| cue.code());
        let places = finding.places.iter();
        let places: Vec<String> = places
            .map(|p| format!("{} {}", p.edition, p.span))
            .collect();
        let (quoted, places) = (&text[finding.at], places.join(", "));
        format!("{quoted:?} {} {cue}: {places}\n", finding.words)
    });
    Some(lines.collect())
}

#[test]
fn seven_words_in_a_row_are_found_and_five_with_a_cue() {
    let text = "We all know that the LORD is my shepherd; I shall not want a thing. He said, “love your enemies, bless them”, and left. \
        It is written, man shall not live by bread. Love your enemies, bless them every day. \
        So we read that all have sinned, and come short (Rom 3:23). In the beginning was an egg.";
    let Some(found) = found(text, &[]) else {
        return;
    };
    insta::assert_snapshot!(found, @r#"
    "the LORD is my shepherd; I shall not want" 9 none: kjv Ps.23.1, bsb Ps.23.1
    "love your enemies, bless them" 5 marks: kjv Matt.5.44
    "It is written, man shall not live by bread" 9 none: kjv Matt.4.4, asv Matt.4.4, asv Luke.4.4
    "Love your enemies, bless them" 5 announcement: kjv Matt.5.44
    "all have sinned, and come short" 6 reference: kjv Rom.3.23
    "#);
}

#[test]
fn what_was_declared_and_what_everybody_says_is_left_out() {
    let text = "“For God so loved the world, that he gave his only begotten Son” is one. \
        In the name of the Father, and of the Son, and of the Holy Ghost is another. Jesus wept.";
    let Some(none) = found(
        text,
        &["For God so loved the world, that he gave his only begotten Son"],
    ) else {
        return;
    };
    assert_eq!(none, "");
    let control = found(text, &[]).expect("the editions");
    assert!(control.contains("John.3.16"), "{control}");
}

#[test]
fn hebrew_is_found_without_its_points() {
    let Some(found) = found("He read “בראשית ברא אלהים את השמים ואת הארץ” aloud.", &[])
    else {
        return;
    };
    insta::assert_snapshot!(found, @r#""בראשית ברא אלהים את השמים ואת הארץ" 7 marks: oshb Gen.1.1"#);
}
