//! The site's settings and the policy that says who approves what.

use askama::Template;

use super::sample::shell;
use super::{Section, Shell};
use crate::part::{Digest, Risk};

/// The site and its approval policy.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "settings.html")]
pub struct Settings {
    /// The frame.
    pub shell: Shell,
    /// The site's name.
    pub name: String,
    /// Where its pages are.
    pub base_url: String,
    /// The language of pages that name none.
    pub locale: String,
    /// Its time zone.
    pub time_zone: String,
    /// After how many idle hours a run is closed.
    pub run_idle_hours: String,
    /// How long a console turn is leased.
    pub console_lease_seconds: String,
    /// Where the public reads published content.
    pub delivery_url: String,
    /// Where agents connect.
    pub mcp_url: String,
    /// The policy, a line for each kind and risk.
    pub policy: Vec<PolicyRow>,
    /// From how many items on a publication is high risk.
    pub high_risk_items: String,
    /// Whether the only member who could may approve what it proposed.
    pub alone_approves: bool,
    /// The policy's version and digest.
    pub policy_version: (i64, Digest),
    /// Whether this member may change anything.
    pub may_administer: bool,
    /// Why the last change didn't work.
    pub problems: Vec<String>,
}

/// Who approves one kind at one risk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRow {
    /// The beginning of the row's input names: `publish_lifecycle.medium`.
    pub name: String,
    /// The kind in words.
    pub kind: &'static str,
    /// The risk.
    pub risk: Risk,
    /// Each role, whether it may approve, and whether it could be allowed to.
    pub roles: Vec<(&'static str, bool, bool)>,
    /// How many approvals.
    pub approvals: String,
    /// For how many hours it can be approved.
    pub valid_hours: String,
}

/// A site to add.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "new_site.html")]
pub struct NewSite {
    /// The frame.
    pub shell: Shell,
    /// The values as typed: name, slug, address, language, zone.
    pub typed: [String; 5],
    /// Why it didn't work.
    pub problems: Vec<String>,
}

impl Settings {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        use ql_core::proposal::Risk::{High, Low, Medium};
        let row = |name: &str, kind, risk, reviewer| PolicyRow {
            name: name.into(),
            kind,
            risk: Risk(risk),
            roles: vec![
                ("owner", true, true),
                ("admin", true, true),
                ("editor", risk != High, risk != High),
                ("reviewer", reviewer, risk != High),
            ],
            approvals: "1".into(),
            valid_hours: "336".into(),
        };
        Self {
            shell: shell(Section::Settings),
            name: "Elmsea Botanic Garden".into(),
            base_url: "https://garden.example".into(),
            locale: "en".into(),
            time_zone: "Europe/London".into(),
            run_idle_hours: "24".into(),
            console_lease_seconds: "600".into(),
            delivery_url: "https://cms.garden.example/delivery/v1/sites/elmsea/items".into(),
            mcp_url: "https://cms.garden.example/mcp".into(),
            policy: vec![
                row("create_content.low", "New content", Low, true),
                row("content_revision.low", "New draft", Low, true),
                row("publish_lifecycle.medium", "Publication", Medium, false),
                row("publish_lifecycle.high", "Publication", High, false),
                row("content_lifecycle.high", "Archiving", High, false),
            ],
            high_risk_items: "10".into(),
            alone_approves: true,
            policy_version: (3, Digest::new("policy digest", super::sample::DIGEST)),
            may_administer: true,
            problems: vec![],
        }
    }
}

impl NewSite {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Settings),
            typed: [
                "Elmsea Seed Exchange",
                "seed-exchange",
                "https://seeds.example",
                "en",
                "Europe/London",
            ]
            .map(str::to_owned),
            problems: vec!["/slug: another site has this slug".into()],
        }
    }
}
