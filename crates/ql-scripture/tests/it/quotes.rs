//! Quotations of real editions.

use std::fmt::Write as _;

use ql_scripture::quote::{Answer, Claim, check};

use crate::editions::{library, passage};

/// An answer in a line or two.
fn shown(answer: &Answer) -> String {
    let mut line = answer.grade.code().to_owned();
    for matched in &answer.matched {
        write!(line, " {}", matched.span).expect("a line");
    }
    for reason in &answer.reasons {
        write!(line, " !{}", reason.code()).expect("a line");
    }
    for note in &answer.notes {
        write!(line, " ({})", note.kind.code()).expect("a line");
    }
    for place in &answer.elsewhere {
        write!(line, " @{} {}", place.edition, place.span).expect("a line");
    }
    for of in &answer.differences {
        let (kind, at) = (of.kind.code(), &of.at);
        write!(line, " {kind}[{at:?}] {:?}→{:?}", of.expected, of.found).expect("a line");
    }
    line
}

/// Judges lines of `edition | passage | text`.
fn judged(lines: &str) -> Option<String> {
    let library = library()?;
    let judge = |line: &str| {
        let parts: Vec<&str> = line.trim().splitn(3, " | ").collect();
        let passage = passage(parts[1]);
        let claim = Claim {
            edition: parts[0],
            passage: &passage,
            text: &parts[2].replace('⏎', "\n"),
        };
        let answer = check(library, &claim).expect("a claim that can be judged");
        format!("{}\n    {}\n", line.trim(), shown(&answer))
    };
    let lines = lines.lines().filter(|line| !line.trim().is_empty());
    Some(lines.map(judge).collect())
}

#[test]
fn a_true_quotation_may_look_in_many_ways() {
    let Some(found) = judged(
        "
        kjv | John.11.35 | Jesus wept.
        kjv | John.11.35 | “JESUS WEPT”
        kjv | Ps.23.1 | The Lord is my shepherd; I shall not want
        kjv | Ps.23.1 | the LORD is my shepherd; / I shall not want.
        kjv | John.3.16-John.3.17 | 16 For God so loved the world, that he gave his only begotten Son, that whosoever believeth in him should not perish, but have everlasting life. 17 For God sent not his Son into the world to condemn the world
        bsb | Gen.5.3 | When Adam was 130 years old, he had a son
        asv | Matt.17.20-Matt.17.22 | nothing shall be impossible unto you. And while they abode in Galilee
        kjv | Ps.22.1 | My God, my God, why hast thou for-⏎saken me
        asv | Lev.1.3 | If his oblation be a burnt-⏎offering
        kjv | John.8.58 | I am
        kjv | Gen.1.1 | *In the beginning* **God** created the heaven⏎¶ and the earth
        kjv | John.3.16 | 3:16 For God so loved the world
        kjv | John.3.16 | ¹⁶For God so loved the world
        ",
    ) else {
        return;
    };
    insta::assert_snapshot!(found, @r"
    kjv | John.11.35 | Jesus wept.
        EXACT John.11.35 (SHORT)
    kjv | John.11.35 | “JESUS WEPT”
        EXACT_NORMALISED John.11.35 (SHORT) (CAPITALS)
    kjv | Ps.23.1 | The Lord is my shepherd; I shall not want
        EXACT_NORMALISED Ps.23.1 (DIVINE_NAME_STYLE)
    kjv | Ps.23.1 | the LORD is my shepherd; / I shall not want.
        EXACT_NORMALISED Ps.23.1 (CAPITAL)
    kjv | John.3.16-John.3.17 | 16 For God so loved the world, that he gave his only begotten Son, that whosoever believeth in him should not perish, but have everlasting life. 17 For God sent not his Son into the world to condemn the world
        PARTIAL_EXACT John.3.16-John.3.17 (VERSE_NUMBERS)
    bsb | Gen.5.3 | When Adam was 130 years old, he had a son
        PARTIAL_EXACT Gen.5.3
    asv | Matt.17.20-Matt.17.22 | nothing shall be impossible unto you. And while they abode in Galilee
        PARTIAL_EXACT Matt.17.20-Matt.17.22 (VERSE_ABSENT)
    kjv | Ps.22.1 | My God, my God, why hast thou for-⏎saken me
        PARTIAL_EXACT Ps.22.1
    asv | Lev.1.3 | If his oblation be a burnt-⏎offering
        PARTIAL_EXACT Lev.1.3
    kjv | John.8.58 | I am
        PARTIAL_EXACT John.8.58 (SHORT)
    kjv | Gen.1.1 | *In the beginning* **God** created the heaven⏎¶ and the earth
        EXACT_NORMALISED Gen.1.1
    kjv | John.3.16 | 3:16 For God so loved the world
        PARTIAL_EXACT John.3.16 (VERSE_NUMBERS)
    kjv | John.3.16 | ¹⁶For God so loved the world
        PARTIAL_EXACT John.3.16 (VERSE_NUMBERS)
    ");
}

#[test]
fn elisions_and_insertions_are_marked() {
    let Some(found) = judged(
        "
        kjv | Ps.23.1 | [T]he LORD is my shepherd
        kjv | John.3.16 | For God so loved the world ... that whosoever believeth in him should not perish, but have everlasting life.
        kjv | John.3.16 | whosoever believeth in him [the Son] should not perish
        kjv | 1John.2.23 | [but] he that acknowledgeth the Son hath the Father also.
        bsb | Luke.5.24 | has authority on the earth to forgive sins…” He said to the paralytic
        kjv | Gen.1.3-Gen.1.4 | And God said … and there was light: And God [the Father] saw the light
        ",
    ) else {
        return;
    };
    insta::assert_snapshot!(found, @r"
    kjv | Ps.23.1 | [T]he LORD is my shepherd
        PARTIAL_EXACT Ps.23.1
    kjv | John.3.16 | For God so loved the world ... that whosoever believeth in him should not perish, but have everlasting life.
        ELIDED John.3.16 John.3.16
    kjv | John.3.16 | whosoever believeth in him [the Son] should not perish
        BRACKETED John.3.16
    kjv | 1John.2.23 | [but] he that acknowledgeth the Son hath the Father also.
        PARTIAL_EXACT 1John.2.23
    bsb | Luke.5.24 | has authority on the earth to forgive sins…” He said to the paralytic
        PARTIAL_EXACT Luke.5.24
    kjv | Gen.1.3-Gen.1.4 | And God said … and there was light: And God [the Father] saw the light
        BRACKETED Gen.1.3 Gen.1.3-Gen.1.4
    ");
}

#[test]
fn hebrew_and_greek_are_quoted_with_and_without_signs() {
    let Some(found) = judged(
        "
        oshb | Gen.1.1 | בראשית ברא אלהים את השמים ואת הארץ
        oshb | Gen.1.1 | בְּרֵאשִׁית בָּרָא אֱלֹהִים
        sblgnt | John.1.1 | Ἐν ἀρχῇ ἦν ὁ λόγος
        sblgnt | Luke.24.52 | καὶ αὐτοὶ προσκυνήσαντες αὐτὸν ὑπέστρεψαν εἰς Ἰερουσαλὴμ
        ",
    ) else {
        return;
    };
    insta::assert_snapshot!(found, @r"
    oshb | Gen.1.1 | בראשית ברא אלהים את השמים ואת הארץ
        EXACT_NORMALISED Gen.1.1 (UNPOINTED)
    oshb | Gen.1.1 | בְּרֵאשִׁית בָּרָא אֱלֹהִים
        PARTIAL_EXACT Gen.1.1
    sblgnt | John.1.1 | Ἐν ἀρχῇ ἦν ὁ λόγος
        PARTIAL_EXACT John.1.1
    sblgnt | Luke.24.52 | καὶ αὐτοὶ προσκυνήσαντες αὐτὸν ὑπέστρεψαν εἰς Ἰερουσαλὴμ
        PARTIAL_EXACT Luke.24.52
    ");
}

#[test]
fn a_negation_is_neither_dropped_nor_cut_off_nor_inserted() {
    let Some(found) = judged(
        "
        kjv | Exod.20.15 | Thou shalt steal.
        kjv | Exod.20.15 | steal
        kjv | John.1.5 | and the darkness comprehended it
        kjv | John.1.5 | and the darkness comprehended
        kjv | John.1.18 | hath seen God at any time
        kjv | Exod.20.15 | Thou shalt ... steal
        kjv | Exod.20.14 | Thou shalt [not] steal
        kjv | John.3.16 | For God so loved [not] the world
        kjv | John.3.16 | [For God so loved nobody at all]
        kjv | Matt.3.10 | therefore every tree … is hewn down, and cast into the fire
        kjv | John.3.16 | For God [hardly] so loved the world
        kjv | John.3.3 | a man be born again
        kjv | John.3.16-John.3.18 | Son … condemned
        ",
    ) else {
        return;
    };
    insta::assert_snapshot!(found, @r#"
    kjv | Exod.20.15 | Thou shalt steal.
        NEAR_MISS missing[10..10] "not"→""
    kjv | Exod.20.15 | steal
        NEAR_MISS !NEGATION_CUT
    kjv | John.1.5 | and the darkness comprehended it
        NEAR_MISS !NEGATION_CUT
    kjv | John.1.5 | and the darkness comprehended
        NEAR_MISS !NEGATION_CUT
    kjv | John.1.18 | hath seen God at any time
        NEAR_MISS !NEGATION_CUT
    kjv | Exod.20.15 | Thou shalt ... steal
        NEAR_MISS !NEGATION_ELIDED
    kjv | Exod.20.14 | Thou shalt [not] steal
        WRONG_REFERENCE @kjv Exod.20.15 @kjv Matt.19.18 @kjv Rom.13.9
    kjv | John.3.16 | For God so loved [not] the world
        NEAR_MISS !NEGATION_INSERTED
    kjv | John.3.16 | [For God so loved nobody at all]
        NOT_FOUND
    kjv | Matt.3.10 | therefore every tree … is hewn down, and cast into the fire
        NEAR_MISS !NEGATION_ELIDED
    kjv | John.3.16 | For God [hardly] so loved the world
        NEAR_MISS !NEGATION_INSERTED
    kjv | John.3.3 | a man be born again
        NEAR_MISS !NEGATION_CUT
    kjv | John.3.16-John.3.18 | Son … condemned
        NEAR_MISS !NEGATION_ELIDED
    "#);
}

#[test]
fn elisions_and_insertions_have_limits() {
    let Some(found) = judged(
        "
        kjv | John.3.16 | …
        kjv | Gen.1.1-Gen.1.31 | In the beginning … And God blessed them
        kjv | John.3.16 | the
        kjv | John.3.16 | For God so loved [un]the world
        kjv | John.3.16 | the … the … that … that … him … have
        kjv | John.3.16 | For God so loved the world [who are his enemies and shall be so evermore], that he gave
        ",
    ) else {
        return;
    };
    insta::assert_snapshot!(found, @r#"
    kjv | John.3.16 | …
        NOT_FOUND !EMPTY
    kjv | Gen.1.1-Gen.1.31 | In the beginning … And God blessed them
        NEAR_MISS !ELISION_TOO_LONG
    kjv | John.3.16 | the
        NEAR_MISS !SAYS_LITTLE
    kjv | John.3.16 | For God so loved [un]the world
        NEAR_MISS replaced[18..24] "the"→"unthe"
    kjv | John.3.16 | the … the … that … that … him … have
        NEAR_MISS !SCATTERED
    kjv | John.3.16 | For God so loved the world [who are his enemies and shall be so evermore], that he gave
        NEAR_MISS !INSERTION_TOO_LONG
    "#);
}

#[test]
fn a_changed_word_is_shown() {
    let Some(found) = judged(
        "
        kjv | John.1.1 | and the Word was god.
        kjv | John.1.1 | god was in the beginning
        kjv | John.3.16 | For God so hated the world
        kjv | John.3.16 | For God so loved the w\u{43e}rld
        kjv | John.3.16 | For God so loved the world that he gave his one and only Son
        asv | Lev.1.3 | If his oblation be a burnt offering
        kjv | John.3.16 | 17 For God so loved the world
        kjv | Rom.3.10 | There is one righteous ~~none~~
        oshb | Gen.1.1 | בְּרֵאשִׁית בֹּרֵא אֱלֹהִים
        ",
    ) else {
        return;
    };
    insta::assert_snapshot!(found, @r#"
    kjv | John.1.1 | and the Word was god.
        NEAR_MISS !CASE spelled[17..20] "God"→"god"
    kjv | John.1.1 | god was in the beginning
        NEAR_MISS added[0..7] ""→"god was"
    kjv | John.3.16 | For God so hated the world
        NEAR_MISS replaced[11..16] "loved"→"hated"
    kjv | John.3.16 | For God so loved the wоrld
        NEAR_MISS replaced[21..27] "world"→"wоrld"
    kjv | John.3.16 | For God so loved the world that he gave his one and only Son
        NEAR_MISS replaced[44..56] "only begotten"→"one and only"
    asv | Lev.1.3 | If his oblation be a burnt offering
        NEAR_MISS !HYPHEN spelled[21..35] "burnt-offering"→"burnt offering"
    kjv | John.3.16 | 17 For God so loved the world
        NEAR_MISS added[0..2] ""→"17"
    kjv | Rom.3.10 | There is one righteous ~~none~~
        NEAR_MISS replaced[9..12] "none"→"one" replaced[23..31] "no"→"~~none~~"
    oshb | Gen.1.1 | בְּרֵאשִׁית בֹּרֵא אֱלֹהִים
        NEAR_MISS !POINTS spelled[23..35] "ב\u{5b8}\u{5bc}ר\u{5b8}\u{5a3}א"→"ב\u{5b9}\u{5bc}ר\u{5b5}א"
    "#);
}

#[test]
fn words_from_elsewhere_are_refused_with_their_place() {
    let Some(found) = judged(
        "
        kjv | John.3.17 | For God so loved the world, that he gave his only begotten Son
        kjv | Gen.50.26-Exod.1.1 | in a coffin in Egypt. Now these are the names
        asv | Acts.8.37 | And Philip said, If thou believest with all thine heart, thou mayest.
        kjv | John.3.16 | God the
        kjv | Rev.22.21 | Let there be lasers in the sky above the sea
        ",
    ) else {
        return;
    };
    insta::assert_snapshot!(found, @r"
    kjv | John.3.17 | For God so loved the world, that he gave his only begotten Son
        WRONG_REFERENCE @kjv John.3.16
    kjv | Gen.50.26-Exod.1.1 | in a coffin in Egypt. Now these are the names
        NOT_FOUND
    asv | Acts.8.37 | And Philip said, If thou believest with all thine heart, thou mayest.
        VERSE_ABSENT_IN_EDITION @kjv Acts.8.37
    kjv | John.3.16 | God the
        NOT_FOUND
    kjv | Rev.22.21 | Let there be lasers in the sky above the sea
        NOT_FOUND
    ");
}
