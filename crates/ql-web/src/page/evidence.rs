//! Evidence: the claims of the site, what is looked at again, and what waits for a person.

use askama::Template;

use super::sample::{ago, shell};
use super::{Section, Shell};
use crate::part::{Fact, Link, Pill, Tone, When};

/// Claims, the queue of looks and open reviews.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "evidence.html")]
pub struct EvidencePage {
    /// The frame.
    pub shell: Shell,
    /// What waits for a person.
    pub reviews: Vec<ReviewRow>,
    /// What is looked at again.
    pub targets: Vec<TargetRow>,
    /// This page of the claims.
    pub claims: Vec<Claimed>,
    /// The address of the next page of claims.
    pub next: Option<String>,
    /// Whether this member may schedule looks and close reviews.
    pub may_review: bool,
}

/// A review that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewRow {
    /// The claim and the review's page.
    pub link: Link,
    /// Where the source is.
    pub source: String,
    /// What was found.
    pub outcome: Pill,
    /// Since when it waits.
    pub at: When,
}

/// Evidence that is looked at again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetRow {
    /// The evidence.
    pub id: String,
    /// The page that makes the claim.
    pub page: Link,
    /// How often.
    pub cadence: String,
    /// Where it stands.
    pub state: Pill,
    /// The newest look.
    pub last: Option<(Pill, When)>,
    /// When it is looked at next.
    pub due: Option<When>,
    /// Whether it can be stopped and asked for at once.
    pub is_active: bool,
}

/// A claim with what bears on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// The statement.
    pub text: String,
    /// The revision that makes it.
    pub page: Link,
    /// Its sources.
    pub sources: Vec<Borne>,
}

/// One source of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Borne {
    /// The evidence.
    pub id: String,
    /// How it bears on the claim.
    pub stance: Pill,
    /// What the source is called, and where it is.
    pub title: String,
    /// Where it is.
    pub url: String,
    /// The words that were taken from it.
    pub excerpt: String,
}

/// One review: what was expected, what was found, and what to make of it.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "evidence_review.html")]
pub struct EvidenceReviewPage {
    /// The frame.
    pub shell: Shell,
    /// Its identifier.
    pub id: String,
    /// What was found, in a word or two.
    pub outcome: Pill,
    /// Since when it waits.
    pub at: When,
    /// The claim.
    pub claim: String,
    /// The page that makes it.
    pub page: Link,
    /// The words that were taken from the source.
    pub expected: String,
    /// The words that stand there now, where some are like them.
    pub found: Option<String>,
    /// Why there are none.
    pub why: String,
    /// Facts of the look.
    pub facts: Vec<Fact>,
    /// How it was closed: what was made of it, in which words, by whom.
    pub closed: Option<(Pill, String, String)>,
    /// Whether this member may close it.
    pub may_review: bool,
    /// Why the last attempt to close it failed.
    pub problems: Vec<String>,
    /// The words that were typed.
    pub typed: String,
}

impl EvidencePage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Evidence),
            reviews: vec![ReviewRow {
                link: Link::new(
                    "/sites/elmsea/evidence-reviews/rvw_1",
                    "Adults pay £8 from January",
                ),
                source: "https://council.example/minutes".into(),
                outcome: Pill::new(Tone::Needs, "Changed"),
                at: ago(45),
            }],
            targets: vec![
                TargetRow {
                    id: "evd_1".into(),
                    page: Link::new("/sites/elmsea/content/cnt_1/revisions/rev_1", "the page"),
                    cadence: "every 30 days".into(),
                    state: Pill::new(Tone::Needs, "Needs you"),
                    last: Some((Pill::new(Tone::Needs, "Changed"), ago(45))),
                    due: Some(ago(-43_155)),
                    is_active: true,
                },
                TargetRow {
                    id: "evd_2".into(),
                    page: Link::new("/sites/elmsea/content/cnt_2/revisions/rev_2", "the page"),
                    cadence: "every 7 days".into(),
                    state: Pill::new(Tone::Quiet, "Stopped"),
                    last: Some((Pill::new(Tone::Live, "Unchanged"), ago(9_000))),
                    due: None,
                    is_active: false,
                },
            ],
            claims: vec![Claimed {
                text: "Adults pay £8 from January".into(),
                page: Link::new("/sites/elmsea/content/cnt_1/revisions/rev_1", "the page"),
                sources: vec![Borne {
                    id: "evd_1".into(),
                    stance: Pill::new(Tone::Live, "supports"),
                    title: "Minutes of 24 November".into(),
                    url: "https://council.example/minutes".into(),
                    excerpt: "Admission for adults is set at £8 from 1 January.".into(),
                }],
            }],
            next: None,
            may_review: true,
        }
    }

    /// A site without claims.
    pub fn empty_sample() -> Self {
        Self {
            reviews: vec![],
            targets: vec![],
            claims: vec![],
            ..Self::sample()
        }
    }
}

impl EvidenceReviewPage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Evidence),
            id: "rvw_01k8".into(),
            outcome: Pill::new(Tone::Needs, "Changed"),
            at: ago(45),
            claim: "Adults pay £8 from January".into(),
            page: Link::new("/sites/elmsea/content/cnt_1/revisions/rev_1", "the page"),
            expected: "Admission for adults is set at £8 from 1 January.".into(),
            found: Some("Admission for adults is set at £9 from 1 January.".into()),
            why: String::new(),
            facts: vec![
                Fact::new("Source", "https://council.example/minutes"),
                Fact::new("Status", "200"),
            ],
            closed: None,
            may_review: true,
            problems: vec![],
            typed: String::new(),
        }
    }

    /// One that was closed.
    pub fn closed_sample() -> Self {
        Self {
            found: None,
            why: "Nothing like it stands there.".into(),
            closed: Some((
                Pill::new(Tone::Stopped, "Outdated"),
                "The council took the page down.".into(),
                "Maren Oxley".into(),
            )),
            ..Self::sample()
        }
    }
}
