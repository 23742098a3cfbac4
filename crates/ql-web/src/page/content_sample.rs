//! Content as the tests and the gallery show it.

use super::Section;
use super::content::{Content, ContentPage, ContentRow, RevisionRow};
use super::sample::{ago, idris, maren, revision, shell, writer};
use crate::part::{Choice, Fact, Link, Pill, Select, Tone, Who};

const PAGE: &str = "/sites/elmsea/content/cnt_visit";

fn live() -> Pill {
    Pill::new(Tone::Live, "Live")
}

fn quiet(word: &'static str) -> Pill {
    Pill::new(Tone::Quiet, word)
}

impl Content {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let proposed = Pill::new(Tone::Proposed, "Proposed");
        Self {
            shell: shell(Section::Content),
            query: String::new(),
            filters: vec![
                filter("status", "State", ["Any state in use", "Live"]),
                filter("template", "Template", ["Any template", "Article"]),
            ],
            is_filtered: false,
            rows: vec![
                row(
                    ("Visit the garden", "/visit", "Landing page"),
                    vec![live(), proposed],
                    (Some(9), 12),
                    writer(),
                ),
                row(
                    (
                        "Counting bees in the long border",
                        "/counting-bees",
                        "Article",
                    ),
                    vec![live()],
                    (Some(4), 4),
                    idris(),
                ),
                row(
                    (
                        "The shingle garden is not untidy",
                        "/the-shingle-garden",
                        "Article",
                    ),
                    vec![live(), quiet("Draft ahead")],
                    (Some(2), 3),
                    maren(),
                ),
                row(
                    ("Dogs at Elmsea", "/dogs", "Landing page"),
                    vec![quiet("Draft")],
                    (None, 1),
                    writer(),
                ),
                row(
                    ("Summer lates 2025", "/summer-lates-2025", "Landing page"),
                    vec![quiet("Archived")],
                    (None, 7),
                    maren(),
                ),
            ],
            next: Some("/sites/elmsea/content?cursor=abc".into()),
            may_edit: true,
        }
    }

    /// A site without content.
    pub fn empty_sample() -> Self {
        Self {
            rows: vec![],
            next: None,
            ..Self::sample()
        }
    }
}

fn filter(name: &'static str, label: &'static str, words: [&str; 2]) -> Select {
    Select {
        name,
        label,
        chosen: String::new(),
        choices: words.map(|word| Choice::new(word, word)).into(),
    }
}

fn row(
    (title, path, template): (&str, &str, &str),
    states: Vec<Pill>,
    (live, draft): (Option<i64>, i64),
    by: Who,
) -> ContentRow {
    ContentRow {
        link: Link::new(PAGE, title),
        path: path.into(),
        template: template.into(),
        locale: "en".into(),
        states,
        live: live.map(revision),
        draft: revision(draft),
        by,
        at: ago(draft * 37),
    }
}

impl ContentPage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let mut draft = revision_row(
            12,
            &[quiet("Draft")],
            writer(),
            "New ticket prices and the rule about dogs",
        );
        draft.via = Some(Who::connection("laptop"));
        draft.run = Some(Link::new("/sites/elmsea/runs/run_1", "open the run"));
        Self {
            shell: shell(Section::Content),
            id: "cnt_visit".into(),
            title: "Visit the garden".into(),
            path: "/visit".into(),
            public: Some("https://garden.example/visit".into()),
            states: vec![live(), quiet("Draft ahead")],
            primary: Some(Link::new(
                format!("{PAGE}/propose?action=publish"),
                "Ask to publish #12",
            )),
            actions: vec![Link::new(
                format!("{PAGE}/propose?action=unpublish"),
                "Ask to take it off the site",
            )],
            edit: Some(format!("{PAGE}/edit")),
            proposals: vec![Link::new(
                "/sites/elmsea/proposals/prop_01k8",
                "Publish revision #12 of /visit",
            )],
            revisions: vec![
                draft,
                revision_row(11, &[], writer(), "New ticket prices"),
                revision_row(10, &[], idris(), "Bicycles"),
                revision_row(9, &[live()], maren(), "Winter hours"),
                revision_row(8, &[], maren(), "Autumn hours"),
            ],
            next: None,
            facts: vec![
                Fact::new("Template", "landing_page, version 2"),
                Fact::new("Language", "en"),
                Fact::new("Created", "2026-03-03"),
            ],
            translations: vec![Link::new(
                "/sites/elmsea/content/cnt_visiter",
                "fr · Visiter le jardin",
            )],
            preview: format!("{PAGE}/revisions/rev_12/preview"),
        }
    }
}

fn revision_row(number: i64, marks: &[Pill], by: Who, note: &str) -> RevisionRow {
    RevisionRow {
        id: format!("rev_{number}"),
        chip: revision(number),
        marks: marks.to_vec(),
        by,
        via: None,
        run: None,
        note: note.into(),
        at: ago((13 - number) * 2_000),
        roll_back: (number == 8).then(|| format!("{PAGE}/roll-back?to=rev_8")),
        is_from: number == 9,
        is_to: number == 12,
    }
}
