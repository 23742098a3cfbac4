//! Calls that look.

use std::fmt::Debug;

use ql_app::content::StoredItem;
use ql_app::delivery::{FeedItem, LivePage, Wanted};
use ql_app::proposal::ProposalView;
use ql_app::session::SiteRef;
use ql_app::{OpContext, Result};
use ql_core::id::{ContentId, RevisionId};
use ql_core::page::{Page, PageRequest};
use ql_core::proposal::ProposalState;
use ql_core::run::{Run, RunState};
use ql_store::{content, evidence, proposal};
use ql_testkit::TestApp;

use super::super::facts::{self, maybe, row};
use super::super::step::{ContentFilter, ProposalFilter, Read, Which};
use super::{Engine, Said};

const MOST_PAGES: usize = 1000;

/// Reads a list page by page to its end.
macro_rules! walk {
    ($limit:expr, |$request:ident| $page:expr) => {{
        let mut after = None;
        let mut pages: Vec<Vec<_>> = Vec::new();
        let end: Result<()> = loop {
            assert!(pages.len() < MOST_PAGES, "a list without an end");
            let $request = PageRequest::new(Some($limit), after);
            let page: Result<Page<_>> = $page.await;
            match page {
                Ok(Page { items, next }) => {
                    if !items.is_empty() {
                        pages.push(items);
                    }
                    after = next;
                }
                Err(error) => break Err(error),
            }
            if after.is_none() {
                break Ok(());
            }
        };
        end.map(|()| pages)
    }};
}

fn paged<T: Debug>(answer: Result<Vec<Vec<T>>>, mut facts: impl FnMut(&T) -> String) -> Said {
    Said::of(answer, |pages| {
        let page = |page: &Vec<T>| page.iter().map(&mut facts).collect::<Vec<_>>().join(", ");
        pages.iter().map(page).collect::<Vec<_>>().join(" | ")
    })
}

/// All content, proposals, runs and conversations that a caller sees, in full.
pub(super) async fn everything(test: &TestApp, ctx: &OpContext) -> String {
    let page = PageRequest::new(Some(100), None);
    let (all, every) = (content::Filter::default(), proposal::Filter::default());
    let items = test.app.list_content(ctx, &all, &page, true).await;
    let proposals = test.app.list_proposals(ctx, &every, &page).await;
    let conversations = test.app.list_conversations(ctx, &page).await;
    let runs = test.app.list_runs(ctx, page).await;
    format!("{items:?} {proposals:?} {runs:?} {conversations:?}")
}

impl Engine {
    pub(super) async fn look(&mut self, ctx: &OpContext, read: &Read) -> Said {
        let app = self.test.app.clone();
        match read {
            Read::Content(filter, limit) => {
                let filter = content_filter(*filter);
                let answer = walk!(*limit, |page| app.list_content(ctx, &filter, &page, true));
                paged(answer, |view| self.listed(&view.stored))
            }
            Read::Item(item, revision) => self.look_at(ctx, *item, *revision).await,
            Read::Proposals(filter, limit) => {
                let filter = self.proposal_filter(*filter);
                let answer = walk!(*limit, |page| app.list_proposals(ctx, &filter, &page));
                paged(answer, |view| self.standing(view))
            }
            Read::Proposal(proposal) => {
                let id = self.proposal(*proposal);
                let answer = match app.get_proposal(ctx, id).await {
                    Ok(view) => {
                        let events = app.list_proposal_events(ctx, id).await;
                        events.map(|events| (view, events))
                    }
                    Err(error) => Err(error),
                };
                Said::of(answer, |(view, events)| {
                    let events = row(events.iter().map(|event| &event.kind));
                    format!("{} events {events}", self.standing(&view))
                })
            }
            Read::Runs(limit) => {
                let answer = walk!(*limit, |page| app.list_runs(ctx, page));
                paged(answer, |run| self.run_facts(run))
            }
            Read::Run(run) => self.look_at_run(ctx, *run).await,
            Read::Claims(revision, limit) => {
                let id = self.names.revisions.id(*revision, self.elsewhere.revisions);
                let answer = walk!(*limit, |page| {
                    app.list_evidence(ctx, evidence::Filter::Revision(id), &page)
                });
                paged(answer, |claim| {
                    format!("claim {}", self.names.claims.number(claim.id))
                })
            }
            Read::Feed(since) => self.feed(*since).await,
            Read::Page(locale, slug) => self.page(locale, slug).await,
            Read::Conversations(limit) => {
                let answer = walk!(*limit, |page| app.list_conversations(ctx, &page));
                paged(answer, |overview| self.overview(overview))
            }
            Read::Conversation(conversation) => self.look_at_conversation(ctx, *conversation).await,
        }
    }

    async fn look_at(&mut self, ctx: &OpContext, item: Which, revision: Option<Which>) -> Said {
        let id = self.names.items.id(item, self.elsewhere.items);
        let at = revision.map(|at| self.names.revisions.id(at, self.elsewhere.revisions));
        let answer = self.test.app.get_content(ctx, id, at).await;
        Said::of(answer, |view| {
            let shown = view.revision.expect("one was asked for");
            format!(
                "{} shows {} number {} at {} {}",
                self.listed(&view.stored),
                self.names.revisions.number(shown.id),
                shown.number,
                shown.slug,
                ql_core::canon::to_string(&shown.fields)
            )
        })
    }

    async fn look_at_run(&mut self, ctx: &OpContext, run: Which) -> Said {
        let id = self.names.runs.id(run, self.elsewhere.runs);
        let answer = self.test.app.get_run(ctx, id).await;
        Said::of(answer, |record| {
            let artifacts = record.artifacts.iter().map(|artifact| {
                let number = self.names.artifacts.number(artifact.id);
                format!("{number} {} {}", artifact.key, artifact.version)
            });
            let artifacts = row(artifacts);
            format!(
                "{} events {} artifacts {artifacts} missing {}",
                self.run_facts(&record.run),
                row(record.events.iter().map(|event| &event.kind)),
                row(&record.missing)
            )
        })
    }

    fn run_facts(&mut self, run: &Run) -> String {
        let outcome = match &run.state {
            RunState::Open => None,
            RunState::Finished(finish) => Some(finish.outcome),
        };
        format!("run {} {}", self.names.runs.number(run.id), maybe(outcome))
    }

    fn listed(&mut self, stored: &StoredItem) -> String {
        let item = &stored.item;
        let listed = facts::Listed {
            item: self.names.items.number(item.id),
            status: item.status().as_str(),
            title: &item.title,
            draft: self.names.revisions.number(item.current_draft),
            live: item.published.map(|live| self.names.revisions.number(live)),
            slug: stored.draft_slug.as_str(),
            live_slug: stored.live_slug.as_ref().map(ql_core::slug::Slug::as_str),
        };
        listed.facts()
    }

    pub(super) fn standing(&mut self, view: &ProposalView) -> String {
        let state = match &view.proposal.state {
            ProposalState::Approved { due_at } => format!("approved for {due_at}"),
            ProposalState::Stale { reason, .. } => format!("stale because {reason}"),
            other => other.as_str().to_owned(),
        };
        let stale = view.preconditions.iter().map(|precondition| {
            let code = precondition.stale.map_or("holds", |reason| reason.code());
            code.to_owned()
        });
        let standing = facts::Standing {
            proposal: self.names.proposals.number(view.proposal.id),
            state,
            risk: view.proposal.risk.as_str(),
            approvals: view.approvals(),
            needed: view.rule.approvals,
            stale: stale.collect(),
        };
        standing.facts()
    }

    fn proposal_filter(&self, filter: ProposalFilter) -> proposal::Filter {
        proposal::Filter {
            state: filter.state,
            kind: filter.kind,
            run: filter
                .run
                .map(|run| self.names.runs.id(run, self.elsewhere.runs)),
            ..proposal::Filter::default()
        }
    }

    /// The newest draft of an item, or of the newest item.
    pub(super) async fn newest_draft(&self, item: Option<ContentId>) -> (ContentId, RevisionId) {
        let operator = self.test.operator().await;
        if let Some(id) = item {
            let view = self.test.app.get_content(&operator, id, None).await;
            return (id, view.expect("an item").stored.item.current_draft);
        }
        let (page, all) = (
            PageRequest::new(Some(100), None),
            content::Filter::default(),
        );
        let list = self
            .test
            .app
            .list_content(&operator, &all, &page, false)
            .await;
        let views = list.expect("a list").items.into_iter();
        let mut new = views.filter(|view| !self.names.items.knows(view.stored.item.id));
        let found = new.next().expect("a new item").stored.item;
        (found.id, found.current_draft)
    }

    /// Everything that the public can read, in the order in which the pages came to be.
    pub(in super::super) async fn live(&mut self) -> Said {
        let mut pages = self.test.live(&self.test.home).await;
        pages.sort_by_key(|page| self.names.items.number(page.content));
        Said::of(Ok(pages), |pages| {
            row(pages
                .iter()
                .map(|page| self.live_page(page))
                .collect::<Vec<_>>())
        })
    }

    fn live_page(&mut self, page: &LivePage) -> String {
        let live = facts::Live {
            item: self.names.items.number(page.content),
            revision: self.names.revisions.number(page.revision),
            locale: page.locale.as_str(),
            slug: page.slug.as_str(),
            fields: &page.fields,
            since: page.published_at.to_string(),
        };
        live.facts()
    }

    pub(in super::super) async fn page(&mut self, locale: &str, slug: &str) -> Said {
        let wanted = Wanted {
            site: SiteRef::Id(self.test.home.site.id),
            slug: slug.parse().expect("a slug"),
            locale: Some(locale.parse().expect("a language")),
            fallback: None,
        };
        let answer = self.test.app.live_page(wanted).await;
        Said::of(answer, |(_, page)| self.live_page(&page))
    }

    pub(in super::super) async fn feed(&mut self, since: i64) -> Said {
        let site = self.test.home.site.clone();
        let answer = self.test.app.changes(&site, since, 100).await;
        Said::of(answer, |changes| {
            let steps: Vec<String> = changes
                .items
                .iter()
                .map(|step| match step {
                    FeedItem::Upsert { seq, page } => format!("{seq} {}", self.live_page(page)),
                    FeedItem::Tombstone {
                        seq, content, slug, ..
                    } => {
                        let item = self.names.items.number(*content);
                        format!("{seq} item {item} gone from {slug}")
                    }
                })
                .collect();
            row(steps)
        })
    }
}

fn content_filter(filter: ContentFilter) -> content::Filter {
    content::Filter {
        status: filter
            .status
            .map(|status| status.parse().expect("a status")),
        query: filter.query.map(str::to_owned),
        slug: filter.slug.map(str::to_owned),
        locale: filter
            .locale
            .map(|locale| locale.parse().expect("a language")),
        updated_since: filter.since,
        template: None,
    }
}
