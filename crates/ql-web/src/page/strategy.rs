//! Strategy: imports, and the opportunities that came with them.

use askama::Template;

use super::Shell;
use crate::part::{Digest, Link, Pill, Select, When, Who};

/// The list of opportunities.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "opportunities.html")]
pub struct Opportunities {
    /// The frame.
    pub shell: Shell,
    /// What is typed into the search.
    pub query: String,
    /// The other filters.
    pub filters: Vec<Select>,
    /// Whether any filter is set.
    pub is_filtered: bool,
    /// This page of the list.
    pub rows: Vec<OpportunityRow>,
    /// The address of the next page.
    pub next: Option<String>,
    /// The newest imports.
    pub imports: Vec<ImportRow>,
    /// Whether this member may import and propose.
    pub may_edit: bool,
    /// Why the last attempt to propose didn't work.
    pub problems: Vec<String>,
}

/// One opportunity in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpportunityRow {
    /// Its identifier.
    pub id: String,
    /// The search.
    pub query: String,
    /// The title for the page, where it isn't the query.
    pub title: Option<String>,
    /// The cluster that the row names.
    pub cluster: Option<String>,
    /// What whoever searches wants.
    pub intent: Option<String>,
    /// Where it stands.
    pub state: Pill,
    /// The rule that says so, in words.
    pub rule: &'static str,
    /// What the rule found.
    pub found: Option<String>,
    /// The proposal that holds it.
    pub proposal: Option<Link>,
    /// Where it comes from: source, tool and line.
    pub provenance: String,
    /// The import's page.
    pub import: String,
    /// When the artifact was exported.
    pub exported_at: String,
    /// The artifact's hash.
    pub sha256: Digest,
    /// Every other cell, as imported.
    pub more: Vec<(String, String)>,
    /// Whether it can be proposed.
    pub is_open: bool,
}

/// One import in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    /// Its source and its page.
    pub link: Link,
    /// The tool.
    pub tool: String,
    /// Where it stands.
    pub state: Pill,
    /// What was counted, in words.
    pub counts: String,
    /// When it began.
    pub at: When,
}

/// The form that imports an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "import_strategy.html")]
pub struct ImportStrategy {
    /// The frame.
    pub shell: Shell,
    /// What was typed: source, tool, exported.
    pub typed: [String; 3],
    /// Why the last attempt didn't work.
    pub problems: Vec<String>,
}

/// One import.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "strategy_import.html")]
pub struct StrategyImport {
    /// The frame.
    pub shell: Shell,
    /// Where the plan comes from.
    pub source: String,
    /// The tool.
    pub tool: String,
    /// Where it stands.
    pub state: Pill,
    /// What that means, in a sentence.
    pub detail: String,
    /// What was counted: read, kept, marked, refused.
    pub counts: [(&'static str, i64); 4],
    /// When the artifact was exported.
    pub exported_at: String,
    /// Who imported it.
    pub by: Who,
    /// When.
    pub at: When,
    /// The artifact's hash, once it is complete.
    pub sha256: Option<Digest>,
    /// The version of the map that rows were compared with.
    pub map_version: i64,
    /// What was noted about rows.
    pub notes: Vec<NoteRow>,
}

/// What was noted about a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteRow {
    /// The line, or the place in the array.
    pub line: i64,
    /// Whether the row was kept all the same.
    pub kept: Pill,
    /// What was found, in words.
    pub text: &'static str,
    /// Its code.
    pub code: &'static str,
    /// The name of the cell.
    pub cell: String,
}
