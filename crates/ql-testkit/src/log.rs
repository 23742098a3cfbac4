//! A ledger in memory that signs whatever a test wants signed, true or not.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use ql_core::actor::{Actor, Harness};
use ql_core::bundle::{self, End, Header};
use ql_core::checkpoint::{Checkpoint, KeyChain, Succession};
use ql_core::hash::Digest;
use ql_core::id::{
    AgentId, ConnectionId, EntryId, IdGen, MemberId, OrganizationId, ProposalId, RunId, SiteId,
};
use ql_core::ledger::{Event, Head, Subject, leaf_hash};
use ql_core::note::SigningKey;
use ql_core::tree::{Frontier, joint_proof};
use serde_json::{Value, json};

use crate::{CountingIds, NOON};

/// A ledger of one site, with an agent and a member.
pub struct TestLog {
    ids: Arc<dyn IdGen>,
    organization: OrganizationId,
    /// The site that everything happens on.
    pub site: SiteId,
    /// Who proposes.
    pub agent: Actor,
    /// Who decides.
    pub member: Actor,
    keys: KeyChain,
    signer: SigningKey,
    successions: Vec<String>,
    heads: HashMap<Subject, Head>,
    lines: HashMap<Subject, Vec<(u64, String)>>,
    tree: Frontier,
    nodes: HashMap<(u32, u64), Digest>,
    clock: Duration,
    /// What the recorded export says, where a test wants it to say something else.
    pub export_detail: Option<Value>,
}

impl std::fmt::Debug for TestLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestLog")
            .field("size", &self.tree.size())
            .finish_non_exhaustive()
    }
}

impl Default for TestLog {
    fn default() -> Self {
        Self::new(1)
    }
}

impl TestLog {
    /// A ledger whose first key is made of this byte; the same one signs the same bytes every time.
    pub fn new(seed: u8) -> Self {
        let ids = CountingIds::default();
        let signer = SigningKey::from_seed(&[seed; 32]);
        let agent = Actor::Agent {
            agent: AgentId::mint(&ids, NOON),
            connection: ConnectionId::mint(&ids, NOON),
            harness: Harness::Codex,
        };
        Self {
            organization: OrganizationId::mint(&ids, NOON),
            site: SiteId::mint(&ids, NOON),
            agent,
            member: Actor::Member(MemberId::mint(&ids, NOON)),
            keys: KeyChain::new(signer.public()),
            signer,
            successions: Vec::new(),
            heads: HashMap::new(),
            lines: HashMap::new(),
            tree: Frontier::default(),
            nodes: HashMap::new(),
            clock: Duration::ZERO,
            export_detail: None,
            ids: Arc::new(ids),
        }
    }

    /// A run that hasn't begun.
    pub fn run(&self) -> RunId {
        RunId::mint(&*self.ids, NOON)
    }

    /// A proposal that wasn't made.
    pub fn proposal(&self) -> ProposalId {
        ProposalId::mint(&*self.ids, NOON)
    }

    /// Appends an event to a chain, a second after the one before.
    pub fn push(&mut self, subject: Subject, kind: &'static str, actor: Actor, detail: Value) {
        self.clock += Duration::from_secs(1);
        let at = NOON.plus(self.clock);
        let event = Event {
            id: EntryId::mint(&*self.ids, at),
            organization: self.organization,
            site: Some(self.site),
            subject,
            kind,
            actor,
            at,
            detail,
            bytes: 0,
        };
        let head = self.heads.get(&subject).copied().unwrap_or(Head::EMPTY);
        let sealed = event.seal(head);
        self.heads.insert(subject, sealed.head);
        self.push_line(subject, sealed.canon);
    }

    /// Appends a line as it is, whatever it says, as a server that lies would.
    pub fn push_line(&mut self, subject: Subject, line: String) {
        let (index, leaf) = (self.tree.size(), leaf_hash(line.as_bytes()));
        if let Some(head) = self.heads.get_mut(&subject) {
            head.hash = leaf;
        }
        let nodes = &mut self.nodes;
        nodes.insert((0, index), leaf);
        self.tree.push(leaf, |level, index, hash| {
            nodes.insert((level, index), hash);
        });
        self.lines.entry(subject).or_default().push((index, line));
    }

    /// Changes the last line of a chain before it is signed.
    pub fn edit_last(&mut self, subject: Subject, edit: impl Fn(&str) -> String) {
        let lines = self.lines.get_mut(&subject).expect("a chain");
        let (index, line) = lines.last_mut().expect("a line");
        assert_eq!(
            *index + 1,
            self.tree.size(),
            "it's the last of the tree too"
        );
        *line = edit(line);
        let leaf = leaf_hash(line.as_bytes());
        self.nodes.insert((0, *index), leaf);
        self.heads.get_mut(&subject).expect("a head").hash = leaf;
        let nodes = &mut self.nodes;
        let read = Frontier::read(*index, |level, index| {
            Ok::<_, Infallible>(nodes[&(level, index)])
        });
        self.tree = read.expect("nodes are there");
        self.tree.push(leaf, |level, index, hash| {
            nodes.insert((level, index), hash);
        });
    }

    /// Puts another key in the place of the one that signs.
    pub fn rotate(&mut self, seed: u8) {
        self.rotate_at(seed, self.tree.size());
    }

    /// As [`TestLog::rotate`] with whatever size the old key says, true or not.
    pub fn rotate_at(&mut self, seed: u8, size: u64) {
        let after = SigningKey::from_seed(&[seed; 32]);
        let succession = Succession {
            number: self.successions.len() as u64 + 2,
            key: after.public(),
            size,
        };
        let note = succession.sign(&self.signer, self.keys.origin());
        self.successions.push(note);
        self.signer = after;
    }

    /// Signs what the tree is now.
    pub fn checkpoint(&self) -> String {
        let checkpoint = Checkpoint {
            size: self.tree.size(),
            root: self.tree.root(),
        };
        checkpoint.sign(&self.signer, self.keys.origin())
    }

    /// The whole story of one article: begun, drafted, proposed, approved, carried out, finished.
    pub fn story(&mut self) -> (Subject, Subject) {
        let (run, proposal) = (Subject::Run(self.run()), Subject::Proposal(self.proposal()));
        let (agent, member) = (self.agent, self.member);
        let digest = Digest::of(proposal.to_string().as_bytes());
        let policy = Digest::of(b"policy");
        self.push(
            run,
            "run.begun",
            agent,
            json!({"run_type": "write-article"}),
        );
        self.push(
            run,
            "draft.created",
            agent,
            json!({"number": 1, "sha256": Digest::of(b"Hello.")}),
        );
        let made = json!({"kind": "publish_lifecycle", "digest": digest, "run": run.to_string(), "policy_digest": policy});
        self.push(proposal, "proposal.created", agent, made);
        let named = json!({"proposal": proposal.to_string(), "digest": digest});
        self.push(run, "proposal.created", agent, named);
        let end = json!({"outcome": "completed", "requested_outcome": "completed"});
        self.push(run, "run.finished", agent, end);
        let approved = json!({"digest": digest, "own_proposal": false, "policy_digest": policy});
        self.push(proposal, "proposal.approved", member, approved);
        self.push(proposal, "proposal.executed", member, json!({"items": []}));
        (run, proposal)
    }

    /// Exports chains, the one that the bundle is about first.
    pub fn export(&mut self, chains: &[Subject]) -> String {
        self.export_since(chains, None)
    }

    /// As [`TestLog::export`], with the proof that the ledger only grew since an earlier checkpoint
    /// over so many entries.
    pub fn export_since(&mut self, chains: &[Subject], since: Option<(u64, &str)>) -> String {
        let parts: Vec<Part> = chains.iter().map(|chain| self.part(*chain)).collect();
        let ends: Vec<End<'_>> = parts.iter().map(Part::end).collect();
        let detail = bundle::export_detail(&parts[0].subject, &ends);
        let detail = self.export_detail.take().unwrap_or(detail);
        let recorded = Subject::Site(self.site);
        self.push(recorded, bundle::EXPORTED, self.member, detail);
        let lines = parts.iter().flat_map(|part| &part.lines);
        let lines: Vec<&(u64, String)> = lines.chain(self.lines[&recorded].last()).collect();

        let size = self.tree.size();
        let (old, note) = since.unwrap_or((size, ""));
        let mut header = Header::new(&self.keys.keys().next().expect("a key"));
        header.checkpoint = self.checkpoint().into();
        header.leaves = lines.iter().map(|(index, _)| *index).collect();
        let mut sorted = header.leaves.clone();
        sorted.sort_unstable();
        let fetch = |level, index| Ok::<_, Infallible>(self.nodes[&(level, index)]);
        header.nodes = joint_proof(&sorted, (old, size), fetch).expect("nodes are there");
        header.since = note.into();
        header.successions = self.successions.iter().map(Into::into).collect();
        bundle::write(&header, lines.iter().map(|(_, line)| &**line))
    }

    fn part(&self, chain: Subject) -> Part {
        Part {
            subject: chain.to_string(),
            lines: self.lines[&chain].clone(),
        }
    }
}

/// A chain as it is when it is exported.
struct Part {
    subject: String,
    lines: Vec<(u64, String)>,
}

impl Part {
    fn end(&self) -> End<'_> {
        let (_, last) = self.lines.last().expect("a line");
        End {
            subject: &self.subject,
            seq: self.lines.len() as u64,
            hash: leaf_hash(last.as_bytes()),
        }
    }
}
