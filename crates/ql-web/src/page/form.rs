//! Forms: what visitors are asked, what they sent, and how it was screened.

use askama::Template;

use super::inbox::Tab;
use super::sample::{ago, shell};
use super::{Section, Shell};
use crate::part::{Columns, Fact, Link, Pill, Select, Tone, When, Who};

/// The list of forms.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "forms.html")]
pub struct Forms {
    /// The frame.
    pub shell: Shell,
    /// The forms.
    pub rows: Vec<FormRow>,
    /// Whether this member may make one.
    pub may_edit: bool,
}

/// One form in the list, with what came in the last 30 days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormRow {
    /// Its title and page.
    pub link: Link,
    /// Its key.
    pub key: String,
    /// How many were accepted, those that a member let in included.
    pub accepted: u64,
    /// How many wait for a person.
    pub held: u64,
    /// How many were turned away.
    pub rejected: u64,
    /// When the version was made.
    pub at: When,
}

/// One form.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "form_page.html")]
pub struct FormPage {
    /// The frame.
    pub shell: Shell,
    /// Its key.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Its version.
    pub version: i64,
    /// The page that visitors see.
    pub public_url: String,
    /// The posts by day.
    pub chart: Columns,
    /// How many posts met each rule, with the rule in words.
    pub reasons: Vec<(String, u64)>,
    /// The lists of posts by where they stand; none for whoever may not read them.
    pub tabs: Vec<Tab>,
    /// This page of the list.
    pub posts: Vec<PostCard>,
    /// The address of the next page.
    pub next: Option<String>,
    /// What it asks.
    pub questions: Vec<(String, String)>,
    /// How it screens.
    pub rules: Vec<Fact>,
    /// The form as HTML for a page of the site.
    pub snippet: String,
    /// Whether this member may change it and mark posts.
    pub may_edit: bool,
}

/// One post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostCard {
    /// Its identifier.
    pub id: String,
    /// Where it stands.
    pub state: Pill,
    /// Why, in words.
    pub reasons: Vec<&'static str>,
    /// What was written, by question; none where the words weren't kept.
    pub answers: Option<Vec<(String, String)>>,
    /// When it came.
    pub at: When,
    /// Who marked it, and when.
    pub marked: Option<(Who, When)>,
    /// Whether it can be let in.
    pub can_be_ham: bool,
    /// Whether it can be put away.
    pub can_be_spam: bool,
}

/// Making a form, or another version of one.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "new_form.html")]
pub struct NewForm {
    /// The frame.
    pub shell: Shell,
    /// What the page is called.
    pub heading: String,
    /// Where the form goes.
    pub action: String,
    /// The key; fixed for a new version.
    pub key: String,
    /// Whether the key can be chosen.
    pub is_new: bool,
    /// The title.
    pub title: String,
    /// The questions, with a few empty ones to fill in.
    pub questions: Vec<Question>,
    /// The numbers of the rules.
    pub numbers: Vec<Setting>,
    /// What becomes of throw-away addresses.
    pub disposable: Select,
    /// Texts that hold a post back, one a line.
    pub held_texts: String,
    /// Texts that turn a post away, one a line.
    pub rejected_texts: String,
    /// Everything that is wrong.
    pub problems: Vec<String>,
}

/// One question of a form that is being made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The name that posts use.
    pub key: String,
    /// What visitors read.
    pub label: String,
    /// What it takes.
    pub kind: Select,
    /// Whether it must be answered.
    pub required: bool,
    /// The most characters, where the form says.
    pub most: String,
}

/// One number of the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The posted name.
    pub name: &'static str,
    /// What it is.
    pub label: &'static str,
    /// What it does.
    pub help: &'static str,
    /// The value that stands.
    pub value: String,
}

impl Forms {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Forms),
            rows: vec![
                FormRow {
                    link: Link::new("/sites/elmsea/forms/contact", "Contact"),
                    key: "contact".into(),
                    accepted: 84,
                    held: 3,
                    rejected: 211,
                    at: ago(90_000),
                },
                FormRow {
                    link: Link::new("/sites/elmsea/forms/tours", "Book a tour"),
                    key: "tours".into(),
                    accepted: 12,
                    held: 0,
                    rejected: 0,
                    at: ago(9_000),
                },
            ],
            may_edit: true,
        }
    }

    /// Without a form.
    pub fn empty_sample() -> Self {
        Self {
            rows: Vec::new(),
            ..Self::sample()
        }
    }
}

impl FormPage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let tab = |text, count, is_here| Tab {
            href: format!("/sites/elmsea/forms/contact?standing={text}"),
            text,
            count,
            is_here,
        };
        let day = |number: u64| {
            let counts = vec![number % 5 + 1, number % 3, (number * 7) % 11];
            (format!("2026-11-{:02}", number + 1), counts)
        };
        Self {
            shell: shell(Section::Forms),
            key: "contact".into(),
            title: "Contact".into(),
            version: 2,
            public_url: "https://cms.elmsea.example/forms/elmsea/contact".into(),
            chart: Columns {
                title: "Posts by day, 1 to 30 November 2026".into(),
                parts: vec![
                    (Tone::Live, "Accepted", 84),
                    (Tone::Needs, "Held", 30),
                    (Tone::Stopped, "Rejected", 211),
                ],
                days: (0..30).map(day).collect(),
            },
            reasons: vec![
                ("the field that people don't see was filled in".into(), 170),
                ("it has too many links".into(), 24),
            ],
            tabs: vec![
                tab("Held", Some(1), true),
                tab("Accepted", None, false),
                tab("Rejected", None, false),
            ],
            posts: vec![PostCard {
                id: "sub_1".into(),
                state: Pill::new(Tone::Needs, "Held"),
                reasons: vec!["it has too many links"],
                answers: Some(vec![
                    ("Your name".into(), "Tomas Reyle".into()),
                    ("Message".into(), "Three walks that I wrote about:\nhttps://walks.example/1\nhttps://walks.example/2\nhttps://walks.example/3".into()),
                ]),
                at: ago(35),
                marked: None,
                can_be_ham: true,
                can_be_spam: true,
            }],
            next: None,
            questions: vec![
                ("Your name".into(), "text".into()),
                ("Message".into(), "long text, needed".into()),
            ],
            rules: vec![Fact::new("Links", "at most 2"), Fact::new("Rejected posts", "kept 30 days")],
            snippet: "<form method=\"post\" action=\"https://cms.elmsea.example/forms/elmsea/contact\">\n…\n</form>".into(),
            may_edit: true,
        }
    }
}

impl NewForm {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        use crate::part::Choice;
        let kind = |chosen: &str| Select {
            name: "type",
            label: "Type",
            chosen: chosen.into(),
            choices: vec![
                Choice::new("text", "one line"),
                Choice::new("long_text", "several lines"),
            ],
        };
        Self {
            shell: shell(Section::Forms),
            heading: "New form".into(),
            action: "/sites/elmsea/forms/new".into(),
            key: "contact".into(),
            is_new: true,
            title: "Contact".into(),
            questions: vec![
                Question {
                    key: "name".into(),
                    label: "Your name".into(),
                    kind: kind("text"),
                    required: false,
                    most: String::new(),
                },
                Question {
                    key: "message".into(),
                    label: "Message".into(),
                    kind: kind("long_text"),
                    required: true,
                    most: "2000".into(),
                },
            ],
            numbers: vec![Setting {
                name: "max_links",
                label: "Links",
                help: "More than this hold a post back.",
                value: "2".into(),
            }],
            disposable: Select {
                name: "disposable_addresses",
                label: "Throw-away mail addresses",
                chosen: "hold".into(),
                choices: vec![Choice::new("hold", "hold back")],
            },
            held_texts: "guest post".into(),
            rejected_texts: String::new(),
            problems: vec!["/fields/1/key: another field is called `name` already".into()],
        }
    }
}
