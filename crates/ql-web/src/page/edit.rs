//! Writing by hand: the template's form, or the fields as JSON, on a known base.

use askama::Template;
use ql_core::problem::Problem;

use super::sample::{fields, next_fields, revision, schema, shell};
use super::{Section, Shell};
use crate::diff::Diff;
use crate::part::{Link, RevisionChip};
use crate::schema_form::{Input, build, id_of};

/// The form for a new draft.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "edit.html")]
pub struct Edit {
    /// The frame.
    pub shell: Shell,
    /// The item; none for a new one.
    pub content: Option<Link>,
    /// What the page is called: `Edit /visit`, `New article`.
    pub heading: String,
    /// The template's title.
    pub template: String,
    /// Where the form goes.
    pub action: String,
    /// The draft that the form started from.
    pub base: Option<RevisionChip>,
    /// Its identifier, which the form carries.
    pub base_id: String,
    /// The public path without its slash.
    pub slug: String,
    /// The language of a new item.
    pub locale: Option<String>,
    /// What was said about the change.
    pub note: String,
    /// The inputs; empty in the raw mode.
    pub inputs: Vec<Input>,
    /// The fields as JSON, in the raw mode.
    pub raw: Option<String>,
    /// This form in the other mode.
    pub other_mode: String,
    /// Everything that is wrong: the place, its label and the message.
    pub problems: Vec<Wrong>,
    /// What became of the base meanwhile.
    pub stale: Option<Stale>,
}

/// One thing wrong, with the place to jump to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The input's identifier.
    pub id: String,
    /// The place in words.
    pub label: String,
    /// What is wrong.
    pub message: String,
}

/// Somebody saved a draft after the form was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// The draft that the form started from.
    pub base: RevisionChip,
    /// The draft that stands now.
    pub current: RevisionChip,
    /// What they changed.
    pub theirs: Diff,
}

impl Wrong {
    /// A problem in the words of the template.
    pub fn new(problem: &Problem, schema: &serde_json::Value) -> Self {
        let label = match problem.pointer.as_str() {
            "" => "The page".to_owned(),
            pointer => crate::labels::label(schema, pointer),
        };
        Self {
            id: id_of(&problem.pointer),
            label,
            message: problem.message.clone(),
        }
    }
}

impl Edit {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let page = "/sites/elmsea/content/cnt_visit";
        Self {
            shell: shell(Section::Content),
            content: Some(Link::new(page, "/visit")),
            heading: "Edit /visit".into(),
            template: "Landing page".into(),
            action: format!("{page}/edit"),
            base: Some(revision(12)),
            base_id: "rev_12".into(),
            slug: "visit".into(),
            locale: None,
            note: String::new(),
            inputs: build(&schema(), &fields(), &[]),
            raw: None,
            other_mode: format!("{page}/edit?mode=json"),
            problems: vec![],
            stale: None,
        }
    }

    /// Sent back with problems, on a base that moved on.
    pub fn stale_sample() -> Self {
        let problems = [
            Problem::new("/title", "required", "A title is required."),
            Problem::new(
                "/sections/1/body",
                "range",
                "At most 8000 characters; this has 8210.",
            ),
        ];
        Self {
            inputs: build(&schema(), &fields(), &problems),
            problems: problems
                .iter()
                .map(|problem| Wrong::new(problem, &schema()))
                .collect(),
            stale: Some(Stale {
                base: revision(11),
                current: revision(12),
                theirs: Diff::between(&fields(), &next_fields(), &schema()),
            }),
            note: "Shorter directions".into(),
            ..Self::sample()
        }
    }

    /// In the raw mode.
    pub fn raw_sample() -> Self {
        Self {
            inputs: vec![],
            raw: Some(format!("{:#}", fields())),
            ..Self::sample()
        }
    }
}
