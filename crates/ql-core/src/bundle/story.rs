//! Whether entries tell a story that can have happened: a run from its beginning to its end, a
//! proposal from its making over the members' approval to its execution.

use serde_json::Value;

use super::entry::Entry;
use super::refused::Refused;
use super::report::{Approval, ProposalReport};
use crate::hash::Digest;

type Result<T> = std::result::Result<T, Refused>;

fn rule<T>(line: usize, rule: &'static str) -> Result<T> {
    Err(Refused::Rule { line, rule })
}

/// A value as people read it.
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn digest(line: usize, value: &Value) -> Result<Digest> {
    let parsed = value.as_str().and_then(|text| text.parse().ok());
    parsed.map_or_else(
        || rule(line, "a decision names what it was made on by its digest"),
        Ok,
    )
}

/// A run's chain, entry by entry.
#[derive(Debug, Default)]
pub(super) struct Run {
    begun: bool,
    pub(super) outcome: Option<String>,
    /// The proposals that it made, in order.
    pub(super) proposals: Vec<Value>,
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
            "run.finished" => match entry.detail().outcome {
                Some(outcome) => self.outcome = Some(text(&outcome)),
                None => return rule(line, "a run ends with an outcome"),
            },
            "proposal.created" => self.proposals.push(entry.detail().proposal),
            event if event.starts_with("run.") && event != "run.begun" => {
                return rule(line, "that can't happen to a run");
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
    digest: Value,
    policy: Value,
    run: Value,
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
            digest: Value::Null,
            policy: Value::Null,
            run: Value::Null,
        }
    }

    pub(super) fn push(&mut self, line: usize, entry: &Entry<'_>) -> Result<()> {
        let is_new = self.report.state.is_empty();
        if (entry.event == "proposal.created") != is_new {
            return rule(line, "a proposal is made once, and first");
        }
        if is_new {
            self.create(entry);
            return Ok(());
        }
        let Some(step) = entry.event.strip_prefix("proposal.") else {
            if entry.event == "draft.created" && self.report.state != "approved" {
                return rule(line, "a proposal writes a draft only once it is approved");
            }
            return Ok(());
        };
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

    fn create(&mut self, entry: &Entry<'_>) {
        let said = entry.detail();
        self.report.kind = text(&said.kind);
        "pending".clone_into(&mut self.report.state);
        self.digest = said.digest;
        self.policy = said.policy_digest;
        self.run = said.run;
    }

    fn decide(&mut self, line: usize, step: &str, entry: &Entry<'_>) -> Result<()> {
        let actor = entry.actor();
        if actor.kind != "member" {
            return rule(line, "only a member decides");
        }
        if !step.starts_with("approv") {
            return Ok(());
        }
        let Some(member) = actor.member.as_str() else {
            return rule(line, "only a member decides");
        };
        let said = entry.detail();
        let approved = digest(line, &said.digest)?;
        let is_same_policy = said.policy_digest.is_null() || said.policy_digest == self.policy;
        if is_same_policy && approved != digest(line, &self.digest)? {
            return rule(line, "the approved digest isn't the proposal's");
        }
        self.report.approvals.push(Approval {
            member: member.to_owned(),
            digest: approved,
            at: entry.at.clone().into_owned(),
            own_proposal: said.own_proposal == true,
            under_another_policy: !is_same_policy,
        });
        Ok(())
    }

    /// The end of the chain; in a run's bundle with the run that must have made it.
    pub(super) fn finish(self, run: Option<&str>) -> Result<ProposalReport> {
        match run {
            Some(run) if self.run != run => Err(Refused::Chains),
            Some(_) | None => Ok(self.report),
        }
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
