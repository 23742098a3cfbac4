//! What is carried out, and what the server does by itself: due publications, runs that ended,
//! proposals and leases whose time ran out.

use ql_core::run::Outcome;
use ql_core::time::{Timestamp, hours};

use super::super::step::{Payload, Which};
use super::{Mistake, Model, Move, Proposal, State};

impl Proposal {
    /// The instant that its publications are meant for.
    pub(super) fn due(&self) -> Option<Timestamp> {
        match &self.payload {
            Payload::Publish(pages) => pages.iter().find_map(|page| page.at),
            Payload::Create(_) | Payload::Revise(_) | Payload::Lifecycle(_) => None,
        }
    }
}

impl Model {
    /// Carries out what nothing keeps from it.
    pub(super) fn execute(&mut self, number: usize) {
        let found = &self.proposals[number];
        let (payload, resolved) = (found.payload.clone(), found.resolved.clone());
        match payload {
            Payload::Create(new) => {
                let slug = resolved[0].slug.clone();
                self.create(resolved[0].locale, slug, new.fields);
                self.proposals[number].events.push("draft.created");
            }
            Payload::Revise(next) => {
                if let Ok((item, base, fields)) = self.outline(&next) {
                    self.advance((item, base), next.slug, fields).ok();
                }
                self.proposals[number].events.push("draft.created");
            }
            Payload::Publish(pages) => {
                for page in pages {
                    let revision = match page.revision {
                        Some(Which::Known(revision)) => Some(revision),
                        _ => None,
                    };
                    self.go_live(page.item, revision);
                }
            }
            Payload::Lifecycle(pages) => {
                for page in pages {
                    if let Which::Known(item) = page.item {
                        self.items[item].archived_at = page.archive.then_some(self.now);
                        self.items[item].updated_at = self.now;
                    }
                }
            }
        }
        self.settle(number, State::Executed, "proposal.executed");
    }

    fn go_live(&mut self, item: Which, revision: Option<usize>) {
        let Which::Known(item) = item else { return };
        if revision.is_none() && self.errs(Mistake::UnpublishedPagesStay) {
            return;
        }
        let old = self.live_slug(item).cloned();
        let locale = self.items[item].locale;
        let slug = match revision {
            Some(revision) => self.revisions[revision].slug.clone(),
            None => old.clone().unwrap_or_default(),
        };
        if revision.is_some() {
            self.slugs.insert((locale, slug.clone()), item);
        }
        let draft = self.revisions[self.items[item].draft].slug.clone();
        if let Some(old) = old
            && old != draft
            && (revision.is_none() || old != slug)
        {
            self.release(locale, &old);
        }
        self.items[item].live = revision;
        self.items[item].updated_at = self.now;
        self.moves.push(Move {
            item,
            revision,
            slug,
            at: self.now,
        });
    }

    /// Does what is due and counts it: publications in the order of their instants, then the rest.
    pub(super) fn work(&mut self) -> String {
        let mut due: Vec<(Timestamp, (i64, usize), usize)> = (0..self.proposals.len())
            .filter_map(|number| match self.proposals[number].state {
                State::Approved(due, order) if due <= self.now => Some((due, order, number)),
                _ => None,
            })
            .collect();
        due.sort_unstable();
        for (_, _, number) in &due {
            match self.first_stale(*number) {
                Some(reason) => self.settle(*number, State::Stale(reason), "proposal.stale"),
                None => self.execute(*number),
            }
        }
        let returned = self.return_lapsed();
        let (closed, expired) = (self.close_runs(), self.expire());
        format!(
            "jobs {} runs {closed} proposals {expired} turns {returned}",
            due.len()
        )
    }

    /// A run whose connection ended, or that did nothing for a day, is blocked.
    fn close_runs(&mut self) -> usize {
        let idle = self.now.minus(hours(24));
        let ended: Vec<usize> = (0..self.runs.len())
            .filter(|number| {
                let run = &self.runs[*number];
                let over = !self.is_alive(run.connection) || run.active_at <= idle;
                run.ended.is_none() && over && !self.errs(Mistake::NothingExpires)
            })
            .collect();
        for number in &ended {
            self.runs[*number].ended = Some(Outcome::Blocked);
            self.note(Some(*number), "run.finished");
        }
        ended.len()
    }

    fn expire(&mut self) -> usize {
        let over: Vec<usize> = (0..self.proposals.len())
            .filter(|number| {
                let found = &self.proposals[*number];
                found.state == State::Pending && found.expires_at <= self.now
            })
            .filter(|_| !self.errs(Mistake::NothingExpires))
            .collect();
        for number in &over {
            self.settle(*number, State::Settled("expired"), "proposal.expired");
        }
        over.len()
    }
}
