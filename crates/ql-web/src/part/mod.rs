//! The small objects that every page shows the same way: times, states, people, revisions.
//!
//! Each is a value that renders itself, so a template says `{{ author }}` and nothing more.

mod chip;
mod columns;
mod graph;
mod icon;
mod meter;
mod pill;
mod risk;
mod select;
mod timeline;
mod when;
mod who;

pub use chip::{Digest, RevisionChip};
pub use columns::{Bar, Columns};
pub use graph::{Graph, Planned};
pub use icon::{Icon, icon};
pub use meter::Meter;
pub use pill::{Pill, Tone};
pub use risk::Risk;
pub use select::{Choice, Select};
pub use timeline::{Event, Timeline};
pub use when::When;
pub use who::{Who, WhoKind};

/// A link with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The address.
    pub href: String,
    /// The words.
    pub text: String,
}

impl Link {
    /// A link to `href`.
    pub fn new(href: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            href: href.into(),
            text: text.into(),
        }
    }
}

/// A quiet label with its value, as the rail lists them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What the value is.
    pub label: &'static str,
    /// The value in words.
    pub value: String,
}

impl Fact {
    /// A fact in words.
    pub fn new(label: &'static str, value: impl Into<String>) -> Self {
        Self {
            label,
            value: value.into(),
        }
    }
}

/// Writes markup from a template without escaping it again.
macro_rules! markup {
    ($($name:ty),*) => {$(
        impl askama::filters::HtmlSafe for $name {}
    )*};
}
pub(crate) use markup;
