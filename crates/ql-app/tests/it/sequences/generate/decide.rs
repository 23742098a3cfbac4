//! Proposals to decide, and pages to roll back.

use ql_core::proposal::Verdict;

use super::super::model::State;
use super::super::step::{Call, Decide, Digest, RollBack, Which};
use super::Choice;

impl Choice<'_> {
    pub(super) fn decide(&mut self) -> Call {
        let verdicts = [
            (10, Verdict::Approve),
            (1, Verdict::Reject),
            (1, Verdict::RequestChanges),
        ];
        let digests = [(12, Digest::Shown), (4, Digest::Told), (1, Digest::Other)];
        Call::Decide(Decide {
            proposal: self.proposal(|state| *state == State::Pending),
            verdict: self.chance.weighted(&verdicts),
            digest: self.chance.weighted(&digests),
            comment: if self.chance.percent(8) {
                ""
            } else {
                "I looked at it."
            },
        })
    }

    /// Items that are live and were live as another revision before.
    pub(super) fn with_a_past(&self) -> Vec<usize> {
        let model = self.model;
        let items = (0..model.items.len()).filter(|number| model.items[*number].live.is_some());
        items
            .filter(|number| !model.formerly_live(*number).is_empty())
            .collect()
    }

    /// Mostly to what was live before.
    pub(super) fn roll_back(&mut self) -> Call {
        let past = self.with_a_past();
        let item = if past.is_empty() || self.chance.percent(10) {
            self.among(self.model.items.len())
        } else {
            Which::Known(self.chance.of(&past))
        };
        let former = match item {
            Which::Known(number) => self.model.formerly_live(number),
            _ => Vec::new(),
        };
        let to = if former.is_empty() || self.chance.percent(20) {
            self.revision_of(item)
        } else {
            Which::Known(self.chance.of(&former))
        };
        Call::RollBack(RollBack {
            item,
            to,
            comment: if self.chance.percent(5) {
                ""
            } else {
                "It was better."
            },
        })
    }

    /// A proposal in a state that makes sense, where there is one.
    pub(super) fn proposal(&mut self, fitting: impl Fn(&State) -> bool) -> Which {
        let proposals = self.model.proposals.iter().enumerate();
        let fit: Vec<usize> = proposals
            .filter(|(_, proposal)| fitting(&proposal.state))
            .map(|(number, _)| number)
            .collect();
        if fit.is_empty() || self.chance.percent(5) {
            return self.among(self.model.proposals.len());
        }
        Which::Known(self.chance.of(&fit))
    }
}
