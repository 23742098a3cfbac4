//! Connections: made, shown once, watched, rotated and revoked.

use askama::Template;
use ql_app::snippets::{Block, Snippet, snippets};

use super::agent::{ScopeBox, scope_boxes};
use super::sample::{ago, shell};
use super::{Section, Shell};
use crate::part::{Choice, Fact, Link, Pill, Select, Tone, When};

/// Making a connection.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "new_connection.html")]
pub struct NewConnection {
    /// The frame.
    pub shell: Shell,
    /// The agent it is for.
    pub agent: Link,
    /// The name as typed.
    pub name: String,
    /// The scopes that its agent has.
    pub scopes: Vec<ScopeBox>,
    /// How long it lasts.
    pub lifetime: Select,
    /// Why it didn't work.
    pub problems: Vec<String>,
}

/// One connection; with its secret right after it was made.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "connection.html")]
pub struct ConnectionPage {
    /// The frame.
    pub shell: Shell,
    /// Its identifier.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The agent it is for.
    pub agent: Link,
    /// Whether it works.
    pub state: Pill,
    /// The secret, this once.
    pub secret: Option<String>,
    /// Whether somebody has called with it.
    pub lamp: Lamp,
    /// How each client is set up.
    pub snippets: Vec<Snippet>,
    /// Its scopes, each with whether its agent has it now.
    pub scopes: Vec<Pill>,
    /// Other facts.
    pub facts: Vec<Fact>,
    /// Whether this member may end or replace it.
    pub may_administer: bool,
}

/// The light that says whether a connection is in use.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "part/lamp.html")]
pub struct Lamp {
    /// The page that shows it.
    pub href: String,
    /// When the connection was last used.
    pub last_used: Option<When>,
    /// Why nobody can use it.
    pub ended: Option<&'static str>,
}

crate::part::markup!(Lamp);

/// Asking once more before a connection ends.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "confirm_connection.html")]
pub struct ConfirmConnection {
    /// The frame.
    pub shell: Shell,
    /// Its name and page.
    pub connection: Link,
    /// The agent it is for.
    pub agent: Link,
    /// What the page is called.
    pub heading: String,
    /// What happens then, in sentences.
    pub effects: Vec<String>,
    /// Where the form goes.
    pub action: String,
    /// The words of the button.
    pub button: String,
}

impl ConnectionPage {
    fn text_of(&self, block: &Block) -> String {
        match &self.secret {
            Some(secret) => block.text_with(secret),
            None => block.text.clone(),
        }
    }
}

impl NewConnection {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Agents),
            agent: Link::new("/sites/elmsea/agents/agt_1", "Garden writer"),
            name: "laptop".into(),
            scopes: scope_boxes(
                |scope| !scope.starts_with("topical"),
                |scope| !scope.starts_with("topical"),
            ),
            lifetime: Select {
                name: "expires_in_days",
                label: "How long it lasts",
                chosen: "90".into(),
                choices: vec![Choice::new("30", "30 days"), Choice::new("90", "90 days")],
            },
            problems: vec![],
        }
    }
}

impl ConnectionPage {
    /// Right after it was made.
    pub fn new_sample() -> Self {
        Self {
            shell: shell(Section::Agents),
            id: "con_01k8".into(),
            name: "laptop".into(),
            agent: Link::new("/sites/elmsea/agents/agt_1", "Garden writer"),
            state: Pill::new(Tone::Needs, "Waiting for first call"),
            secret: Some("qla_7fKq02XmS4mpl3S4mpl3S4mpl3S4mpl3abcd".into()),
            lamp: Lamp {
                href: "/sites/elmsea/connections/con_01k8".into(),
                last_used: None,
                ended: None,
            },
            snippets: snippets("https://cms.garden.example/mcp"),
            scopes: vec![
                Pill::new(Tone::Quiet, "site:read"),
                Pill::new(Tone::Quiet, "content:read"),
                Pill::new(Tone::Stopped, "content:write, which the agent lacks now"),
            ],
            facts: vec![
                Fact::new("Prefix", "qla_7fKq02Xm"),
                Fact::new("Expires", "28 Feb 2027"),
            ],
            may_administer: true,
        }
    }

    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            secret: None,
            state: Pill::new(Tone::Live, "Active"),
            lamp: Lamp {
                last_used: Some(ago(3)),
                ..Self::new_sample().lamp
            },
            ..Self::new_sample()
        }
    }
}

impl ConfirmConnection {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Agents),
            connection: Link::new("/sites/elmsea/connections/con_1", "laptop"),
            agent: Link::new("/sites/elmsea/agents/agt_1", "Garden writer"),
            heading: "Revoke laptop".into(),
            effects: vec![
                "Its very next call is refused.".into(),
                "Its open runs are closed as blocked.".into(),
                "Drafts and proposals that it made stay.".into(),
            ],
            action: "/sites/elmsea/connections/con_1/revoke".into(),
            button: "Revoke laptop now".into(),
        }
    }
}
