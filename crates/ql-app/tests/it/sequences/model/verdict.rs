//! Contract §4: members decide on what they saw, under the policy, and the approval that suffices
//! carries the proposal out or waits for its instant.

use std::collections::BTreeSet;

use ql_core::proposal::{ProposalKind, Verdict};
use ql_core::role::Role;

use super::super::facts::Answer;
use super::super::step::{Decide, Digest, Payload, Policy, Publish, RollBack, Which};
use super::{ADMINS, Caller, DECIDERS, Decision, Mistake, Model, State};

impl Model {
    pub(super) fn decide(&mut self, caller: Caller, new: &Decide) -> Answer {
        let anybody = self.errs(Mistake::ViewersDecide);
        let deciders = if anybody { &Role::ALL[..] } else { &DECIDERS };
        let (role, fresh) = caller.as_member(deciders)?;
        if new.verdict != Verdict::Approve && new.comment.is_empty() {
            return Err("invalid_arguments");
        }
        let number = self.known(new.proposal)?;
        let found = &self.proposals[number];
        let kind = found.payload.kind();
        may_decide(caller, kind, anybody)?;
        let expired = found.expires_at <= self.now && !self.errs(Mistake::NothingExpires);
        if found.state != State::Pending || expired {
            return Err("invalid_transition");
        }
        let good = match new.digest {
            Digest::Shown => true,
            Digest::Told => found.told == self.policy || self.errs(Mistake::OldDigestsAreGood),
            Digest::Other => false,
        };
        if !good {
            return Err("digest_mismatch");
        }
        if new.verdict == Verdict::Approve {
            self.approve(number, (role, fresh))?;
        } else {
            self.refuse(number, role, new.verdict)?;
        }
        Ok(self.standing_facts(number))
    }

    fn refuse(&mut self, number: usize, role: Role, verdict: Verdict) -> Result<(), &'static str> {
        let rule = self.policy.rule(self.proposals[number].payload.kind());
        if !rule.roles.contains(&role) {
            return Err("policy_denied");
        }
        self.keep(number, role, verdict);
        let (state, event) = match verdict {
            Verdict::Reject => ("rejected", "proposal.rejected"),
            _ => ("changes_requested", "proposal.changes_requested"),
        };
        self.settle(number, State::Settled(state), event);
        Ok(())
    }

    fn approve(&mut self, number: usize, (role, fresh): (Role, bool)) -> Result<(), &'static str> {
        if self.risk(number) == "high" && !fresh {
            return Err("reauthentication_required");
        }
        let found = &self.proposals[number];
        let rule = self.policy.rule(found.payload.kind());
        if !rule.roles.contains(&role) && !self.errs(Mistake::ViewersDecide) {
            return Err("policy_denied");
        }
        // There is one member of each role, so the others who could are the rule's other roles.
        let alone = rule.roles.len() == 1 && self.policy != Policy::Strict;
        if found.proposer == Some(role) && !alone {
            return Err("own_proposal");
        }
        if self.approved_by(number).contains(&role) {
            return Err("already_approved");
        }
        self.keep(number, role, Verdict::Approve);
        let enough = self.approved_by(number).len() >= rule.approvals as usize;
        if enough || self.errs(Mistake::OneApprovalSuffices) {
            self.proposals[number].events.push("proposal.approved");
            self.carry_out(number);
        } else {
            self.proposals[number].events.push("proposal.approval");
        }
        Ok(())
    }

    fn keep(&mut self, number: usize, role: Role, verdict: Verdict) {
        let policy = self.policy;
        self.proposals[number].decisions.push(Decision {
            role,
            verdict,
            policy,
        });
    }

    /// Whose approval of what stands now counts: given under the policy of now, by a role that it
    /// still names.
    pub(super) fn approved_by(&self, number: usize) -> BTreeSet<Role> {
        let found = &self.proposals[number];
        let rule = self.policy.rule(found.payload.kind());
        let counts = |decision: &&Decision| {
            decision.verdict == Verdict::Approve
                && decision.policy == self.policy
                && rule.roles.contains(&decision.role)
        };
        let counting = found.decisions.iter().filter(counts);
        counting.map(|decision| decision.role).collect()
    }

    fn carry_out(&mut self, number: usize) {
        let due = self.proposals[number].due().filter(|due| *due > self.now);
        let due = due.filter(|_| !self.errs(Mistake::SchedulesFireAtOnce));
        match (self.first_stale(number), due) {
            (Some(reason), _) => self.settle(number, State::Stale(reason), "proposal.stale"),
            (None, Some(due)) => {
                let order = (self.now.as_micros() / 1000, self.scheduled);
                self.scheduled += 1;
                self.proposals[number].state = State::Approved(due, order);
            }
            (None, None) => self.execute(number),
        }
    }

    pub(super) fn first_stale(&self, number: usize) -> Option<&'static str> {
        let count = self.proposals[number].resolved.len();
        (0..count).find_map(|index| self.stale(number, index))
    }

    pub(super) fn cancel(&mut self, caller: Caller, proposal: Which) -> Answer {
        let (role, _) = caller.as_member(&DECIDERS)?;
        let number = self.known(proposal)?;
        let kind = self.proposals[number].payload.kind();
        may_decide(caller, kind, false)?;
        if !self.policy.rule(kind).roles.contains(&role) {
            return Err("policy_denied");
        }
        if !matches!(self.proposals[number].state, State::Approved(..)) {
            return Err("invalid_transition");
        }
        self.settle(number, State::Settled("cancelled"), "proposal.cancelled");
        Ok(self.standing_facts(number))
    }

    /// A publication that a member proposes and executes in one step, to what was live before.
    pub(super) fn roll_back(&mut self, caller: Caller, new: &RollBack) -> Answer {
        let (role, fresh) = caller.as_member(&DECIDERS)?;
        if new.comment.is_empty() {
            return Err("invalid_arguments");
        }
        let item = self.known(new.item)?;
        let revision = self.known(new.to)?;
        if self.revisions[revision].item != item {
            return Err("not_found");
        }
        let live = self.items[item].live;
        let was_live = self.moves.iter().any(|m| m.revision == Some(revision));
        if live.is_none() || live == Some(revision) || !was_live {
            return Err("invalid_arguments");
        }
        let rule = self.policy.rule(ProposalKind::PublishLifecycle);
        if !rule.roles.contains(&role) {
            return Err("policy_denied");
        }
        if !fresh {
            return Err("reauthentication_required");
        }
        let slug = self.revisions[revision].slug.clone();
        let holder = self.slugs.get(&(self.items[item].locale, slug));
        if holder.is_some_and(|holder| *holder != item) {
            return Err("invalid_arguments");
        }
        let payload = Payload::Publish(vec![Publish {
            item: new.item,
            revision: Some(new.to),
            at: None,
            zone: None,
        }]);
        let seen = self.seen(item, Some(revision));
        let number = self.put(Some(role), (&payload, vec![seen]), None);
        self.keep(number, role, Verdict::Approve);
        self.proposals[number].events.push("proposal.approved");
        self.execute(number);
        Ok(self.standing_facts(number))
    }
}

fn may_decide(caller: Caller, kind: ProposalKind, anybody: bool) -> Result<(), &'static str> {
    if kind == ProposalKind::ContentLifecycle && !anybody {
        caller.as_member(&ADMINS)?;
    }
    Ok(())
}
