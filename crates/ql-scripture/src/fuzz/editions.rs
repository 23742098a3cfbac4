//! What must hold of every edition and every quotation.

use std::sync::Arc;

use crate::corpus::Corpus;
use crate::corpus::import::{File, Format, Imported, Refused, import as read};
use crate::corpus::library::Library;
use crate::corpus::manifest::{Description, Manifest};
use crate::quote::{Claim, check};
use crate::span::Passage;
use crate::undeclared::{Known, WORDS_WITH_CUE, find};

/// How many verses of an edition are looked at.
const LOOKED_AT: usize = 40;

/// A few lines of an edition in which quotations can go wrong in every way.
pub const LINES: &str = "Gen.1.1\tIn the beginning God created the heaven and the earth.\n\
    Gen.1.2\tAnd the earth was without form, and void; and it was not burnt-offering, “No!” said LORD’s.\n\
    Gen.1.3\tAnd God said, Let there be light [and 12 lights]: and there was light…\n\
    Ps.3.0\tA Psalm of David.\nPs.3.1\tLORD, how are they increased that trouble me!\n\
    Ps.3.2\tMany there be which say of my soul, There is no help for him in God.\n";

/// Two editions of [`LINES`], `one` in English and `two`, which differs, in no known language.
///
/// # Panics
///
/// If the lines can't be imported.
pub fn editions() -> Library {
    let one = take("one", "en", Format::Tsv, LINES.as_bytes());
    let other = LINES.replace("heaven", "heavens");
    let two = take("two", "xx", Format::Tsv, other.as_bytes());
    let load = |imported: Result<Imported, Refused>| {
        let normal = imported.expect("lawful lines").normal;
        let corpus = Corpus::load(normal.manifest, normal.text);
        Arc::new(corpus.expect("what was imported loads"))
    };
    Library::new([load(one), load(two)])
}

fn take(id: &str, language: &str, format: Format, bytes: &[u8]) -> Result<Imported, Refused> {
    let description = Description {
        id: id.to_owned(),
        name: "Input".to_owned(),
        language: language.to_owned(),
        licence: "none".to_owned(),
        jurisdictions: String::new(),
        versification: "english".to_owned(),
        source: "a fuzzer".to_owned(),
        imported: "2026-12-01".to_owned(),
    };
    let file = File {
        name: "input",
        bytes,
    };
    read(format.into(), &[file], description)
}

/// Bytes of a format are refused with places, or become an edition that loads and whose verses are
/// quotations of it.
///
/// # Panics
///
/// If that doesn't hold.
pub fn import(format: Format, bytes: &[u8]) {
    let normal = match take("input", "en", format, bytes) {
        Ok(imported) => imported.normal,
        Err(refused) => return assert!(!refused.problems.is_empty(), "a refusal says why"),
    };
    let again = take("input", "en", Format::Tsv, normal.text.as_bytes());
    let again = again.map(|again| again.normal.text);
    assert_eq!(
        again.as_ref(),
        Ok(&normal.text),
        "the normal form is its own"
    );
    let loaded = Corpus::load(normal.manifest, normal.text);
    let corpus = Arc::new(loaded.expect("what was imported loads"));
    let library = Library::new([Arc::clone(&corpus)]);
    for (span, text) in corpus.verses().take(LOOKED_AT) {
        let claim = Claim {
            edition: "input",
            passage: &Passage::from(span),
            text,
        };
        let answer = check(&library, &claim);
        let words = text.chars().any(char::is_alphanumeric);
        assert!(
            !words || answer.is_ok_and(|answer| answer.grade.verifies()),
            "{span} is a quotation of itself"
        );
    }
}

/// A text is the one that a manifest describes, or is refused.
///
/// # Panics
///
/// If that doesn't hold.
pub fn load(manifest: &Manifest, text: &str) {
    match Corpus::load(manifest.clone(), text.to_owned()) {
        Ok(corpus) => assert_eq!(corpus.manifest().verses, manifest.verses),
        Err(damage) => assert!(!damage.problems.is_empty(), "a refusal says why"),
    }
}

/// Every text is judged, and every place in the answer is of the text.
///
/// # Panics
///
/// If that doesn't hold.
pub fn quote(library: &Library, claim: &Claim<'_>) {
    let Ok(answer) = check(library, claim) else {
        return;
    };
    assert_eq!(answer.grade.verifies(), !answer.matched.is_empty());
    assert!(!answer.grade.verifies() || answer.reasons.is_empty());
    let notes = answer.notes.iter().filter_map(|note| note.at.as_ref());
    let differences = answer.differences.iter().map(|of| &of.at);
    for at in notes.chain(differences) {
        assert!(
            claim.text.get(at.clone()).is_some(),
            "{at:?} is of the text"
        );
    }
}

/// Every text is searched; findings stand in order, on characters, and have enough words.
///
/// # Panics
///
/// If that doesn't hold.
pub fn scan(library: &Library, text: &str) {
    let mut last = 0;
    for finding in find(library, text, Known::default()) {
        assert!(text.get(finding.at.clone()).is_some(), "it is of the text");
        assert!(finding.at.start >= last, "findings go on");
        assert!(finding.words >= WORDS_WITH_CUE && !finding.places.is_empty());
        last = finding.at.start;
    }
}
