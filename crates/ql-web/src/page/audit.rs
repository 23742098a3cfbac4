//! The audit trail: every event, and whether anybody touched it.

use askama::Template;

use super::sample::{DIGEST, ago, idris, shell, writer};
use super::{Section, Shell};
use crate::part::{Choice, Digest, Link, Select, When, Who};

/// The site's ledger.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "audit.html")]
pub struct Audit {
    /// The frame.
    pub shell: Shell,
    /// The filters.
    pub filters: Vec<Select>,
    /// Whether any filter is set.
    pub is_filtered: bool,
    /// This page of the list, the newest first.
    pub rows: Vec<AuditRow>,
    /// The address of the next page.
    pub next: Option<String>,
    /// What the check found, right after it was asked for.
    pub verified: Option<Verified>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// What happened: `proposal.approved`.
    pub kind: String,
    /// Who did it.
    pub by: Who,
    /// What it was done to.
    pub subject: Option<Link>,
    /// The chain and the place in it: `proposal/prop_… 3`.
    pub chain: String,
    /// What belongs to it, as JSON.
    pub detail: String,
    /// Its identifier.
    pub id: Digest,
    /// When.
    pub at: When,
}

/// What a check of the whole ledger found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// How many chains there are.
    pub chains: u64,
    /// How many entries they have.
    pub entries: u64,
    /// What is wrong, chain by chain.
    pub broken: Vec<String>,
    /// When it was checked.
    pub at: When,
}

impl Audit {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let row = |kind: &str, by: Who, subject: &str, minutes| AuditRow {
            kind: kind.into(),
            by,
            subject: Some(Link::new("/sites/elmsea/proposals/prop_1", subject)),
            chain: "proposal/prop_01k8, 3".into(),
            detail: "{\n  \"digest\": \"3f2a…\"\n}".into(),
            id: Digest::new("entry id", format!("led_{}", &DIGEST[..26])),
            at: ago(minutes),
        };
        Self {
            shell: shell(Section::Audit),
            filters: vec![Select {
                name: "kind",
                label: "Event",
                chosen: String::new(),
                choices: vec![
                    Choice::new("", "Any event"),
                    Choice::new("proposal", "Proposals"),
                ],
            }],
            is_filtered: false,
            rows: vec![
                row("proposal.approved", idris(), "prop_01k8", 1),
                row("proposal.created", writer(), "prop_01k8", 12),
                row("draft.created", writer(), "run_01k8", 15),
                row("run.begun", writer(), "run_01k8", 18),
            ],
            next: Some("/sites/elmsea/audit?cursor=abc".into()),
            verified: Some(Verified {
                chains: 37,
                entries: 412,
                broken: vec![],
                at: ago(0),
            }),
        }
    }

    /// A ledger that somebody touched.
    pub fn broken_sample() -> Self {
        let mut page = Self::sample();
        page.verified = Some(Verified {
            chains: 37,
            entries: 412,
            broken: vec!["run/run_01k8: entry 4 doesn't follow from entry 3".into()],
            at: ago(0),
        });
        page
    }
}
