//! Runs as the tests and the gallery show them.

use super::Section;
use super::proposal::ArtifactRow;
use super::run::{ArtifactPage, Output, RunPage, RunRow, Runs};
use super::sample::{DIGEST, ago, connection, revision, shell, writer};
use crate::part::{Digest, Event, Fact, Link, Pill, Timeline, Tone};

impl Runs {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let row = |run_type: &str, summary: &str, tone, word: &'static str, minutes| RunRow {
            link: Link::new("/sites/elmsea/runs/run_1", run_type),
            summary: summary.into(),
            state: Pill::new(tone, word),
            by: writer(),
            at: ago(minutes),
            took: "3 min".into(),
        };
        Self {
            shell: shell(Section::Runs),
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
            timeline: timeline(),
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

fn event(tone: Tone, icon: &'static str, text: &str, minutes: i64) -> Event {
    Event {
        tone,
        icon,
        who: None,
        text: text.into(),
        link: None,
        said: None,
        at: ago(minutes),
    }
}

fn timeline() -> Timeline {
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
    let events = vec![
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
    ];
    Timeline { events }
}
