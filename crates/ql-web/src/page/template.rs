//! Content templates: which kinds of pages there are, and what each holds.

use askama::Template;

use super::sample::{ago, schema, shell};
use super::{Section, Shell};
use crate::part::{Fact, Link, Pill, Tone, When};

/// The list of templates.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "templates.html")]
pub struct Templates {
    /// The frame.
    pub shell: Shell,
    /// The templates.
    pub rows: Vec<TemplateRow>,
    /// Whether this member may make one.
    pub may_edit: bool,
}

/// One template in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateRow {
    /// Its title and page.
    pub link: Link,
    /// Its key.
    pub key: String,
    /// What it's for.
    pub description: String,
    /// The newest version.
    pub version: i64,
    /// How many fields it has.
    pub fields: usize,
    /// Whether it can be used.
    pub state: Option<Pill>,
    /// When the version was made.
    pub at: When,
}

/// One template.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "template.html")]
pub struct TemplatePage {
    /// The frame.
    pub shell: Shell,
    /// Its key.
    pub key: String,
    /// Its title.
    pub title: String,
    /// What it's for.
    pub description: String,
    /// The version shown.
    pub version: i64,
    /// Its fields.
    pub fields: Vec<FieldRow>,
    /// The versions, the newest first.
    pub versions: Vec<VersionRow>,
    /// The schema as JSON.
    pub schema: String,
    /// Other facts.
    pub facts: Vec<Fact>,
    /// Why it can't be used.
    pub broken: Option<String>,
    /// Whether this member may make pages and versions.
    pub may_edit: bool,
}

/// One field of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldRow {
    /// Its title.
    pub title: String,
    /// Its key.
    pub key: String,
    /// Its type in words.
    pub kind: String,
    /// Whether every page has it.
    pub required: bool,
    /// What it's for.
    pub help: String,
}

/// One version of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRow {
    /// The number and the address.
    pub link: Link,
    /// Whether it's the one shown.
    pub is_here: bool,
    /// When.
    pub at: When,
}

/// Making a template, or another version of one.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "new_template.html")]
pub struct NewTemplate {
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
    /// What it's for.
    pub description: String,
    /// The schema as JSON.
    pub schema: String,
    /// How a preview shows it, as JSON.
    pub display: String,
    /// Everything that is wrong.
    pub problems: Vec<String>,
}

impl Templates {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let row = |title: &str, key: &str, description: &str, version, state| TemplateRow {
            link: Link::new(format!("/sites/elmsea/templates/{key}"), title),
            key: key.into(),
            description: description.into(),
            version,
            fields: 6,
            state,
            at: ago(version * 9_000),
        };
        Self {
            shell: shell(Section::Templates),
            rows: vec![
                row(
                    "Article",
                    "article",
                    "News, stories and explanations, signed by one author and dated.",
                    1,
                    None,
                ),
                row("Author", "author", "A person who signs articles.", 1, None),
                row(
                    "Landing page",
                    "landing_page",
                    "A page that people arrive on.",
                    2,
                    None,
                ),
                row(
                    "Event",
                    "event",
                    "Something that happens on a day.",
                    3,
                    Some(Pill::new(Tone::Stopped, "Broken")),
                ),
            ],
            may_edit: true,
        }
    }
}

impl TemplatePage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let field = |title: &str, key: &str, kind: &str, required, help: &str| FieldRow {
            title: title.into(),
            key: key.into(),
            kind: kind.into(),
            required,
            help: help.into(),
        };
        let version = |number: i64, is_here| VersionRow {
            link: Link::new(
                format!("/sites/elmsea/templates/landing_page?version={number}"),
                format!("Version {number}"),
            ),
            is_here,
            at: ago((3 - number) * 30_000),
        };
        Self {
            shell: shell(Section::Templates),
            key: "landing_page".into(),
            title: "Landing page".into(),
            description:
                "A page that people arrive on: an opening, sections in a fixed order, and \
                          at most one call to action."
                    .into(),
            version: 2,
            fields: vec![
                field(
                    "Title",
                    "title",
                    "text, at most 120",
                    true,
                    "The page's heading.",
                ),
                field(
                    "Introduction",
                    "intro",
                    "text, at most 600",
                    true,
                    "The first words under the heading.",
                ),
                field(
                    "Sections",
                    "sections",
                    "list of heading, body",
                    true,
                    "The page's parts, in reading order.",
                ),
                field(
                    "Call to action",
                    "call_to_action",
                    "label, href",
                    false,
                    "The one thing that the page asks the reader to do.",
                ),
            ],
            versions: vec![version(2, true), version(1, false)],
            schema: format!("{:#}", schema()),
            facts: vec![Fact::new("Pages", "4"), Fact::new("Title field", "title")],
            broken: None,
            may_edit: true,
        }
    }
}

impl NewTemplate {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Templates),
            heading: "New template".into(),
            action: "/sites/elmsea/templates/new".into(),
            key: "event".into(),
            is_new: true,
            title: "Event".into(),
            description: "Something that happens on a day.".into(),
            schema: "{\n  \"type\": \"object\"\n}".into(),
            display: String::new(),
            problems: vec!["/schema/properties: expected at least one field".into()],
        }
    }
}
