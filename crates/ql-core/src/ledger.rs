//! The tamper-evident ledger: entries chained per subject, hashed over the very bytes that are
//! stored.
//!
//! The leaf hash is that of RFC 6962 §2.1, SHA-256 of a zero byte and the entry's bytes, so the
//! same entries can stand in one Merkle tree.

use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

use crate::actor::Actor;
use crate::canon;
use crate::hash::Digest;
use crate::id::{ConversationId, EntryId, OrganizationId, ProposalId, RunId, SiteId};
use crate::time::Timestamp;
use crate::tree::TreeFault;

/// What a chain is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// One run.
    Run(RunId),
    /// One proposal.
    Proposal(ProposalId),
    /// One site's content by hand and administration.
    Site(SiteId),
    /// The organization's administration.
    Organization(OrganizationId),
    /// One conversation with an agent: its turns, plans and steps.
    Conversation(ConversationId),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(id) => id.fmt(f),
            Self::Proposal(id) => id.fmt(f),
            Self::Site(id) => id.fmt(f),
            Self::Organization(id) => id.fmt(f),
            Self::Conversation(id) => id.fmt(f),
        }
    }
}

impl FromStr for Subject {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse()
            .map(Self::Run)
            .or_else(|_| text.parse().map(Self::Proposal))
            .or_else(|_| text.parse().map(Self::Site))
            .or_else(|_| text.parse().map(Self::Organization))
            .or_else(|_| text.parse().map(Self::Conversation))
            .map_err(|_| {
                format!("`{text}` is no run, proposal, site, organization or conversation")
            })
    }
}

/// What happened, before it has a place in its chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The entry's identity.
    pub id: EntryId,
    /// The tenant.
    pub organization: OrganizationId,
    /// The site; none for the organization's own events.
    pub site: Option<SiteId>,
    /// The chain it belongs to.
    pub subject: Subject,
    /// What happened, such as `draft.created`.
    pub kind: &'static str,
    /// Who did it.
    pub actor: Actor,
    /// When.
    pub at: Timestamp,
    /// What it was about: identifiers, digests and codes, never bodies or secrets.
    pub detail: Value,
    /// How many bytes it adds to what its subject holds outside the ledger.
    pub bytes: i64,
}

/// Where a chain ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The number of entries.
    pub seq: i64,
    /// The leaf hash of the last one.
    pub hash: Digest,
    /// The bytes that the entries account for.
    pub bytes: i64,
    /// When the last one happened.
    pub updated_at: Timestamp,
}

impl Head {
    /// The head of a chain without entries.
    pub const EMPTY: Self = Self {
        seq: 0,
        hash: Digest::ZERO,
        bytes: 0,
        updated_at: Timestamp::from_micros(0),
    };
}

/// An event in its place, with the bytes that are hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// The leaf hash of the entry before it.
    pub prev: Digest,
    /// The canonical bytes, stored as they were hashed.
    pub canon: String,
    /// Where the chain ends with it: its place from 1, and SHA-256 of a zero byte and `canon`.
    pub head: Head,
}

impl Event {
    /// Gives the event its place after `head`.
    pub fn seal(&self, head: Head) -> Sealed {
        let seq = head.seq + 1;
        let entry = json!({
            "v": 1,
            "entry": self.id,
            "organization": self.organization,
            "site": self.site,
            "subject": self.subject.to_string(),
            "seq": seq,
            "prev": head.hash,
            "event": self.kind,
            "actor": self.actor.to_json(),
            "at": self.at,
            "detail": self.detail,
            "bytes": self.bytes,
        });
        let canon = canon::to_string(&entry);
        let next = Head {
            seq,
            hash: leaf_hash(canon.as_bytes()),
            bytes: head.bytes.saturating_add(self.bytes),
            updated_at: self.at,
        };
        Sealed {
            prev: head.hash,
            canon,
            head: next,
        }
    }
}

/// The leaf hash of RFC 6962 §2.1.
pub fn leaf_hash(bytes: &[u8]) -> Digest {
    Digest::of_parts(&[&[0], bytes])
}

/// An entry as it was read back. What stands beside the bytes serves lists and searches, so it must
/// say what the bytes say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    /// Its identity.
    pub id: String,
    /// The tenant.
    pub organization: String,
    /// The site.
    pub site: Option<String>,
    /// What happened.
    pub kind: String,
    /// Who did it, as text.
    pub actor: String,
    /// When.
    pub at: Timestamp,
    /// The chain it is filed under.
    pub subject: String,
    /// The place it is filed at.
    pub seq: i64,
    /// The previous hash it is filed with.
    pub prev: Digest,
    /// The stored bytes.
    pub canon: String,
    /// The leaf hash it is filed with.
    pub leaf: Digest,
}

/// What is wrong with a chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// The bytes don't give the leaf hash.
    #[error(
        "{subject} entry {seq}: the stored bytes don't give the stored hash; they were changed"
    )]
    Changed {
        /// The chain.
        subject: String,
        /// The place.
        seq: i64,
    },
    /// The entry doesn't follow the one before it.
    #[error(
        "{subject} entry {seq}: it doesn't follow the entry before it; one was removed, added or moved"
    )]
    Unlinked {
        /// The chain.
        subject: String,
        /// The place.
        seq: i64,
    },
    /// The bytes say something else than the row beside them.
    #[error("{subject} entry {seq}: the row says something else than the bytes that were hashed")]
    Misfiled {
        /// The chain.
        subject: String,
        /// The place.
        seq: i64,
    },
    /// The chain ends before its recorded head.
    #[error(
        "{subject}: the chain has {found} entries and its head says {recorded}; the end was cut off"
    )]
    Truncated {
        /// The chain.
        subject: String,
        /// How many entries there are.
        found: i64,
        /// How many the head records.
        recorded: i64,
    },
    /// The recorded head isn't what the last entry gives.
    #[error("{subject}: the recorded head isn't the one that its last entry gives")]
    HeadChanged {
        /// The chain.
        subject: String,
    },
    /// A row can't be read as an entry.
    #[error("{subject}: an entry holds what no entry can hold; it was changed")]
    Unreadable {
        /// The chain.
        subject: String,
    },
    /// The tree over all chains, or what was signed of it, isn't sound.
    #[error("{0}")]
    Tree(#[from] TreeFault),
}

/// Follows one chain, entry by entry.
#[derive(Debug)]
pub struct ChainVerifier {
    subject: String,
    head: Head,
}

impl ChainVerifier {
    /// Begins at the start of `subject`'s chain.
    pub fn new(subject: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            head: Head::EMPTY,
        }
    }

    /// Takes the next entry.
    pub fn push(&mut self, entry: &StoredEntry) -> Result<(), Broken> {
        let subject = || self.subject.clone();
        let seq = entry.seq;
        if leaf_hash(entry.canon.as_bytes()) != entry.leaf {
            return Err(Broken::Changed {
                subject: subject(),
                seq,
            });
        }
        if seq != self.head.seq + 1 || entry.prev != self.head.hash {
            return Err(Broken::Unlinked {
                subject: subject(),
                seq,
            });
        }
        let says: Value = serde_json::from_str(&entry.canon).map_err(|_| Broken::Changed {
            subject: subject(),
            seq,
        })?;
        if entry.subject != self.subject || !entry.says_what(&says) {
            return Err(Broken::Misfiled {
                subject: subject(),
                seq,
            });
        }
        self.head = Head {
            seq,
            hash: entry.leaf,
            bytes: (self.head.bytes).saturating_add(says["bytes"].as_i64().unwrap_or_default()),
            updated_at: entry.at,
        };
        Ok(())
    }

    /// Compares the end with the recorded head.
    pub fn finish(self, recorded: Head) -> Result<(), Broken> {
        let subject = self.subject;
        if self.head.seq != recorded.seq {
            return Err(Broken::Truncated {
                subject,
                found: self.head.seq,
                recorded: recorded.seq,
            });
        }
        if self.head == recorded {
            Ok(())
        } else {
            Err(Broken::HeadChanged { subject })
        }
    }
}

impl StoredEntry {
    /// Whether the row says what the hashed bytes say.
    fn says_what(&self, bytes: &Value) -> bool {
        let actor = Actor::from_text(&self.actor).map(Actor::to_json);
        bytes["entry"] == json!(self.id)
            && bytes["organization"] == json!(self.organization)
            && bytes["site"] == json!(self.site)
            && bytes["subject"] == json!(self.subject)
            && bytes["seq"] == json!(self.seq)
            && bytes["prev"] == json!(self.prev)
            && bytes["event"] == json!(self.kind)
            && Some(&bytes["actor"]) == actor.as_ref()
            && bytes["at"] == json!(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SystemIdGen;

    fn chain(length: i64) -> (Vec<StoredEntry>, Head) {
        let ids = SystemIdGen::default();
        let now = Timestamp::from_micros(1_796_040_000_000_000);
        let organization = OrganizationId::mint(&ids, now);
        let run = RunId::mint(&ids, now);
        let mut head = Head::EMPTY;
        let entries = (0..length)
            .map(|step| {
                let event = Event {
                    id: EntryId::mint(&ids, now),
                    organization,
                    site: None,
                    subject: Subject::Run(run),
                    kind: "test.step",
                    actor: Actor::System,
                    at: now,
                    detail: json!({"step": step}),
                    bytes: 10,
                };
                let sealed = event.seal(head);
                head = sealed.head;
                StoredEntry {
                    id: event.id.to_string(),
                    organization: organization.to_string(),
                    site: None,
                    kind: event.kind.to_owned(),
                    actor: event.actor.to_text(),
                    at: now,
                    subject: run.to_string(),
                    seq: head.seq,
                    prev: sealed.prev,
                    canon: sealed.canon,
                    leaf: head.hash,
                }
            })
            .collect();
        (entries, head)
    }

    fn verify(entries: &[StoredEntry], head: Head, subject: &str) -> Result<(), Broken> {
        let mut verifier = ChainVerifier::new(subject);
        entries.iter().try_for_each(|entry| verifier.push(entry))?;
        verifier.finish(head)
    }

    #[test]
    fn a_chain_as_written_verifies() {
        let (entries, head) = chain(20);
        assert_eq!(verify(&entries, head, &entries[0].subject), Ok(()));
    }

    #[test]
    fn edits_removals_swaps_and_truncation_are_found() {
        let (entries, head) = chain(6);
        let subject = entries[0].subject.clone();
        let mut edited = entries.clone();
        edited[2].canon = edited[2].canon.replace("\"step\":2", "\"step\":9");
        assert!(matches!(
            verify(&edited, head, &subject),
            Err(Broken::Changed { seq: 3, .. })
        ));
        edited[2].leaf = leaf_hash(edited[2].canon.as_bytes());
        assert!(matches!(
            verify(&edited, head, &subject),
            Err(Broken::Unlinked { seq: 4, .. })
        ));
        let mut removed = entries.clone();
        removed.remove(3);
        assert!(matches!(
            verify(&removed, head, &subject),
            Err(Broken::Unlinked { seq: 5, .. })
        ));
        let mut swapped = entries.clone();
        swapped.swap(1, 2);
        assert!(verify(&swapped, head, &subject).is_err());
        assert!(matches!(
            verify(&entries[..5], head, &subject),
            Err(Broken::Truncated {
                found: 5,
                recorded: 6,
                ..
            })
        ));
        let lighter = Head { bytes: 0, ..head };
        assert!(matches!(
            verify(&entries, lighter, &subject),
            Err(Broken::HeadChanged { .. })
        ));
        let mut relabelled = entries.clone();
        relabelled[1].actor = "operator:0".into();
        assert!(matches!(
            verify(&relabelled, head, &subject),
            Err(Broken::Misfiled { seq: 2, .. })
        ));
        let mut moved = entries.clone();
        for entry in &mut moved {
            entry.subject = "run_other".into();
        }
        assert!(matches!(
            verify(&moved, head, "run_other"),
            Err(Broken::Misfiled { .. })
        ));
    }
}
