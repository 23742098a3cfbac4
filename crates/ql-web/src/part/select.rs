//! A labelled choice of one.

use askama::Template;

/// One option of a [`Select`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The posted value.
    pub value: String,
    /// The words.
    pub text: String,
}

impl Choice {
    /// An option.
    pub fn new(value: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            text: text.into(),
        }
    }
}

/// A drop-down list whose label is read out but not shown; its first option says what it is.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(
    ext = "html",
    source = r#"<select name="{{ name }}" aria-label="{{ label }}">
{%- for choice in choices %}<option value="{{ choice.value }}"{% if choice.value == chosen %} selected{% endif %}>{{ choice.text }}</option>{% endfor -%}
</select>"#
)]
pub struct Select {
    /// The posted name.
    pub name: &'static str,
    /// What is chosen.
    pub label: &'static str,
    /// The value that stands.
    pub chosen: String,
    /// The options.
    pub choices: Vec<Choice>,
}

super::markup!(Select);
