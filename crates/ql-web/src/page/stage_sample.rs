//! A stage as the tests and the gallery show it: a script with a wrong word in a quotation.

use super::sample::{DIGEST, ago, connection, maren, shell};
use super::{
    Acts, Compared, DocumentCard, DocumentPart, Line, Marked, Note, Proof, RuleRow, Section,
    StagePage, TaskCard,
};
use crate::diff::Span;
use crate::part::{Digest, Fact, Link, Pill, Tone, Who};

const HERE: &str = "/sites/elmsea/productions/prd_1";

fn note(number: usize, weight: Pill, title: &str) -> Note {
    Note {
        number,
        weight,
        title: title.into(),
        code: "SCRIPTURE_QUOTE_MISMATCH",
        message: "not the words of John 14:6: `through` stands for `by`".into(),
        pointer: "/scripture/0/quote".into(),
        rule: None,
        compared: None,
        fingerprint: DIGEST.into(),
        is_waivable: false,
        waived: None,
    }
}

fn mismatch() -> Note {
    let side = |word: &str| {
        let span = |text: &str, changed| Span {
            text: text.into(),
            changed,
        };
        vec![
            span("no man cometh unto the Father, but ", false),
            span(word, true),
            span(" me", false),
        ]
    };
    Note {
        compared: Some(Compared {
            passage: "John 14:6 (kjv)".into(),
            edition: side("by"),
            written: side("through"),
            is_cut: false,
        }),
        ..note(
            2,
            Pill::new(Tone::Stopped, "Blocking"),
            "Scripture quote mismatch",
        )
    }
}

fn line(label: &str, words: &[(&str, Option<usize>)], notes: Vec<Note>) -> Line {
    let pointer = format!("/output/{}", label.to_lowercase().replace(' ', "-"));
    let marked = |(text, finding): &(&str, Option<usize>)| Marked {
        text: (*text).into(),
        finding: *finding,
    };
    Line {
        anchor: format!("at{}", pointer.replace('/', "-")),
        pointer,
        label: label.into(),
        is_heading: false,
        spans: words.iter().map(marked).collect(),
        notes,
    }
}

fn document() -> DocumentCard {
    let warning = Pill::new(Tone::Needs, "Warning");
    let heading = Line {
        is_heading: true,
        ..line("Sections 1 heading", &[("The answer", None)], vec![])
    };
    let claimed = Note {
        code: "CITED_SOURCE_NOT_RETRIEVED",
        message: "the source is cited and wasn't retrieved".into(),
        pointer: "/claims/0/source/url".into(),
        is_waivable: true,
        ..note(3, warning.clone(), "Cited source not retrieved")
    };
    let waived = Note {
        code: "COST_UNKNOWN",
        message: "nobody knows what was spent".into(),
        pointer: String::new(),
        is_waivable: true,
        waived: Some((maren(), "The local model costs nothing.".into())),
        ..note(1, warning, "Cost unknown")
    };
    let quote = "no man cometh unto the Father, but through me";
    DocumentCard {
        kind: "Script".into(),
        from: "attempt 1".into(),
        sha256: Some(Digest::new("hash", DIGEST)),
        whole: vec![waived],
        parts: vec![
            DocumentPart {
                title: "The document",
                lines: vec![
                    line(
                        "Hook",
                        &[("Somebody asks what all of them were thinking.", None)],
                        vec![],
                    ),
                    heading,
                    line(
                        "Sections 1 text",
                        &[
                            ("Jesus answers: “", None),
                            (quote, Some(2)),
                            (".” He gives himself.", None),
                        ],
                        vec![],
                    ),
                ],
            },
            DocumentPart {
                title: "Quotations of Scripture",
                lines: vec![line(
                    "John 14:6 · kjv",
                    &[(quote, Some(2))],
                    vec![mismatch()],
                )],
            },
            DocumentPart {
                title: "Claims about the world",
                lines: vec![line(
                    "source: A Book, p. 42",
                    &[("Every guest had fled by midnight.", Some(3))],
                    vec![claimed],
                )],
            },
        ],
    }
}

fn task() -> TaskCard {
    TaskCard {
        attempt: 1,
        by: Some(connection()),
        worth: "It claims “Theology verified” and was found to be “Draft unverified”.".into(),
        at: ago(30),
        run: Link::new("/sites/elmsea/runs/run_1", "run_1"),
        hashes: vec![
            ("Envelope", Digest::new("envelope's hash", DIGEST)),
            ("Policy", Digest::new("policy's hash", DIGEST)),
        ],
        facts: vec![Fact::new("Cost", "$0.01")],
        calls: vec![(
            Pill::new(Tone::Live, "Answered"),
            "call 1 · $0.01".into(),
            ago(29),
        )],
        envelope: "{\n  \"agent_role\": \"scriptwriting\"\n}".into(),
    }
}

impl StagePage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let rule = |id: &str, title: &str, said| RuleRow {
            id: id.into(),
            title: title.into(),
            question: "Are the words those of the edition?".into(),
            said,
            by_server: id == "RULE-16",
        };
        let said = |pill, notes: &str| vec![(pill, "interpreter".into(), notes.into())];
        Self {
            shell: shell(Section::Productions),
            production: Link::new(HERE, "The oldest plan"),
            stage: "SCRIPT".into(),
            name: "Script written".into(),
            state: Pill::new(Tone::Needs, "Held"),
            verdict: Some(Pill::new(Tone::Needs, "Draft unverified")),
            by: Who::agent("Scriptwriting"),
            at: ago(25),
            said: "A quotation couldn't be verified.".into(),
            acts: Acts {
                reopen: true,
                after: "12 stages after it wait anew.".into(),
                waive: true,
                waiving: Proof::Password,
                ..Acts::default()
            },
            rules: vec![
                rule(
                    "RULE-01",
                    "Text identity",
                    said(Pill::new(Tone::Live, "Pass"), ""),
                ),
                rule(
                    "RULE-15",
                    "Coherence",
                    said(
                        Pill::new(Tone::Needs, "Qualified"),
                        "How far it reaches is told as an open question.",
                    ),
                ),
                rule("RULE-16", "Fidelity of derivatives", vec![]),
                rule("RULE-17", "Application and tone", vec![]),
            ],
            unanswered: vec![],
            documents: vec![document()],
            others: vec![],
            tasks: vec![task()],
            problems: vec![],
        }
    }

    /// One that a person completes after a gate.
    pub fn approvable_sample() -> Self {
        Self {
            stage: "SCRIPT_READ".into(),
            name: "Script approved".into(),
            state: Pill::new(Tone::Needs, "Needs you"),
            verdict: None,
            by: Who::person("A person"),
            said: "A person reads what was made and completes it.".into(),
            acts: Acts {
                approve: true,
                next: vec!["Production planned".into(), "Voice recorded".into()],
                approving: Proof::Password,
                ..Acts::default()
            },
            documents: vec![],
            others: vec![(
                Link::new(format!("{HERE}/stages/SCRIPT"), "Script written"),
                vec![Pill::new(Tone::Quiet, "1 note")],
            )],
            tasks: vec![],
            problems: vec!["The password is wrong. Nothing was decided.".into()],
            ..Self::sample()
        }
    }

    /// One without a document.
    pub fn empty_sample() -> Self {
        Self {
            state: Pill::new(Tone::Quiet, "Waiting"),
            verdict: None,
            said: "Something before it isn't done.".into(),
            acts: Acts::default(),
            rules: vec![],
            unanswered: vec![Note {
                code: "SCHEMA_VIOLATION",
                message: "/output/title is missing".into(),
                pointer: "/output/title".into(),
                ..note(1, Pill::new(Tone::Stopped, "Blocking"), "Schema violation")
            }],
            documents: vec![],
            tasks: vec![],
            ..Self::sample()
        }
    }
}
