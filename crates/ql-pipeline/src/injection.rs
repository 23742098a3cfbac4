//! A detector of prompt injection in retrieved material.
//!
//! It is telemetry and never the boundary: what keeps material from becoming an instruction is
//! [`crate::untrusted`]. The detector is pure, and its time is linear in the text. It reads words
//! with their classes (a table by language), looks for classes near each other (a table of rules,
//! each with its reason), in what is shown, in comments, hidden elements and attributes, and again in
//! all that it can decode. What it can't see is told in `docs/injection.md`.

mod decode;
mod disguise;
mod finding;
mod hidden;
mod letters;
mod lexicon;
mod marker;
mod markup;
mod pattern;
mod words;

use std::ops::Range;

use decode::Decoded;
pub use finding::{Code, Family, Finding, Layer};
use lexicon::Lexicon;
use pattern::Rules;
use words::{Marks, Word, Words};

/// How many bytes of a text are scanned.
pub const MOST_BYTES: usize = 4 * 1024 * 1024;

/// How many findings a scan tells.
pub const MOST_FINDINGS: usize = 100;

/// How often text may be encoded in encoded text.
const DEEPEST: usize = 2;

/// How many words with letters of two alphabets are no slip.
const FEWEST_MIXED: usize = 2;

/// What a scan found.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Scan {
    /// The findings, by where they begin.
    pub findings: Vec<Finding>,
    /// How many bytes were scanned.
    pub scanned: usize,
    /// Whether that was the whole text, and all findings are told.
    pub complete: bool,
}

/// The detector with its tables. Made once, used for any number of texts.
#[derive(Debug)]
pub struct Detector {
    lexicon: Lexicon,
    rules: Rules,
}

impl Default for Detector {
    fn default() -> Self {
        Self::new()
    }
}

impl Detector {
    /// Reads the tables.
    #[expect(
        clippy::missing_panics_doc,
        reason = "the tables are part of the program"
    )]
    pub fn new() -> Self {
        let lexicon = Lexicon::new();
        let rules = Rules::new(&lexicon).expect("the table is part of the program and is tested");
        Self { lexicon, rules }
    }

    /// Scans a text. Of more than [`MOST_BYTES`], the first are scanned.
    pub fn scan(&self, text: &str) -> Scan {
        let end = text.floor_char_boundary(text.len().min(MOST_BYTES));
        let mut findings = self.findings(&text[..end], 0);
        sort_out(&mut findings);
        let all = findings.len();
        findings.truncate(MOST_FINDINGS);
        Scan {
            complete: end == text.len() && all == findings.len(),
            scanned: end,
            findings,
        }
    }

    fn findings(&self, text: &str, depth: usize) -> Vec<Finding> {
        let mut found = marker::find(text);
        found.extend(marker::beacons(text));
        let mut all = Words::default();
        for piece in markup::pieces(text) {
            let words = words::read(text, &piece.parts, &self.lexicon);
            self.judge(text, &words, piece.layer, &mut found);
            all.disguises.extend(words.disguises);
            all.mixed.extend(words.mixed);
        }
        if depth >= DEEPEST {
            return found;
        }
        found.extend(mixed(&all));
        let hidden = hidden::find(text);
        for decoded in &hidden {
            found.extend(self.inside(decoded, Family::HiddenText, depth));
        }
        for decoded in &decode::all(text, &all) {
            found.extend(self.inside(decoded, Family::EncodedText, depth));
        }
        found
    }

    /// Adds what the rules say of words.
    fn judge(&self, text: &str, words: &Words, layer: Layer, found: &mut Vec<Finding>) {
        let known = &words.known;
        for (rule, first, last) in self.rules.matches(known) {
            let undone = known[first..=last].iter().find_map(|word| word.undone);
            found.push(Finding {
                code: rule.code,
                family: rule.family,
                layer: undone.unwrap_or(layer),
                start: known[first].start,
                end: end(text, &known[last]),
                explanation: rule.reason,
            });
        }
    }

    /// What stands in decoded text, told where its encoded form stands.
    fn inside(&self, decoded: &Decoded, family: Family, depth: usize) -> Vec<Finding> {
        let Range { start, end } = decoded.span;
        let mut found = self.findings(&decoded.text, depth + 1);
        sort_out(&mut found);
        for finding in &mut found {
            (finding.layer, finding.start, finding.end) = (decoded.layer, start, end);
        }
        if decoded.tells || !found.is_empty() {
            found.push(Finding {
                code: Code::InjectionSuspected,
                family,
                layer: decoded.layer,
                start,
                end,
                explanation: match family {
                    Family::HiddenText => "holds characters that nobody sees",
                    _ => "holds text that has to be decoded",
                },
            });
        }
        found
    }
}

/// Where a word ends; that of an identifier is its last part's.
fn end(text: &str, word: &Word) -> usize {
    if !word.marks.has(Marks::GOES_ON) {
        return word.end;
    }
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    word.end
        + text.as_bytes()[word.end..]
            .iter()
            .take_while(|byte| goes_on(byte))
            .count()
}

/// Words with letters of two alphabets, where there are several.
fn mixed(words: &Words) -> Option<Finding> {
    let first = words.mixed.first()?;
    (words.mixed.len() >= FEWEST_MIXED).then_some(Finding {
        code: Code::InjectionSuspected,
        family: Family::Homoglyphs,
        layer: Layer::HomoglyphFolded,
        start: first.start,
        end: first.end,
        explanation: "words mix letters of two alphabets that look alike",
    })
}

/// Orders findings, and keeps the longest of those that overlap and say the same.
fn sort_out(findings: &mut Vec<Finding>) {
    findings.sort_by_key(|one| {
        (
            one.family,
            one.code,
            one.layer,
            one.start,
            usize::MAX - one.end,
        )
    });
    let same = |one: &Finding, last: &Finding| {
        (one.family, one.code, one.layer) == (last.family, last.code, last.layer)
            && one.start < last.end.max(last.start + 1)
    };
    findings.dedup_by(|one, last| {
        let same = same(one, last);
        if same {
            last.end = last.end.max(one.end);
        }
        same
    });
    findings.sort_by_key(|one| (one.start, one.end, one.family, one.code, one.layer));
}
