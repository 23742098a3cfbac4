//! Strategy artifacts: imported by members, reconciled by rules, turned into proposals. What they
//! hold is planning input with provenance, never something that was measured on the site.

use std::collections::BTreeSet;

use ql_core::access::{ImportStrategy, MayPropose, ReadTopicalMap};
use ql_core::fold::fold;
use ql_core::id::{ImportId, OpportunityId, ProposalId, SiteId};
use ql_core::opportunity::{Import, Opportunity, Reconciliation, RowNote};
use ql_core::page::{Page, PageRequest};
use ql_core::problem::Problem;
use ql_core::proposal::{MAX_ITEMS, Resolved, TopicalStrategy};
use ql_core::slug::Slug;
use ql_core::topical_map::{AddNode, Map, NodeKind, Operation};
pub use ql_store::opportunity::Filter;
use ql_store::{Tx, opportunity, strategy, topical_map};

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::proposal::Resolver;
use crate::text::Checks;

mod cells;
mod csv;
mod import;
mod json;

pub use self::import::{Imported, NewImport, StrategyImport};

/// An import with what was noted about its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRecord {
    /// The import.
    pub import: Import,
    /// The first thousand notes.
    pub notes: Vec<RowNote>,
}

impl App {
    /// Begins an import; its rows follow through [`StrategyImport::push`]. Nothing of it is seen
    /// before [`StrategyImport::finish`].
    ///
    /// # Errors
    /// [`Error::ImportRunning`] while another one of the site receives.
    pub async fn begin_strategy_import(
        &self,
        ctx: &OpContext,
        new: NewImport,
    ) -> Result<StrategyImport> {
        let authorized = ctx.authorize::<ImportStrategy>()?;
        StrategyImport::begin(self, authorized, new).await
    }

    /// The site's imports, newest first.
    pub async fn list_strategy_imports(
        &self,
        ctx: &OpContext,
        page: &PageRequest,
    ) -> Result<Page<Import>> {
        let site = ctx.authorize::<ReadTopicalMap>()?.site();
        let page = page.clone();
        self.store()
            .read(move |tx| Ok(strategy::list(tx, site, &page)?))
            .await
    }

    /// One import with what was noted about its rows.
    pub async fn get_strategy_import(&self, ctx: &OpContext, id: ImportId) -> Result<ImportRecord> {
        let site = ctx.authorize::<ReadTopicalMap>()?.site();
        self.store().read(move |tx| record(tx, site, id)).await
    }

    /// The opportunities of complete imports, newest first. A site may have a million, so it doesn't
    /// keep the caller's thread.
    pub async fn list_opportunities(
        &self,
        ctx: &OpContext,
        filter: &Filter,
        page: &PageRequest,
    ) -> Result<Page<Opportunity>> {
        let site = ctx.authorize::<ReadTopicalMap>()?.site();
        let (filter, page) = (filter.clone(), page.clone());
        self.store()
            .scan(move |tx| Ok(opportunity::list(tx, site, &filter, &page)?))
            .await
    }
}

fn record(tx: &mut Tx<'_>, site: SiteId, id: ImportId) -> Result<ImportRecord> {
    Ok(ImportRecord {
        import: strategy::find(tx, site, id)?.ok_or(Error::NotFound("import"))?,
        notes: strategy::notes(tx, site, id)?,
    })
}

/// Notes that a proposal holds its opportunities.
pub(crate) fn hold(
    tx: &mut Tx<'_>,
    may: &MayPropose,
    strategy: &TopicalStrategy,
    proposal: ProposalId,
) -> Result<()> {
    for id in &strategy.opportunity_ids {
        opportunity::hold(tx, may, *id, proposal)?;
    }
    Ok(())
}

/// What opportunities stand for: the operations that put a page for each on the map.
pub(crate) fn resolve(
    resolver: &Resolver<'_>,
    tx: &mut Tx<'_>,
    strategy: &TopicalStrategy,
) -> Result<(String, Vec<Resolved>)> {
    let site = resolver.place.site;
    let wanted = wanted(tx, site, &strategy.opportunity_ids)?;
    let map = topical_map::load(tx, site)?.map();
    let operations = operations(&map, &wanted);
    map.apply(&operations).map_err(|problems| {
        let text = problems.first().map(|problem| problem.message.clone());
        Error::invalid("/opportunity_ids", "unfit", text.unwrap_or_default())
    })?;
    let count = wanted.len();
    let pages = if count == 1 { "page" } else { "pages" };
    let seen = Resolved {
        map_version: Some(map.version),
        operations,
        ..Resolved::default()
    };
    Ok((
        format!("Take {count} {pages} from the strategy into the map"),
        vec![seen],
    ))
}

/// The opportunities, each of which must be open.
fn wanted(tx: &mut Tx<'_>, site: SiteId, ids: &[OpportunityId]) -> Result<Vec<Opportunity>> {
    let mut checks = Checks::default();
    checks.that(
        (1..=MAX_ITEMS).contains(&ids.len()),
        "/opportunity_ids",
        "range",
        format!("expected 1 to {MAX_ITEMS} opportunities"),
    );
    let mut met = BTreeSet::new();
    let mut wanted = Vec::with_capacity(ids.len());
    for (index, id) in ids.iter().enumerate() {
        let at = format!("/opportunity_ids/{index}");
        checks.that(
            met.insert(*id),
            &at,
            "duplicate",
            "this opportunity is named twice",
        );
        let found = opportunity::find(tx, site, *id)?.ok_or(Error::NotFound("opportunity"))?;
        if !matches!(
            found.reconciliation,
            Reconciliation::New | Reconciliation::Rejected
        ) {
            let stands = found.reconciliation;
            let message = format!(
                "only new and rejected ones can be proposed, and it is {stands}: {}",
                found.rule.describe()
            );
            checks.add(Problem::new(at, "not_open", message));
        }
        wanted.push(found);
    }
    checks.finish()?;
    Ok(wanted)
}

/// The operations that put a page for each opportunity on a map: under the cluster or pillar that
/// the row names, which is added where there is none, else under the only pillar there is, else
/// under one for opportunities.
fn operations(map: &Map, wanted: &[Opportunity]) -> Vec<Operation> {
    let mut planned = Planned {
        map: map.clone(),
        operations: Vec::new(),
    };
    for found in wanted {
        let row = &found.row;
        let parent = planned.parent(row.cluster.as_deref());
        planned.add(NodeKind::Page, &row.title, Some(&parent), |node| {
            node.query = Some(row.query.clone());
            node.intent.clone_from(&row.intent);
        });
    }
    planned.operations
}

/// A map with the operations that made it from another.
struct Planned {
    map: Map,
    operations: Vec<Operation>,
}

const UNSORTED: &str = "Opportunities";

impl Planned {
    /// The key of the node that a page with this cluster's name stands under.
    fn parent(&mut self, cluster: Option<&str>) -> String {
        let cluster = cluster.map(str::trim).filter(|name| !name.is_empty());
        let only = self.only_pillar();
        match (cluster, only) {
            (Some(name), only) => match self.find(name) {
                Some(key) => key,
                None if only.is_some() => {
                    self.add(NodeKind::Cluster, name, only.as_deref(), |_| {})
                }
                None => self.add(NodeKind::Pillar, name, None, |_| {}),
            },
            (None, Some(only)) => only,
            (None, None) => match self.find(UNSORTED) {
                Some(key) => key,
                None => self.add(NodeKind::Pillar, UNSORTED, None, |_| {}),
            },
        }
    }

    /// A living cluster or pillar by its key or title.
    fn find(&self, name: &str) -> Option<String> {
        let name = fold(name);
        let mut nodes = self.map.nodes.iter();
        let found = nodes.find(|(key, node)| {
            let named = **key == name || fold(&node.title) == name;
            named && !node.retired && node.kind != NodeKind::Page
        });
        found.map(|(key, _)| key.clone())
    }

    fn only_pillar(&self) -> Option<String> {
        let nodes = self.map.nodes.iter();
        let mut pillars = nodes.filter(|(_, node)| !node.retired && node.kind == NodeKind::Pillar);
        match (pillars.next(), pillars.next()) {
            (Some((key, _)), None) => Some(key.clone()),
            _ => None,
        }
    }

    /// Adds a node under a key made from its title; answers the key.
    fn add(
        &mut self,
        kind: NodeKind,
        title: &str,
        parent: Option<&str>,
        with: impl FnOnce(&mut AddNode),
    ) -> String {
        let key = self.free_key(title);
        let mut node = AddNode {
            key: key.clone(),
            kind,
            title: title.chars().take(200).collect(),
            query: None,
            intent: None,
            parent: parent.map(str::to_owned),
            template: None,
        };
        with(&mut node);
        let operation = Operation::AddNode(node);
        // What doesn't fit is said when the operations are applied together.
        if let Ok((next, _)) = self.map.apply(std::slice::from_ref(&operation)) {
            self.map.nodes = next.nodes;
        }
        self.operations.push(operation);
        key
    }

    fn free_key(&self, title: &str) -> String {
        let slug = Slug::from_title(title);
        let numbered = (2..).map(|number| slug.numbered(number));
        let mut keys = std::iter::once(slug.clone()).chain(numbered);
        let free = keys.find(|key| !self.map.nodes.contains_key(key.as_str()));
        free.unwrap_or(slug).to_string()
    }
}
