//! Declared references, read strictly.

use ql_scripture::reference::{Citation, Punctuation, Settings};
use ql_scripture::{Language, Reader};

/// What a reader says of each text, one line each.
fn read(reader: &Reader, texts: &[&str]) -> String {
    let lines = texts.iter().map(|text| match reader.parse(text) {
        Ok(reference) => format!("{text} = {}", reference.passage()),
        Err(error) => format!("{text} ! {error}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn lists_and_ranges_keep_their_context() {
    let texts = [
        "Matt 5:3-7, 9; 6:1",
        "Gen 1:1, 3, 5-7 and 9; 2:4a",
        "Gen 1-2:3",
        "Gen 3:1–Exod 4:2",
        "Gen 1, 3-4",
        "Titus 3—Philemon",
        "John 3:16ff",
        "John 3:16f",
        "Rom 8ff",
        "1 Cor 13:4-7, 1 John 4:8; Jude 5",
        "1 John 5:7–8; 2 John 3; Philemon 6",
        "Matthew chapter 5 verses 3 to 5",
        "Chapter 1 of Genesis, verse 17",
        "23rd Psalm, verses 2-3",
        "Matt. 5, vv. 3 & 5",
    ];
    insta::assert_snapshot!(read(&Reader::english(), &texts), @r"
    Matt 5:3-7, 9; 6:1 = Matt.5.3-Matt.5.7 Matt.5.9 Matt.6.1
    Gen 1:1, 3, 5-7 and 9; 2:4a = Gen.1.1 Gen.1.3 Gen.1.5-Gen.1.7 Gen.1.9 Gen.2.4
    Gen 1-2:3 = Gen.1.1-Gen.2.3
    Gen 3:1–Exod 4:2 = Gen.3.1-Exod.4.2
    Gen 1, 3-4 = Gen.1.1-Gen.1.31 Gen.3.1-Gen.4.26
    Titus 3—Philemon = Titus.3.1-Phlm.1.25
    John 3:16ff = John.3.16-John.3.36
    John 3:16f = John.3.16-John.3.17
    Rom 8ff = Rom.8.1-Rom.16.27
    1 Cor 13:4-7, 1 John 4:8; Jude 5 = 1Cor.13.4-1Cor.13.7 1John.4.8 Jude.1.5
    1 John 5:7–8; 2 John 3; Philemon 6 = 1John.5.7-1John.5.8 2John.1.3 Phlm.1.6
    Matthew chapter 5 verses 3 to 5 = Matt.5.3-Matt.5.5
    Chapter 1 of Genesis, verse 17 = Gen.1.17
    23rd Psalm, verses 2-3 = Ps.23.2-Ps.23.3
    Matt. 5, vv. 3 & 5 = Matt.5.3 Matt.5.5
    ");
}

#[test]
fn names_are_read_in_every_usual_form() {
    let texts = [
        "II Kings 4:1",
        "1st Samuel 2:3",
        "Third John 4",
        "I. Pet 1:2",
        "First Epistle of Peter 1:2",
        "The Gospel according to St. John 3:16",
        "Song of Songs 1:2",
        "Cant 1:2",
        "Bel and the Dragon 3",
        "Wisdom of Solomon 1:1",
        "Ps 3 title",
        "Psalm 151:2",
        "Psalms 23",
        "John iii. 16",
        "Ps. xxiii",
        "Genesis",
        "Ruth-2 Samuel",
        "1–3 John",
        "1 and 2 Samuel; Jude 3",
    ];
    insta::assert_snapshot!(read(&Reader::english(), &texts), @r"
    II Kings 4:1 = 2Kgs.4.1
    1st Samuel 2:3 = 1Sam.2.3
    Third John 4 = 3John.1.4
    I. Pet 1:2 = 1Pet.1.2
    First Epistle of Peter 1:2 = 1Pet.1.2
    The Gospel according to St. John 3:16 = John.3.16
    Song of Songs 1:2 = Song.1.2
    Cant 1:2 = Song.1.2
    Bel and the Dragon 3 = Bel.1.3
    Wisdom of Solomon 1:1 = Wis.1.1
    Ps 3 title = Ps.3.0
    Psalm 151:2 = AddPs.1.2
    Psalms 23 = Ps.23.1-Ps.23.6
    John iii. 16 = John.3.16
    Ps. xxiii = Ps.23.1-Ps.23.6
    Genesis = Gen.1.1-Gen.50.26
    Ruth-2 Samuel = Ruth.1.1-2Sam.24.25
    1–3 John = 1John.1.1-3John.1.14
    1 and 2 Samuel; Jude 3 = 1Sam.1.1-2Sam.24.25 Jude.1.3
    ");
}

#[test]
fn osis_and_usfm_are_read_under_every_punctuation() {
    let texts = [
        "Matt.5.3-Matt.5.7 Matt.6.1",
        "Gen.1",
        "Ps.3.0",
        "John.3.16!a-John.3.18!b",
        "MAT 5:3-7,9; 6:1",
        "1CO 13",
        "PSA 3:0",
        "PS2 1:3",
    ];
    let english = read(&Reader::english(), &texts);
    insta::assert_snapshot!(english, @r"
    Matt.5.3-Matt.5.7 Matt.6.1 = Matt.5.3-Matt.5.7 Matt.6.1
    Gen.1 = Gen.1.1-Gen.1.31
    Ps.3.0 = Ps.3.0
    John.3.16!a-John.3.18!b = John.3.16-John.3.18
    MAT 5:3-7,9; 6:1 = Matt.5.3-Matt.5.7 Matt.5.9 Matt.6.1
    1CO 13 = 1Cor.13.1-1Cor.13.13
    PSA 3:0 = Ps.3.0
    PS2 1:3 = AddPs.1.3
    ");
    assert_eq!(read(&Reader::of(Language::German), &texts), english);
}

#[test]
fn a_refusal_says_what_and_where() {
    let texts = [
        "",
        "John 3:37",
        "John 22:1",
        "Jude 26",
        "Foo 3:4",
        "Samuel 3:4",
        "verse 4",
        "Matt verse 4",
        "John 3:16; 5",
        "Rom 5:9-3",
        "Gen 2 title",
        "Rom 8:28 (NIV)",
        "John 3:16, abc",
        "John 3:16 is loved",
        "Ruth Esther",
        "Jn 1234",
        "John 0:1",
        "Heb 0:6",
    ];
    insta::assert_snapshot!(read(&Reader::english(), &texts), @r"
     ! the reference is empty (at byte 0)
    John 3:37 ! John 3 has 36 verses, not 37 (at byte 5)
    John 22:1 ! John has 21 chapters, not 22 (at byte 5)
    Jude 26 ! Jude 1 has 25 verses, not 26 (at byte 5)
    Foo 3:4 ! `Foo` is no book that is known here (at byte 0)
    Samuel 3:4 ! `Samuel` needs its number: it may be 1 Samuel or 2 Samuel (at byte 0)
    verse 4 ! `verse` is no book that is known here (at byte 0)
    Matt verse 4 ! verse 4 of Matthew needs its chapter (at byte 5)
    John 3:16; 5 ! 5 may be a chapter or a verse: write chapter and verse (at byte 11)
    Rom 5:9-3 ! the range ends before it begins (at byte 4)
    Gen 2 title ! Genesis 2 has no title of its own in the english numbering (at byte 4)
    Rom 8:28 (NIV) ! `(NIV)` isn't part of a reference (at byte 9)
    John 3:16, abc ! `abc` isn't part of a reference (at byte 11)
    John 3:16 is loved ! `is` isn't part of a reference (at byte 10)
    Ruth Esther ! `Esther` isn't part of a reference (at byte 5)
    Jn 1234 ! `1234` isn't part of a reference (at byte 3)
    John 0:1 ! `0:1` isn't part of a reference (at byte 5)
    Heb 0:6 ! `0:6` isn't part of a reference (at byte 4)
    ");
}

#[test]
fn european_punctuation_is_a_setting() {
    let german = Reader::of(Language::German);
    let texts = [
        "Mt 5,3-7.9; 6,1",
        "1. Mose 1,1",
        "Joh 3, 16",
        "Röm 8",
        "2. Könige 4,1–5,3a",
        "Offb 22,20f",
    ];
    insta::assert_snapshot!(read(&german, &texts), @r"
    Mt 5,3-7.9; 6,1 = Matt.5.3-Matt.5.7 Matt.5.9 Matt.6.1
    1. Mose 1,1 = Gen.1.1
    Joh 3, 16 = John.3.16
    Röm 8 = Rom.8.1-Rom.8.39
    2. Könige 4,1–5,3a = 2Kgs.4.1-2Kgs.5.3
    Offb 22,20f = Rev.22.20-Rev.22.21
    ");
    let english = Reader::new(Settings {
        languages: vec![Language::English],
        punctuation: Punctuation::European,
        ..Settings::default()
    });
    insta::assert_snapshot!(read(&english, &["Matt 5,3.5", "Matt 5:3, 5"]), @r"
    Matt 5,3.5 = Matt.5.3 Matt.5.5
    Matt 5:3, 5 = Matt.5.3 Matt.5.5
    ");
}

#[test]
fn other_languages_are_read() {
    for (language, texts) in [
        (
            Language::Spanish,
            [
                "Génesis 1:1",
                "1 Reyes 3:4",
                "Primera de Juan 4:8",
                "Cantares 1:2",
            ],
        ),
        (
            Language::French,
            [
                "Genèse 1,1",
                "1er Rois 3,4",
                "Première épître de Jean 4,8",
                "Jean 3,16 et 18",
            ],
        ),
        (
            Language::Portuguese,
            ["Gênesis 1:1", "1 Reis 3:4", "João 3:16", "Apocalipse 22:20"],
        ),
        (
            Language::Italian,
            [
                "Genesi 1,1",
                "1 Re 3,4",
                "Giovanni 3,16.18",
                "Apocalisse 22,20",
            ],
        ),
    ] {
        let read = read(&Reader::of(language), &texts);
        assert!(!read.contains('!'), "{language:?}: {read}");
    }
}

#[test]
fn parts_and_places_are_kept() {
    let text = "Gen 2:4b-7a, 9";
    let reference = Reader::english().parse(text).expect("a reference");
    let said = |citation: &Citation| {
        (
            &text[citation.bytes.clone()],
            citation.from_part,
            citation.to_part,
        )
    };
    let said: Vec<_> = reference.citations.iter().map(said).collect();
    assert_eq!(
        said,
        [("Gen 2:4b-7a", Some('b'), Some('a')), ("9", None, None)]
    );
}
