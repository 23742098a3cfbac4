//! Whether entries tell a story that can have happened: a run from its beginning to its end, a
//! proposal from its making over the members' approval to its execution.

use super::entry::{Detail, Entry};
use super::refused::Refused;
use super::report::{Approval, ProposalReport};

type Result<T> = std::result::Result<T, Refused>;

fn rule<T>(line: usize, rule: &'static str) -> Result<T> {
    Err(Refused::Rule { line, rule })
}

fn detail<'l>(line: usize, entry: &Entry<'l>) -> Result<Detail<'l>> {
    let what = "an entry of this event";
    entry.detail().ok_or(Refused::Shape { line, what })
}

/// A run's chain, entry by entry.
#[derive(Debug, Default)]
pub(super) struct Run {
    begun: bool,
    pub(super) outcome: Option<String>,
    /// The proposals that it made, in order.
    pub(super) proposals: Vec<String>,
}

impl Run {
    pub(super) fn push(&mut self, line: usize, entry: &Entry<'_>) -> Result<()> {
        if self.outcome.is_some() {
            return rule(line, "nothing follows the end of a run");
        }
        if (entry.event == "run.begun") == self.begun {
            return rule(line, "a run begins once, and first");
        }
        self.begun = true;
        match &*entry.event {
            "run.finished" => {
                let outcome = detail(line, entry)?.outcome;
                let what = "an entry that ends a run";
                self.outcome = Some(outcome.ok_or(Refused::Shape { line, what })?.into_owned());
            }
            "proposal.created" => {
                let proposal = detail(line, entry)?.proposal;
                let what = "an entry that names a proposal";
                self.proposals
                    .push(proposal.ok_or(Refused::Shape { line, what })?.into_owned());
            }
            _ => {}
        }
        Ok(())
    }
}

/// A proposal's chain, entry by entry.
#[derive(Debug)]
pub(super) struct Proposal {
    report: ProposalReport,
    digest: String,
    policy: Option<String>,
    run: Option<String>,
}

impl Proposal {
    pub(super) fn new(id: &str) -> Self {
        Self {
            report: ProposalReport {
                id: id.to_owned(),
                kind: String::new(),
                state: String::new(),
                approvals: Vec::new(),
            },
            digest: String::new(),
            policy: None,
            run: None,
        }
    }

    pub(super) fn push(&mut self, line: usize, entry: &Entry<'_>) -> Result<()> {
        let Some(step) = entry.event.strip_prefix("proposal.") else {
            if entry.event == "draft.created" && self.report.state != "approved" {
                return rule(line, "a proposal writes a draft only once it is approved");
            }
            if self.report.state.is_empty() {
                return rule(line, "a proposal is made once, and first");
            }
            return Ok(());
        };
        if (step == "created") != self.report.state.is_empty() {
            return rule(line, "a proposal is made once, and first");
        }
        if step == "created" {
            return self.create(line, entry);
        }
        if !follows(&self.report.state, step) {
            return rule(line, "that can't happen to a proposal in its state");
        }
        if ["approval", "approved", "rejected", "changes_requested"].contains(&step) {
            self.decide(line, step, entry)?;
        }
        if step != "approval" {
            step.clone_into(&mut self.report.state);
        }
        Ok(())
    }

    fn create(&mut self, line: usize, entry: &Entry<'_>) -> Result<()> {
        let said = detail(line, entry)?;
        let what = "an entry that makes a proposal";
        let (Some(kind), Some(digest)) = (said.kind, said.digest) else {
            return Err(Refused::Shape { line, what });
        };
        self.report.kind = kind.into_owned();
        "pending".clone_into(&mut self.report.state);
        self.digest = digest.into_owned();
        self.policy = said.policy_digest.map(Into::into);
        self.run = said.run.map(Into::into);
        Ok(())
    }

    fn decide(&mut self, line: usize, step: &str, entry: &Entry<'_>) -> Result<()> {
        let Some(member) = &entry.actor.member else {
            return rule(line, "only a member decides");
        };
        if entry.actor.kind != "member" {
            return rule(line, "only a member decides");
        }
        let said = detail(line, entry)?;
        let what = "an entry of a decision";
        let digest = said.digest.ok_or(Refused::Shape { line, what })?;
        let policy = said.policy_digest.as_deref();
        let same_policy = policy.is_none() || policy == self.policy.as_deref();
        if step.starts_with("approv") {
            if same_policy && digest != self.digest {
                return rule(line, "the approved digest isn't the proposal's");
            }
            self.report.approvals.push(Approval {
                member: member.clone().into_owned(),
                digest: digest.into_owned(),
                at: entry.at.clone().into_owned(),
                own_proposal: said.own_proposal,
                under_another_policy: !same_policy,
            });
        }
        Ok(())
    }

    /// The end of the chain; in a run's bundle with the run that must have made it.
    pub(super) fn finish(self, run: Option<&str>) -> Result<ProposalReport> {
        if run.is_some() && self.run.as_deref() != run {
            return Err(Refused::Chains);
        }
        Ok(self.report)
    }
}

/// Whether a step can follow in a state.
fn follows(state: &str, step: &str) -> bool {
    match state {
        "pending" => matches!(
            step,
            "approval"
                | "approved"
                | "rejected"
                | "changes_requested"
                | "withdrawn"
                | "expired"
                | "superseded"
                | "stale"
        ),
        "approved" => matches!(
            step,
            "executed" | "stale" | "execution_failed" | "cancelled"
        ),
        _ => false,
    }
}
