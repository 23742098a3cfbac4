//! What a work may quote of a translation.

use std::fmt::Write as _;

use ql_scripture::Passage;
use ql_scripture::quota::{
    Artefact, Bound, Grant, Limit, Notice, Quotation, Report, Share, report,
};

use crate::editions::{edition, passage};

const LINES: &str =
    "3John.1.1\tone two\n3John.1.2\tone two\n3John.1.4\tone two\nJude.1.1\tone two\n";

fn grant() -> Grant {
    Grant {
        edition: "small".to_owned(),
        as_of: "2026-11-30".to_owned(),
        source: "the publisher's page".to_owned(),
        max_verses: Some(3),
        max_share_of_work: Share::new(1, 4).map(Bound::Below),
        max_share_of_book: Share::new(1, 1).map(Bound::Below),
        media: vec!["video".to_owned()],
        notice: Some(Notice {
            text: "Quotations are from the Small Edition.".to_owned(),
            places: vec!["description".to_owned(), "credits".to_owned()],
        }),
    }
}

fn quotation(verses: &str, words: u64) -> Quotation {
    let spans = verses
        .split(' ')
        .flat_map(|span| passage(span).spans().to_vec());
    let passage: Passage = spans.collect();
    Quotation { passage, words }
}

fn shown(report: &Report) -> String {
    let mut text = format!(
        "{} verses, {} of {} words, lawful: {}\n",
        report.verses,
        report.words,
        report.words_of_work,
        report.is_lawful()
    );
    for of in &report.uses {
        let limit = match of.limit {
            Limit::Verses => "verses".to_owned(),
            Limit::Work => "work".to_owned(),
            Limit::Book(book) => book.to_string(),
        };
        writeln!(
            text,
            "{limit} {} of {}: {}",
            of.used,
            of.of,
            of.standing.code()
        )
        .expect("a line");
    }
    for notice in &report.notices {
        let (present, missing) = (&notice.present_in, &notice.missing_in);
        let place = &notice.place;
        writeln!(text, "notice in {place}: {present:?}, not in {missing:?}").expect("a line");
    }
    if !report.media_refused.is_empty() {
        writeln!(text, "refused: {:?}", report.media_refused).expect("a line");
    }
    text
}

fn work(quotations: &[Quotation], words: usize, description: &str, medium: &str) -> String {
    let corpus = edition("small", "en", LINES);
    let text = "word ".repeat(words);
    let artefact = |name, text, quotations| Artefact {
        name,
        place: name,
        medium,
        text,
        quotations,
    };
    let work = [
        artefact("script", text.as_str(), quotations),
        artefact("description", description, &[]),
    ];
    shown(&report(&grant(), corpus.manifest(), &work))
}

#[test]
fn each_limit_is_within_met_or_exceeded() {
    let notice = "Watch! Quotations are from the  Small Edition. Like!";
    let within = work(&[quotation("3John.1.1", 2)], 40, notice, "video");
    // The absent verse 3 counts for nothing, the same verse twice counts once.
    let again = [
        quotation("3John.1.2-3John.1.4", 4),
        quotation("3John.1.2", 2),
    ];
    let met = work(&again, 17, notice, "video");
    let all = [quotation("3John.1.1-3John.1.4 Jude.1.1", 8)];
    let exceeded = work(&all, 20, "no notice", "print");
    insta::assert_snapshot!([within, met, exceeded].join("--\n"), @r#"
    1 verses, 2 of 48 words, lawful: false
    verses 1 of 3: within
    work 2 of 48: within
    3John 1 of 3: within
    notice in description: ["description"], not in []
    notice in credits: [], not in []
    --
    2 verses, 6 of 25 words, lawful: false
    verses 2 of 3: within
    work 6 of 25: met
    3John 2 of 3: met
    notice in description: ["description"], not in []
    notice in credits: [], not in []
    --
    4 verses, 8 of 22 words, lawful: false
    verses 4 of 3: exceeded
    work 8 of 22: exceeded
    3John 3 of 3: exceeded
    Jude 1 of 1: exceeded
    notice in description: [], not in ["description"]
    notice in credits: [], not in []
    refused: ["script"]
    "#);
}

#[test]
fn a_work_that_quotes_nothing_owes_nothing() {
    insta::assert_snapshot!(work(&[], 10, "", "print"), @r"
    0 verses, 0 of 10 words, lawful: true
    verses 0 of 3: within
    work 0 of 10: within
    ");
}

#[test]
fn a_grant_that_says_nothing_of_its_day_is_unfit() {
    let unfit = Grant {
        as_of: "lately".to_owned(),
        source: String::new(),
        max_share_of_book: Some(Bound::Verses(3)),
        notice: Some(Notice::default()),
        ..grant()
    };
    let unfit: Vec<String> = unfit.unfit().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(unfit.join("\n"), @r"
    as_of: the day of the terms, YYYY-MM-DD
    source: where the terms were read
    max_share_of_book: a share, as `at_most` or `below`
    notice: its words and at least one place
    ");
    assert_eq!(grant().unfit(), []);
}
