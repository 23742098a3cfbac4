//! Governed runs: what agents did, step by step, and what is missing.

use askama::Template;

use super::Shell;
use super::proposal::ArtifactRow;
use crate::part::{Fact, Link, Pill, Timeline, Tone, When, Who};

/// The list of runs.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "runs.html")]
pub struct Runs {
    /// The frame.
    pub shell: Shell,
    /// This page of the list.
    pub rows: Vec<RunRow>,
    /// The address of the next page.
    pub next: Option<String>,
}

/// One run in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Its type and page.
    pub link: Link,
    /// What came of it, in the agent's words.
    pub summary: String,
    /// Where it stands.
    pub state: Pill,
    /// The agent.
    pub by: Who,
    /// When it began.
    pub at: When,
    /// How long it took, or has taken.
    pub took: String,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "run.html")]
pub struct RunPage {
    /// The frame.
    pub shell: Shell,
    /// Its identifier.
    pub id: String,
    /// Its type.
    pub run_type: String,
    /// Where it stands.
    pub state: Pill,
    /// The agent.
    pub by: Who,
    /// The connection.
    pub via: Who,
    /// When it began.
    pub at: When,
    /// What came of it, in the agent's words.
    pub summary: Option<String>,
    /// Why it ended as it did, when that is no success.
    pub reasons: Vec<String>,
    /// Outputs that were promised, with whether they came.
    pub outputs: Vec<Output>,
    /// When the work counts as done, in the agent's words.
    pub conditions: Vec<String>,
    /// What it recorded.
    pub artifacts: Vec<ArtifactRow>,
    /// What happened.
    pub timeline: Timeline,
    /// The address of later events.
    pub more: Option<String>,
    /// What it was given, as JSON.
    pub input: String,
    /// Other facts.
    pub facts: Vec<Fact>,
    /// Proposals that it made.
    pub proposals: Vec<Link>,
    /// Whether it can still grow, so that the page looks again by itself.
    pub is_open: bool,
}

/// A promised output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The artifact's key.
    pub key: String,
    /// Where it stands.
    pub state: Pill,
}

/// An artifact by itself.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "artifact.html")]
pub struct ArtifactPage {
    /// The frame.
    pub shell: Shell,
    /// The run.
    pub run: Link,
    /// The artifact.
    pub row: ArtifactRow,
    /// The body, as text.
    pub body: String,
    /// Whether the body was cut for display.
    pub is_cut: bool,
}

impl RunPage {
    fn missing(&self) -> usize {
        self.outputs
            .iter()
            .filter(|output| output.state.tone == Tone::Stopped)
            .count()
    }
}
