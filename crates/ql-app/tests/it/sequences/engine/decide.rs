//! Proposals, made and decided.

use ql_app::decision::{NewDecision, NewRollBack};
use ql_app::proposal::{NewProposal, ProposalView, Proposed};
use ql_app::{IdempotencyKey, OpContext, Result};
use ql_core::hash::Digest as Sha256;
use ql_core::proposal::{Payload as Asked, ProposalState};

use super::super::facts;
use super::super::step::{Decide, Digest, Propose, RollBack, Which, Who};
use super::{Engine, Said};
impl Engine {
    pub(super) async fn propose(
        &mut self,
        ctx: &OpContext,
        (who, propose): (Who, &Propose),
        key: Option<IdempotencyKey>,
    ) -> Said {
        let new = NewProposal {
            run: self.run(who, propose.run),
            title: None,
            rationale: propose.rationale.into(),
            payload: self.payload(&propose.payload),
            pointer: "/payload",
        };
        let answer = self.test.app.create_proposal(ctx, new, key).await;
        Said::of(answer, |proposed| self.proposed(&proposed))
    }

    pub(super) fn proposed(&mut self, proposed: &Proposed) -> String {
        let number = self.names.proposals.number(proposed.proposal_id);
        self.remember(number, proposed.digest);
        let superseded = proposed.superseded.iter();
        let superseded = superseded.map(|id| self.names.proposals.number(*id));
        let proposed = facts::Proposed {
            proposal: number,
            kind: proposed.kind.as_str(),
            risk: proposed.risk.as_str(),
            expires_at: proposed.expires_at.to_string(),
            joined: proposed.joined,
            superseded: superseded.collect(),
        };
        proposed.facts()
    }

    /// Keeps the digest that the proposer of a new proposal was told.
    pub(super) fn remember(&mut self, number: usize, digest: Sha256) {
        if number == self.names.told.len() {
            self.names.told.push(digest);
        }
    }

    pub(super) async fn decide(&mut self, ctx: &OpContext, decide: &Decide) -> Said {
        let id = self.proposal(decide.proposal);
        let other = Sha256::of(b"something else");
        let digest = match (decide.digest, decide.proposal) {
            (Digest::Told, Which::Known(number)) => self.names.told[number],
            (Digest::Shown, _) => {
                let operator = self.test.operator().await;
                let shown = self.test.app.get_proposal(&operator, id).await;
                shown.map_or(other, |view| view.digest)
            }
            (Digest::Told | Digest::Other, _) => other,
        };
        let new = NewDecision {
            proposal: id,
            verdict: decide.verdict,
            digest,
            comment: decide.comment.into(),
        };
        let answer = self.test.app.decide(ctx, new).await;
        self.meet_what_was_written(&answer).await;
        Said::of(answer, |view| self.standing(&view))
    }

    /// Numbers the draft that carrying out a proposal wrote, which its answer doesn't name.
    pub(super) async fn meet_what_was_written(&mut self, answer: &Result<ProposalView>) {
        let Ok(view) = answer else { return };
        if !matches!(view.proposal.state, ProposalState::Executed { .. }) {
            return;
        }
        let item = match &view.proposal.payload {
            Asked::CreateContent(_) => None,
            Asked::ContentRevision(revision) => Some(revision.content_id),
            _ => return,
        };
        let (content, draft) = self.newest_draft(item).await;
        self.names.items.number(content);
        self.names.revisions.number(draft);
    }

    pub(super) async fn roll_back(&mut self, ctx: &OpContext, roll_back: &RollBack) -> Said {
        let new = NewRollBack {
            content: self.names.items.id(roll_back.item, self.elsewhere.items),
            to: self
                .names
                .revisions
                .id(roll_back.to, self.elsewhere.revisions),
            comment: roll_back.comment.into(),
        };
        let answer = self.test.app.roll_back(ctx, new).await;
        if let Ok(view) = &answer {
            let number = self.names.proposals.number(view.proposal.id);
            self.remember(number, view.digest);
        }
        Said::of(answer, |view| self.standing(&view))
    }
}
