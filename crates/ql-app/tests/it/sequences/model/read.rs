//! What lists and look-ups show.

use ql_core::scope::Scope;
use ql_core::time::Timestamp;

use super::super::facts::{Answer, Listed, maybe, row};
use super::super::step::{ContentFilter, ProposalFilter, Read, Which};
use super::{Caller, Model, State};

const ANYBODY: [ql_core::role::Role; 5] = ql_core::role::Role::ALL;

impl Model {
    pub(super) fn read(&self, caller: Caller, read: &Read) -> Answer {
        let scope = match read {
            Read::Content(..) | Read::Item(..) | Read::Claims(..) => Some(Scope::ContentRead),
            Read::Proposals(..) | Read::Proposal(_) | Read::Runs(_) | Read::Run(_) => {
                Some(Scope::RunsRead)
            }
            Read::Feed(_) | Read::Page(..) | Read::Conversations(_) | Read::Conversation(_) => None,
        };
        if let Some(scope) = scope {
            caller.may(scope, &ANYBODY)?;
        }
        match read {
            Read::Content(filter, limit) => Ok(self.list_content(*filter, *limit)),
            Read::Item(item, revision) => self.look_at(*item, *revision),
            Read::Proposals(filter, limit) => {
                if let Some(run) = filter.run {
                    self.known(run)?;
                }
                Ok(self.list_proposals(*filter, *limit))
            }
            Read::Proposal(proposal) => {
                let number = self.known(*proposal)?;
                let events = row(&self.proposals[number].events);
                Ok(format!("{} events {events}", self.standing_facts(number)))
            }
            Read::Runs(limit) => Ok(self.list_runs(*limit)),
            Read::Run(run) => self.look_at_run(*run),
            Read::Claims(revision, limit) => {
                self.known(*revision)?;
                Ok(self.list_claims(*revision, *limit))
            }
            Read::Feed(since) => self.feed(*since),
            Read::Page(locale, slug) => self.page(locale, slug),
            Read::Conversations(limit) => {
                caller.as_member(&ANYBODY)?;
                Ok(self.list_conversations(*limit))
            }
            Read::Conversation(conversation) => {
                caller.as_member(&ANYBODY)?;
                self.look_at_conversation(*conversation)
            }
        }
    }

    fn list_content(&self, filter: ContentFilter, limit: u32) -> String {
        let wanted = |number: &usize| self.is_wanted(*number, filter);
        let facts = |number: usize| self.listed(number);
        let mut found: Vec<usize> = (0..self.items.len()).filter(wanted).collect();
        newest_first(&mut found, |number| self.items[number].created_at);
        pages(&found.into_iter().map(facts).collect::<Vec<_>>(), limit)
    }

    fn is_wanted(&self, number: usize, filter: ContentFilter) -> bool {
        let item = &self.items[number];
        let draft = &self.revisions[item.draft];
        let status = self.status(number);
        let text = format!("{} {}", draft.fields["title"], draft.slug).to_lowercase();
        filter
            .status
            .map_or(status != "archived", |wanted| wanted == status)
            && filter
                .query
                .is_none_or(|query| text.contains(&query.to_lowercase()))
            && filter.slug.is_none_or(|slug| {
                draft.slug == slug || self.live_slug(number).is_some_and(|live| live == slug)
            })
            && filter.locale.is_none_or(|locale| item.locale == locale)
            && filter.since.is_none_or(|since| item.updated_at >= since)
    }

    fn status(&self, number: usize) -> &'static str {
        let item = &self.items[number];
        match item.live {
            _ if item.archived_at.is_some() => "archived",
            None => "draft",
            Some(live) if live == item.draft => "published",
            Some(_) => "published_with_draft",
        }
    }

    fn listed(&self, number: usize) -> String {
        let item = &self.items[number];
        let draft = &self.revisions[item.draft];
        let listed = Listed {
            item: number,
            status: self.status(number),
            title: &draft.fields["title"],
            draft: item.draft,
            live: item.live,
            slug: &draft.slug,
            live_slug: self.live_slug(number).map(String::as_str),
        };
        listed.facts()
    }

    fn look_at(&self, item: Which, revision: Option<Which>) -> Answer {
        let number = self.known(item)?;
        let shown = match revision {
            None => self.items[number].draft,
            Some(revision) => self.known(revision)?,
        };
        let found = &self.revisions[shown];
        if found.item != number {
            return Err("not_found");
        }
        Ok(format!(
            "{} shows {shown} number {} at {} {}",
            self.listed(number),
            found.number,
            found.slug,
            self.fields_text(shown)
        ))
    }

    fn list_proposals(&self, filter: ProposalFilter, limit: u32) -> String {
        let wanted = |number: &usize| {
            let found = &self.proposals[*number];
            let state = match &found.state {
                State::Pending => "pending",
                State::Approved(..) => "approved",
                State::Executed => "executed",
                State::Stale(_) => "stale",
                State::Settled(name) => name,
            };
            let run = found.run.map(Which::Known);
            filter.state.is_none_or(|wanted| wanted == state)
                && filter.kind.is_none_or(|kind| kind == found.payload.kind())
                && filter.run.is_none_or(|wanted| run == Some(wanted))
        };
        let mut found: Vec<usize> = (0..self.proposals.len()).filter(wanted).collect();
        newest_first(&mut found, |number| self.proposals[number].created_at);
        let facts = found.into_iter().map(|number| self.standing_facts(number));
        pages(&facts.collect::<Vec<_>>(), limit)
    }

    fn list_runs(&self, limit: u32) -> String {
        let mut found: Vec<usize> = (0..self.runs.len()).collect();
        newest_first(&mut found, |number| self.runs[number].begun_at);
        let facts = |number: usize| format!("run {number} {}", maybe(self.runs[number].ended));
        pages(&found.into_iter().map(facts).collect::<Vec<_>>(), limit)
    }

    fn look_at_run(&self, run: Which) -> Answer {
        let number = self.known(run)?;
        let found = &self.runs[number];
        let mut artifacts: Vec<_> = found.artifacts.iter().collect();
        artifacts.sort_by_key(|a| (a.recorded_at.as_micros() / 1000, a.number));
        let artifact = |a: &super::Artifact| format!("{} {} {}", a.number, a.key, a.version);
        Ok(format!(
            "run {number} {} events {} artifacts {} missing {}",
            maybe(found.ended),
            row(&found.events),
            row(artifacts.into_iter().map(artifact)),
            row(self.missing(number))
        ))
    }

    fn list_claims(&self, revision: Which, limit: u32) -> String {
        let of_it = |number: &usize| Which::Known(self.claims[*number].revision) == revision;
        let mut found: Vec<usize> = (0..self.claims.len()).filter(of_it).collect();
        newest_first(&mut found, |number| self.claims[number].recorded_at);
        let facts = |number: usize| format!("claim {number}");
        pages(&found.into_iter().map(facts).collect::<Vec<_>>(), limit)
    }
}

/// Identifiers sort by the millisecond in which they were made, then by their order.
pub(super) fn newest_first(numbers: &mut [usize], made: impl Fn(usize) -> Timestamp) {
    numbers.sort_by_key(|number| std::cmp::Reverse((made(*number).as_micros() / 1000, *number)));
}

/// A list, page by page.
pub(super) fn pages(all: &[String], limit: u32) -> String {
    let pages = all.chunks(limit as usize).map(|page| page.join(", "));
    pages.collect::<Vec<_>>().join(" | ")
}
