//! Content: the list of items, and one item with its revisions.

use askama::Template;

use super::sample::{ago, idris, maren, revision, shell, writer};
use super::{Section, Shell};
use crate::part::{Choice, Fact, Link, Pill, RevisionChip, Select, Tone, When, Who};

/// The list of content items.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "content.html")]
pub struct Content {
    /// The frame.
    pub shell: Shell,
    /// What is typed into the search.
    pub query: String,
    /// The other filters.
    pub filters: Vec<Select>,
    /// Whether any filter is set.
    pub is_filtered: bool,
    /// This page of the list.
    pub rows: Vec<ContentRow>,
    /// The address of the next page.
    pub next: Option<String>,
    /// Whether this member may write.
    pub may_edit: bool,
}

/// One item in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentRow {
    /// Its title and page.
    pub link: Link,
    /// Its public path.
    pub path: String,
    /// The template's title.
    pub template: String,
    /// The language.
    pub locale: String,
    /// Where it stands; one or two states.
    pub states: Vec<Pill>,
    /// What is live.
    pub live: Option<RevisionChip>,
    /// The newest draft.
    pub draft: RevisionChip,
    /// Who wrote the newest draft.
    pub by: Who,
    /// When.
    pub at: When,
}

/// One content item.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "content_item.html")]
pub struct ContentPage {
    /// The frame.
    pub shell: Shell,
    /// The item's identifier.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its public path.
    pub path: String,
    /// Its public address, while it's live.
    pub public: Option<String>,
    /// Where it stands.
    pub states: Vec<Pill>,
    /// What can be done next, in the words of its effect: `Ask to publish #12`.
    pub primary: Option<Link>,
    /// What else can be done.
    pub actions: Vec<Link>,
    /// The address of the form for editing, where this member may.
    pub edit: Option<String>,
    /// Proposals about it that are open.
    pub proposals: Vec<Link>,
    /// The revisions, the newest first.
    pub revisions: Vec<RevisionRow>,
    /// The address of earlier revisions.
    pub next: Option<String>,
    /// Other facts.
    pub facts: Vec<Fact>,
    /// Its translations.
    pub translations: Vec<Link>,
    /// The rendered preview of the newest draft.
    pub preview: String,
}

/// One revision in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionRow {
    /// Its identifier.
    pub id: String,
    /// Its chip.
    pub chip: RevisionChip,
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
    /// The page that rolls back to it.
    pub roll_back: Option<String>,
    /// Whether the comparison starts from it.
    pub is_from: bool,
    /// Whether the comparison ends at it.
    pub is_to: bool,
}

impl Content {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let live = || Pill::new(Tone::Live, "Live");
        let ahead = || Pill::new(Tone::Quiet, "Draft ahead");
        let row =
            |title: &str, path: &str, template: &str, states, live: Option<i64>, draft, by| {
                ContentRow {
                    link: Link::new("/sites/elmsea/content/cnt_visit", title),
                    path: path.into(),
                    template: template.into(),
                    locale: "en".into(),
                    states,
                    live: live.map(revision),
                    draft: revision(draft),
                    by,
                    at: ago(draft * 37),
                }
            };
        Self {
            shell: shell(Section::Content),
            query: String::new(),
            filters: vec![
                Select {
                    name: "status",
                    label: "State",
                    chosen: String::new(),
                    choices: vec![Choice::new("", "Any state"), Choice::new("live", "Live")],
                },
                Select {
                    name: "template",
                    label: "Template",
                    chosen: String::new(),
                    choices: vec![
                        Choice::new("", "Any template"),
                        Choice::new("article", "Article"),
                    ],
                },
            ],
            is_filtered: false,
            rows: vec![
                row(
                    "Visit the garden",
                    "/visit",
                    "Landing page",
                    vec![live(), Pill::new(Tone::Proposed, "Proposed")],
                    Some(9),
                    12,
                    writer(),
                ),
                row(
                    "Counting bees in the long border",
                    "/counting-bees-in-the-long-border",
                    "Article",
                    vec![live()],
                    Some(4),
                    4,
                    idris(),
                ),
                row(
                    "The shingle garden is not untidy",
                    "/the-shingle-garden-is-not-untidy",
                    "Article",
                    vec![live(), ahead()],
                    Some(2),
                    3,
                    maren(),
                ),
                row(
                    "Dogs at Elmsea",
                    "/dogs",
                    "Landing page",
                    vec![Pill::new(Tone::Quiet, "Draft")],
                    None,
                    1,
                    writer(),
                ),
                row(
                    "Summer lates 2025",
                    "/summer-lates-2025",
                    "Landing page",
                    vec![Pill::new(Tone::Quiet, "Archived")],
                    None,
                    7,
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

impl ContentPage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let page = "/sites/elmsea/content/cnt_visit";
        let row = |number, marks: &[Pill], by: Who, note: &str| RevisionRow {
            id: format!("rev_{number}"),
            chip: revision(number),
            marks: marks.to_vec(),
            via: None,
            run: None,
            by,
            note: note.into(),
            at: ago((13 - number) * 2_000),
            roll_back: (number == 8).then(|| format!("{page}/roll-back?to=rev_8")),
            is_from: number == 9,
            is_to: number == 12,
        };
        let mut draft = row(
            12,
            &[Pill::new(Tone::Quiet, "Draft")],
            writer(),
            "New ticket prices and the rule about dogs",
        );
        draft.via = Some(Who::connection("laptop"));
        draft.run = Some(Link::new(
            "/sites/elmsea/runs/run_1",
            "Update visitor information",
        ));
        Self {
            shell: shell(Section::Content),
            id: "cnt_visit".into(),
            title: "Visit the garden".into(),
            path: "/visit".into(),
            public: Some("https://garden.example/visit".into()),
            states: vec![
                Pill::new(Tone::Live, "Live"),
                Pill::new(Tone::Quiet, "Draft ahead"),
            ],
            primary: Some(Link::new(
                format!("{page}/propose?action=publish"),
                "Ask to publish #12",
            )),
            actions: vec![Link::new(
                format!("{page}/propose?action=unpublish"),
                "Ask to take it off the site",
            )],
            edit: Some(format!("{page}/edit")),
            proposals: vec![Link::new(
                "/sites/elmsea/proposals/prop_01k8",
                "Publish revision #12 of /visit",
            )],
            revisions: vec![
                draft,
                row(11, &[], writer(), "New ticket prices"),
                row(10, &[], idris(), "Bicycles"),
                row(9, &[Pill::new(Tone::Live, "Live")], maren(), "Winter hours"),
                row(8, &[], maren(), "Autumn hours"),
            ],
            next: None,
            facts: vec![
                Fact::new("Template", "Landing page, version 2"),
                Fact::new("Language", "en"),
                Fact::new("Created", "3 Mar 2026"),
            ],
            translations: vec![Link::new(
                "/sites/elmsea/content/cnt_visiter",
                "fr · Visiter le jardin",
            )],
            preview: format!("{page}/revisions/rev_12/preview"),
        }
    }
}
