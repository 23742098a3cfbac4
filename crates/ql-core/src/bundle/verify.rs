//! Checking a bundle with nothing but the bundle and what the auditor holds.

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
    let since = match &*header.since {
        "" => None,
        note => Some(keys.open_earlier(note).map_err(Refused::Since)?),
    };
    connect(held, &keys, checkpoint, since)?;
    if lines.len() != header.leaves.len() + 1 || lines.len() < 3 {
        return Err(Refused::Lines);
    }
    let mut reading = Reading::new(&header, &lines);
    reading.entries()?;
    let exported_at = reading.export()?;
    reading.tree(checkpoint, since.unwrap_or(checkpoint))?;
    let subject = reading.ends[0].subject.to_owned();
    let (outcome, proposals) = reading.told()?;
    Ok(Report {
        subject,
        organization: reading.place.0,
        outcome,
        entries: lines.len() - 2,
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
    let what = "a header";
    let header: Header<'_> =
        serde_json::from_str(line).map_err(|_| Refused::Shape { line: 1, what })?;
    if header.format == FORMAT {
        Ok(header)
    } else {
        Err(Refused::Format)
    }
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
    let mut known = [Some(now), since].into_iter().flatten();
    match known.find(|known| known.size == size) {
        Some(known) if known == held => Ok(()),
        Some(_) => Err(Refused::Rewritten { size }),
        None => Err(Refused::Unconnected { size }),
    }
}

/// Going through the lines.
struct Reading<'b> {
    header: &'b Header<'b>,
    lines: &'b [&'b str],
    // The tenant and the site of all of it.
    place: (String, Option<String>),
    leaves: Vec<(u64, Digest)>,
    ends: Vec<End<'b>>,
    run: Option<Run>,
    proposals: Vec<Proposal>,
}

impl<'b> Reading<'b> {
    fn new(header: &'b Header<'b>, lines: &'b [&'b str]) -> Self {
        Self {
            header,
            lines,
            place: (String::new(), None),
            leaves: Vec::with_capacity(lines.len()),
            ends: Vec::new(),
            run: None,
            proposals: Vec::new(),
        }
    }

    /// Reads a line as an entry; its hash comes with it.
    fn entry(&mut self, line: usize) -> Result<(Entry<'b>, Digest)> {
        let text = self.lines[line - 1];
        plain::check(text).map_err(|error| Refused::NotPlain { line, error })?;
        let what = "a ledger entry";
        let entry = Entry::read(text).ok_or(Refused::Shape { line, what })?;
        if line == 2 {
            let site = entry.site.clone().map(Into::into);
            self.place = (entry.organization.clone().into_owned(), site);
        }
        let unlinked = |member| Err(Refused::Unlinked { line, member });
        if entry.organization != self.place.0 {
            return unlinked("organization");
        }
        if entry.site.as_deref() != self.place.1.as_deref() {
            return unlinked("site");
        }
        let hash = leaf_hash(text.as_bytes());
        self.leaves.push((self.header.leaves[line - 2], hash));
        Ok((entry, hash))
    }

    /// Follows every chain.
    fn entries(&mut self) -> Result<()> {
        for line in 2..self.lines.len() {
            let (entry, hash) = self.entry(line)?;
            let (seq, prev) = match self.ends.last() {
                Some(end) if end.subject == entry.subject => (end.seq, end.hash),
                Some(_) | None => {
                    self.begin(line, &entry);
                    (0, Digest::ZERO)
                }
            };
            let unlinked = |member| Err(Refused::Unlinked { line, member });
            if u64::try_from(entry.seq) != Ok(seq + 1) {
                return unlinked("seq");
            }
            if !prev.is_written(&entry.prev) {
                return unlinked("prev");
            }
            if let Some(end) = self.ends.last_mut() {
                (end.seq, end.hash) = (seq + 1, hash);
            }
            self.tell(line, &entry)?;
        }
        Ok(())
    }

    fn begin(&mut self, line: usize, entry: &Entry<'b>) {
        // The subject is read again from the line, which outlives the entry.
        let subject = match &entry.subject {
            std::borrow::Cow::Borrowed(subject) => subject,
            std::borrow::Cow::Owned(_) => self.lines[line - 1],
        };
        if self.ends.is_empty() && subject.starts_with("run_") {
            self.run = Some(Run::default());
        }
        if subject.starts_with("prop_") {
            self.proposals.push(Proposal::new(subject));
        }
        self.ends.push(End {
            subject,
            seq: 0,
            hash: Digest::ZERO,
        });
    }

    /// Follows what an entry tells of its run or its proposal.
    fn tell(&mut self, line: usize, entry: &Entry<'b>) -> Result<()> {
        if entry.subject.starts_with("prop_") {
            return match self.proposals.last_mut() {
                Some(proposal) => proposal.push(line, entry),
                None => Ok(()),
            };
        }
        match &mut self.run {
            Some(run) if self.ends.len() == 1 => run.push(line, entry),
            Some(_) | None => Ok(()),
        }
    }

    /// The entry that recorded the export; when that was.
    fn export(&mut self) -> Result<String> {
        let (entry, _) = self.entry(self.lines.len())?;
        let detail = export_detail(self.ends[0].subject, &self.ends);
        let is_export = entry.event == EXPORTED && entry.detail.get() == canon::to_string(&detail);
        if is_export {
            Ok(entry.at.into_owned())
        } else {
            Err(Refused::Export)
        }
    }

    fn tree(&mut self, now: Checkpoint, since: Checkpoint) -> Result<()> {
        self.leaves.sort_unstable_by_key(|(index, _)| *index);
        let trees = [since, now].map(|tree| (tree.size, tree.root));
        tree::verify_joint(&self.leaves, trees[0], trees[1], &self.header.nodes)
            .map_err(Refused::Tree)
    }

    /// How the bundle's subject stands, and its proposals.
    fn told(&mut self) -> Result<(String, Vec<ProposalReport>)> {
        let run = self.run.take();
        let made = run.as_ref().map_or(&[][..], |run| &run.proposals);
        let others = self.ends[1..].iter().map(|end| end.subject);
        if !others.eq(made.iter().map(|name| name.as_str().unwrap_or_default())) {
            return Err(Refused::Chains);
        }
        let of = run.as_ref().map(|_| self.ends[0].subject);
        let proposals: Result<_> = std::mem::take(&mut self.proposals)
            .into_iter()
            .map(|proposal| proposal.finish(of))
            .collect();
        let outcome = match run {
            Some(run) => run.outcome.unwrap_or_else(|| "open".into()),
            None => "recorded".into(),
        };
        Ok((outcome, proposals?))
    }
}
