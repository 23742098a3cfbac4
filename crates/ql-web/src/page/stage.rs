//! A stage of a production: its document with what was found in it, and what a person can do.

use askama::Template;

use super::Shell;
use crate::diff::Span;
use crate::part::{Digest, Fact, Link, Pill, Tone, When, Who};

/// One stage.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "stage.html")]
pub struct StagePage {
    /// The frame.
    pub shell: Shell,
    /// The production.
    pub production: Link,
    /// The stage's id.
    pub stage: String,
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub state: Pill,
    /// What its document is worth.
    pub verdict: Option<Pill>,
    /// Who completes it.
    pub by: Who,
    /// When it last moved.
    pub at: When,
    /// What that means, in a sentence.
    pub said: String,
    /// What this member can do.
    pub acts: Acts,
    /// The rules that it requires.
    pub rules: Vec<RuleRow>,
    /// What was found in an answer that came to nothing.
    pub unanswered: Vec<Note>,
    /// Its document, or those that it judges.
    pub documents: Vec<DocumentCard>,
    /// Documents of other stages that it judges, where they are many.
    pub others: Vec<(Link, Vec<Pill>)>,
    /// The tasks that were put for it.
    pub tasks: Vec<TaskCard>,
    /// Why the last form wasn't carried out.
    pub problems: Vec<String>,
}

/// What a member can do about a stage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acts {
    /// Whether it can be approved now.
    pub approve: bool,
    /// The stages that begin by it.
    pub next: Vec<String>,
    /// The proposal that must be approved before it.
    pub proposal: Option<Link>,
    /// Whether it can be done again.
    pub reopen: bool,
    /// How many stages wait anew then, in words.
    pub after: String,
    /// Whether findings can be waived.
    pub waive: bool,
    /// What approving asks of the member.
    pub approving: Proof,
    /// What waiving asks of the member.
    pub waiving: Proof,
}

/// How a member shows that it's still itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Proof {
    /// It needn't.
    #[default]
    None,
    /// By its password.
    Password,
    /// By a password that it doesn't have yet.
    NoPassword,
}

/// A rule and what was said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRow {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// What it asks.
    pub question: String,
    /// How it stands: what each reviewer said, with the notes.
    pub said: Vec<(Pill, String, String)>,
    /// Whether the server decides it by itself.
    pub by_server: bool,
}

/// A document, piece by piece, with its notes in the margin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentCard {
    /// What kind of document it is.
    pub kind: String,
    /// The stage that made it and the attempt.
    pub from: String,
    /// Its hash.
    pub sha256: Option<Digest>,
    /// Findings about the whole of it.
    pub whole: Vec<Note>,
    /// Its parts.
    pub parts: Vec<DocumentPart>,
}

/// A part of a result: the document itself, its quotations, its claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentPart {
    /// Its heading.
    pub title: &'static str,
    /// Its pieces.
    pub lines: Vec<Line>,
}

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its place, as an anchor.
    pub anchor: String,
    /// The JSON pointer.
    pub pointer: String,
    /// What it is, in words.
    pub label: String,
    /// Whether it's a heading of what follows.
    pub is_heading: bool,
    /// The words, marked where something was found.
    pub spans: Vec<Marked>,
    /// What was found in it.
    pub notes: Vec<Note>,
}

/// Words of a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// The words.
    pub text: String,
    /// The number of the finding that marks them.
    pub finding: Option<usize>,
}

/// A finding beside the words that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its number on the page.
    pub number: usize,
    /// How much it weighs.
    pub weight: Pill,
    /// What was found, in words.
    pub title: String,
    /// Its code.
    pub code: &'static str,
    /// What was expected and found.
    pub message: String,
    /// Where it is.
    pub pointer: String,
    /// The rule that it is about.
    pub rule: Option<String>,
    /// What the edition has beside what was written.
    pub compared: Option<Compared>,
    /// What identifies it.
    pub fingerprint: String,
    /// Whether people may waive such a finding.
    pub is_waivable: bool,
    /// Who waived it, and why.
    pub waived: Option<(Who, String)>,
}

/// A quotation beside the edition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// The passage and the edition.
    pub passage: String,
    /// What the edition has, marked where the quotation differs.
    pub edition: Vec<Span>,
    /// What was written.
    pub written: Vec<Span>,
    /// Whether there are more differences than are shown.
    pub is_cut: bool,
}

/// A task that was put to a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskCard {
    /// The attempt.
    pub attempt: i64,
    /// To whom.
    pub by: Option<Who>,
    /// What was claimed and what it was worth, in words.
    pub worth: String,
    /// When it was put.
    pub at: When,
    /// The run.
    pub run: Link,
    /// Hashes: of the envelope, and of what it was asked under.
    pub hashes: Vec<(&'static str, Digest)>,
    /// Other facts.
    pub facts: Vec<Fact>,
    /// The calls of a provider: how each ended, what it cost, when.
    pub calls: Vec<(Pill, String, When)>,
    /// The envelope as it was sent.
    pub envelope: String,
}

impl Note {
    /// What the finding means to whoever reads.
    fn tone(&self) -> Tone {
        if self.waived.is_some() {
            Tone::Quiet
        } else {
            self.weight.tone
        }
    }
}

impl Line {
    /// Whether a quotation in it stands beside the edition, which needs its width.
    fn is_compared(&self) -> bool {
        self.notes.iter().any(|note| note.compared.is_some())
    }
}

impl DocumentCard {
    /// How many findings it has.
    fn count(&self) -> usize {
        let lines = self.parts.iter().flat_map(|part| &part.lines);
        self.whole.len() + lines.map(|line| line.notes.len()).sum::<usize>()
    }
}
