//! Lists and look-ups.

use ql_core::proposal::ProposalKind;

use super::super::step::{ContentFilter, ProposalFilter, Read};
use super::{Choice, write};

impl Choice<'_> {
    pub(super) fn read(&mut self) -> Read {
        let limit = self.chance.of(&[1, 2, 3, 100]);
        match self.chance.below(11) {
            0 => Read::Content(self.content_filter(), limit),
            1 => {
                let item = self.among(self.model.items.len());
                let at = self.chance.percent(50);
                Read::Item(item, at.then(|| self.revision_of(item)))
            }
            2 => Read::Proposals(self.proposal_filter(), limit),
            3 => Read::Proposal(self.among(self.model.proposals.len())),
            4 => Read::Runs(limit),
            5 => Read::Run(self.among(self.model.runs.len())),
            6 => Read::Claims(self.among(self.model.revisions.len()), limit),
            7 => {
                let moves = self.model.moves() + 2;
                let since = self.chance.below(moves);
                Read::Feed(i64::try_from(since).expect("few moves"))
            }
            8 => Read::Conversations(limit),
            9 => Read::Conversation(self.among(self.model.console.conversations.len())),
            _ => Read::Page(self.chance.of(&["en", "nl"]), self.chance.of(&write::SLUGS)),
        }
    }

    pub(super) fn content_filter(&mut self) -> ContentFilter {
        let statuses = ["draft", "published", "published_with_draft", "archived"];
        let mut filter = ContentFilter::default();
        match self.chance.below(6) {
            0 => filter.status = Some(self.chance.of(&statuses)),
            1 => filter.query = Some(self.chance.of(&["ALP", "a-2", "%", "gamma"])),
            2 => filter.slug = Some(self.chance.of(&write::SLUGS)),
            3 => filter.locale = Some(self.chance.of(&["en", "nl"])),
            4 => filter.since = Some(self.model.now.minus(ql_core::time::hours(1))),
            _ => {}
        }
        filter
    }

    pub(super) fn proposal_filter(&mut self) -> ProposalFilter {
        let states = [
            "pending",
            "approved",
            "executed",
            "stale",
            "superseded",
            "expired",
        ];
        let mut filter = ProposalFilter::default();
        match self.chance.below(4) {
            0 => filter.state = Some(self.chance.of(&states)),
            1 => filter.kind = Some(self.chance.of(&ProposalKind::ALL)),
            2 => filter.run = Some(self.among(self.model.runs.len())),
            _ => {}
        }
        filter
    }
}
