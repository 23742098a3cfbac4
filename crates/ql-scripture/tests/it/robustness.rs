//! Whatever is read, imported, quoted or searched: an answer, and one that holds.

use std::sync::OnceLock;

use proptest::prelude::*;
use proptest::test_runner::Config;
use ql_scripture::corpus::import::Format;
use ql_scripture::corpus::library::Library;
use ql_scripture::fuzz::{self, LINES};
use ql_scripture::quote::Claim;

use crate::editions::{passage, take};

/// What files of every format are made of.
const PIECES: [&str; 34] = [
    "\\id GEN ",
    "\\c 1",
    "\\c 2",
    "\\p ",
    "\\v 1 ",
    "\\v 2-3 ",
    "\\v 4a ",
    "\\d ",
    "\\f + \\ft note\\f*",
    "\\q1",
    "<osis>",
    "</osis>",
    "<verse osisID=\"Gen.1.1\">",
    "</verse>",
    "<verse sID=\"Gen.1.2\" osisID=\"Gen.1.2\"/>",
    "<verse eID=\"Gen.1.2\"/>",
    "<title type=\"psalm\">",
    "</title>",
    "<note>",
    "</note>",
    "<w>",
    "</w>",
    "&amp;",
    "Gen.1.1\t",
    "Gen.1.2-Gen.1.3\t",
    "Ps.3.0\t",
    "{\"ref\": \"Gen.1.1\", \"text\": \"",
    "\"}",
    "\n",
    " ",
    "not",
    "In the beginning",
    "[LORD’s] 12 …",
    "\u{feff}",
];

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40);
    let pieces = pieces.prop_map(|pieces| pieces.concat().into_bytes());
    prop_oneof![4 => pieces, 1 => any::<Vec<u8>>()]
}

fn small() -> &'static Library {
    static SMALL: OnceLock<Library> = OnceLock::new();
    SMALL.get_or_init(fuzz::editions)
}

/// Texts of the words of a few lines, cut and joined by all kinds of signs.
fn text() -> impl Strategy<Value = String> {
    let words: Vec<&str> = LINES.split([' ', '\n', '\t']).collect();
    let word = prop::sample::select(words).prop_map(str::to_owned);
    let sign = prop::sample::select(vec![
        "…", "...", "[", "]", "“", "-", "-\n", " — ", "\u{200b}", "12", "1 ", "3:1 ", "not", "~",
        "?", "¹", "\u{301}",
    ]);
    let run = (0_usize..LINES.len(), 1_usize..60).prop_map(|(at, length)| {
        let run: String = LINES.chars().skip(at).take(length).collect();
        run
    });
    let piece =
        prop_oneof![3 => word, 1 => sign.prop_map(str::to_owned), 3 => run, 1 => any::<String>()];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(400) })]

    #[test]
    fn every_file_is_imported_or_refused(bytes in bytes()) {
        for format in [Format::Tsv, Format::JsonLines, Format::Usfm, Format::Osis] {
            fuzz::import(format, &bytes);
        }
    }

    #[test]
    fn every_text_is_loaded_or_refused(bytes in bytes()) {
        let normal = take(Format::Tsv, LINES).expect("lawful lines").normal;
        fuzz::load(&normal.manifest, &String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn every_quotation_is_judged(text in text(), edition in prop::sample::select(vec!["one", "two"])) {
        for named in ["Gen.1.1", "Gen.1.1-Gen.1.3", "Ps.3.1-Ps.3.2", "Gen.1.1-Ps.3.2", "Rev.1.1"] {
            let passage = passage(named);
            let claim = Claim { edition, passage: &passage, text: &text };
            fuzz::quote(small(), &claim);
        }
        fuzz::scan(small(), &text);
    }
}
