//! Checking a bundle with nothing but the bundle and what the auditor holds.

use std::collections::HashSet;

use super::entry::Entry;
use super::report::{ProposalReport, Report};
use super::story::{Proposal, Run};
use super::{EXPORTED, End, FORMAT, Header, Refused, export_detail};
use crate::canon;
use crate::checkpoint::{Checkpoint, KeyChain};
use crate::hash::Digest;
use crate::ledger::leaf_hash;
use crate::note::PublicKey;
use crate::{plain, tree};

type Result<T> = std::result::Result<T, Refused>;

/// What the auditor already has.
#[derive(Debug, Clone, Copy, Default)]
pub struct Held<'h> {
    /// A key that is the ledger's. Without one a bundle proves only that somebody made it.
    pub key: Option<PublicKey>,
    /// A checkpoint from before.
    pub checkpoint: Option<&'h str>,
}

/// Checks a bundle. It needs no database and no network.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify(bundle: &[u8], held: &Held<'_>) -> Result<Report> {
    let text = std::str::from_utf8(bundle).map_err(|_| Refused::Lines)?;
    let text = text.strip_suffix('\n').ok_or(Refused::Lines)?;
    let lines: Vec<&str> = text.split('\n').collect();
    let header = header(lines[0])?;
    let keys = keys(&header)?;
    if held.key.is_some_and(|key| !keys.contains(&key)) {
        return Err(Refused::OtherLedger);
    }
    let checkpoint = keys.open(&header.checkpoint).map_err(Refused::Checkpoint)?;
    let since = since(&header, &keys, checkpoint)?;
    connect(held, &keys, checkpoint, since)?;

    let entries: usize = header.chains.iter().map(|chain| chain.leaves.len()).sum();
    let announced = entries
        .checked_add(header.bodies)
        .and_then(|n| n.checked_add(2));
    if announced != Some(lines.len()) {
        return Err(Refused::Lines);
    }
    let mut reading = Reading::new(&header, &lines);
    let (outcome, proposals) = reading.chains()?;
    let exported_at = reading.export()?;
    reading.tree(checkpoint)?;
    reading.bodies()?;
    Ok(Report {
        subject: header.chains[0].subject.clone().into_owned(),
        organization: reading.place.0,
        outcome,
        entries,
        bodies: header.bodies,
        proposals,
        exported_at,
        origin: keys.origin().to_owned(),
        keys: keys.keys().collect(),
        checkpoint,
        since,
    })
}

fn header(line: &str) -> Result<Header<'_>> {
    let error = |error| Refused::NotPlain { line: 1, error };
    plain::check(line).map_err(error)?;
    let shape = Refused::Shape {
        line: 1,
        what: "a header",
    };
    let header: Header<'_> = serde_json::from_str(line).map_err(|_| shape.clone())?;
    if header.format != FORMAT {
        return Err(Refused::Format);
    }
    if header.chains.is_empty() {
        return Err(shape);
    }
    Ok(header)
}

fn keys(header: &Header<'_>) -> Result<KeyChain> {
    let first = header.key.parse().ok();
    let first: PublicKey = first
        .filter(|key: &PublicKey| key.to_string() == header.key)
        .ok_or(Refused::Key { number: 1 })?;
    let notes = header.successions.iter().map(|note| &**note);
    KeyChain::follow(first, notes).map_err(|place| Refused::Key {
        number: place as u64 + 2,
    })
}

/// The earlier checkpoint that the bundle brings, proven to be the beginning of the later one.
fn since(header: &Header<'_>, keys: &KeyChain, now: Checkpoint) -> Result<Option<Checkpoint>> {
    let Some(since) = &header.since else {
        return Ok(None);
    };
    let before = keys
        .open_earlier(&since.checkpoint)
        .map_err(Refused::Since)?;
    let (old, new) = ((before.size, before.root), (now.size, now.root));
    tree::verify_consistency(old, new, &since.nodes).map_err(Refused::Rewritten)?;
    Ok(Some(before))
}

/// Compares with the checkpoint that the auditor holds.
fn connect(
    held: &Held<'_>,
    keys: &KeyChain,
    now: Checkpoint,
    since: Option<Checkpoint>,
) -> Result<()> {
    let Some(note) = held.checkpoint else {
        return Ok(());
    };
    let held = keys.open_earlier(note).map_err(|_| Refused::OtherLedger)?;
    let size = held.size;
    if size > now.size {
        return Err(Refused::Older { size });
    }
    let known = [Some(now), since].into_iter().flatten();
    match known.into_iter().find(|known| known.size == size) {
        Some(known) if known == held => Ok(()),
        Some(_) => Err(Refused::Rewritten(tree::ProofError::Root)),
        None => Err(Refused::Unconnected { size }),
    }
}

/// Going through the lines.
struct Reading<'b> {
    header: &'b Header<'b>,
    lines: &'b [&'b str],
    // The line that comes next, from 0.
    next: usize,
    // The tenant and the site of all of it.
    place: (String, Option<String>),
    leaves: Vec<(u64, Digest)>,
    ends: Vec<End<'b>>,
}

impl<'b> Reading<'b> {
    fn new(header: &'b Header<'b>, lines: &'b [&'b str]) -> Self {
        Self {
            header,
            lines,
            next: 1,
            place: (String::new(), None),
            leaves: Vec::with_capacity(lines.len()),
            ends: Vec::with_capacity(header.chains.len()),
        }
    }

    /// Reads the next line as an entry; its number and its hash come with it.
    fn entry(&mut self, index: u64) -> Result<(usize, Entry<'b>, Digest)> {
        let text = self.lines[self.next];
        self.next += 1;
        let line = self.next;
        plain::check(text).map_err(|error| Refused::NotPlain { line, error })?;
        let what = "a ledger entry";
        let entry = Entry::read(text).ok_or(Refused::Shape { line, what })?;
        if line == 2 {
            self.place = (
                entry.organization.clone().into_owned(),
                entry.site.clone().map(Into::into),
            );
        }
        let unlinked = |member| Err(Refused::Unlinked { line, member });
        if entry.organization != self.place.0 {
            return unlinked("organization");
        }
        if entry.site.as_deref() != self.place.1.as_deref() {
            return unlinked("site");
        }
        let hash = leaf_hash(text.as_bytes());
        self.leaves.push((index, hash));
        Ok((line, entry, hash))
    }

    /// Follows every chain; how the bundle's subject stands, and the proposals.
    fn chains(&mut self) -> Result<(String, Vec<ProposalReport>)> {
        let header = self.header;
        let subject = &*header.chains[0].subject;
        let is_run = subject.starts_with("run_");
        let (mut run, mut proposals) = (Run::default(), Vec::new());
        for (place, chain) in header.chains.iter().enumerate() {
            let mut proposal = chain
                .subject
                .starts_with("prop_")
                .then(|| Proposal::new(&chain.subject));
            self.chain(place, |line, entry| match &mut proposal {
                Some(proposal) => proposal.push(line, entry),
                None if is_run => run.push(line, entry),
                None => Ok(()),
            })?;
            let expected = place.checked_sub(1).map(|nth| run.proposals.get(nth));
            if expected.is_some_and(|name| name.map(|n| &**n) != Some(&*chain.subject)) {
                return Err(Refused::Chains);
            }
            if let Some(proposal) = proposal {
                proposals.push(proposal.finish(is_run.then_some(subject))?);
            }
        }
        if is_run {
            if run.proposals.len() + 1 != header.chains.len() {
                return Err(Refused::Chains);
            }
            return Ok((run.outcome.unwrap_or_else(|| "open".into()), proposals));
        }
        let state = proposals.first().map(|proposal| proposal.state.clone());
        Ok((state.unwrap_or_else(|| "recorded".into()), proposals))
    }

    fn chain(
        &mut self,
        place: usize,
        mut tell: impl FnMut(usize, &Entry<'b>) -> Result<()>,
    ) -> Result<()> {
        let chain = &self.header.chains[place];
        let mut hash = Digest::ZERO;
        for (nth, index) in chain.leaves.iter().enumerate() {
            let (line, entry, leaf) = self.entry(*index)?;
            let unlinked = |member| Err(Refused::Unlinked { line, member });
            if entry.subject != chain.subject {
                return unlinked("subject");
            }
            if entry.seq != nth as u64 + 1 {
                return unlinked("seq");
            }
            if !hash.is_written(&entry.prev) {
                return unlinked("prev");
            }
            tell(line, &entry)?;
            hash = leaf;
        }
        if chain.leaves.is_empty() {
            return Err(Refused::Chains);
        }
        self.ends.push(End {
            subject: &chain.subject,
            seq: chain.leaves.len() as u64,
            hash,
        });
        Ok(())
    }

    /// The entry that recorded the export; when that was.
    fn export(&mut self) -> Result<String> {
        let (_, entry, _) = self.entry(self.header.export)?;
        let detail = export_detail(&self.header.chains[0].subject, &self.ends);
        let is_export = entry.event == EXPORTED && entry.detail.get() == canon::to_string(&detail);
        if is_export {
            Ok(entry.at.into_owned())
        } else {
            Err(Refused::Export)
        }
    }

    fn tree(&mut self, signed: Checkpoint) -> Result<()> {
        self.leaves.sort_unstable_by_key(|(index, _)| *index);
        tree::verify_joint(&self.leaves, signed.size, &self.header.nodes, signed.root)
            .map_err(Refused::Tree)
    }

    fn bodies(&self) -> Result<()> {
        if self.header.bodies == 0 {
            return Ok(());
        }
        let (entries, bodies) = self.lines.split_at(self.next);
        let named: HashSet<&str> = entries[1..]
            .iter()
            .flat_map(|line| line.split("sha256\":\"").skip(1))
            .filter_map(|rest| rest.split('"').next())
            .collect();
        for (nth, text) in bodies.iter().enumerate() {
            let line = self.next + nth + 1;
            plain::check(text).map_err(|error| Refused::NotPlain { line, error })?;
            let what = "a body";
            let body: std::borrow::Cow<'_, str> =
                serde_json::from_str(text).map_err(|_| Refused::Shape { line, what })?;
            let digest = Digest::of(body.as_bytes()).to_string();
            if !named.contains(&*digest) {
                return Err(Refused::Body { line });
            }
        }
        Ok(())
    }
}
