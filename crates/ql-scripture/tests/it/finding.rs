//! References in prose.

use ql_scripture::reference::Settings;
use ql_scripture::{Language, Reader};

use crate::shared;

/// What is found in each text, one line each; guesses have a question mark.
fn find(reader: &Reader, texts: &[&str]) -> String {
    let lines = texts.iter().map(|text| {
        let hits = reader.find(text).map(|hit| {
            let guessed = if hit.guessed { "?" } else { "" };
            format!("[{}] {}{guessed}", &text[hit.bytes.clone()], hit.passage())
        });
        hits.collect::<Vec<_>>().join(" | ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn references_are_found_with_their_bytes() {
    let texts = [
        "He cites Isa. 53:4–6 (cf. 1 Pet 2:24) and Ps. xxii; see also Rom 8:28ff.",
        "“Für” – Hebräer, then Hebrews 11:1, 6 & 12:1-2!",
        "In Genesis 1 and 2, and in Exodus chapter 20, verse 3.",
        "*Romans* 8:38-39; 1John3v21,22",
        "from Genesis 50:24 to Exodus 1:7",
        "the 23rd Psalm, the 3rd chapter of John",
        "Chronicles 3:4 and I Thesolonians 1:1",
    ];
    insta::assert_snapshot!(find(&Reader::english(), &texts), @r"
    [Isa. 53:4–6] Isa.53.4-Isa.53.6 | [1 Pet 2:24] 1Pet.2.24 | [Ps. xxii] Ps.22.1-Ps.22.31 | [Rom 8:28ff] Rom.8.28-Rom.8.39
    [Hebrews 11:1, 6 & 12:1-2] Heb.11.1 Heb.11.6 Heb.12.1-Heb.12.2
    [Genesis 1 and 2] Gen.1.1-Gen.1.31 Gen.2.1-Gen.2.25 | [Exodus chapter 20, verse 3] Exod.20.3
    [Romans* 8:38-39] Rom.8.38-Rom.8.39 | [1John3v21,22] 1John.3.21 1John.3.22
    [Genesis 50:24 to Exodus 1:7] Gen.50.24-Exod.1.7
    [23rd Psalm] Ps.23.1-Ps.23.6 | [3rd chapter of John] John.3.1-John.3.36
    [Chronicles 3:4] 1Chr.3.4? | [I Thesolonians 1:1] 1Thess.1.1?
    ");
}

#[test]
fn what_does_not_fit_is_left_out_or_cut() {
    let texts = [
        "John 3:37 and John 22",
        "Mark 16:2-17:3",
        "Ezekiel 25-16",
        "hebrews 13-15",
        "Romans 5:9-3",
        "Matthew 5:3-99",
        "Zechariah 120,000",
    ];
    insta::assert_snapshot!(find(&Reader::english(), &texts), @r"
    [Mark 16:2-17:3] Mark.16.2-Mark.16.20
    [Ezekiel 25-16] Ezek.25.16
    [hebrews 13-15] Heb.13.15
    [Romans 5:9-3] Rom.5.9 Rom.5.3
    [Matthew 5:3-99] Matt.5.3-Matt.5.48
    ");
}

#[test]
fn ordinary_prose_holds_no_reference() {
    let texts = [
        "Mark 5:30 pm in your diary, and John at 7:15; Act 2 begins at 8.",
        "Is 5 enough? Am 3 late? So 4 it is. Numbers are up, 12 of them; the judges 3 times.",
        "Version 3.16 of the table 4:5, figure 2:1, ratio 1:1, score 3:2, room 3:16.",
        "Job 3000 and Kings 10,000 and Luke-Acts, and Isaiah the prophet.",
        "the 5:15 train, then 6:20 from Rome, on page 1:1",
        "I Mark 40 % of the songs 2nd.",
        "RE2, MT5 and 5ecc1f, what is 3.1 and Apocalypse 5",
    ];
    insta::assert_snapshot!(find(&Reader::english(), &texts), @"");
}

#[test]
fn guesses_are_a_setting() {
    let exact = Reader::new(Settings {
        guess: false,
        ..Settings::default()
    });
    assert_eq!(find(&exact, &["I Thesolonians 1:1"]), "");
}

#[test]
fn a_text_in_two_languages_is_read_in_both() {
    let both = Reader::new(Settings {
        languages: vec![Language::English, Language::Spanish],
        ..Settings::default()
    });
    let text = "John 3:16 es Juan 3:16; véase Génesis 1:1 y Éxodo 3:14";
    insta::assert_snapshot!(find(&both, &[text]), @"[John 3:16] John.3.16 | [Juan 3:16] John.3.16 | [Génesis 1:1] Gen.1.1 | [Éxodo 3:14] Exod.3.14");
}

/// No verse of the Bible quotes another by its number.
#[test]
fn the_texts_of_the_bible_hold_no_reference() {
    let reader = Reader::english();
    for id in ["kjv", "bsb"] {
        let Some(table) = shared::read(&format!("corpora/{id}.tsv")) else {
            return;
        };
        for line in table.lines().step_by(5) {
            let (place, text) = line.split_once('\t').expect("a reference and a text");
            assert_eq!(reader.find(text).count(), 0, "{place}: {text}");
            // The control: with its reference before it there is exactly one.
            let cited = format!("{place} {text}");
            let found: Vec<_> = reader
                .find(&cited)
                .map(|hit| hit.passage().to_string())
                .collect();
            assert_eq!(found, [place]);
        }
    }
}
