//! Governed runs: what agents did, step by step, and what is missing.

use askama::Template;

use super::proposal::ArtifactRow;
use super::sample::{DIGEST, ago, connection, revision, shell, writer};
use super::{Section, Shell};
use crate::part::{Choice, Digest, Event, Fact, Link, Pill, Select, Timeline, Tone, When, Who};

/// The list of runs.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "runs.html")]
pub struct Runs {
    /// The frame.
    pub shell: Shell,
    /// The filters.
    pub filters: Vec<Select>,
    /// Whether any filter is set.
    pub is_filtered: bool,
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
    /// How many events it has.
    pub events: u64,
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

impl Runs {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let row = |run_type: &str, summary: &str, tone, word: &'static str, minutes| RunRow {
            link: Link::new("/sites/elmsea/runs/run_1", run_type),
            summary: summary.into(),
            state: Pill::new(tone, word),
            by: writer(),
            events: 9,
            at: ago(minutes),
            took: "3 min".into(),
        };
        Self {
            shell: shell(Section::Runs),
            filters: vec![Select {
                name: "state",
                label: "State",
                chosen: String::new(),
                choices: vec![Choice::new("", "Any outcome"), Choice::new("open", "Open")],
            }],
            is_filtered: false,
            rows: vec![
                row("check-links", "", Tone::Proposed, "Open", 2),
                row(
                    "update-visitor-information",
                    "Prices and the rule about dogs; publication asked for.",
                    Tone::Live,
                    "Completed",
                    18,
                ),
                row(
                    "monthly-review",
                    "Two pages are older than a year.",
                    Tone::Needs,
                    "Needs human input",
                    300,
                ),
                row("translate-page", "", Tone::Stopped, "Blocked", 1_500),
            ],
            next: None,
        }
    }

    /// A site without runs.
    pub fn empty_sample() -> Self {
        Self {
            rows: vec![],
            ..Self::sample()
        }
    }
}

impl RunPage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let event = |tone, icon, text: &str, minutes| Event {
            tone,
            icon,
            who: None,
            text: text.into(),
            link: None,
            said: None,
            at: ago(minutes),
        };
        let mut draft = event(Tone::Quiet, "edit", "Draft", 16);
        draft.link = Some(Link::new(
            revision(12).href.unwrap_or_default(),
            "#12 of /visit",
        ));
        let mut end = event(
            Tone::Stopped,
            "stopped",
            "Finished: completion was asked for, stored as blocked",
            12,
        );
        end.said = Some("All done, the table follows.".into());
        Self {
            shell: shell(Section::Runs),
            id: "run_01k8".into(),
            run_type: "update-visitor-information".into(),
            state: Pill::new(Tone::Stopped, "Blocked"),
            by: writer(),
            via: connection(),
            at: ago(18),
            summary: Some("All done, the table follows.".into()),
            reasons: vec!["missing_required_outputs: link-report".into()],
            outputs: vec![
                Output {
                    key: "price-table".into(),
                    state: Pill::new(Tone::Live, "Recorded"),
                },
                Output {
                    key: "link-report".into(),
                    state: Pill::new(Tone::Stopped, "Missing"),
                },
            ],
            conditions: vec![
                "Every price on the page is the one of the minutes.".into(),
                "Every link on the page answers.".into(),
            ],
            artifacts: vec![artifact()],
            timeline: Timeline {
                events: vec![
                    event(Tone::Proposed, "run", "Began", 18),
                    draft,
                    event(
                        Tone::Quiet,
                        "evidence",
                        "Evidence for “Adults pay £8 from January”",
                        15,
                    ),
                    event(
                        Tone::Quiet,
                        "artifact",
                        "Artifact price-table, version 1",
                        14,
                    ),
                    event(
                        Tone::Needs,
                        "inbox",
                        "Asked for publication of #12 of /visit",
                        13,
                    ),
                    end,
                ],
            },
            more: None,
            input: "{\n  \"source\": \"minutes-2026-11-24\"\n}".into(),
            facts: vec![
                Fact::new("Took", "6 min"),
                Fact::new("Events", "6 of at most 10,000"),
                Fact::new("Stored", "1.2 kB of at most 16 MB"),
            ],
            proposals: vec![Link::new(
                "/sites/elmsea/proposals/prop_01k8",
                "Publish revision #12 of /visit",
            )],
            is_open: false,
        }
    }
}

impl ArtifactPage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Runs),
            run: Link::new("/sites/elmsea/runs/run_1", "update-visitor-information"),
            row: artifact(),
            body: "who,price\nadult,£8.00\nstudent,£4.00\nunder 18,free\n".into(),
            is_cut: false,
        }
    }
}

fn artifact() -> ArtifactRow {
    ArtifactRow {
        link: Link::new("/sites/elmsea/runs/run_1/artifacts/art_1", "price-table"),
        version: 1,
        media_type: "text/csv".into(),
        size: "1.2 kB".into(),
        sha256: Digest::new("hash", DIGEST),
        at: ago(14),
    }
}
