//! Editions: imported, kept, loaded, and refused when they were damaged.

use std::fs;
use std::path::PathBuf;

use ql_scripture::corpus::import::{File, Format, Reading, Refused, Tradition, import};
use ql_scripture::corpus::normal::{NormalForm, sha256};
use ql_scripture::corpus::{Corpus, folder};
use ql_scripture::{Book, Verse};

use crate::editions::{description, library, take};
use crate::shared;

/// A folder of a test's own that is gone afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ql-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the folder goes");
    }
}

fn text(normal: &NormalForm) -> &str {
    &normal.text
}

fn problems(refused: &Refused) -> String {
    let lines = refused.problems.iter();
    let lines = lines.map(|problem| format!("{} {problem}\n", problem.code));
    lines.collect()
}

#[test]
fn lines_of_references_and_texts_become_the_normal_form() {
    let imported = take(
        Format::Tsv,
        "\u{feff}Gen.1.2\tAnd  the earth\r\n\nGen.1.1\tIn the begin\u{301}ning\nGen.1.4-Gen.1.5\tBoth.\n",
    )
    .expect("lawful lines");
    insta::assert_snapshot!(text(&imported.normal), @r"
    Gen.1.1	In the begińning
    Gen.1.2	And the earth
    Gen.1.4-Gen.1.5	Both.
    ");
    let manifest = &imported.normal.manifest;
    assert_eq!(manifest.verses, 4);
    assert_eq!(manifest.verses_of(Book::Gen, 1), Some(4));
    assert_eq!(manifest.sha256, sha256(imported.normal.text.as_bytes()));
    assert_eq!(manifest.absent[..2], ["Gen.1.3", "Gen.1.6"]);
}

#[test]
fn json_lines_become_the_same() {
    let imported = take(
        Format::JsonLines,
        "{\"ref\": \"John.11.35\", \"text\": \"Jesus wept.\"}\n{\"ref\": \"John.11.36\", \"text\": \" \"}\n",
    )
    .expect("lawful lines");
    insta::assert_snapshot!(text(&imported.normal), @"John.11.35	Jesus wept.");
    assert_eq!(imported.report.empty, ["John.11.36"]);
}

#[test]
fn usfm_keeps_titles_and_counts_what_it_leaves_out() {
    let imported = take(
        Format::Usfm,
        "\\id PSA sample\n\\h Psalms\n\\mt Psalms\n\\c 3\n\\s A cry\n\\d A song of \\nd David\\nd*.\\f + \\ft a note\\f*\n\
         \\q1\n\\v 1 LORD, how \\add many\\add* they are\\f + \\ft Hebrew\\f*,\n\\q2 my foes!\n\\v 2-3 Two \\w words|lemma=\"word\"\\w* here. \\qs Selah\\qs*\n\
         \\p\n\\v 4a Begun\n\\v 4b and ended.\n\\v 5 \\f + \\ft not in all texts\\f*\n",
    )
    .expect("lawful USFM");
    insta::assert_snapshot!(text(&imported.normal), @r"
    Ps.3.0	A song of David.
    Ps.3.1	LORD, how many they are, my foes!
    Ps.3.2-Ps.3.3	Two words here. Selah
    Ps.3.4	Begun and ended.
    ");
    insta::assert_debug_snapshot!(imported.report, @r#"
    Report {
        left_out: {
            "\\f": 2,
            "\\h": 1,
            "\\mt": 1,
            "\\s": 1,
        },
        empty: [
            "Ps.3.5",
        ],
        remarks: [
            Problem {
                place: Place {
                    file: Some(
                        "sample",
                    ),
                    line: Some(
                        4,
                    ),
                    verse: None,
                },
                code: "usfm",
                message: "expected chapter 1 but found 3",
            },
        ],
    }
    "#);
}

#[test]
fn osis_is_read_with_either_form_of_verses() {
    let osis = |body: &str| {
        format!("<osis><osisText><header><title>A</title></header>{body}</osisText></osis>")
    };
    let elements = osis(
        "<div type=\"book\" osisID=\"Ps\"><chapter osisID=\"Ps.3\"><title type=\"psalm\">Of David</title>\
         <title>A cry</title><verse osisID=\"Ps.3.1\">LORD &amp; <divineName>God</divineName><note>n</note></verse>\
         <l>\n<verse osisID=\"Ps.3.2 Ps.3.3\">Two<lb/>lines</verse></l></chapter></div>",
    );
    let imported = take(Format::Osis, elements).expect("lawful OSIS");
    insta::assert_snapshot!(text(&imported.normal), @r"
    Ps.3.0	Of David
    Ps.3.1	LORD & God
    Ps.3.2-Ps.3.3	Two lines
    ");
    let marks = osis(
        "<p><verse sID=\"a\" osisID=\"Bible:Gen.1.1\"/>In the<l>beginning</l><verse eID=\"a\"/></p>",
    );
    let imported = take(Format::Osis, marks).expect("lawful OSIS");
    insta::assert_snapshot!(text(&imported.normal), @"Gen.1.1	In the beginning");
}

#[test]
fn what_is_written_and_what_is_read_are_told_apart() {
    let osis = "<osis><verse osisID=\"Gen.8.17\"><w>אֲשֶֽׁר</w> <w type=\"x-ketiv\">הוצא</w>\
        <note type=\"variant\"><catchWord>הוצא</catchWord><rdg type=\"x-qere\"><w>הַיְצֵ֣א</w></rdg></note> <w>ה/אתך</w></verse></osis>";
    let read = |tradition| {
        let reading = Reading {
            format: Format::Osis,
            tradition,
        };
        take(reading, osis).expect("lawful OSIS").normal.text
    };
    insta::assert_snapshot!(read(Tradition::Written), @"Gen.8.17	אֲשֶֽׁר הוצא האתך");
    insta::assert_snapshot!(read(Tradition::Read), @"Gen.8.17	אֲשֶֽׁר הַיְצֵ֣א האתך");
}

/// What is wrong with a file, one line each.
fn refused(format: Format, text: &[u8]) -> String {
    problems(&take(format, text).expect_err("nothing to import"))
}

#[test]
fn everything_wrong_with_lines_is_said_at_once_with_its_place() {
    let cases = [
        refused(Format::Tsv, b"Gen.1.1 no tab\nGen.1\ta\nGen.1.2\ta\tb\nGen.1.3\ta\nGen.1.3\tb\nGen.1.3-Gen.2.1\tc\n"),
        refused(Format::Tsv, b"Gen.1.1\ta\n\xff\n"),
        refused(Format::Tsv, b""),
        refused(Format::JsonLines, b"{\"ref\": \"Gen.1.1\"}\n{\"ref\": \"x\", \"text\": \"a\"}\n[]\n"),
    ];
    insta::assert_snapshot!(cases.join("--\n"), @r"
    no_tab sample, line 1: a line is a reference, a tab and a text
    reference sample, line 2: `Gen.1` is no OSIS reference such as Gen.1.1
    tabs sample, line 3, Gen.1.2: a line has one tab
    twice sample, line 5, Gen.1.3: Gen.1.3 is there already: sample, line 4, Gen.1.3
    span sample, line 6, Gen.1.3-Gen.2.1: Gen.1.3-Gen.2.1 is more than one chapter
    --
    utf8 sample, line 2: the text is not UTF-8 here
    --
    no_verses there is no verse in it
    --
    json sample, line 1: missing field `text` at line 1 column 18
    reference sample, line 2: `x` is no OSIS reference such as Gen.1.1
    json sample, line 3: invalid length 0, expected an object of `ref` and `text` at line 1 column 2
    ");
}

#[test]
fn everything_wrong_with_documents_is_said_at_once_with_its_place() {
    let cases = [
        refused(Format::Usfm, b"\\id XXX\n\\c 1\n\\p\n\\v 1 a\n"),
        refused(Format::Usfm, b"\\id GEN\n\\c 1\n\\p lost\n\\v 1 a\n\\v x b\n\\unknown c\n"),
        refused(Format::Osis, b"<osis>lost<verse osisID=\"Gen.1\">a</verse><verse sID=\"b\" osisID=\"Gen.1.2\"/>&who;"),
        refused(Format::Osis, b"<osis></wrong>"),
    ];
    insta::assert_snapshot!(cases.join("--\n"), @r"
    book sample, line 1: the file doesn't begin with \id and the code of a book of the Bible
    --
    usfm sample, line 5: \v is missing its verse number
    usfm sample, line 6: \unknown is not a known marker for this USFM version
    verse sample, line 5: `\v ` in chapter 1 is no verse
    outside sample, line 3: there is text outside of the verses
    --
    outside sample, line 1: there is text outside of the verses
    reference sample, line 1: `Gen.1` is no OSIS reference
    outside sample, line 1: there is text outside of the verses
    unopened sample, line 1: a verse ends that didn't begin
    entity sample, line 1: an entity that XML doesn't define
    unclosed sample, line 1: Gen.1.2 has no end
    xml sample, line 1: the document is cut off
    --
    xml sample, line 1: the XML is broken: ill-formed document: expected `</osis>`, but `</wrong>` was found
    ");
}

#[test]
fn an_unfit_description_is_refused_field_by_field() {
    let mut unfit = description("Sample", "e");
    unfit.versification = "lutheran".to_owned();
    unfit.imported = "1 December".to_owned();
    let file = File {
        name: "sample",
        bytes: b"Gen.1.1\ta\n",
    };
    let refused = import(Format::Tsv.into(), &[file], unfit).expect_err("unfit");
    insta::assert_snapshot!(problems(&refused), @r"
    description id: up to 32 small letters, figures and hyphens
    description language: a BCP 47 tag such as en or grc
    description versification: english, hebrew, septuagint or vulgate
    description imported: a day as YYYY-MM-DD
    ");
}

#[test]
fn a_kept_edition_is_loaded_as_it_was_and_never_over_another() {
    let scratch = Scratch::new("kept");
    let normal = take(
        Format::Tsv,
        "Gen.1.1\tIn the beginning\nGen.1.2\tAnd the earth\n",
    )
    .expect("lawful lines")
    .normal;
    let at = folder::save(&scratch.0, &normal).expect("a new folder");
    let corpus = folder::open(&at).expect("what was saved");
    assert_eq!(corpus.manifest(), &normal.manifest);
    assert_eq!(corpus.verses().count(), 2);
    assert_eq!(folder::list(&scratch.0).expect("a folder"), [at]);
    let again = folder::save(&scratch.0, &normal).expect_err("it is there");
    assert!(again.to_string().contains("already"), "{again}");
}

#[test]
fn a_damaged_edition_is_refused_with_the_place() {
    let scratch = Scratch::new("damaged");
    let lines = "Gen.1.1\tIn the beginning\nGen.1.2\tAnd the earth\nGen.1.3\tAnd God said\n";
    let normal = take(Format::Tsv, lines).expect("lawful lines").normal;
    let at = folder::save(&scratch.0, &normal).expect("a new folder");
    let found = |damaged: &str| {
        fs::write(at.join("verses.tsv"), damaged).expect("a file");
        let error = folder::open(&at).expect_err("damage").to_string();
        // Digests are of no interest here.
        let mut words: Vec<&str> = error.split(' ').collect();
        words.retain(|word| word.trim_end_matches(';').len() < 64);
        words.join(" ")
    };
    let cases = [
        found(&lines.replace("the earth", "the moon")),
        found(&lines.replace("Gen.1.2\tAnd the earth\n", "")),
        found(&lines.replace("Gen.1.3", "Gen.2.3")),
        found(lines.trim_end()),
        found(&lines.replace("Gen.1.2", "Gen.1.0")),
        found(&lines.replace("In the", "In\u{7}the")),
    ];
    insta::assert_snapshot!(cases.join("\n"), @r"
    the text of `sample` is not the one that was imported: its SHA-256 is the manifest says line 2, Gen.1.2: the text was changed after the import; import the text again
    the text of `sample` is not the one that was imported: Gen.1: the chapter has 2 verses, the manifest says 3; its SHA-256 is the manifest says line 2, Gen.1.3: the text was changed after the import; import the text again
    the text of `sample` is not the one that was imported: Gen.1: the chapter has 2 verses, the manifest says 3; Gen.2: the chapter has 1 verses, the manifest says 0; its SHA-256 is the manifest says line 3, Gen.2.3: the text was changed after the import; import the text again
    the text of `sample` is not the one that was imported: line 3: the line has no end; the text is cut off; import the text again
    the text of `sample` is not the one that was imported: line 2: Gen.1.0 stands after Gen.1.1; import the text again
    the text of `sample` is not the one that was imported: line 1: Gen.1.1 holds a control character; import the text again
    ");
    fs::write(at.join("verses.tsv"), lines).expect("a file");
    assert!(folder::open(&at).is_ok(), "the control: undamaged it loads");
}

#[test]
fn the_real_editions_have_what_they_should_and_lack_sixteen_verses() {
    let (Some(library), Some(manifest)) = (library(), shared::read("corpora/MANIFEST.json")) else {
        return;
    };
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("a list");
    for of in manifest.as_array().expect("a list") {
        let id = of["id"].as_str().expect("an id");
        let corpus = library.get(id).expect("an edition");
        assert_eq!(
            Some(u64::from(corpus.manifest().verses)),
            of["verses"].as_u64(),
            "{id}"
        );
        assert_eq!(
            Some(corpus.manifest().source_sha256.as_str()),
            of["sha256"].as_str(),
            "{id}"
        );
    }
    let absent = |id: &str| {
        library
            .get(id)
            .expect("an edition")
            .manifest()
            .absent
            .clone()
    };
    assert_eq!(absent("kjv"), [] as [&str; 0]);
    assert_eq!(absent("asv").len(), 16);
    assert_eq!(absent("asv"), absent("bsb"));
    let kjv = library.get("kjv").expect("an edition");
    let hash = &kjv.manifest().sha256;
    assert_eq!(
        hash,
        &kjv.manifest().source_sha256,
        "the file was in the normal form already"
    );
    let verse: Verse = "Acts.8.37".parse().expect("a verse");
    assert!(kjv.text(verse).is_some());
    assert!(
        library
            .get("bsb")
            .expect("an edition")
            .text(verse)
            .is_none()
    );
    assert!(kjv.size() <= 25_000_000, "{}", kjv.size());
}

#[test]
fn an_edition_shows_no_word_of_its_text_when_it_is_logged() {
    let normal = take(Format::Tsv, "Gen.1.1\tsecret\n")
        .expect("a line")
        .normal;
    let corpus = Corpus::load(normal.manifest, normal.text).expect("what was imported");
    assert!(!format!("{corpus:?}").contains("secret"));
}
