//! One revision, and any two compared.

use askama::Template;

use super::sample::{ago, connection, fields, maren, next_fields, revision, schema, shell, writer};
use super::{Section, Shell};
use crate::diff::Diff;
use crate::part::{Digest, Link, Pill, RevisionChip, Tone, When, Who};

/// One revision.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "revision.html")]
pub struct RevisionPage {
    /// The frame.
    pub shell: Shell,
    /// The item.
    pub content: Link,
    /// The revision.
    pub chip: RevisionChip,
    /// The page's title in it.
    pub title: String,
    /// `Live` or `Draft`, where it is one.
    pub marks: Vec<Pill>,
    /// Who wrote it.
    pub by: Who,
    /// By which connection.
    pub via: Option<Who>,
    /// In which run.
    pub run: Option<Link>,
    /// What was said about the change.
    pub note: String,
    /// When.
    pub at: When,
    /// The hash of its fields.
    pub sha256: Digest,
    /// The address of the rendered preview.
    pub preview: String,
    /// The public address it has or would have.
    pub address: String,
    /// The fields as JSON.
    pub json: String,
    /// The comparison with the revision before it.
    pub compare: Option<Link>,
    /// The brief that it answered.
    pub brief: Option<Link>,
    /// The records that it was written from.
    pub sources: Vec<MadeFrom>,
}

/// A source record that a revision was written from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeFrom {
    /// The record by its key, in its package.
    pub link: Link,
    /// The hash of its body then.
    pub sha256: Digest,
}

/// Two revisions of one item.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "compare.html")]
pub struct Compare {
    /// The frame.
    pub shell: Shell,
    /// The item.
    pub content: Link,
    /// The older side.
    pub old: Side,
    /// The newer side.
    pub new: Side,
    /// The comparison the other way round.
    pub swap: String,
    /// The differences.
    pub diff: Diff,
    /// Both public paths, where they differ.
    pub slugs: Option<(String, String)>,
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// The revision.
    pub chip: RevisionChip,
    /// `Live` or `Draft`, where it is one.
    pub marks: Vec<Pill>,
    /// Who wrote it.
    pub by: Who,
    /// When.
    pub at: When,
}

impl RevisionPage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let page = "/sites/elmsea/content/cnt_visit";
        Self {
            shell: shell(Section::Content),
            content: Link::new(page, "/visit"),
            chip: revision(12),
            title: "Visit the garden".into(),
            marks: vec![Pill::new(Tone::Quiet, "Draft")],
            by: writer(),
            via: Some(connection()),
            run: Some(Link::new(
                "/sites/elmsea/runs/run_1",
                "Update visitor information",
            )),
            note: "New ticket prices and the rule about dogs".into(),
            at: ago(15),
            sha256: Digest::new("hash", revision(12).sha256),
            preview: format!("{page}/revisions/rev_12/preview"),
            address: "https://garden.example/visit".into(),
            json: format!("{:#}", next_fields()),
            compare: Some(Link::new(
                format!("{page}/compare?from=rev_11&to=rev_12"),
                "Compare with #11",
            )),
            brief: Some(Link::new(
                "/sites/elmsea/briefs/brf_1",
                "Visiting the garden",
            )),
            sources: vec![MadeFrom {
                link: Link::new("/sites/elmsea/sources/src_1", "prices-2027"),
                sha256: Digest::new("hash", "5d41402abc4b2a76b9719d911017c592"),
            }],
        }
    }
}

impl Compare {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let page = "/sites/elmsea/content/cnt_visit";
        Self {
            shell: shell(Section::Content),
            content: Link::new(page, "/visit"),
            old: Side {
                chip: revision(9),
                marks: vec![Pill::new(Tone::Live, "Live")],
                by: maren(),
                at: ago(8_000),
            },
            new: Side {
                chip: revision(12),
                marks: vec![Pill::new(Tone::Quiet, "Draft")],
                by: writer(),
                at: ago(15),
            },
            swap: format!("{page}/compare?from=rev_12&to=rev_9"),
            diff: Diff::between(&fields(), &next_fields(), &schema()),
            slugs: Some(("/visiting".into(), "/visit".into())),
        }
    }
}
