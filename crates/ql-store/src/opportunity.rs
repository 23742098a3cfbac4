//! Opportunities: rows of imported artifacts. Where one stands is read from its import, from later
//! imports and from the newest proposal that holds it, so nothing of that is kept twice.

use ql_core::access::{ActAsServer, Authorized, ImportStrategy, MayPropose};
use ql_core::fold::fold;
use ql_core::hash::Digest;
use ql_core::id::{ImportId, OpportunityId, ProposalId, SiteId};
use ql_core::opportunity::{Opportunity, Reconciliation, Row as ArtifactRow, Rule, match_key};
use ql_core::page::{Cursor, Page, PageRequest};

use crate::content::{contains, locales};
use crate::run::AFTER_ALL;
use crate::strategy::Ender;
use crate::{Arg, Result, Row, StoreError, Tx};

statements! {
    INSERT = "INSERT INTO opportunities (id, site_id, import_id, line, match_hash, query, title, cluster, intent, url, \
        slug, more, search, reconciliation, rule, found) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    INSERT_SIXTEEN = "INSERT INTO opportunities (id, site_id, import_id, line, match_hash, query, title, cluster, intent, \
        url, slug, more, search, reconciliation, rule, found) VALUES \
        ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16), \
        ($17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32), \
        ($33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48), \
        ($49, $50, $51, $52, $53, $54, $55, $56, $57, $58, $59, $60, $61, $62, $63, $64), \
        ($65, $66, $67, $68, $69, $70, $71, $72, $73, $74, $75, $76, $77, $78, $79, $80), \
        ($81, $82, $83, $84, $85, $86, $87, $88, $89, $90, $91, $92, $93, $94, $95, $96), \
        ($97, $98, $99, $100, $101, $102, $103, $104, $105, $106, $107, $108, $109, $110, $111, $112), \
        ($113, $114, $115, $116, $117, $118, $119, $120, $121, $122, $123, $124, $125, $126, $127, $128), \
        ($129, $130, $131, $132, $133, $134, $135, $136, $137, $138, $139, $140, $141, $142, $143, $144), \
        ($145, $146, $147, $148, $149, $150, $151, $152, $153, $154, $155, $156, $157, $158, $159, $160), \
        ($161, $162, $163, $164, $165, $166, $167, $168, $169, $170, $171, $172, $173, $174, $175, $176), \
        ($177, $178, $179, $180, $181, $182, $183, $184, $185, $186, $187, $188, $189, $190, $191, $192), \
        ($193, $194, $195, $196, $197, $198, $199, $200, $201, $202, $203, $204, $205, $206, $207, $208), \
        ($209, $210, $211, $212, $213, $214, $215, $216, $217, $218, $219, $220, $221, $222, $223, $224), \
        ($225, $226, $227, $228, $229, $230, $231, $232, $233, $234, $235, $236, $237, $238, $239, $240), \
        ($241, $242, $243, $244, $245, $246, $247, $248, $249, $250, $251, $252, $253, $254, $255, $256)";
    MATCH_ADDRESSES = "UPDATE opportunities SET reconciliation = 'matches_existing', rule = 'same_address', found = slug \
        WHERE site_id = $1 AND id BETWEEN $2 AND $3 AND reconciliation = 'new' AND slug IS NOT NULL \
        AND EXISTS (SELECT 1 FROM content_slugs s WHERE s.site_id = $1 AND s.locale = $4 AND s.slug = opportunities.slug)";
    SUPERSEDE = "UPDATE opportunities SET superseded_by = $4 WHERE import_id <> $4 AND match_hash IN \
        (SELECT n.match_hash FROM opportunities n WHERE n.site_id = $1 AND n.id BETWEEN $2 AND $3) \
        AND EXISTS (SELECT 1 FROM strategy_imports i WHERE i.id = opportunities.import_id AND i.site_id = $1) \
        AND (superseded_by IS NULL OR EXISTS (SELECT 1 FROM strategy_imports s \
        WHERE s.id = opportunities.superseded_by AND s.state <> 'complete'))";
    DELETE = "DELETE FROM opportunities WHERE site_id = $1 AND id IN (SELECT n.id FROM opportunities n \
        WHERE n.site_id = $1 AND n.id > $2 AND n.import_id = $3 ORDER BY n.id LIMIT $4)";
    FIND = "SELECT o.id, o.import_id, o.line, o.query, o.title, o.cluster, o.intent, o.url, o.more, o.reconciliation, \
        o.rule, o.found, o.proposal_id, p.state, l.state, i.source, i.tool, i.exported_at, i.sha256 \
        FROM opportunities o JOIN strategy_imports i ON i.id = o.import_id AND i.state = 'complete' \
        LEFT JOIN proposals p ON p.id = o.proposal_id LEFT JOIN strategy_imports l ON l.id = o.superseded_by \
        WHERE o.site_id = $1 AND o.id = $2";
    LIST = "SELECT o.id, o.import_id, o.line, o.query, o.title, o.cluster, o.intent, o.url, o.more, o.reconciliation, \
        o.rule, o.found, o.proposal_id, p.state, l.state, i.source, i.tool, i.exported_at, i.sha256 \
        FROM opportunities o JOIN strategy_imports i ON i.id = o.import_id AND i.state = 'complete' \
        LEFT JOIN proposals p ON p.id = o.proposal_id LEFT JOIN strategy_imports l ON l.id = o.superseded_by \
        WHERE o.site_id = $1 AND o.id < $2 AND (CAST($3 AS TEXT) IS NULL OR i.source = $3) \
        AND (CAST($4 AS TEXT) IS NULL OR o.search LIKE $4 ESCAPE '!') ORDER BY o.id DESC LIMIT $5";
    LIST_FOUND = "SELECT o.id, o.import_id, o.line, o.query, o.title, o.cluster, o.intent, o.url, o.more, o.reconciliation, \
        o.rule, o.found, o.proposal_id, p.state, l.state, i.source, i.tool, i.exported_at, i.sha256 \
        FROM opportunities o JOIN strategy_imports i ON i.id = o.import_id AND i.state = 'complete' \
        LEFT JOIN proposals p ON p.id = o.proposal_id LEFT JOIN strategy_imports l ON l.id = o.superseded_by \
        WHERE o.site_id = $1 AND o.id < $2 AND (CAST($3 AS TEXT) IS NULL OR i.source = $3) \
        AND (CAST($4 AS TEXT) IS NULL OR o.search LIKE $4 ESCAPE '!') AND o.reconciliation = $6 \
        AND (p.state IS NULL OR p.state NOT IN ('pending', 'approved', 'executed', 'rejected')) \
        AND (l.state IS NULL OR l.state <> 'complete') ORDER BY o.id DESC LIMIT $5";
    LIST_HELD = "SELECT o.id, o.import_id, o.line, o.query, o.title, o.cluster, o.intent, o.url, o.more, o.reconciliation, \
        o.rule, o.found, o.proposal_id, p.state, l.state, i.source, i.tool, i.exported_at, i.sha256 \
        FROM opportunities o JOIN strategy_imports i ON i.id = o.import_id AND i.state = 'complete' \
        JOIN proposals p ON p.id = o.proposal_id LEFT JOIN strategy_imports l ON l.id = o.superseded_by \
        WHERE o.site_id = $1 AND o.id < $2 AND (CAST($3 AS TEXT) IS NULL OR i.source = $3) \
        AND (CAST($4 AS TEXT) IS NULL OR o.search LIKE $4 ESCAPE '!') AND o.proposal_id IS NOT NULL \
        AND $6 = CASE p.state WHEN 'pending' THEN 'proposed' WHEN 'approved' THEN 'proposed' \
        WHEN 'executed' THEN 'accepted' ELSE p.state END ORDER BY o.id DESC LIMIT $5";
    LIST_SUPERSEDED = "SELECT o.id, o.import_id, o.line, o.query, o.title, o.cluster, o.intent, o.url, o.more, \
        o.reconciliation, o.rule, o.found, o.proposal_id, p.state, l.state, i.source, i.tool, i.exported_at, i.sha256 \
        FROM opportunities o JOIN strategy_imports i ON i.id = o.import_id AND i.state = 'complete' \
        LEFT JOIN proposals p ON p.id = o.proposal_id JOIN strategy_imports l ON l.id = o.superseded_by \
        WHERE o.site_id = $1 AND o.id < $2 AND (CAST($3 AS TEXT) IS NULL OR i.source = $3) \
        AND (CAST($4 AS TEXT) IS NULL OR o.search LIKE $4 ESCAPE '!') AND o.superseded_by IS NOT NULL \
        AND l.state = 'complete' AND (p.state IS NULL OR p.state NOT IN ('pending', 'approved', 'executed', 'rejected')) \
        ORDER BY o.id DESC LIMIT $5";
    HOLD = "UPDATE opportunities SET proposal_id = $3 WHERE site_id = $1 AND id = $2";
    NODE_ADDED = "UPDATE opportunities SET reconciliation = 'matches_existing', rule = 'same_query', found = $3 \
        WHERE site_id = $1 AND match_hash = $2 AND reconciliation = 'new'";
}

/// How many rows one statement keeps: over the network a statement costs more than its rows.
const TOGETHER: usize = 16;

/// What a query is found by.
fn match_hash(query: &str) -> i64 {
    let digest = Digest::of(match_key(query).as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&digest.as_bytes()[..8]);
    i64::from_be_bytes(first)
}

/// A row to keep, as the rules put it.
#[derive(Debug, Clone)]
pub struct NewOpportunity {
    /// Identity.
    pub id: OpportunityId,
    /// The row.
    pub row: ArtifactRow,
    /// Where it stands.
    pub reconciliation: Reconciliation,
    /// Why.
    pub rule: Rule,
    /// What the rule found.
    pub found: Option<String>,
}

/// Keeps rows of an import, in the order of their identifiers, compares their addresses with the
/// site's pages, and marks rows of earlier imports that have the same query.
pub fn insert_all(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ImportStrategy>,
    import: ImportId,
    rows: &[NewOpportunity],
) -> Result<()> {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return Ok(());
    };
    let site = authorized.site().to_string();
    let import = import.to_string();
    let mut args: Vec<Vec<Arg<'_>>> = Vec::with_capacity(rows.len() / TOGETHER + TOGETHER);
    let (sixteens, rest) = rows.as_chunks::<TOGETHER>();
    let of = |new| insert_args(&site, &import, new);
    args.extend(
        sixteens
            .iter()
            .map(|rows| rows.iter().flat_map(of).collect()),
    );
    args.extend(rest.iter().map(|row| of(row).to_vec()));
    let sql = |index| {
        if index < sixteens.len() {
            INSERT_SIXTEEN
        } else {
            INSERT
        }
    };
    let statements: Vec<(&'static str, &[Arg<'_>])> = args
        .iter()
        .enumerate()
        .map(|(index, args)| (sql(index), args.as_slice()))
        .collect();
    let kept: u64 = tx.execute_all(&statements)?.into_iter().sum();
    if kept != rows.len() as u64 {
        return Err(StoreError::Bug(format!(
            "{kept} of {} rows were kept",
            rows.len()
        )));
    }
    compare(tx, authorized.site(), (first.id, last.id), &import)
}

/// Compares the rows between two identifiers with the site's pages and with earlier imports. Both
/// statements find by an index what they compare with, so they cost the same in a large site.
fn compare(
    tx: &mut Tx<'_>,
    site: SiteId,
    (first, last): (OpportunityId, OpportunityId),
    import: &str,
) -> Result<()> {
    for locale in locales(tx, site)? {
        let args = [
            Arg::text(site),
            Arg::text(first),
            Arg::text(last),
            locale.into(),
        ];
        tx.execute(MATCH_ADDRESSES, &args)?;
    }
    let args = [
        Arg::text(site),
        Arg::text(first),
        Arg::text(last),
        import.into(),
    ];
    tx.execute(SUPERSEDE, &args).map(drop)
}

fn insert_args<'a>(site: &'a String, import: &'a String, new: &'a NewOpportunity) -> [Arg<'a>; 16] {
    let row = &new.row;
    let more = serde_json::to_string(&row.more).unwrap_or_else(|_| "{}".to_owned());
    [
        Arg::text(new.id),
        site.into(),
        import.into(),
        row.line.into(),
        match_hash(&row.query).into(),
        (&row.query).into(),
        (&row.title).into(),
        row.cluster.as_deref().into(),
        row.intent.as_deref().into(),
        row.url.as_deref().into(),
        Arg::opt_text(row.slug()),
        more.into(),
        fold(&format!("{}\n{}", row.query, row.title)).into(),
        new.reconciliation.as_str().into(),
        new.rule.as_str().into(),
        new.found.as_deref().into(),
    ]
}

/// Forgets rows of an import that failed, at most so many of those after an identifier; answers how
/// many there were.
pub fn delete_some(
    tx: &mut Tx<'_>,
    by: &Ender,
    (import, after): (ImportId, &str),
    limit: u32,
) -> Result<u64> {
    let args = [
        Arg::text(by.site()),
        after.into(),
        Arg::text(import),
        limit.into(),
    ];
    tx.execute(DELETE, &args)
}

fn read(row: &mut Row) -> Result<Opportunity> {
    let (id, import) = (row.parse()?, row.parse()?);
    let artifact = ArtifactRow {
        line: row.int()?,
        query: row.text()?,
        title: row.text()?,
        cluster: row.opt_text()?,
        intent: row.opt_text()?,
        url: row.opt_text()?,
        more: row.from_json()?,
    };
    let base = (row.parse()?, row.parse()?);
    let found = row.opt_text()?;
    let proposal = row.opt_parse()?;
    let (held, later) = (row.opt_text()?, row.opt_text()?);
    let (reconciliation, rule) = standing(base, held.as_deref(), later.as_deref());
    Ok(Opportunity {
        id,
        import,
        row: artifact,
        reconciliation,
        rule,
        found,
        proposal,
        source: row.text()?,
        tool: row.text()?,
        exported_at: row.time()?,
        artifact_sha256: row.digest()?,
    })
}

/// Where an opportunity stands, from what its import found, the state of the newest proposal that
/// holds it, and that of the latest import that has the same query.
fn standing(
    base: (Reconciliation, Rule),
    proposal: Option<&str>,
    later: Option<&str>,
) -> (Reconciliation, Rule) {
    match (proposal, later) {
        (Some("executed"), _) => (Reconciliation::Accepted, Rule::CarriedOut),
        (Some("pending" | "approved"), _) => (Reconciliation::Proposed, Rule::InProposal),
        (Some("rejected"), _) => (Reconciliation::Rejected, Rule::TurnedDown),
        (_, Some("complete")) => (Reconciliation::Superseded, Rule::LaterArtifact),
        _ => base,
    }
}

/// The opportunity with this id, where it is one of the site's and its import is complete.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: OpportunityId) -> Result<Option<Opportunity>> {
    tx.find(FIND, &[Arg::text(site), Arg::text(id)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// Which opportunities to list; what is `None` doesn't narrow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Where they stand.
    pub reconciliation: Option<Reconciliation>,
    /// Where the plan comes from, exactly.
    pub source: Option<String>,
    /// Words of their query or title, folded for case and accents.
    pub query: Option<String>,
}

/// The site's opportunities, newest first.
pub fn list(
    tx: &mut Tx<'_>,
    site: SiteId,
    filter: &Filter,
    page: &PageRequest,
) -> Result<Page<Opportunity>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let mut args = vec![
        Arg::text(site),
        before.into(),
        filter.source.as_deref().into(),
        Arg::opt_text(filter.query.as_deref().map(contains)),
        (page.limit() + 1).into(),
    ];
    let statement = match filter.reconciliation {
        None => LIST,
        Some(Reconciliation::Superseded) => LIST_SUPERSEDED,
        Some(wanted) => {
            args.push(wanted.as_str().into());
            match wanted {
                Reconciliation::Proposed | Reconciliation::Accepted | Reconciliation::Rejected => {
                    LIST_HELD
                }
                _ => LIST_FOUND,
            }
        }
    };
    let rows = tx.list(statement, &args, read)?;
    Ok(Page::cut(rows, page, |opportunity| Cursor {
        key: opportunity.row.line,
        id: opportunity.id.to_string(),
    }))
}

/// Notes that a proposal holds an opportunity.
pub fn hold(
    tx: &mut Tx<'_>,
    may: &MayPropose,
    opportunity: OpportunityId,
    proposal: ProposalId,
) -> Result<()> {
    let site = Arg::text(may.place().site);
    tx.execute_one(HOLD, &[site, Arg::text(opportunity), Arg::text(proposal)])
}

/// Notes that the map has a node with this query now.
pub fn node_added(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ActAsServer>,
    query: &str,
    key: &str,
) -> Result<()> {
    let site = Arg::text(authorized.site());
    tx.execute(NODE_ADDED, &[site, match_hash(query).into(), key.into()])
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::sqlite::plan;

    /// A batch is compared once for each that came before, so a comparison that read the whole site
    /// would make a long import as slow as the square of its rows.
    #[test]
    fn no_batch_reads_the_whole_site() {
        insta::assert_snapshot!(plan(SUPERSEDE).join("\n"), @"
        SEARCH opportunities USING INDEX opportunities_by_match (match_hash=?)
        LIST SUBQUERY 1
        SEARCH n USING INDEX sqlite_autoindex_opportunities_1 (site_id=? AND id>? AND id<?)
        CORRELATED SCALAR SUBQUERY 2
        SEARCH i USING INDEX sqlite_autoindex_strategy_imports_1 (id=?)
        CORRELATED SCALAR SUBQUERY 3
        SEARCH s USING INDEX sqlite_autoindex_strategy_imports_1 (id=?)
        ");
        insta::assert_snapshot!(plan(MATCH_ADDRESSES).join("\n"), @"
        SEARCH opportunities USING INDEX opportunities_by_reconciliation (site_id=? AND reconciliation=? AND id>? AND id<?)
        CORRELATED SCALAR SUBQUERY 1
        SEARCH s USING PRIMARY KEY (site_id=? AND locale=? AND slug=?)
        ");
        // The control: by the site's own column the engine takes the way through all of its rows.
        let of_the_site = SUPERSEDE.replace("WHERE import_id", "WHERE site_id = $1 AND import_id");
        insta::assert_snapshot!(plan(&of_the_site)[0], @"SEARCH opportunities USING INDEX sqlite_autoindex_opportunities_1 (site_id=?)");
    }
}
