//! Opportunities: rows of strategy artifacts that members import. They are planning input with
//! provenance; nothing here was measured on the site.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use serde_json::{Map as Object, Value};

use crate::fold::fold;
use crate::hash::Digest;
use crate::id::{ImportId, MemberId, OpportunityId, ProposalId};
use crate::time::Timestamp;
use crate::topical_map::Map;

/// How an artifact is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    /// Comma-separated values with a header line.
    Csv,
    /// A JSON array of objects.
    Json,
}

impl Media {
    /// The media type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "text/csv",
            Self::Json => "application/json",
        }
    }
}

impl FromStr for Media {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let essence = text.split(';').next().unwrap_or_default().trim();
        [Self::Csv, Self::Json]
            .into_iter()
            .find(|media| media.as_str().eq_ignore_ascii_case(essence))
            .ok_or_else(|| "expected text/csv or application/json".to_owned())
    }
}

/// Where an import stands. Its rows are seen when it is complete, and never otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportState {
    /// Rows are coming in.
    Receiving,
    /// Everything that could be kept is there to be seen.
    Complete {
        /// When the last row was kept.
        at: Timestamp,
        /// The SHA-256 of the artifact's bytes.
        sha256: Digest,
    },
    /// It ended early; nothing of it is seen.
    Failed {
        /// When.
        at: Timestamp,
        /// A stable code.
        reason: String,
    },
}

impl ImportState {
    /// The state's text.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Receiving => "receiving",
            Self::Complete { .. } => "complete",
            Self::Failed { .. } => "failed",
        }
    }
}

/// An artifact that a member imports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Identity.
    pub id: ImportId,
    /// Where the plan comes from, in the member's words.
    pub source: String,
    /// The tool that made the artifact.
    pub tool: String,
    /// When that tool exported it.
    pub exported_at: Timestamp,
    /// How it is written.
    pub media: Media,
    /// Who imports.
    pub member: MemberId,
    /// When it began.
    pub created_at: Timestamp,
    /// The version of the topical map that rows are compared with.
    pub map_version: i64,
    /// Where it stands.
    pub state: ImportState,
    /// What was counted so far.
    pub counts: Counts,
}

/// What an import counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Counts {
    /// Rows that were read.
    pub read: i64,
    /// Rows that were kept, marked ones included.
    pub kept: i64,
    /// Rows that were kept with a mark.
    pub marked: i64,
    /// Rows that were refused.
    pub refused: i64,
}

/// What is noted about one row of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowNote {
    /// The line of a CSV artifact, or the place in a JSON array from 1.
    pub line: i64,
    /// What was found.
    pub code: NoteCode,
    /// The name of the cell, where it is one cell.
    pub cell: String,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident: $($(#[$variant_doc:meta])* $variant:ident = $text:literal, $means:literal;)*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_doc])* $variant),*
        }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The value's stable text.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// The value in a sentence.
            pub const fn describe(self) -> &'static str {
                match self { $(Self::$variant => $means),* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let found = Self::ALL.iter().copied().find(|value| value.as_str() == text);
                found.ok_or_else(|| {
                    let all: Vec<&str> = Self::ALL.iter().map(|value| value.as_str()).collect();
                    format!("expected one of {}", all.join(", "))
                })
            }
        }
    };
}

words! {
    /// What can be noted about a row.
    NoteCode:
    /// The bytes aren't UTF-8.
    Encoding = "encoding", "the row isn't UTF-8";
    /// Another number of cells than the header has.
    Ragged = "ragged", "the row has another number of cells than the header";
    /// More bytes than a row may have.
    TooLarge = "too_large", "the row is larger than 64 KiB";
    /// A cell is longer than it may be.
    TooLong = "too_long", "a cell is longer than it may be";
    /// No query.
    NoQuery = "no_query", "the row names no query";
    /// The same query stands earlier in the artifact.
    Duplicate = "duplicate", "the artifact has the same query in an earlier row";
    /// The element is no JSON object, or no JSON at all.
    NotAnObject = "not_an_object", "the element is no sound JSON object";
    /// The value of a cell is an array, an object or nested deeper.
    Nested = "nested", "a cell holds an array or an object";
    /// A cell that a spreadsheet would calculate.
    Formula = "formula", "a cell begins like a formula; it was kept as plain text";
}

impl NoteCode {
    /// Whether a row with this note is kept.
    pub const fn keeps(self) -> bool {
        matches!(self, Self::Formula)
    }
}

words! {
    /// Where an opportunity stands against the site.
    Reconciliation:
    /// Nothing of the site answers it.
    New = "new", "nothing on the site answers it yet";
    /// The site has it.
    MatchesExisting = "matches_existing", "the site has it";
    /// The site says something else.
    Conflicts = "conflicts", "the site says something else";
    /// A proposal with it waits.
    Proposed = "proposed", "a proposal that holds it waits for a decision";
    /// A proposal with it was carried out.
    Accepted = "accepted", "a proposal that held it was carried out";
    /// A proposal with it was rejected.
    Rejected = "rejected", "a proposal that held it was rejected";
    /// A later artifact has the same query.
    Superseded = "superseded", "a later artifact has the same query";
}

words! {
    /// The rule by which an opportunity stands where it stands.
    Rule:
    /// No other rule applies.
    NothingMatches = "nothing_matches", "No node of the map and no page of the site has this query or address.";
    /// A node has the same query.
    SameQuery = "same_query", "A node of the map has the same query, case and accents aside.";
    /// A node has the same query and another intent or place.
    SameQueryElsewhere = "same_query_elsewhere", "A node of the map has the same query under another parent or with another intent.";
    /// A page has the address.
    SameAddress = "same_address", "A page of the site has the address that the row names.";
    /// A pending or approved proposal holds it.
    InProposal = "in_proposal", "A proposal that holds it waits for a decision.";
    /// An executed proposal held it.
    CarriedOut = "carried_out", "A proposal that held it was approved and carried out.";
    /// A rejected proposal held it.
    TurnedDown = "turned_down", "The newest proposal that held it was rejected.";
    /// A later complete import has the same query.
    LaterArtifact = "later_artifact", "An artifact that was imported later has the same query.";
}

/// One sound row of an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// Its line, or its place in the array from 1.
    pub line: i64,
    /// The search.
    pub query: String,
    /// A title for the page; the query when the artifact has none.
    pub title: String,
    /// The name of the cluster that it belongs to.
    pub cluster: Option<String>,
    /// What whoever searches wants.
    pub intent: Option<String>,
    /// The address that the artifact names.
    pub url: Option<String>,
    /// Every other cell, as the artifact has it.
    pub more: Object<String, Value>,
}

impl Row {
    /// What rows and nodes are compared by: the query, folded, with single spaces.
    pub fn match_key(&self) -> String {
        match_key(&self.query)
    }

    /// The path of the address, without slashes around it, as a page's slug is written.
    pub fn slug(&self) -> Option<String> {
        let url = self.url.as_deref()?;
        let rest = url
            .split_once("://")
            .map_or(url, |(_, rest)| rest.find('/').map_or("", |at| &rest[at..]));
        let path = rest.split(['?', '#']).next().unwrap_or_default();
        let slug = path.trim_matches('/').to_lowercase();
        (!slug.is_empty()).then_some(slug)
    }
}

/// What queries are compared by.
pub fn match_key(query: &str) -> String {
    let folded = fold(query);
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An opportunity as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opportunity {
    /// Identity.
    pub id: OpportunityId,
    /// The artifact it came in.
    pub import: ImportId,
    /// The row.
    pub row: Row,
    /// Where it stands.
    pub reconciliation: Reconciliation,
    /// Why.
    pub rule: Rule,
    /// What the rule found: a node's key or an address.
    pub found: Option<String>,
    /// The newest proposal that holds it.
    pub proposal: Option<ProposalId>,
    /// Where the plan comes from.
    pub source: String,
    /// The tool that made the artifact.
    pub tool: String,
    /// When it was exported.
    pub exported_at: Timestamp,
    /// The SHA-256 of the artifact's bytes.
    pub artifact_sha256: Digest,
}

/// The living nodes of a map by what their queries are compared by.
#[derive(Debug, Default)]
pub struct NodesByQuery(HashMap<String, Candidate>);

#[derive(Debug)]
struct Candidate {
    key: String,
    intent: Option<String>,
    parents: Vec<String>,
}

impl NodesByQuery {
    /// Those of a map; of two nodes with one query the first by key counts.
    pub fn of(map: &Map) -> Self {
        let mut by_query = HashMap::new();
        for (key, node) in map.nodes.iter().filter(|(_, node)| !node.retired) {
            let Some(query) = &node.query else { continue };
            let parent = node
                .parent
                .as_ref()
                .and_then(|key| map.nodes.get_key_value(key));
            let parents = parent
                .into_iter()
                .flat_map(|(key, node)| [fold(key), fold(&node.title)]);
            by_query
                .entry(match_key(query))
                .or_insert_with(|| Candidate {
                    key: key.clone(),
                    intent: node.intent.as_deref().map(fold),
                    parents: parents.collect(),
                });
        }
        Self(by_query)
    }

    /// Where a row stands against the map, by which rule, and the key of the node that it found.
    pub fn reconcile(&self, row: &Row) -> (Reconciliation, Rule, Option<&str>) {
        let Some(node) = self.0.get(&row.match_key()) else {
            return (Reconciliation::New, Rule::NothingMatches, None);
        };
        let other_place = row.cluster.as_deref().is_some_and(|cluster| {
            !node.parents.is_empty() && !node.parents.contains(&fold(cluster.trim()))
        });
        let intents = row.intent.as_deref().map(fold).zip(node.intent.as_ref());
        let other_intent = intents.is_some_and(|(mine, theirs)| mine != *theirs);
        if other_place || other_intent {
            (
                Reconciliation::Conflicts,
                Rule::SameQueryElsewhere,
                Some(&node.key),
            )
        } else {
            (
                Reconciliation::MatchesExisting,
                Rule::SameQuery,
                Some(&node.key),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topical_map::{AddNode, NodeKind, Operation};

    fn add(key: &str, kind: NodeKind, query: Option<&str>, parent: Option<&str>) -> Operation {
        Operation::AddNode(AddNode {
            key: key.into(),
            kind,
            title: key.replace('-', " "),
            query: query.map(str::to_owned),
            intent: query.map(|_| "informational".into()),
            parent: parent.map(str::to_owned),
            template: None,
        })
    }

    #[test]
    fn a_row_stands_where_the_rules_put_it() {
        let operations = [
            add("tea", NodeKind::Pillar, None, None),
            add("green-tea", NodeKind::Cluster, None, Some("tea")),
            add(
                "sencha",
                NodeKind::Page,
                Some("How to brew Sencha"),
                Some("green-tea"),
            ),
        ];
        let map = Map::default().apply(&operations).expect("sound").0;
        let nodes = NodesByQuery::of(&map);
        let row = |query: &str, cluster: Option<&str>, intent: Option<&str>| Row {
            query: query.into(),
            cluster: cluster.map(str::to_owned),
            intent: intent.map(str::to_owned),
            ..Row::default()
        };
        let rows = [
            row("how  to brew SÉNCHA", None, None),
            row(
                "how to brew sencha",
                Some("Green Tea"),
                Some("Informational"),
            ),
            row("how to brew sencha", Some("Black tea"), None),
            row("how to brew sencha", None, Some("transactional")),
            row("how to brew gyokuro", Some("Green tea"), None),
        ];
        let lines: Vec<String> = rows
            .iter()
            .map(|row| format!("{:?}", nodes.reconcile(row)))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        (MatchesExisting, SameQuery, Some("sencha"))
        (MatchesExisting, SameQuery, Some("sencha"))
        (Conflicts, SameQueryElsewhere, Some("sencha"))
        (Conflicts, SameQueryElsewhere, Some("sencha"))
        (New, NothingMatches, None)
        "#);
    }

    #[test]
    fn an_address_is_compared_as_a_slug() {
        let slug = |url: &str| {
            Row {
                url: Some(url.into()),
                ..Row::default()
            }
            .slug()
        };
        assert_eq!(
            slug("https://a.example/Guides/Tea/?x=1#y").as_deref(),
            Some("guides/tea")
        );
        assert_eq!(slug("/tea").as_deref(), Some("tea"));
        assert_eq!(slug("https://a.example"), None);
    }
}
