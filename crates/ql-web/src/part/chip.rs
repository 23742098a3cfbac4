//! Chips: a revision by number and hash, and a digest that copies.

use askama::Template;

/// A revision: `#12 ab12cd`.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(
    ext = "html",
    source = r#"{% if let Some(href) = href -%}
<a class="chip" href="{{ href }}" title="Revision {{ number }}, sha256 {{ sha256 }}"><b>#{{ number }}</b> {{ self.short() }}</a>
{%- else -%}
<span class="chip" title="Revision {{ number }}, sha256 {{ sha256 }}"><b>#{{ number }}</b> {{ self.short() }}</span>
{%- endif %}"#
)]
pub struct RevisionChip {
    /// The revision's number within its item.
    pub number: i64,
    /// The hash of its fields in hexadecimal.
    pub sha256: String,
    /// Where the revision is shown.
    pub href: Option<String>,
}

impl RevisionChip {
    /// A chip that leads nowhere.
    pub fn new(number: i64, sha256: impl Into<String>) -> Self {
        Self {
            number,
            sha256: sha256.into(),
            href: None,
        }
    }

    /// The same chip as a link.
    #[must_use]
    pub fn to(mut self, href: impl Into<String>) -> Self {
        self.href = Some(href.into());
        self
    }

    fn short(&self) -> &str {
        self.sha256.get(..6).unwrap_or(&self.sha256)
    }
}

/// A hash, an identifier or a token's prefix, shortened, with a button that copies the whole.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(
    ext = "html",
    source = r#"<span class="chip"><span title="{{ value }}">{{ self.short() }}</span><button type="button" class="copy" data-copy="{{ value }}" aria-label="Copy {{ name }}" title="Copy {{ name }}">{{ crate::part::icon("copy") }}</button></span>"#
)]
pub struct Digest {
    /// What it is, for the button's label: `digest`, `run id`.
    pub name: &'static str,
    /// The whole text.
    pub value: String,
}

impl Digest {
    /// The chip of `value`, called `name` for people who don't see it.
    pub fn new(name: &'static str, value: impl Into<String>) -> Self {
        Self {
            name,
            value: value.into(),
        }
    }

    /// Enough of both ends to tell two of them apart.
    fn short(&self) -> String {
        let letters: Vec<char> = self.value.chars().collect();
        if letters.len() <= 20 {
            return self.value.clone();
        }
        let head: String = letters[..10].iter().collect();
        let tail: String = letters[letters.len() - 6..].iter().collect();
        format!("{head}…{tail}")
    }
}

super::markup!(RevisionChip, Digest);
