//! A page's fields as a form, made from the template's JSON Schema.
//!
//! [`build`] turns a schema and fields into inputs; [`read()`] turns a posted form back into
//! fields. What the schema can't describe as inputs is edited as JSON, never dropped.

mod build;
mod read;

use askama::Template;
use askama::filters::HtmlSafeOutput;
use ql_core::problem::Problem;

pub use build::build;
pub use read::{adding, read};

/// The prefix of posted names; the rest is the field's JSON pointer.
pub const NAME_PREFIX: &str = "field:";

/// The name of a button that adds an empty part to the list at its value's pointer.
pub const ADD_NAME: &str = "add";

/// How deep objects may nest before they're edited as JSON.
const DEEPEST: usize = 4;

/// One input, or a group of them. It prints as markup.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "part/input.html")]
pub struct Input {
    /// The JSON pointer of the value.
    pub pointer: String,
    /// The label.
    pub label: String,
    /// What to write, in the template's words.
    pub help: Option<String>,
    /// Whether the schema requires it.
    pub required: bool,
    /// How it's edited.
    pub control: Control,
    /// What is wrong with it.
    pub problems: Vec<String>,
}

/// How a value is edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// One line.
    Line {
        /// The `type` attribute: `text`, `date`, `url`, `number`.
        kind: &'static str,
        /// The text that stands.
        value: String,
        /// The most characters.
        longest: Option<u64>,
    },
    /// Several lines.
    Text {
        /// The text that stands.
        value: String,
        /// The most characters.
        longest: Option<u64>,
        /// The markup, when the schema names one.
        markup: Option<&'static str>,
        /// Whether it's the page's long text.
        tall: bool,
    },
    /// Short texts, one a line.
    Lines(String),
    /// JSON.
    Json(String),
    /// One of several.
    Choice {
        /// The value that stands.
        value: String,
        /// The values that may stand.
        options: Vec<String>,
    },
    /// Yes or no, always set.
    Check(bool),
    /// An object.
    Group {
        /// Its inputs.
        inputs: Vec<Input>,
        /// Whether the group stands, for one that may be absent.
        present: Option<bool>,
    },
    /// A list of objects.
    List {
        /// Each one's inputs.
        parts: Vec<Part>,
        /// Whether another one may be added.
        may_grow: bool,
    },
}

/// One object of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The JSON pointer of the object.
    pub pointer: String,
    /// Its inputs.
    pub inputs: Vec<Input>,
}

impl Part {
    /// The name of the box that takes the part away.
    pub fn drop_name(&self) -> String {
        drop_name(&self.pointer)
    }
}

impl Input {
    /// The posted name.
    pub fn name(&self) -> String {
        format!("{NAME_PREFIX}{}", self.pointer)
    }

    /// An identifier within the page.
    pub fn id(&self) -> String {
        id_of(&self.pointer)
    }

    /// The name of the box that takes the group away.
    pub fn drop_name(&self) -> String {
        drop_name(&self.pointer)
    }

    /// What assistive technology is told: whether it's wrong, and which texts explain it.
    fn aria(&self) -> HtmlSafeOutput<String> {
        let id = self.id();
        let mut ids = Vec::new();
        let mut attributes = String::new();
        if self.help.is_some() {
            ids.push(format!("{id}-help"));
        }
        if !self.problems.is_empty() {
            ids.push(format!("{id}-wrong"));
            attributes += " aria-invalid=\"true\"";
        }
        if !ids.is_empty() {
            attributes = format!("{attributes} aria-describedby=\"{}\"", ids.join(" "));
        }
        HtmlSafeOutput(attributes)
    }
}

crate::part::markup!(Input);

/// The name of the box that takes away what stands at `pointer`.
fn drop_name(pointer: &str) -> String {
    format!("{NAME_PREFIX}{pointer}{}", read::DROP)
}

/// The identifier of the input at `pointer`, made of letters that are safe in ids and fragments.
pub fn id_of(pointer: &str) -> String {
    let safe = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '-'
        }
    };
    format!("field{}", pointer.chars().map(safe).collect::<String>())
}

/// The messages that belong to exactly this place.
fn problems_at(problems: &[Problem], pointer: &str) -> Vec<String> {
    let here = problems.iter().filter(|problem| problem.pointer == pointer);
    here.map(|problem| problem.message.clone()).collect()
}
