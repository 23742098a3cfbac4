//! What a bundle that holds proves.

use std::fmt;

use crate::checkpoint::Checkpoint;
use crate::hash::Digest;
use crate::note::PublicKey;

/// What a bundle proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What it is about: a run, a proposal, a site or an organization.
    pub subject: String,
    /// The tenant.
    pub organization: String,
    /// How a run ended, `open` while it hasn't; `recorded` for the others.
    pub outcome: String,
    /// How many entries were checked, that of the export not counted.
    pub entries: usize,
    /// A run's proposals, in the order in which they were made; a proposal's own.
    pub proposals: Vec<ProposalReport>,
    /// When it was exported.
    pub exported_at: String,
    /// The ledger's name.
    pub origin: String,
    /// The ledger's keys, the one that signed last.
    pub keys: Vec<PublicKey>,
    /// What was signed.
    pub checkpoint: Checkpoint,
    /// The earlier checkpoint that the ledger is proven to have only grown since, where there is one.
    pub since: Option<Checkpoint>,
}

/// What is proven of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalReport {
    /// The proposal.
    pub id: String,
    /// What kind of change it is.
    pub kind: String,
    /// Where it stands.
    pub state: String,
    /// Who approved what, and when.
    pub approvals: Vec<Approval>,
}

/// One member's approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Who.
    pub member: String,
    /// The digest of what was seen.
    pub digest: Digest,
    /// When, by the server's clock.
    pub at: String,
    /// Whether it approved what it had proposed itself.
    pub own_proposal: bool,
    /// Whether another policy held than when the proposal was made. The digest covers the policy, so
    /// only the proposal's payload shows then that it is the same proposal.
    pub under_another_policy: bool,
}

impl fmt::Display for Report {
    /// One line that every verifier prints alike.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} entries={} size={}",
            self.subject, self.outcome, self.entries, self.checkpoint.size
        )?;
        for proposal in &self.proposals {
            write!(f, " {}={}", proposal.id, proposal.state)?;
            for approval in &proposal.approvals {
                write!(f, "+{}", approval.member)?;
            }
        }
        Ok(())
    }
}
