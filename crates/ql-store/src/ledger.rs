//! The ledger: entries chained per subject, written in the transaction of what they record.

use ql_core::actor::Actor;
use ql_core::id::{EntryId, OrganizationId, SiteId};
use ql_core::ledger::{Broken, ChainVerifier, Event, Head, StoredEntry, Subject};
use ql_core::page::{Cursor, Page, PageRequest};
use ql_core::plain;
use ql_core::time::Timestamp;
use serde_json::Value;

use crate::run::AFTER_ALL;
use crate::{Arg, Result, Row, StoreError, Tx, tree};

statements! {
    HEAD = "SELECT seq, hash, bytes, updated_at FROM ledger_heads WHERE subject = $1";
    BEGIN = "INSERT INTO ledger_heads (subject, seq, hash, bytes, updated_at) VALUES ($1, $2, $3, $4, $5)";
    ADVANCE = "UPDATE ledger_heads SET seq = $2, hash = $3, bytes = $4, updated_at = $5 \
        WHERE subject = $1 AND seq = $6";
    INSERT = "INSERT INTO ledger_entries (id, subject, seq, organization_id, site_id, kind, actor, at, canon, prev, leaf) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    AWAIT = "INSERT INTO ledger_pending (subject, seq, leaf) VALUES ($1, $2, $3)";
    CHAIN = "SELECT id, subject, seq, kind, actor, at, canon FROM ledger_entries WHERE subject = $1 ORDER BY seq";
    SITE = "SELECT id, subject, seq, kind, actor, at, canon FROM ledger_entries \
        WHERE site_id = $1 AND id < $2 AND (CAST($3 AS TEXT) IS NULL OR substr(kind, 1, length($3)) = $3) \
        AND (CAST($4 AS TEXT) IS NULL OR substr(actor, 1, length($4)) = $4) ORDER BY id DESC LIMIT $5";
    ORGANIZATION = "SELECT id, subject, seq, kind, actor, at, canon FROM ledger_entries \
        WHERE organization_id = $1 AND site_id IS NULL AND id < $2 ORDER BY id DESC LIMIT $3";
    SUBJECTS = "SELECT subject, seq, hash, bytes, updated_at FROM ledger_heads WHERE subject > $1 ORDER BY subject LIMIT $2";
    STORED = "SELECT id, organization_id, site_id, kind, actor, at, subject, seq, prev, canon, leaf \
        FROM ledger_entries WHERE subject = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    LINES = "SELECT canon FROM ledger_entries WHERE subject = $1 AND seq >= $2 AND seq <= $3 ORDER BY seq";
    PLACE_OF = "SELECT e.subject, e.seq FROM sites s JOIN ledger_entries e ON e.site_id = s.id AND e.id = $1 \
        UNION ALL SELECT e.subject, e.seq FROM organizations o JOIN ledger_entries e ON e.organization_id = o.id \
        AND e.site_id IS NULL AND e.id = $1";
    ORPHANS = "SELECT e.subject, COUNT(*) FROM ledger_entries e \
        LEFT JOIN ledger_heads h ON h.subject = e.subject WHERE h.subject IS NULL \
        GROUP BY e.subject ORDER BY e.subject";
}

/// An entry as people read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Identity.
    pub id: EntryId,
    /// The chain it belongs to.
    pub subject: String,
    /// Its place in the chain.
    pub seq: i64,
    /// What happened.
    pub kind: String,
    /// Who did it.
    pub actor: Actor,
    /// When.
    pub at: Timestamp,
    /// What it was about.
    pub detail: Value,
}

fn read(row: &mut Row) -> Result<Entry> {
    let id = row.parse()?;
    let subject = row.text()?;
    let seq = row.int()?;
    let kind = row.text()?;
    let actor = Actor::from_text(&row.text()?).ok_or_else(|| row.corrupt("an actor"))?;
    let at = row.time()?;
    let mut canon = row.json()?;
    Ok(Entry {
        id,
        subject,
        seq,
        kind,
        actor,
        at,
        detail: canon["detail"].take(),
    })
}

fn read_head(row: &mut Row) -> Result<Head> {
    Ok(Head {
        seq: row.int()?,
        hash: row.digest()?,
        bytes: row.int()?,
        updated_at: row.time()?,
    })
}

/// Appends an event to the chain of its subject and gives where the chain ends then.
pub fn append(tx: &mut Tx<'_>, event: &Event) -> Result<Head> {
    let subject = event.subject.to_string();
    let before = find_head(tx, event.subject)?.unwrap_or(Head::EMPTY);
    let sealed = event.seal(before);
    // What every verifier refuses must not get in.
    plain::check(&sealed.canon)
        .map_err(|error| StoreError::Bug(format!("{} can't be recorded: {error}", event.kind)))?;
    let head = sealed.head;
    let begins = before.seq == 0;
    let mut advanced = vec![
        (&subject).into(),
        head.seq.into(),
        (&head.hash).into(),
        head.bytes.into(),
        head.updated_at.into(),
    ];
    if !begins {
        advanced.push(before.seq.into());
    }
    let inserted = [
        Arg::text(event.id),
        (&subject).into(),
        head.seq.into(),
        Arg::text(event.organization),
        Arg::opt_text(event.site),
        event.kind.into(),
        event.actor.to_text().into(),
        event.at.into(),
        (&sealed.canon).into(),
        (&sealed.prev).into(),
        (&head.hash).into(),
    ];
    // The head goes first: two servers that meet at a chain then meet at its one row.
    tx.execute_each(&[
        (if begins { BEGIN } else { ADVANCE }, &advanced),
        (INSERT, &inserted),
        (
            AWAIT,
            &[(&subject).into(), head.seq.into(), (&head.hash).into()],
        ),
    ])?;
    Ok(head)
}

/// Every entry of one chain, in order.
pub fn chain(tx: &mut Tx<'_>, subject: Subject) -> Result<Vec<Entry>> {
    tx.list(CHAIN, &[Arg::text(subject)], read)
}

/// What to list of a site's entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The beginning of the event's name, such as `proposal.`.
    pub kind: Option<String>,
    /// The beginning of the actor's text, such as `member:` or `agent:agt_…`.
    pub actor: Option<String>,
}

/// A site's entries, newest first.
pub fn list(
    tx: &mut Tx<'_>,
    site: SiteId,
    filter: &Filter,
    page: &PageRequest,
) -> Result<Page<Entry>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let rows = tx.list(
        SITE,
        &[
            Arg::text(site),
            before.into(),
            filter.kind.as_deref().into(),
            filter.actor.as_deref().into(),
            (page.limit() + 1).into(),
        ],
        read,
    )?;
    Ok(Page::cut(rows, page, cursor))
}

/// The organization's own entries, newest first.
pub fn list_organization(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    page: &PageRequest,
) -> Result<Page<Entry>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let rows = tx.list(
        ORGANIZATION,
        &[
            Arg::text(organization),
            before.into(),
            (page.limit() + 1).into(),
        ],
        read,
    )?;
    Ok(Page::cut(rows, page, cursor))
}

fn cursor(entry: &Entry) -> Cursor {
    Cursor {
        key: entry.at.as_micros(),
        id: entry.id.to_string(),
    }
}

/// What a check of the whole ledger found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// How many chains were followed.
    pub chains: u64,
    /// How many entries were hashed again.
    pub entries: u64,
    /// How many of them stand in the tree.
    pub leaves: u64,
    /// How many checkpoints were signed of it.
    pub checkpoints: u64,
    /// Everything that is wrong.
    pub broken: Vec<Broken>,
}

const STEP: u32 = 1000;

/// Follows every chain from its first entry to its recorded head, hashing the stored bytes again,
/// then builds the tree over all entries again and compares it with every checkpoint.
pub fn verify(tx: &mut Tx<'_>) -> Result<Verification> {
    let mut found = Verification {
        chains: 0,
        entries: 0,
        leaves: 0,
        checkpoints: 0,
        broken: Vec::new(),
    };
    let mut after = String::new();
    loop {
        let heads = tx.list(SUBJECTS, &[(&after).into(), STEP.into()], |row| {
            Ok((row.text()?, read_head(row)))
        })?;
        let Some((last, _)) = heads.last() else { break };
        after.clone_from(last);
        for (subject, head) in heads {
            found.chains += 1;
            let sound = match head {
                Ok(head) => verify_chain(tx, &subject, head, &mut found.entries)?,
                Err(_) => Err(Broken::HeadChanged { subject }),
            };
            found.broken.extend(sound.err());
        }
    }
    let orphans = tx.list(ORPHANS, &[], |row| {
        Ok(Broken::Truncated {
            subject: row.text()?,
            found: row.int()?,
            recorded: 0,
        })
    })?;
    found.broken.extend(orphans);
    let tree = tree::verify::verify(tx, &mut found.broken)?;
    found.leaves = tree.leaves;
    found.checkpoints = tree.checkpoints;
    Ok(found)
}

fn read_stored(row: &mut Row) -> Result<StoredEntry> {
    Ok(StoredEntry {
        id: row.text()?,
        organization: row.text()?,
        site: row.opt_text()?,
        kind: row.text()?,
        actor: row.text()?,
        at: row.time()?,
        subject: row.text()?,
        seq: row.int()?,
        prev: row.digest()?,
        canon: row.text()?,
        leaf: row.digest()?,
    })
}

fn verify_chain(
    tx: &mut Tx<'_>,
    subject: &str,
    head: Head,
    entries: &mut u64,
) -> Result<std::result::Result<(), Broken>> {
    let mut verifier = ChainVerifier::new(subject);
    // A forged place below the first is an entry too.
    let mut seq = i64::MIN;
    loop {
        let args = [subject.into(), Arg::Int(seq), STEP.into()];
        let rows: Result<Vec<StoredEntry>> = tx
            .query(STORED, &args)?
            .iter_mut()
            .map(read_stored)
            .collect();
        // A value that no entry can have is damage to be reported, not a reason to stop looking.
        let Ok(rows) = rows else {
            let subject = subject.to_owned();
            return Ok(Err(Broken::Unreadable { subject }));
        };
        let Some(last) = rows.last() else { break };
        seq = last.seq;
        *entries += rows.len() as u64;
        if let Err(broken) = rows.iter().try_for_each(|entry| verifier.push(entry)) {
            return Ok(Err(broken));
        }
    }
    Ok(verifier.finish(head))
}

/// The exact bytes of a part of a chain, in order.
pub fn lines(tx: &mut Tx<'_>, subject: &str, (first, last): (i64, i64)) -> Result<Vec<String>> {
    tx.list(
        LINES,
        &[subject.into(), first.into(), last.into()],
        Row::text,
    )
}

/// The chain of an entry and its place in it.
pub fn find_place(tx: &mut Tx<'_>, id: EntryId) -> Result<Option<(String, i64)>> {
    tx.find(PLACE_OF, &[Arg::text(id)])?
        .map(|mut row| Ok((row.text()?, row.int()?)))
        .transpose()
}

/// Where one chain ends.
pub fn find_head(tx: &mut Tx<'_>, subject: Subject) -> Result<Option<Head>> {
    tx.find(HEAD, &[Arg::text(subject)])?
        .map(|mut row| read_head(&mut row))
        .transpose()
}
