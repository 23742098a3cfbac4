//! Staged source packages: what the checks say of each record, and what members decided.

use askama::Template;

use super::sample::{DIGEST, ago, maren, shell, writer};
use super::{Section, Shell};
use crate::part::{Digest, Event, Fact, Link, Pill, Timeline, Tone, When, Who};

/// The list of packages.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "sources.html")]
pub struct Sources {
    /// The frame.
    pub shell: Shell,
    /// This page of the list.
    pub rows: Vec<PackageRow>,
    /// The address of the next page.
    pub next: Option<String>,
}

/// One package in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageRow {
    /// Its name and page.
    pub link: Link,
    /// Where it comes from, in the agent's words.
    pub origin: String,
    /// How many records have which verdict.
    pub verdicts: Vec<Pill>,
    /// What was decided about it.
    pub state: Pill,
    /// Who staged it.
    pub by: Who,
    /// When.
    pub at: When,
}

/// One package.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "source_package.html")]
pub struct SourcePackagePage {
    /// The frame.
    pub shell: Shell,
    /// Its identifier.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Where it comes from, in the agent's words.
    pub origin: String,
    /// What was decided about it.
    pub state: Pill,
    /// Who staged it.
    pub by: Who,
    /// When.
    pub at: When,
    /// Other facts.
    pub facts: Vec<Fact>,
    /// This page of its records.
    pub records: Vec<RecordRow>,
    /// The address of the next page.
    pub next: Option<String>,
    /// What members decided.
    pub history: Timeline,
    /// Whether this member may decide.
    pub may_dispose: bool,
    /// Why the last decision wasn't kept.
    pub problems: Vec<String>,
    /// The reason that was typed.
    pub typed: String,
}

/// One record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRow {
    /// Its key.
    pub key: String,
    /// What it is, and how large.
    pub kind: String,
    /// The hash of its body.
    pub sha256: Digest,
    /// What the checks say.
    pub verdict: Pill,
    /// What they found, in sentences.
    pub findings: Vec<String>,
    /// What was decided about it.
    pub state: Pill,
    /// The beginning of its body.
    pub body: String,
    /// Whether the body was cut for display.
    pub is_cut: bool,
}

impl Sources {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let row = |name: &str, verdicts, state, minutes| PackageRow {
            link: Link::new("/sites/elmsea/sources/src_1", name),
            origin: "A call with the head gardener, typed by hand.".into(),
            verdicts,
            state,
            by: writer(),
            at: ago(minutes),
        };
        Self {
            shell: shell(Section::Sources),
            rows: vec![
                row(
                    "Winter opening, notes",
                    vec![
                        Pill::new(Tone::Live, "2 valid"),
                        Pill::new(Tone::Needs, "1 warning"),
                        Pill::new(Tone::Stopped, "1 invalid"),
                    ],
                    Pill::new(Tone::Needs, "Needs you"),
                    12,
                ),
                row(
                    "Price minutes",
                    vec![Pill::new(Tone::Live, "3 valid")],
                    Pill::new(Tone::Live, "Accepted"),
                    3_000,
                ),
            ],
            next: None,
        }
    }

    /// A site without packages.
    pub fn empty_sample() -> Self {
        Self {
            rows: vec![],
            ..Self::sample()
        }
    }
}

impl SourcePackagePage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let record = |key: &str, verdict, findings: &[&str], body: &str| RecordRow {
            key: key.into(),
            kind: "text/markdown · 1.2 kB".into(),
            sha256: Digest::new("hash", DIGEST),
            verdict,
            findings: findings.iter().map(|text| (*text).to_owned()).collect(),
            state: Pill::new(Tone::Needs, "Needs you"),
            body: body.into(),
            is_cut: false,
        };
        Self {
            shell: shell(Section::Sources),
            id: "src_01k8".into(),
            name: "Winter opening, notes".into(),
            origin: "A call with the head gardener, typed by hand.".into(),
            state: Pill::new(Tone::Needs, "Needs you"),
            by: writer(),
            at: ago(12),
            facts: vec![Fact::new("Records", "3"), Fact::new("Size", "3.6 kB")],
            records: vec![
                record(
                    "hours",
                    Pill::new(Tone::Live, "Valid"),
                    &[],
                    "From November the gate shuts at four.",
                ),
                record(
                    "old-page",
                    Pill::new(Tone::Needs, "Warning"),
                    &["The body has markup that would run or load something. (line 3)"],
                    "<h1>Visit</h1>\n\n<script src=\"https://stats.example/s.js\"></script>",
                ),
                record(
                    "prices",
                    Pill::new(Tone::Stopped, "Invalid"),
                    &["The body doesn't have the SHA-256 that was named for it."],
                    "adult,8.00",
                ),
            ],
            next: None,
            history: Timeline {
                events: vec![Event {
                    tone: Tone::Stopped,
                    icon: "stopped",
                    who: Some(maren()),
                    text: "rejected record prices".into(),
                    link: None,
                    said: Some("The list is last year's.".into()),
                    at: ago(3),
                }],
            },
            may_dispose: true,
            problems: vec![],
            typed: String::new(),
        }
    }
}
