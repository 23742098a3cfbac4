//! The topical map, strategy and briefs as the tests and the gallery show them.

use ql_app::topical_map::{StoredMap, StoredNode, WholeMap};
use ql_core::id::NodeId;
use ql_core::topical_map::{Node, NodeKind, NodeStatus};

use super::sample::{DIGEST, ago, maren, shell};
use super::{
    BriefPage, BriefRow, Briefs, Count, ImportRow, ImportStrategy, ListNode, NoteRow,
    Opportunities, OpportunityRow, Section, StrategyImport, TopicalMap, TopicalNode,
};
use crate::part::{Digest, Fact, Link, Pill, Select, Tone};
use crate::view::map::{Branch, Shown, forest, icon, pictures, status};

fn at(path: &str) -> String {
    format!("/sites/elmsea/{path}")
}

/// The node of a number.
fn stored(number: usize, key: &str, node: Node, status: NodeStatus) -> StoredNode {
    let id = format!("{}{number:026}", NodeId::PREFIX);
    StoredNode {
        id: id.parse().expect("26 digits make an identifier"),
        key: key.to_owned(),
        node,
        status,
        brief: None,
        content: None,
    }
}

const SUBJECTS: [&str; 8] = [
    "Visiting",
    "Plants",
    "Growing",
    "Seasons",
    "Soil and compost",
    "Wildlife",
    "Events",
    "Learning",
];
const PARTS: [&str; 7] = [
    "Opening and tickets",
    "Getting here",
    "With children",
    "Under glass",
    "The walled garden",
    "Rare species",
    "Workshops",
];
const PAGES: [&str; 9] = [
    "When the garden is quiet",
    "What a ticket costs and who comes in free",
    "Where to eat nearby",
    "How to save seed from tomatoes",
    "Pruning roses in late winter",
    "Ponds without plastic",
    "A first year with bees",
    "Ferns for a dark corner",
    "Moving a grown tree",
];

/// A map of about so many nodes.
fn sample_map(nodes: usize) -> WholeMap {
    let (pillars, clusters) = if nodes <= 30 { (2, 2) } else { (8, 7) };
    let pages = (nodes.saturating_sub(pillars * (1 + clusters))).div_ceil(pillars * clusters);
    let node = |kind, title: String, parent: Option<String>| Node {
        kind,
        title,
        query: None,
        intent: None,
        template: None,
        parent,
        retired: false,
    };
    let mut all = Vec::new();
    for pillar in 0..pillars {
        let key = format!("p{pillar}");
        let title = SUBJECTS[pillar % SUBJECTS.len()].to_owned();
        all.push(stored(
            all.len(),
            &key,
            node(NodeKind::Pillar, title, None),
            NodeStatus::Planned,
        ));
        for cluster in 0..clusters {
            let under = format!("p{pillar}-c{cluster}");
            let title = PARTS[(pillar + cluster) % PARTS.len()].to_owned();
            let planned = node(NodeKind::Cluster, title, Some(key.clone()));
            all.push(stored(all.len(), &under, planned, NodeStatus::Planned));
            for page in 0..pages {
                let title = PAGES[(pillar + cluster * 2 + page) % PAGES.len()];
                let title = format!("{title} {}", page + 1);
                let stands = NodeStatus::ALL[(pillar + cluster + page * page) % 4];
                let planned = node(NodeKind::Page, title, Some(under.clone()));
                all.push(stored(
                    all.len(),
                    &format!("{under}-{page}"),
                    planned,
                    stands,
                ));
            }
        }
    }
    let map = StoredMap {
        version: 12,
        nodes: all,
    };
    WholeMap {
        map,
        edges: Vec::new(),
    }
}

fn listed(branch: &Branch<'_>) -> ListNode {
    ListNode {
        link: Link::new(at("topical-map/node_1"), branch.node.node.title.as_str()),
        kind: branch.node.node.kind.as_str(),
        status: status(branch.node.status),
        below: branch.below.iter().map(listed).collect(),
    }
}

impl TopicalMap {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self::drawn_sample(20)
    }

    /// A map of about so many nodes.
    pub fn drawn_sample(nodes: usize) -> Self {
        let whole = sample_map(nodes);
        let forest = forest(&whole, &Shown::default());
        let count = |wanted: NodeStatus| Count {
            status: status(wanted),
            icon: icon(wanted),
            number: whole
                .map
                .nodes
                .iter()
                .filter(|node| node.node.kind == NodeKind::Page && node.status == wanted)
                .count(),
            href: at("topical-map?status=planned"),
            is_here: false,
        };
        Self {
            shell: shell(Section::Map),
            version: whole.map.version,
            part: None,
            above: Vec::new(),
            query: String::new(),
            under: String::new(),
            counts: NodeStatus::ALL[..4].iter().copied().map(count).collect(),
            pictures: pictures(&whole, &forest, &at),
            list: forest.iter().map(listed).collect(),
            is_filtered: false,
        }
    }

    /// A site without a map.
    pub fn empty_sample() -> Self {
        Self {
            version: 0,
            counts: Vec::new(),
            pictures: Vec::new(),
            list: Vec::new(),
            ..Self::sample()
        }
    }
}

impl TopicalNode {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let other = Link::new(at("topical-map/node_2"), "Where to eat nearby");
        Self {
            shell: shell(Section::Map),
            title: "When the garden is quiet".into(),
            kind: "page",
            status: status(NodeStatus::Drafted),
            above: vec![Link::new(at("topical-map?under=p0"), "Visiting")],
            facts: vec![
                Fact::new("Key", "quiet-hours"),
                Fact::new("Query", "botanic garden quiet times"),
                Fact::new("Intent", "informational"),
            ],
            brief: Some(Link::new(at("briefs/brf_1"), "Open the brief")),
            content: Some(Link::new(at("content/cnt_1"), "Open the page")),
            below: Vec::new(),
            links_out: vec![(other.clone(), "the kiosk".into())],
            links_in: vec![(other, "quiet hours".into())],
        }
    }
}

impl Opportunities {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let digest = || Digest::new("artifact digest", DIGEST);
        let row = |query: &str, state, rule, is_open: bool| OpportunityRow {
            id: "opp_1".into(),
            query: query.into(),
            title: Some("How to save seed from tomatoes".into()),
            cluster: Some("Growing".into()),
            intent: Some("informational".into()),
            state,
            rule,
            found: (!is_open).then(|| "save-tomato-seed".into()),
            proposal: None,
            provenance: "Winter plan, planner, line 7".into(),
            import: at("strategy-imports/imp_1"),
            exported_at: "2026-11-28".into(),
            sha256: digest(),
            more: vec![("volume".into(), "120".into())],
            is_open,
        };
        let nothing = "No node of the map and no page of the site has this query or address.";
        let same = "A node of the map has the same query, case and accents aside.";
        Self {
            shell: shell(Section::Map),
            query: String::new(),
            filters: vec![Select {
                name: "state",
                label: "State",
                chosen: String::new(),
                choices: Vec::new(),
            }],
            is_filtered: false,
            rows: vec![
                row(
                    "save tomato seed",
                    Pill::new(Tone::Quiet, "New"),
                    nothing,
                    true,
                ),
                row("tomato seed", Pill::new(Tone::Live, "Matches"), same, false),
            ],
            next: None,
            imports: vec![ImportRow {
                link: Link::new(at("strategy-imports/imp_1"), "Winter plan"),
                tool: "planner".into(),
                state: Pill::new(Tone::Live, "Complete"),
                counts: "812 kept, 3 refused".into(),
                at: ago(90),
            }],
            may_edit: true,
            problems: Vec::new(),
        }
    }

    /// A site without a strategy.
    pub fn empty_sample() -> Self {
        Self {
            rows: Vec::new(),
            imports: Vec::new(),
            ..Self::sample()
        }
    }
}

impl ImportStrategy {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Map),
            typed: ["Winter plan".into(), "planner".into(), String::new()],
            problems: vec!["the artifact is UTF-16; save it as UTF-8".into()],
        }
    }
}

impl StrategyImport {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Map),
            source: "Winter plan".into(),
            tool: "planner".into(),
            state: Pill::new(Tone::Live, "Complete"),
            detail: "Every sound row stands under Opportunities.".into(),
            counts: [
                ("Rows read", 815),
                ("Rows kept", 812),
                ("of them marked", 1),
                ("Rows refused", 3),
            ],
            exported_at: "2026-11-28 09:00 UTC".into(),
            by: maren(),
            at: ago(90),
            sha256: Some(Digest::new("artifact digest", DIGEST)),
            map_version: 12,
            notes: vec![NoteRow {
                line: 40,
                kept: Pill::new(Tone::Stopped, "Refused"),
                text: "the row has another number of cells than the header",
                code: "ragged",
                cell: String::new(),
            }],
        }
    }
}

impl Briefs {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let row = |title: &str, stands, content| BriefRow {
            link: Link::new(at("briefs/brf_1"), title),
            query: Some("save tomato seed".into()),
            place: "Growing › From seed".into(),
            status: status(stands),
            content,
            at: ago(300),
        };
        let page = Link::new(at("content/cnt_1"), "Open the page");
        Self {
            shell: shell(Section::Map),
            filters: Vec::new(),
            is_filtered: false,
            rows: vec![
                row("How to save seed from tomatoes", NodeStatus::Briefed, None),
                row(
                    "Pruning roses in late winter",
                    NodeStatus::Published,
                    Some(page),
                ),
            ],
            next: None,
        }
    }
}

impl BriefPage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Map),
            id: "brf_0sample00000000000000000".into(),
            title: "How to save seed from tomatoes".into(),
            status: status(NodeStatus::Briefed),
            next: "It waits for a draft. An agent proposes one, and you accept it.",
            facts: vec![
                Fact::new("Query", "save tomato seed"),
                Fact::new("Template", "article"),
            ],
            above: vec!["Growing".into(), "From seed".into()],
            beside: vec!["Sowing in cold frames".into()],
            node: Link::new(at("topical-map/node_1"), "save-tomato-seed"),
            commissioned_by: Link::new(at("proposals/prop_1"), "Open the proposal"),
            at: ago(300),
            content: None,
            accepted_by: None,
            sha256: Digest::new("brief digest", DIGEST),
        }
    }
}
