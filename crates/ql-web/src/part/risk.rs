//! How much can go wrong: one to three bars and the word.

use askama::Template;

/// A proposal's risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Template)]
#[template(
    ext = "html",
    source = r#"<span class="risk risk-{{ self.word() }}">{{ self.icon() }}{{ self.word() }} risk</span>"#
)]
pub struct Risk(pub ql_core::proposal::Risk);

impl Risk {
    const fn word(self) -> &'static str {
        self.0.as_str()
    }

    const fn icon(self) -> super::Icon {
        super::icon(match self.0 {
            ql_core::proposal::Risk::Low => "low",
            ql_core::proposal::Risk::Medium => "medium",
            ql_core::proposal::Risk::High => "high",
        })
    }
}

super::markup!(Risk);
