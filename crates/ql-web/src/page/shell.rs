//! What every page of a site carries: where one is, who one is, what waits.

use askama::Template;

use crate::part::{Pill, Who};

/// The frame of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    /// The site that the page belongs to.
    pub site: SiteLink,
    /// Every site of the organization.
    pub sites: Vec<SiteLink>,
    /// The part of the navigation that is open.
    pub section: Section,
    /// The signed-in member with its role.
    pub member: Who,
    /// How many proposals wait.
    pub pending: u64,
    /// The token that every form sends back.
    pub csrf: Csrf,
    /// What was just done.
    pub notice: Option<Notice>,
}

/// A sentence about what was just done.
pub type Notice = Pill;

/// A site to go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteLink {
    /// Its slug, which addresses it.
    pub slug: String,
    /// Its name.
    pub name: String,
}

/// The parts of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Proposals.
    Inbox,
    /// Content items.
    Content,
    /// The topical map, its strategy and its briefs.
    Map,
    /// Content templates.
    Templates,
    /// Public forms.
    Forms,
    /// Conversations with agents.
    Console,
    /// Works that go through the stages of a policy.
    Productions,
    /// Governed runs.
    Runs,
    /// Staged source packages.
    Sources,
    /// Claims and what they rest on.
    Evidence,
    /// Agents and their connections.
    Agents,
    /// Members and their roles.
    Members,
    /// The site and its approval policy.
    Settings,
    /// The ledger.
    Audit,
    /// None of them.
    None,
}

/// One line of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Which part it opens.
    pub section: Section,
    /// Its address under the site's.
    pub path: &'static str,
    /// Its icon.
    pub icon: &'static str,
    /// Its word.
    pub text: &'static str,
}

impl Shell {
    /// The address of `path` on this site.
    pub fn at(&self, path: &str) -> String {
        format!("/sites/{}/{path}", self.site.slug)
    }

    /// The navigation, in groups.
    pub fn nav(&self) -> [Vec<Entry>; 2] {
        let entry = |section, path, icon, text| Entry {
            section,
            path,
            icon,
            text,
        };
        let work = vec![
            entry(Section::Inbox, "inbox", "inbox", "Inbox"),
            entry(Section::Content, "content", "content", "Content"),
            entry(Section::Map, "topical-map", "map", "Topical map"),
            entry(Section::Templates, "templates", "template", "Templates"),
            entry(Section::Forms, "forms", "say", "Forms"),
            entry(Section::Console, "console", "say", "Console"),
            entry(Section::Productions, "productions", "brief", "Productions"),
            entry(Section::Runs, "runs", "run", "Runs"),
            entry(Section::Sources, "sources", "artifact", "Sources"),
            entry(Section::Evidence, "evidence", "evidence", "Evidence"),
        ];
        let rules = vec![
            entry(Section::Agents, "agents", "agent", "Agents"),
            entry(Section::Members, "members", "members", "Members"),
            entry(Section::Settings, "settings", "settings", "Settings"),
            entry(Section::Audit, "audit", "audit", "Audit"),
        ];
        [work, rules]
    }
}

/// The token that shows that a form came from a page of ours. It prints as a hidden input.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(
    ext = "html",
    source = r#"<input type="hidden" name="csrf" value="{{ token }}">"#
)]
pub struct Csrf {
    /// The token.
    pub token: String,
}

crate::part::markup!(Csrf);
