//! Taking a part of the ledger elsewhere, with the proof that it is the ledger's.

use std::borrow::Cow;
use std::time::Duration;

use ql_core::access::{ReadAdministration, ReadOrganization};
use ql_core::bundle::{self, EXPORTED, End, Header};
use ql_core::id::EntryId;
use ql_core::ledger::{Head, Subject};
use ql_core::proof;
use ql_store::checkpoint::{self, StoredKey};
use ql_store::tree::{self, Sequenced};
use ql_store::{Tx, conversation, ledger, proposal, run};

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::session::SiteRef;

/// How long an export waits for another server that gives the places.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it looks then.
const LOOK: Duration = Duration::from_millis(50);

/// An entry by its chain and its place in it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    subject: String,
    seq: i64,
}

/// What goes into a bundle.
struct Plan {
    /// The chains up to where they ended.
    chains: Vec<Place>,
    /// The entry that records the export.
    export: Place,
}

impl App {
    /// Exports a run with its proposals, a proposal, the site's own chain or the organization's, as a
    /// bundle that can be checked offline. The export is an entry of its own, which says where each
    /// chain ended. With `since`, the bundle also proves that the ledger only grew since the
    /// checkpoint over so many entries.
    ///
    /// # Errors
    /// [`Error::NotFound`] for what isn't the caller's, [`Error::Unsigned`] when nobody signs.
    pub async fn export_ledger(
        &self,
        ctx: &OpContext,
        subject: Subject,
        since: Option<u64>,
    ) -> Result<String> {
        let scribe = match subject {
            Subject::Organization(_) => {
                let may = ctx.authorize_organization::<ReadOrganization>()?;
                Scribe::in_organization(self, may.actor(), may.organization())
            }
            Subject::Run(_)
            | Subject::Proposal(_)
            | Subject::Site(_)
            | Subject::Conversation(_) => {
                let may = ctx.authorize::<ReadAdministration>()?;
                Scribe::on_site(self, may.actor(), may.place())
            }
        };
        if let Some(size) = since {
            self.require_checkpoint(size).await?;
        }
        let ctx = ctx.clone();
        let plan = self
            .store()
            .write(move |tx| {
                require_own(tx, &ctx, subject)?;
                record(tx, &scribe, subject)
            })
            .await?;
        self.until_placed(&plan.export).await?;
        self.store()
            .scan(move |tx| assemble(tx, &plan, since))
            .await
    }

    /// The proof that one entry stands in the signed tree, with the entry, for the operator.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such entry, [`Error::Unsigned`] when nobody signs.
    pub async fn prove_entry(&self, id: EntryId) -> Result<String> {
        let found = self
            .store()
            .read(move |tx| ledger::find_place(tx, id))
            .await?;
        let (subject, seq) = found.ok_or(Error::NotFound("ledger entry"))?;
        let place = Place { subject, seq };
        self.until_placed(&place).await?;
        self.store().read(move |tx| prove(tx, &place)).await
    }

    /// The operator's context where a part of the ledger belongs.
    pub async fn operator_context_for(&self, uid: u32, subject: Subject) -> Result<OpContext> {
        let (site, what) = match subject {
            Subject::Run(id) => {
                let found = self.store().read(move |tx| run::site_of(tx, id));
                (found.await?, "run")
            }
            Subject::Proposal(id) => {
                let found = self.store().read(move |tx| proposal::site_of(tx, id));
                (found.await?, "proposal")
            }
            Subject::Conversation(id) => {
                let found = self.store().read(move |tx| conversation::site_of(tx, id));
                (found.await?, "conversation")
            }
            Subject::Site(id) => (Some(id), "site"),
            Subject::Organization(id) => return self.operator_context(uid, Some(id)).await,
        };
        let site = SiteRef::Id(site.ok_or(Error::NotFound(what))?);
        Ok(self.operator_site_context(uid, &site).await?.0)
    }

    async fn require_checkpoint(&self, size: u64) -> Result<()> {
        let known = self
            .store()
            .read(move |tx| checkpoint::find(tx, size))
            .await?;
        if known.is_some() {
            return Ok(());
        }
        let message = format!("no checkpoint over {size} entries was signed here");
        Err(Error::invalid("/since", "unknown_checkpoint", message))
    }

    /// Waits until an entry has its place under a checkpoint, giving places where this server can.
    async fn until_placed(&self, wanted: &Place) -> Result<()> {
        let begun = tokio::time::Instant::now();
        loop {
            let place = wanted.clone();
            let placed = self
                .store()
                .read(move |tx| tree::place(tx, &place.subject, place.seq))
                .await?;
            if placed.is_some() {
                return Ok(());
            }
            match self.sequence().await? {
                Sequenced::Appended { .. } => {}
                Sequenced::OtherKey if begun.elapsed() < PATIENCE && self.may_come() => {
                    tokio::time::sleep(LOOK).await;
                }
                Sequenced::Idle | Sequenced::Elsewhere if begun.elapsed() < PATIENCE => {
                    tokio::time::sleep(LOOK).await;
                }
                Sequenced::Idle
                | Sequenced::Elsewhere
                | Sequenced::OtherKey
                | Sequenced::Unlike { .. } => return Err(self.unsigned()),
            }
        }
    }
}

/// Refuses what isn't of the caller's site or organization, as if it weren't there.
fn require_own(tx: &mut Tx<'_>, ctx: &OpContext, subject: Subject) -> Result<()> {
    let (found, what) = match subject {
        Subject::Run(id) => (run::find(tx, ctx.site()?, id)?.is_some(), "run"),
        Subject::Proposal(id) => (proposal::find(tx, ctx.site()?, id)?.is_some(), "proposal"),
        Subject::Conversation(id) => {
            let found = conversation::find(tx, ctx.site()?, id)?;
            (found.is_some(), "conversation")
        }
        Subject::Site(id) => (id == ctx.site()?, "site"),
        Subject::Organization(id) => (id == ctx.organization(), "organization"),
    };
    if found {
        Ok(())
    } else {
        Err(Error::NotFound(what))
    }
}

/// Records the export, with where each chain ends now.
fn record(tx: &mut Tx<'_>, scribe: &Scribe, subject: Subject) -> Result<Plan> {
    let mut subjects = vec![subject];
    if let Subject::Run(_) = subject {
        subjects.extend(made(tx, subject)?);
    }
    let mut chains = Vec::new();
    let mut ends = Vec::new();
    for subject in subjects {
        let head = ledger::find_head(tx, subject)?.unwrap_or(Head::EMPTY);
        chains.push(Place {
            subject: subject.to_string(),
            seq: head.seq,
        });
        ends.push(head.hash);
    }
    let ends: Vec<End<'_>> = chains
        .iter()
        .zip(ends)
        .map(|(chain, hash)| End {
            subject: &chain.subject,
            seq: chain.seq.unsigned_abs(),
            hash,
        })
        .collect();
    let detail = bundle::export_detail(&chains[0].subject, &ends);
    let (subject, head) = scribe.export(tx, EXPORTED, detail)?;
    let export = Place {
        subject: subject.to_string(),
        seq: head.seq,
    };
    Ok(Plan { chains, export })
}

/// The proposals that a run made, in order.
fn made(tx: &mut Tx<'_>, run: Subject) -> Result<Vec<Subject>> {
    let entries = ledger::chain(tx, run)?;
    let made = entries
        .iter()
        .filter(|entry| entry.kind == "proposal.created");
    made.map(|entry| {
        let name = entry.detail["proposal"].as_str().unwrap_or_default();
        name.parse()
            .map_err(|_| Error::Fault(format!("entry {} names no proposal", entry.id)))
    })
    .collect()
}

fn assemble(tx: &mut Tx<'_>, plan: &Plan, since: Option<u64>) -> Result<String> {
    let keys = checkpoint::keys(tx)?;
    let (Some(first), Some(latest)) = (keys.first(), checkpoint::latest(tx)?) else {
        return Err(Error::Fault("the tree has entries and no signature".into()));
    };
    let mut header = Header::new(&first.key);
    let mut lines = Vec::new();
    for chain in &plan.chains {
        header
            .leaves
            .extend(tree::places(tx, &chain.subject, chain.seq)?);
        lines.extend(ledger::lines(tx, &chain.subject, (1, chain.seq))?);
    }
    let Place { subject, seq } = &plan.export;
    header.leaves.extend(tree::place(tx, subject, *seq)?);
    lines.extend(ledger::lines(tx, subject, (*seq, *seq))?);

    let size = latest.checkpoint.size;
    let since = match since {
        Some(old) => checkpoint::find(tx, old)?,
        None => None,
    };
    let old = since.as_ref().map_or(size, |signed| signed.checkpoint.size);
    let mut sorted = header.leaves.clone();
    sorted.sort_unstable();
    header.nodes = tree::joint_proof(tx, &sorted, (old, size))?;
    header.checkpoint = Cow::Owned(latest.note);
    header.since = since.map_or_else(Cow::default, |signed| Cow::Owned(signed.note));
    header.successions = keys.into_iter().filter_map(note).collect();
    Ok(bundle::write(&header, lines.iter().map(String::as_str)))
}

fn note(key: StoredKey) -> Option<Cow<'static, str>> {
    key.note.map(Cow::Owned)
}

fn prove(tx: &mut Tx<'_>, place: &Place) -> Result<String> {
    let index = tree::place(tx, &place.subject, place.seq)?;
    let (Some(index), Some(latest)) = (index, checkpoint::latest(tx)?) else {
        return Err(Error::Fault("the tree has entries and no signature".into()));
    };
    let path = tree::inclusion_proof(tx, index, latest.checkpoint.size)?;
    let lines = ledger::lines(tx, &place.subject, (place.seq, place.seq))?;
    let entry = lines.first().ok_or(Error::NotFound("ledger entry"))?;
    Ok(proof::write(entry, index, &path, &latest.note))
}
