//! The topical map: read by agents and members, changed by approved proposals alone.

use std::collections::{BTreeMap, BTreeSet};

use ql_core::access::ReadTopicalMap;
use ql_core::brief::{Brief, BriefDocument};
use ql_core::id::{BriefId, ContentId, NodeId, ProposalId, SiteId};
use ql_core::lifecycle::StaleReason;
use ql_core::page::{Cursor, Page, PageRequest};
use ql_core::problem::Problem;
use ql_core::proposal::{MAX_ITEMS, Payload, Proposal, Resolved, TopicalMapChange};
use ql_core::topical_map::{Map, NodeChange, NodeKind, NodeStatus, Operation};
use ql_store::topical_map::NewVersion;
pub use ql_store::topical_map::{StoredMap, StoredNode};
use ql_store::{Tx, brief, internal_link, opportunity, proposal, template, topical_map};
use serde_json::{Value, json};

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::execution::Executor;
use crate::proposal::Resolver;
use crate::text::Checks;

/// The template of a page whose node names none, where the site has it.
const USUAL_TEMPLATE: &str = "article";

/// How two nodes are joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EdgeKind {
    /// The second stands under the first.
    Parent,
    /// The page of the first got a link to that of the second, by these words, in a draft that an
    /// approved proposal wrote.
    Link {
        /// The words.
        anchor: String,
    },
}

/// A join of two nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// How.
    pub kind: EdgeKind,
    /// The upper node, or the one whose page has the link.
    pub from: NodeId,
    /// The lower node, or the one whose page the link goes to.
    pub to: NodeId,
}

/// A site's whole map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeMap {
    /// The nodes, the oldest first, retired ones included.
    pub map: StoredMap,
    /// How they are joined.
    pub edges: Vec<Edge>,
}

/// Which nodes to list; what is `None` doesn't narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filter {
    /// What they are.
    pub kind: Option<NodeKind>,
    /// Where their pages stand; `None` is every status but retired.
    pub status: Option<NodeStatus>,
}

/// A page of a map's nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapPage {
    /// The version of the map.
    pub version: i64,
    /// The nodes, the oldest first.
    pub nodes: Page<StoredNode>,
    /// The edges at those nodes.
    pub edges: Vec<Edge>,
}

impl App {
    /// The site's whole map.
    pub async fn get_topical_map(&self, ctx: &OpContext) -> Result<WholeMap> {
        let site = ctx.authorize::<ReadTopicalMap>()?.site();
        self.store().read(move |tx| whole(tx, site)).await
    }

    /// The nodes of the site's map with the edges at them.
    pub async fn list_topical_map(
        &self,
        ctx: &OpContext,
        filter: Filter,
        page: &PageRequest,
    ) -> Result<MapPage> {
        let whole = self.get_topical_map(ctx).await?;
        let after = page.after.as_ref().map_or("", |cursor| &cursor.id);
        let rows = whole.map.nodes.iter().filter(|stored| {
            filter.kind.is_none_or(|kind| kind == stored.node.kind)
                && match filter.status {
                    Some(status) => status == stored.status,
                    None => stored.status != NodeStatus::Retired,
                }
                && stored.id.to_string().as_str() > after
        });
        let rows = rows.take(page.limit() as usize + 1).cloned().collect();
        let nodes = Page::cut(rows, page, |stored: &StoredNode| Cursor {
            key: 0,
            id: stored.id.to_string(),
        });
        Ok(whole.cut(nodes))
    }

    /// One node of the site's map in any status, with the edges at it.
    pub async fn get_topical_node(&self, ctx: &OpContext, id: NodeId) -> Result<MapPage> {
        let whole = self.get_topical_map(ctx).await?;
        let found = whole.map.nodes.iter().find(|stored| stored.id == id);
        let found = found.cloned().ok_or(Error::NotFound("node"))?;
        let nodes = Page {
            items: vec![found],
            next: None,
        };
        Ok(whole.cut(nodes))
    }

    /// What carrying a proposal out does, or did, to the map, node by node; nothing for kinds that
    /// leave the map alone.
    pub async fn get_map_changes(
        &self,
        ctx: &OpContext,
        id: ProposalId,
    ) -> Result<Vec<NodeChange>> {
        let site = ctx.authorize::<ReadTopicalMap>()?.site();
        self.store()
            .read(move |tx| {
                let found = proposal::find(tx, site, id)?.ok_or(Error::NotFound("proposal"))?;
                let base = found.resolved.first().and_then(|seen| seen.map_version);
                let Some(base) = base.filter(|_| !found.operations().is_empty()) else {
                    return Ok(Vec::new());
                };
                let map = topical_map::at(tx, site, base)?;
                let (_, changes) = applied(&map, found.operations())?;
                Ok(changes)
            })
            .await
    }
}

impl WholeMap {
    fn cut(self, nodes: Page<StoredNode>) -> MapPage {
        let shown: BTreeSet<NodeId> = nodes.items.iter().map(|stored| stored.id).collect();
        let edges = self.edges.into_iter();
        MapPage {
            version: self.map.version,
            edges: edges
                .filter(|edge| shown.contains(&edge.from) || shown.contains(&edge.to))
                .collect(),
            nodes,
        }
    }
}

fn whole(tx: &mut Tx<'_>, site: SiteId) -> Result<WholeMap> {
    let map = topical_map::load(tx, site)?;
    let by_key: BTreeMap<&str, NodeId> = map
        .nodes
        .iter()
        .map(|stored| (stored.key.as_str(), stored.id))
        .collect();
    let by_page: BTreeMap<ContentId, NodeId> = map
        .nodes
        .iter()
        .filter_map(|stored| Some((stored.content?, stored.id)))
        .collect();
    let mut edges: Vec<Edge> = map
        .nodes
        .iter()
        .filter_map(|stored| {
            let parent = by_key.get(stored.node.parent.as_deref()?)?;
            Some(Edge {
                kind: EdgeKind::Parent,
                from: *parent,
                to: stored.id,
            })
        })
        .collect();
    let links = internal_link::list(tx, site)?.into_iter();
    edges.extend(links.filter_map(|link| {
        Some(Edge {
            kind: EdgeKind::Link {
                anchor: link.anchor,
            },
            from: *by_page.get(&link.source)?,
            to: *by_page.get(&link.target)?,
        })
    }));
    Ok(WholeMap { map, edges })
}

/// The map after operations that were found to fit it.
fn applied(map: &Map, operations: &[Operation]) -> Result<(Map, Vec<NodeChange>)> {
    let unfit = |problems| Error::Fault(format!("operations that fitted don't: {problems:?}"));
    map.apply(operations).map_err(unfit)
}

/// What a change of the map stands for.
pub(crate) fn resolve(
    resolver: &Resolver<'_>,
    tx: &mut Tx<'_>,
    change: &TopicalMapChange,
) -> Result<(String, Vec<Resolved>)> {
    let site = resolver.place.site;
    let stored = topical_map::load(tx, site)?;
    if change.base_map_version != stored.version {
        return Err(Error::StaleMap {
            current: stored.version,
        });
    }
    let mut checks = Checks::default();
    checks.that(
        change.operations.len() <= MAX_ITEMS,
        "/operations",
        "range",
        format!("expected at most {MAX_ITEMS} operations"),
    );
    if let Err(problems) = stored.map().apply(&change.operations) {
        checks.extend(problems);
    }
    checks.extend(unknown_templates(tx, site, &change.operations)?);
    checks.finish()?;
    let seen = Resolved {
        map_version: Some(stored.version),
        ..Resolved::default()
    };
    Ok((title(&change.operations), vec![seen]))
}

/// A proposal's title: how many of each operation.
fn title(operations: &[Operation]) -> String {
    let count = |name| {
        operations
            .iter()
            .filter(|operation| operation.name() == name)
            .count()
    };
    let parts = [
        ("add", count("add_node")),
        ("update", count("update_node")),
        ("move", count("move_node")),
        ("retire", count("retire_node")),
    ];
    let said: Vec<String> = parts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(verb, count)| format!("{verb} {count}"))
        .collect();
    format!("Topical map: {}", said.join(", "))
}

/// What is wrong with the templates of pages: each that is named must be there, and a page that
/// names none needs one all the same.
fn unknown_templates(
    tx: &mut Tx<'_>,
    site: SiteId,
    operations: &[Operation],
) -> Result<Vec<Problem>> {
    let known: BTreeSet<String> = template::list(tx, site)?
        .into_iter()
        .map(|t| t.key)
        .collect();
    let mut problems = Vec::new();
    for (index, operation) in operations.iter().enumerate() {
        let named = match operation {
            Operation::AddNode(add) => add.template.as_ref(),
            Operation::UpdateNode(update) => update.template.as_ref(),
            Operation::MoveNode { .. } | Operation::RetireNode { .. } => None,
        };
        if let Some(named) = named.filter(|named| !known.contains(*named)) {
            let at = format!("/operations/{index}/template");
            let message = format!("the site has no template `{named}`");
            problems.push(Problem::new(at, "unknown_template", message));
        }
        let is_page = matches!(operation, Operation::AddNode(add) if add.kind == NodeKind::Page);
        if known.is_empty() && is_page {
            let at = format!("/operations/{index}");
            let message = "the site has no template that a page could be written in";
            problems.push(Problem::new(at, "unknown_template", message));
        }
    }
    Ok(problems)
}

/// Whether the map is still the one that was seen.
pub(crate) fn check(tx: &mut Tx<'_>, site: SiteId, seen: &Resolved) -> Result<Option<StaleReason>> {
    let now = topical_map::version(tx, site)?;
    Ok((seen.map_version != Some(now)).then_some(StaleReason::MapMoved))
}

/// Adds the next version of the map and commissions one brief for each page that is new.
pub(crate) fn carry_out(
    executor: &Executor<'_>,
    tx: &mut Tx<'_>,
    proposal: &Proposal,
) -> Result<Value> {
    let site = proposal.site;
    let stored = topical_map::load(tx, site)?;
    let (next, changes) = applied(&stored.map(), proposal.operations())?;
    let (ids, at) = (executor.scribe.ids(), executor.scribe.at);
    let changes: Vec<(NodeId, NodeChange)> = changes
        .into_iter()
        .map(|change| (NodeId::mint(ids, at), change))
        .collect();
    let version = NewVersion {
        version: next.version,
        operations: proposal.operations(),
        changes: &changes,
        proposal: proposal.id,
        at,
    };
    topical_map::advance(tx, executor.server(), &version)?;
    let mut briefs = Vec::new();
    for (node, change) in changes.iter().filter(|(_, change)| change.before.is_none()) {
        let Some(now) = next.nodes.get(&change.key).filter(|now| !now.retired) else {
            continue;
        };
        if let Some(query) = &now.query {
            opportunity::node_added(tx, executor.server(), query, &change.key)?;
        }
        if now.kind == NodeKind::Page {
            let brief = commission(executor, tx, proposal, (&next, *node, &change.key))?;
            briefs.push(json!({"brief": brief.id, "node": node, "sha256": brief.sha256}));
        }
    }
    let mut done = json!({"map_version": next.version, "briefs": briefs});
    if let Payload::TopicalStrategy(strategy) = &proposal.payload {
        done["opportunities"] = json!(strategy.opportunity_ids);
    }
    Ok(done)
}

fn commission(
    executor: &Executor<'_>,
    tx: &mut Tx<'_>,
    proposal: &Proposal,
    (map, node, key): (&Map, NodeId, &str),
) -> Result<Brief> {
    let (ids, at) = (executor.scribe.ids(), executor.scribe.at);
    let named = map.nodes.get(key).and_then(|node| node.template.clone());
    let template = match named {
        Some(named) => named,
        None => usual_template(tx, proposal.site)?,
    };
    let document = BriefDocument::of(map, key, &template).ok_or(Error::NotFound("node"))?;
    let brief = Brief {
        id: BriefId::mint(ids, at),
        node,
        proposal: proposal.id,
        sha256: document.sha256(),
        document,
        created_at: at,
    };
    brief::insert(tx, executor.server(), &brief)?;
    Ok(brief)
}

/// The template of pages that name none: `article`, or else the first by its key.
fn usual_template(tx: &mut Tx<'_>, site: SiteId) -> Result<String> {
    let mut keys = template::list(tx, site)?
        .into_iter()
        .map(|template| template.key);
    let first = keys.next().ok_or(Error::NotFound("template"))?;
    let usual = keys.find(|key| key == USUAL_TEMPLATE);
    Ok(usual.unwrap_or(first))
}
