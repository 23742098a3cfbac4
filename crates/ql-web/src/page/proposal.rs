//! One decision with everything that it needs.

use askama::Template;

use super::Shell;
use crate::diff::Diff;
use crate::part::{Digest, Fact, Link, Pill, RevisionChip, Risk, Timeline, Tone, When, Who};

/// A proposal.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "proposal.html")]
pub struct ProposalPage {
    /// The frame.
    pub shell: Shell,
    /// Its identifier.
    pub id: String,
    /// What approving it does: `Publish revision #12 of /visit`.
    pub effect: String,
    /// Where it stands.
    pub state: Pill,
    /// How much can go wrong.
    pub risk: Risk,
    /// Who proposed it.
    pub by: Who,
    /// By which connection.
    pub via: Option<Who>,
    /// When.
    pub at: When,
    /// What the proposer called it.
    pub title: String,
    /// Why, in the proposer's words.
    pub rationale: String,
    /// What there is to decide, or how it was decided.
    pub verdict: Verdict,
    /// What changes, item by item.
    pub effects: Vec<Effect>,
    /// When it takes effect, in words.
    pub takes_effect: String,
    /// The items with their contents.
    pub items: Vec<ItemCard>,
    /// What changes on the topical map, in order.
    pub map: Vec<MapRow>,
    /// The links that are set, each in its sentence.
    pub links: Vec<LinkRow>,
    /// The brief that the draft answers.
    pub brief: Option<Link>,
    /// What each item's card shows.
    pub view: View,
    /// The conditions that must hold when it is executed, as they stand now.
    pub checks: Vec<Check>,
    /// The policy in sentences.
    pub policy: Vec<String>,
    /// What is decided on.
    pub digest: Digest,
    /// Other facts for the rail.
    pub facts: Vec<Fact>,
    /// The run that made it.
    pub run: Option<Link>,
    /// What that run was asked to do.
    pub run_facts: Vec<Fact>,
    /// What the run was given, as JSON.
    pub run_input: Option<String>,
    /// What the run recorded.
    pub artifacts: Vec<ArtifactRow>,
    /// The claims in the revisions, with what bears on them.
    pub claims: Vec<ClaimRow>,
    /// What happened to the proposal.
    pub history: Timeline,
}

/// The decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It can be decided.
    Open(Open),
    /// It has been, or can't be by this member.
    Closed(Closed),
}

/// What this member can do about a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// The words of the button that approves.
    pub button: String,
    /// Whether the password is asked for again.
    pub asks_password: bool,
    /// Whether the member has one to enter.
    pub has_password: bool,
    /// Why approving would fail as things stand.
    pub blocked: Option<String>,
    /// Approvals given so far and needed.
    pub approvals: (usize, u32),
    /// Whether this member proposed it and may withdraw it.
    pub may_withdraw: bool,
    /// Why the last attempt didn't work.
    pub problem: Option<String>,
    /// What was written as a comment before.
    pub comment: String,
}

/// A proposal that this member can't decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// What the state means.
    pub tone: Tone,
    /// What happened, as a headline.
    pub headline: String,
    /// What that means, and what to do.
    pub detail: Option<String>,
    /// Where it goes on.
    pub link: Option<Link>,
    /// Whether it's scheduled and can be cancelled.
    pub may_cancel: bool,
    /// Whether this member proposed it and may withdraw it.
    pub may_withdraw: bool,
}

/// What happens to one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The item's address after it.
    pub path: String,
    /// The item's address now, where that changes.
    pub moves_from: Option<String>,
    /// What is live now.
    pub before: Option<RevisionChip>,
    /// The state before it, where no revision says it.
    pub before_word: &'static str,
    /// What will be live.
    pub after: Option<RevisionChip>,
    /// The state after it, where no revision says it.
    pub after_word: &'static str,
}

/// One change of the topical map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapRow {
    /// What is done: `Add`, `Update`, `Move`, `Retire`.
    pub verb: &'static str,
    /// Whether the node goes.
    pub tone: Tone,
    /// What the node is: `page`.
    pub kind: &'static str,
    /// What it is called after it.
    pub title: String,
    /// Its key.
    pub key: String,
    /// What is different, from what to what; for a new node what it says.
    pub facts: Vec<(&'static str, Option<String>, String)>,
    /// Whether a brief is commissioned by it.
    pub briefed: bool,
}

/// One link in its sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRow {
    /// The page that gets it.
    pub source: Link,
    /// What stands before it.
    pub prefix: String,
    /// Its words.
    pub anchor: String,
    /// What stands after it.
    pub suffix: String,
    /// The page it goes to.
    pub target: Link,
    /// What is said of it.
    pub rel: Option<String>,
}

/// An item with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemCard {
    /// An identifier within the page.
    pub id: String,
    /// The item's page.
    pub content: Link,
    /// The item's title.
    pub title: String,
    /// The template's title.
    pub template: String,
    /// What the old side is: `Live now`, `Base draft`.
    pub old_label: &'static str,
    /// The old side.
    pub old: Option<RevisionChip>,
    /// What the new side is: `Proposed`.
    pub new_label: &'static str,
    /// The new side.
    pub new: Option<RevisionChip>,
    /// The differences.
    pub diff: Diff,
    /// The address of the rendered preview; none when nothing new is shown.
    pub preview: Option<String>,
    /// The public address, shown above the preview.
    pub address: String,
    /// This page with the changes, and with the preview.
    pub views: (String, String),
}

/// What an item's card shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The word-level differences.
    Changes,
    /// The rendered page.
    Preview,
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Whether it holds.
    pub holds: bool,
    /// The condition, or what became of it.
    pub text: String,
}

/// One artifact of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactRow {
    /// Its key and page.
    pub link: Link,
    /// Its version.
    pub version: i64,
    /// Its media type.
    pub media_type: String,
    /// Its size in words.
    pub size: String,
    /// Its hash.
    pub sha256: Digest,
    /// When it was recorded.
    pub at: When,
}

/// One claim with its sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRow {
    /// The claim.
    pub text: String,
    /// The place in the fields.
    pub pointer: String,
    /// What bears on it.
    pub sources: Vec<SourceRow>,
}

/// One source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRow {
    /// Whether it supports the claim.
    pub stance: Pill,
    /// Its title and address.
    pub link: Link,
    /// The words that bear on the claim.
    pub excerpt: String,
    /// When it was read.
    pub retrieved: When,
}

impl Verdict {
    const fn open(&self) -> Option<&Open> {
        match self {
            Self::Open(open) => Some(open),
            Self::Closed(_) => None,
        }
    }

    const fn closed(&self) -> Option<&Closed> {
        match self {
            Self::Open(_) => None,
            Self::Closed(closed) => Some(closed),
        }
    }
}

impl Check {
    const fn tone(&self) -> Tone {
        if self.holds {
            Tone::Live
        } else {
            Tone::Stopped
        }
    }
}
