//! The topical map: its versions, and its nodes as the newest version has them.

use ql_core::access::{ActAsServer, Authorized};
use ql_core::id::{BriefId, ContentId, NodeId, ProposalId, SiteId};
use ql_core::time::Timestamp;
use ql_core::topical_map::{Map, Node, NodeChange, NodeStatus, Operation};

use crate::{Arg, Result, Row, StoreError, Tx};

statements! {
    VERSION = "SELECT COALESCE(MAX(version), 0) FROM topical_versions WHERE site_id = $1";
    VERSIONS = "SELECT operations FROM topical_versions WHERE site_id = $1 AND version <= $2 ORDER BY version";
    INSERT_VERSION = "INSERT INTO topical_versions (site_id, version, operations, proposal_id, created_at) \
        VALUES ($1, $2, $3, $4, $5)";
    NODES = "SELECT n.id, n.key, n.kind, n.title, n.query, n.intent, n.template_key, n.parent_key, n.retired, \
        b.id, d.content_id, c.live_id FROM topical_nodes n LEFT JOIN content_briefs b ON b.node_id = n.id \
        LEFT JOIN brief_drafts d ON d.brief_id = b.id LEFT JOIN content_items c ON c.id = d.content_id \
        WHERE n.site_id = $1 ORDER BY n.id";
    INSERT_NODE = "INSERT INTO topical_nodes (id, site_id, key, kind, title, query, intent, template_key, parent_key, \
        retired, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    UPDATE_NODE = "UPDATE topical_nodes SET title = $3, query = $4, intent = $5, template_key = $6, parent_key = $7, \
        retired = $8 WHERE site_id = $1 AND key = $2";
}

/// A node with where its page stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredNode {
    /// Identity.
    pub id: NodeId,
    /// The key that operations name it by.
    pub key: String,
    /// What the map says of it.
    pub node: Node,
    /// Where its page stands.
    pub status: NodeStatus,
    /// The brief that asks for its page.
    pub brief: Option<BriefId>,
    /// Its page.
    pub content: Option<ContentId>,
}

/// A site's map as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredMap {
    /// 0 where there is no map yet.
    pub version: i64,
    /// The nodes, the oldest first, retired ones included.
    pub nodes: Vec<StoredNode>,
}

impl StoredMap {
    /// The map alone, for the rules.
    pub fn map(&self) -> Map {
        let nodes = self.nodes.iter();
        Map {
            version: self.version,
            nodes: nodes
                .map(|stored| (stored.key.clone(), stored.node.clone()))
                .collect(),
        }
    }
}

fn read(row: &mut Row) -> Result<StoredNode> {
    let id = row.parse()?;
    let key = row.text()?;
    let node = Node {
        kind: row.parse()?,
        title: row.text()?,
        query: row.opt_text()?,
        intent: row.opt_text()?,
        template: row.opt_text()?,
        parent: row.opt_text()?,
        retired: row.flag()?,
    };
    let brief: Option<BriefId> = row.opt_parse()?;
    let content: Option<ContentId> = row.opt_parse()?;
    let live = row.opt_text()?.is_some();
    Ok(StoredNode {
        status: status(node.retired, brief.is_some(), (content.is_some(), live)),
        id,
        key,
        node,
        brief,
        content,
    })
}

/// Where a page stands, from what there is of it.
pub(crate) fn status(retired: bool, briefed: bool, (drafted, live): (bool, bool)) -> NodeStatus {
    match (retired, briefed, drafted, live) {
        (true, ..) => NodeStatus::Retired,
        (_, _, true, true) => NodeStatus::Published,
        (_, _, true, false) => NodeStatus::Drafted,
        (_, true, false, _) => NodeStatus::Briefed,
        (_, false, false, _) => NodeStatus::Planned,
    }
}

/// The version of the site's map; 0 where there is none yet.
pub fn version(tx: &mut Tx<'_>, site: SiteId) -> Result<i64> {
    tx.one(VERSION, &[Arg::text(site)])?.int()
}

/// The site's map as it stands.
pub fn load(tx: &mut Tx<'_>, site: SiteId) -> Result<StoredMap> {
    Ok(StoredMap {
        version: version(tx, site)?,
        nodes: tx.list(NODES, &[Arg::text(site)], read)?,
    })
}

/// The map as an earlier version had it.
///
/// # Errors
/// [`StoreError::Corrupt`] when the stored operations don't follow from each other.
pub fn at(tx: &mut Tx<'_>, site: SiteId, version: i64) -> Result<Map> {
    let mut map = Map::default();
    for mut row in tx.query(VERSIONS, &[Arg::text(site), version.into()])? {
        let operations: Vec<Operation> = row.from_json()?;
        let next = map.apply(&operations);
        (map, _) =
            next.map_err(|problems| row.corrupt(format!("lawful operations: {problems:?}")))?;
    }
    Ok(map)
}

/// A version to add.
#[derive(Debug)]
pub struct NewVersion<'a> {
    /// Its number, one more than the newest.
    pub version: i64,
    /// What was asked for.
    pub operations: &'a [Operation],
    /// What that does, with the identifiers of nodes that are new.
    pub changes: &'a [(NodeId, NodeChange)],
    /// The proposal that carries the approval.
    pub proposal: ProposalId,
    /// When.
    pub at: Timestamp,
}

/// Adds the version after the newest. Only the execution of an approved proposal obtains the
/// authorization for it.
pub fn advance(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ActAsServer>,
    new: &NewVersion<'_>,
) -> Result<()> {
    let site = authorized.site();
    let operations = serde_json::to_string(new.operations)
        .map_err(|error| StoreError::Bug(error.to_string()))?;
    let version = [
        Arg::text(site),
        new.version.into(),
        operations.into(),
        Arg::text(new.proposal),
        new.at.into(),
    ];
    tx.execute_one(INSERT_VERSION, &version)?;
    for (id, change) in new.changes {
        match &change.before {
            None => insert_node(tx, (*id, site), change, new.at)?,
            Some(_) => update_node(tx, site, change)?,
        }
    }
    Ok(())
}

fn insert_node(
    tx: &mut Tx<'_>,
    (id, site): (NodeId, SiteId),
    change: &NodeChange,
    at: Timestamp,
) -> Result<()> {
    let node = &change.after;
    let args = [
        Arg::text(id),
        Arg::text(site),
        (&change.key).into(),
        node.kind.as_str().into(),
        (&node.title).into(),
        node.query.as_deref().into(),
        node.intent.as_deref().into(),
        node.template.as_deref().into(),
        node.parent.as_deref().into(),
        node.retired.into(),
        at.into(),
    ];
    tx.execute_one(INSERT_NODE, &args)
}

fn update_node(tx: &mut Tx<'_>, site: SiteId, change: &NodeChange) -> Result<()> {
    let node = &change.after;
    let args = [
        Arg::text(site),
        (&change.key).into(),
        (&node.title).into(),
        node.query.as_deref().into(),
        node.intent.as_deref().into(),
        node.template.as_deref().into(),
        node.parent.as_deref().into(),
        node.retired.into(),
    ];
    tx.execute_one(UPDATE_NODE, &args)
}
