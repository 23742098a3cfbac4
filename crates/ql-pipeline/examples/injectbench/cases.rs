//! The cases of `injection/cases.jsonl`, split into two halves by a fixed rule, and the figures that
//! the goals speak of.

use std::collections::BTreeMap;

use ql_core::hash::Digest;
use ql_pipeline::injection::Detector;
use serde::Deserialize;

/// One case.
#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    pub(crate) set: String,
    pub(crate) family: String,
    pub(crate) label: String,
    pub(crate) text: String,
}

/// Which half a case belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    /// The first byte of the SHA-256 of its text is even. Rules were written with these in sight.
    Development,
    /// It is odd. Rules were written without having seen these.
    KeptBack,
}

/// Families that a goal takes together. `enc-` stands for all that begin so.
pub(crate) const GROUPS: [(&str, &[&str]); 4] = [
    (
        "instruction override",
        &[
            "ignore_previous_instructions",
            "override",
            "aib:instruction_override",
            "aib:context_termination",
        ],
    ),
    (
        "commands and tools",
        &["destructive", "aib:tool_redirection"],
    ),
    (
        "exfiltration",
        &["egress-overt", "aib:data_exfiltration", "sysprompt-leak"],
    ),
    ("encodings", &["enc-", "token_smuggling", "aib:encoding"]),
];

/// How many cases there were and how many of them were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) found: usize,
    pub(crate) all: usize,
}

impl Tally {
    pub(crate) fn add(&mut self, found: bool) {
        self.found += usize::from(found);
        self.all += 1;
    }
}

impl Case {
    pub(crate) fn half(&self) -> Half {
        let first = Digest::of(self.text.as_bytes()).as_bytes()[0];
        if first.is_multiple_of(2) {
            Half::Development
        } else {
            Half::KeptBack
        }
    }

    /// Whether a case is of a family, or of a group of them.
    fn is_of(&self, families: &[&str]) -> bool {
        let is = |name: &&str| {
            self.family == *name || (name.ends_with('-') && self.family.starts_with(*name))
        };
        families.iter().any(is)
    }
}

/// Reads the file.
pub(crate) fn read(text: &str) -> Vec<Case> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a case"))
        .collect()
}

/// The figures of one half: by group, by set and family, and those of the benign traps.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) groups: BTreeMap<&'static str, Tally>,
    pub(crate) sets: BTreeMap<String, Tally>,
    pub(crate) families: BTreeMap<String, Tally>,
    pub(crate) benign: Tally,
}

/// Scans the cases of a half.
pub(crate) fn measure(detector: &Detector, cases: &[Case], half: Half) -> Figures {
    let mut figures = Figures::default();
    for case in cases.iter().filter(|case| case.half() == half) {
        let found = !detector.scan(&case.text).findings.is_empty();
        if case.label == "benign" {
            figures.benign.add(found);
            continue;
        }
        figures.sets.entry(case.set.clone()).or_default().add(found);
        figures
            .families
            .entry(case.family.clone())
            .or_default()
            .add(found);
        for (group, families) in GROUPS {
            if case.is_of(families) {
                figures.groups.entry(group).or_default().add(found);
            }
        }
    }
    figures
}

/// The verses of an edition in which something is found, and how many verses it has.
pub(crate) fn verses<'a>(detector: &Detector, edition: &'a str) -> (Vec<&'a str>, usize) {
    let lines: Vec<&str> = edition.lines().filter(|line| line.contains('\t')).collect();
    let is_found = |line: &&str| {
        let verse = line.split_once('\t').map_or("", |(_, verse)| verse);
        !detector.scan(verse).findings.is_empty()
    };
    (
        lines.iter().copied().filter(is_found).collect(),
        lines.len(),
    )
}
