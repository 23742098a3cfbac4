//! Contract §4: a typed payload is put before people, joined with the same one or set in place of
//! older ones about the same pages.

use std::collections::BTreeSet;

use ql_core::proposal::ProposalKind;
use ql_core::role::Role;
use ql_core::scope::Scope;
use ql_core::time::hours;

use super::super::facts::{Answer, Proposed, Standing};
use super::super::step::{Payload, Policy, Propose, Request, Which};
use super::{Caller, DECIDERS, EDITORS, Model, Proposal, Resolved, State};

/// What a policy asks for one kind of proposal.
pub(super) struct Rule {
    pub(super) approvals: u32,
    pub(super) roles: &'static [Role],
    valid_hours: u64,
}

impl Policy {
    pub(super) const fn rule(self, kind: ProposalKind) -> Rule {
        let lifecycle = matches!(kind, ProposalKind::ContentLifecycle);
        let publish = matches!(kind, ProposalKind::PublishLifecycle);
        let (approvals, valid_hours) = match self {
            Self::Two if publish => (2, 48),
            Self::Owner => (1, 1),
            Self::Default | Self::Two | Self::Strict => (1, 336),
        };
        let roles: &'static [Role] = match self {
            Self::Owner | Self::Strict => &[Role::Owner],
            Self::Default | Self::Two if lifecycle => &[Role::Owner, Role::Admin],
            Self::Two if publish => &DECIDERS,
            Self::Default | Self::Two => &EDITORS,
        };
        Rule {
            approvals,
            roles,
            valid_hours,
        }
    }

    pub(super) const fn many_pages(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Default | Self::Owner | Self::Strict => 10,
        }
    }

    fn risk(self, payload: &Payload) -> &'static str {
        match payload {
            Payload::Create(_) | Payload::Revise(_) => "low",
            Payload::Publish(pages) if pages.len() >= self.many_pages() => "high",
            Payload::Publish(_) => "medium",
            Payload::Lifecycle(_) => "high",
        }
    }
}

/// The scope that an agent needs to propose a kind; members need to be editors.
pub(super) fn may_propose(caller: Caller, kind: ProposalKind) -> Result<(), &'static str> {
    let scope = match kind {
        ProposalKind::CreateContent
        | ProposalKind::ContentRevision
        | ProposalKind::ContentSourceDraft => Scope::ContentWrite,
        ProposalKind::PublishLifecycle | ProposalKind::ContentLifecycle => Scope::PublishRequest,
        other => unreachable!("these stories have no {other}"),
    };
    caller.may(scope, &EDITORS)
}

impl Model {
    pub(super) fn propose(&mut self, caller: Caller, request: &Request, new: &Propose) -> Answer {
        may_propose(caller, new.payload.kind())?;
        if new.rationale.is_empty() {
            return Err("invalid_arguments");
        }
        self.keyed(request, |model| {
            let run = model.open_run(caller, new.run)?;
            let resolved = model.resolve(&new.payload)?;
            let proposer = caller.role();
            if let Some(same) = model.standing(proposer, (&new.payload, &resolved)) {
                return Ok(model.proposed(same, true, Vec::new()));
            }
            let superseded = model.supersede(proposer, (new.payload.kind(), &resolved));
            let number = model.put(proposer, (&new.payload, resolved), run);
            model.note(run, "proposal.created");
            Ok(model.proposed(number, false, superseded))
        })
    }

    /// Adds a pending proposal.
    pub(super) fn put(
        &mut self,
        proposer: Option<Role>,
        (payload, resolved): (&Payload, Vec<Resolved>),
        run: Option<usize>,
    ) -> usize {
        let valid = self.policy.rule(payload.kind()).valid_hours;
        self.proposals.push(Proposal {
            payload: payload.clone(),
            resolved,
            proposer,
            run,
            risk: self.policy.risk(payload),
            created_at: self.now,
            expires_at: self.now.plus(hours(valid)),
            state: State::Pending,
            decisions: Vec::new(),
            told: self.policy,
            events: vec!["proposal.created"],
        });
        self.proposals.len() - 1
    }

    /// The newest pending one of the same proposer that asks for the same, where it saw the same
    /// and can still be approved.
    fn standing(
        &self,
        proposer: Option<Role>,
        (payload, resolved): (&Payload, &[Resolved]),
    ) -> Option<usize> {
        let asks_the_same = |number: &usize| {
            let other = &self.proposals[*number];
            other.state == State::Pending && other.proposer == proposer && other.payload == *payload
        };
        let same = (0..self.proposals.len())
            .filter(asks_the_same)
            .max_by_key(|number| self.proposal_order(*number))?;
        let found = &self.proposals[same];
        (found.resolved == resolved && found.expires_at > self.now).then_some(same)
    }

    /// Sets aside older ones of the same kind and proposer whose pages are all in the newer one.
    fn supersede(
        &mut self,
        proposer: Option<Role>,
        (kind, resolved): (ProposalKind, &[Resolved]),
    ) -> Vec<usize> {
        let pages: BTreeSet<usize> = resolved.iter().filter_map(|seen| seen.item).collect();
        let mut older: Vec<usize> = (0..self.proposals.len())
            .filter(|number| {
                let other = &self.proposals[*number];
                let covered = |seen: &Resolved| seen.item.is_some_and(|item| pages.contains(&item));
                other.state == State::Pending
                    && other.proposer == proposer
                    && other.payload.kind() == kind
                    && other.resolved.iter().all(covered)
            })
            .collect();
        older.sort_by_key(|number| self.proposal_order(*number));
        for number in &older {
            self.settle(*number, State::Settled("superseded"), "proposal.superseded");
        }
        older
    }

    pub(super) fn settle(&mut self, proposal: usize, state: State, event: &'static str) {
        let settled = &mut self.proposals[proposal];
        settled.state = state;
        settled.events.push(event);
    }

    pub(super) fn withdraw(&mut self, caller: Caller, proposal: Which) -> Answer {
        let number = self.known(proposal)?;
        let found = &self.proposals[number];
        may_propose(caller, found.payload.kind())?;
        if found.proposer != caller.role() {
            return Err("not_found");
        }
        if found.state != State::Pending {
            return Err("invalid_transition");
        }
        self.settle(number, State::Settled("withdrawn"), "proposal.withdrawn");
        Ok(self.standing_facts(number))
    }

    pub(super) fn proposal_order(&self, number: usize) -> (i64, usize) {
        let millis = self.proposals[number].created_at.as_micros() / 1000;
        (millis, number)
    }

    /// The risk that the policy of the day sees in what waits.
    pub(super) fn risk(&self, number: usize) -> &'static str {
        let found = &self.proposals[number];
        match found.state {
            State::Pending => self.policy.risk(&found.payload),
            _ => found.risk,
        }
    }

    fn proposed(&self, number: usize, joined: bool, superseded: Vec<usize>) -> String {
        let found = &self.proposals[number];
        let proposed = Proposed {
            proposal: number,
            kind: found.payload.kind().as_str(),
            risk: self.risk(number),
            expires_at: found.expires_at.to_string(),
            joined,
            superseded,
        };
        proposed.facts()
    }

    pub(super) fn standing_facts(&self, number: usize) -> String {
        let found = &self.proposals[number];
        let state = match &found.state {
            State::Pending => "pending".to_owned(),
            State::Approved(due, _) => format!("approved for {due}"),
            State::Executed => "executed".to_owned(),
            State::Stale(reason) => format!("stale because {reason}"),
            State::Settled(name) => (*name).to_owned(),
        };
        let open = matches!(found.state, State::Pending | State::Approved(..));
        let stale = |index| self.stale(number, index).unwrap_or("holds").to_owned();
        let preconditions = (0..found.resolved.len()).filter(|_| open).map(stale);
        let standing = Standing {
            proposal: number,
            state,
            risk: self.risk(number),
            approvals: self.approved_by(number).len(),
            needed: self.policy.rule(found.payload.kind()).approvals,
            stale: preconditions.collect(),
        };
        standing.facts()
    }
}
