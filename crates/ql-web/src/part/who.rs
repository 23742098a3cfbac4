//! Whoever acted: a person, an agent, a connection or the server, each with one badge everywhere.

use askama::Template;

use super::{Icon, icon};

/// The four kinds of actors, told apart by shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhoKind {
    /// A member: initials in a circle.
    Person,
    /// An agent: a filled square.
    Agent,
    /// A connection: a plug.
    Connection,
    /// The server or its operator.
    System,
}

/// An actor's badge.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(
    ext = "html",
    source = r#"{% if let Some(href) = href -%}
<a class="who who-{{ self.class() }}" href="{{ href }}">{% else -%}
<span class="who who-{{ self.class() }}">{% endif -%}
<span class="face" aria-hidden="true">{% if kind == WhoKind::Person %}{{ self.initials() }}{% else %}{{ self.icon() }}{% endif %}</span><span class="sr">{{ self.class() }} </span><span class="name">{{ name }}</span>{% if let Some(more) = more %} <span class="more">{{ more }}</span>{% endif -%}
{% if href.is_some() %}</a>{% else %}</span>{% endif %}"#
)]
pub struct Who {
    /// What kind of actor.
    pub kind: WhoKind,
    /// The name people know.
    pub name: String,
    /// One more word: a role, a harness, a prefix.
    pub more: Option<String>,
    /// Where the actor is shown.
    pub href: Option<String>,
}

impl Who {
    /// A member.
    pub fn person(name: impl Into<String>) -> Self {
        Self::new(WhoKind::Person, name)
    }

    /// An agent.
    pub fn agent(name: impl Into<String>) -> Self {
        Self::new(WhoKind::Agent, name)
    }

    /// A connection.
    pub fn connection(name: impl Into<String>) -> Self {
        Self::new(WhoKind::Connection, name)
    }

    /// The server or its operator.
    pub fn system(name: impl Into<String>) -> Self {
        Self::new(WhoKind::System, name)
    }

    fn new(kind: WhoKind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            more: None,
            href: None,
        }
    }

    /// The same badge with one more word.
    #[must_use]
    pub fn with(mut self, more: impl Into<String>) -> Self {
        self.more = Some(more.into());
        self
    }

    /// The same badge as a link.
    #[must_use]
    pub fn to(mut self, href: impl Into<String>) -> Self {
        self.href = Some(href.into());
        self
    }

    const fn class(&self) -> &'static str {
        match self.kind {
            WhoKind::Person => "person",
            WhoKind::Agent => "agent",
            WhoKind::Connection => "connection",
            WhoKind::System => "system",
        }
    }

    const fn icon(&self) -> Icon {
        icon(self.class())
    }

    /// The first letters of the first and the last word.
    fn initials(&self) -> String {
        let mut words = self.name.split_whitespace();
        let first = words.next().and_then(|word| word.chars().next());
        let last = words.next_back().and_then(|word| word.chars().next());
        first
            .into_iter()
            .chain(last)
            .flat_map(char::to_uppercase)
            .collect()
    }
}

super::markup!(Who);
