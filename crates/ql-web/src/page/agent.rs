//! Agents: who works here by machine, what each may do at most, and by which connections.

use askama::Template;

use super::sample::{ago, shell};
use super::{Section, Shell};
use crate::part::{Choice, Fact, Pill, Select, Tone, When, Who};

/// The list of agents.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "agents.html")]
pub struct Agents {
    /// The frame.
    pub shell: Shell,
    /// The agents.
    pub rows: Vec<AgentRow>,
    /// Whether this member may register one.
    pub may_administer: bool,
}

/// One agent in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRow {
    /// Its badge, which leads to its page.
    pub who: Who,
    /// Its page.
    pub href: String,
    /// The program it runs in.
    pub harness: &'static str,
    /// What it may do on this site at most.
    pub scopes: Vec<&'static str>,
    /// How many connections work on this site.
    pub active: usize,
    /// When one of them was last used.
    pub last_used: Option<When>,
}

/// Registering an agent.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "new_agent.html")]
pub struct NewAgent {
    /// The frame.
    pub shell: Shell,
    /// The name as typed.
    pub name: String,
    /// The program it runs in.
    pub harness: Select,
    /// For Hermes, the immutable profile as typed.
    pub profile_id: String,
    /// For Hermes, the profile's name as typed.
    pub profile_name: String,
    /// What it shall be allowed on this site.
    pub scopes: Vec<ScopeBox>,
    /// Why it didn't work.
    pub problems: Vec<String>,
}

/// One scope to tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeBox {
    /// The scope's text.
    pub scope: &'static str,
    /// What it allows, in words.
    pub meaning: &'static str,
    /// Whether it's ticked.
    pub is_on: bool,
    /// Whether it can be ticked.
    pub is_offered: bool,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "agent.html")]
pub struct AgentPage {
    /// The frame.
    pub shell: Shell,
    /// Its identifier.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The program it runs in.
    pub harness: &'static str,
    /// For Hermes, the profile's current name.
    pub profile_name: Option<String>,
    /// Its permissions on this site.
    pub scopes: Vec<ScopeBox>,
    /// Its connections on this site, the newest first.
    pub connections: Vec<ConnectionRow>,
    /// Other facts, and its permissions on other sites.
    pub facts: Vec<Fact>,
    /// Whether this member may change anything.
    pub may_administer: bool,
    /// Why the last change didn't work.
    pub problem: Option<String>,
}

/// One connection in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionRow {
    /// Its name.
    pub name: String,
    /// Its page.
    pub href: String,
    /// The first characters of its secret.
    pub prefix: String,
    /// Whether it works.
    pub state: Pill,
    /// What it holds, and what of that its agent lacks now.
    pub scopes: String,
    /// When it ends.
    pub expires: When,
    /// When it was last used.
    pub last_used: Option<When>,
}

/// Every scope with what it means, ticked and offered as said.
pub fn scope_boxes(
    is_on: impl Fn(&str) -> bool,
    is_offered: impl Fn(&str) -> bool,
) -> Vec<ScopeBox> {
    ql_core::scope::Scope::ALL
        .into_iter()
        .map(|scope| ScopeBox {
            scope: scope.as_str(),
            meaning: meaning(scope),
            is_on: is_on(scope.as_str()),
            is_offered: is_offered(scope.as_str()),
        })
        .collect()
}

const fn meaning(scope: ql_core::scope::Scope) -> &'static str {
    use ql_core::scope::Scope;
    match scope {
        Scope::SiteRead => "Read what the site is, its templates and its rules",
        Scope::ContentRead => "Read pages, drafts and evidence",
        Scope::ContentWrite => "Write drafts and evidence; nothing goes live by it",
        Scope::TopicalMapRead => "Read the topical map",
        Scope::TopicalMapWrite => "Propose changes of the topical map",
        Scope::RunsRead => "Read runs and proposals",
        Scope::RunsWrite => "Work in governed runs",
        Scope::PublishRequest => "Ask people to publish, unpublish, archive or restore",
    }
}

impl Agents {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let row = |name: &str, harness, scopes: &[&'static str], active| AgentRow {
            who: Who::agent(name),
            href: "/sites/elmsea/agents/agt_1".into(),
            harness,
            scopes: scopes.to_vec(),
            active,
            last_used: (active > 0).then(|| ago(3)),
        };
        Self {
            shell: shell(Section::Agents),
            rows: vec![
                row(
                    "Garden writer",
                    "hermes",
                    &[
                        "site:read",
                        "content:read",
                        "content:write",
                        "runs:write",
                        "publish:request",
                    ],
                    2,
                ),
                row("Link checker", "codex", &["site:read", "content:read"], 1),
                row("Translator", "claude", &[], 0),
            ],
            may_administer: true,
        }
    }

    /// An organization without agents.
    pub fn empty_sample() -> Self {
        Self {
            rows: vec![],
            ..Self::sample()
        }
    }
}

impl NewAgent {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let harness = |value: &str, text: &str| Choice::new(value, text);
        Self {
            shell: shell(Section::Agents),
            name: String::new(),
            harness: Select {
                name: "harness",
                label: "Program",
                chosen: "hermes".into(),
                choices: vec![harness("hermes", "Hermes"), harness("codex", "Codex")],
            },
            profile_id: String::new(),
            profile_name: String::new(),
            scopes: scope_boxes(|scope| scope.ends_with(":read"), |_| true),
            problems: vec!["There is an agent of that name already.".into()],
        }
    }
}

impl AgentPage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let row =
            |name: &str, prefix: &str, tone, word: &'static str, used: Option<i64>| ConnectionRow {
                name: name.into(),
                href: "/sites/elmsea/connections/con_1".into(),
                prefix: prefix.into(),
                state: Pill::new(tone, word),
                scopes: "5 of 8 scopes".into(),
                expires: ago(-60 * 24 * 80),
                last_used: used.map(ago),
            };
        Self {
            shell: shell(Section::Agents),
            id: "agt_01k8".into(),
            name: "Garden writer".into(),
            harness: "hermes",
            profile_name: Some("garden".into()),
            scopes: scope_boxes(|scope| !scope.starts_with("topical"), |_| true),
            connections: vec![
                row(
                    "build server",
                    "qla_9dVw31Lp",
                    Tone::Needs,
                    "Waiting for first call",
                    None,
                ),
                row("laptop", "qla_7fKq02Xm", Tone::Live, "Active", Some(3)),
                row(
                    "old laptop",
                    "qla_2aTb77Qz",
                    Tone::Stopped,
                    "Revoked",
                    Some(60 * 24 * 40),
                ),
            ],
            facts: vec![
                Fact::new("Program", "Hermes"),
                Fact::new("Profile id", "5f0c…b2"),
                Fact::new("Registered", "3 Mar 2026"),
            ],
            may_administer: true,
            problem: None,
        }
    }
}
