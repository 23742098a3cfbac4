//! Nothing that wasn't approved is ever readable: random stories, told to the product and to a model
//! of a few lines, and compared after each step in the list, by address and in the feed.

use std::collections::BTreeMap;

use proptest::prelude::*;
use ql_app::OpContext;
use ql_app::decision::NewRollBack;
use ql_core::id::{ContentId, ProposalId, RevisionId, RunId};
use ql_core::proposal::{Payload, ProposalState, Verdict};
use ql_core::role::Role;
use ql_core::time::{Timestamp, hours, minutes};
use ql_testkit::{Draft, TestApp, setup};

use crate::say::outcome;

mod compare;

/// One thing that somebody does. Numbers pick an item or a proposal, whatever is there by then.
#[derive(Debug, Clone, Copy)]
enum Step {
    New,
    Revise(usize),
    AskToPublish(usize),
    AskForAnInstant(usize),
    AskToUnpublish(usize),
    AskToArchive(usize),
    AskToRestore(usize),
    Approve(usize),
    Reject(usize),
    Cancel(usize),
    RollBack(usize, usize),
    HalfAnHourPasses,
}

fn step() -> impl Strategy<Value = Step> {
    let pick = 0..6_usize;
    prop_oneof![
        2 => Just(Step::New),
        3 => pick.clone().prop_map(Step::Revise),
        4 => pick.clone().prop_map(Step::AskToPublish),
        2 => pick.clone().prop_map(Step::AskForAnInstant),
        2 => pick.clone().prop_map(Step::AskToUnpublish),
        1 => pick.clone().prop_map(Step::AskToArchive),
        1 => pick.clone().prop_map(Step::AskToRestore),
        8 => pick.clone().prop_map(Step::Approve),
        1 => pick.clone().prop_map(Step::Reject),
        1 => pick.clone().prop_map(Step::Cancel),
        2 => (pick.clone(), pick).prop_map(|(item, to)| Step::RollBack(item, to)),
        2 => Just(Step::HalfAnHourPasses),
    ]
}

/// What the model knows of an item.
#[derive(Debug, Clone)]
struct Item {
    content: ContentId,
    drafts: Vec<(RevisionId, String)>,
    live: Option<RevisionId>,
    formerly_live: Vec<RevisionId>,
    archived_at: Option<Timestamp>,
}

impl Item {
    fn draft(&self) -> Draft {
        let (revision, _) = self.drafts.last().expect("an item has a draft");
        Draft {
            content: self.content,
            revision: *revision,
        }
    }

    /// What the approver of a wish is shown: what is live, and the address that it is about.
    fn seen_for(&self, wish: Wish) -> (Option<RevisionId>, String) {
        let live = self
            .drafts
            .iter()
            .find(|(revision, _)| Some(*revision) == self.live);
        let about = match wish {
            Wish::Publish(..) => None,
            Wish::Unpublish | Wish::Archive | Wish::Restore(_) => live,
        };
        let draft = self.drafts.last();
        let slug = about.or(draft).map(|(_, slug)| slug.clone());
        (self.live, slug.unwrap_or_default())
    }

    fn go_live(&mut self, revision: RevisionId) {
        self.live = Some(revision);
        self.formerly_live.push(revision);
    }
}

/// What a proposal would do.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wish {
    Publish(RevisionId, Option<Timestamp>),
    Unpublish,
    Archive,
    Restore(Timestamp),
}

impl Wish {
    const fn is_about_lives(self) -> bool {
        matches!(self, Self::Publish(..) | Self::Unpublish)
    }
}

/// A proposal that waits for people, or, with an instant, for that.
#[derive(Debug, Clone)]
struct Waiting {
    id: ProposalId,
    item: usize,
    wish: Wish,
    seen: (Option<RevisionId>, String),
    due: Option<Timestamp>,
}

/// The product and the model side by side.
struct Story {
    test: TestApp,
    agent: OpContext,
    run: RunId,
    items: Vec<Item>,
    waiting: Vec<Waiting>,
    follower: BTreeMap<ContentId, RevisionId>,
    followed: i64,
}

impl Story {
    async fn new() -> Self {
        let test = TestApp::new().await;
        let agent = test.agent().await;
        let run = test.begin_run(&agent).await;
        Self {
            test,
            agent,
            run,
            items: Vec::new(),
            waiting: Vec::new(),
            follower: BTreeMap::new(),
            followed: 0,
        }
    }

    /// Does a step with the product and foretells its effect by the model.
    async fn take(&mut self, step: Step) {
        match step {
            Step::New => self.create().await,
            Step::HalfAnHourPasses => self.pass().await,
            Step::Approve(pick) => self.approve(pick).await,
            Step::Reject(pick) => self.reject(pick).await,
            Step::Cancel(pick) => self.cancel(pick).await,
            _ if self.items.is_empty() => {}
            Step::Revise(pick) => self.revise(pick % self.items.len()).await,
            Step::RollBack(pick, to) => self.roll_back(pick % self.items.len(), to).await,
            Step::AskToPublish(pick) => {
                let item = pick % self.items.len();
                self.ask(item, Wish::Publish(self.items[item].draft().revision, None))
                    .await;
            }
            Step::AskForAnInstant(pick) => {
                let (item, due) = (pick % self.items.len(), self.test.now().plus(hours(1)));
                self.ask(
                    item,
                    Wish::Publish(self.items[item].draft().revision, Some(due)),
                )
                .await;
            }
            Step::AskToUnpublish(pick) => self.ask(pick % self.items.len(), Wish::Unpublish).await,
            Step::AskToArchive(pick) => self.ask(pick % self.items.len(), Wish::Archive).await,
            Step::AskToRestore(pick) => {
                let item = pick % self.items.len();
                let at = self.items[item]
                    .archived_at
                    .unwrap_or_else(|| self.test.now());
                self.ask(item, Wish::Restore(at)).await;
            }
        }
    }

    async fn create(&mut self) {
        let title = format!("Item {}", self.items.len());
        let drafted = self
            .test
            .app
            .create_draft(
                &self.agent,
                Some(self.run),
                setup::new_article(&title),
                None,
            )
            .await;
        let drafted = drafted.expect("written");
        self.items.push(Item {
            content: drafted.content_id,
            drafts: vec![(drafted.revision_id, drafted.slug)],
            live: None,
            formerly_live: Vec::new(),
            archived_at: None,
        });
    }

    /// Every second draft has an address of its own.
    async fn revise(&mut self, index: usize) {
        let item = &mut self.items[index];
        let number = item.drafts.len();
        let mut new = setup::revision(item.draft(), &format!("Item {index}, draft {number}"));
        new.slug = number
            .is_multiple_of(2)
            .then(|| format!("item-{index}/draft-{number}"));
        let written = self
            .test
            .app
            .create_draft(&self.agent, Some(self.run), new, None)
            .await;
        assert_eq!(written.is_ok(), item.archived_at.is_none());
        if let Ok(drafted) = written {
            item.drafts.push((drafted.revision_id, drafted.slug));
        }
    }

    async fn ask(&mut self, index: usize, wish: Wish) {
        let item = &self.items[index];
        let draft = item.draft();
        let payload = payload(draft, wish);
        let makes_sense = match wish {
            Wish::Publish(revision, _) => item.archived_at.is_none() && item.live != Some(revision),
            Wish::Unpublish => item.live.is_some(),
            Wish::Archive => item.archived_at.is_none() && item.live.is_none(),
            Wish::Restore(_) => item.archived_at.is_some(),
        };
        let asked = self
            .test
            .propose(&self.agent, Some(self.run), payload)
            .await;
        assert_eq!(asked.is_ok(), makes_sense, "{wish:?} {:?}", outcome(&asked));
        let Ok(proposed) = asked else { return };
        let seen = item.seen_for(wish);
        let same =
            |w: &Waiting| w.due.is_none() && (w.item, w.wish) == (index, wish) && w.seen == seen;
        assert_eq!(proposed.joined, self.waiting.iter().any(same));
        if proposed.joined {
            return;
        }
        let older = |w: &Waiting| {
            w.due.is_none() && w.item == index && w.wish.is_about_lives() == wish.is_about_lives()
        };
        self.waiting.retain(|waiting| !older(waiting));
        let id = proposed.proposal_id;
        self.waiting.push(Waiting {
            id,
            item: index,
            wish,
            seen,
            due: None,
        });
    }

    /// Takes one of those that wait for people, or for their instant.
    fn pick(&mut self, pick: usize, for_people: bool) -> Option<Waiting> {
        let of_kind = |waiting: &Waiting| waiting.due.is_none() == for_people;
        let places: Vec<usize> = (0..self.waiting.len())
            .filter(|i| of_kind(&self.waiting[*i]))
            .collect();
        let place = *places.get(pick % places.len().max(1))?;
        Some(self.waiting.remove(place))
    }

    async fn owner(&self) -> OpContext {
        self.test.sign_in(&self.test.home, Role::Owner).await;
        self.test.member(Role::Owner).await
    }

    async fn approve(&mut self, pick: usize) {
        let Some(waiting) = self.pick(pick, true) else {
            return;
        };
        let owner = self.owner().await;
        let view = self
            .test
            .approve(&owner, waiting.id)
            .await
            .expect("decided");
        let (item, now) = (&self.items[waiting.item], self.test.now());
        let holds = match waiting.wish {
            Wish::Publish(revision, _) => {
                item.draft().revision == revision && can_go_live(item, &waiting)
            }
            Wish::Unpublish => item.live.is_some() && item.live == waiting.seen.0,
            Wish::Archive => item.archived_at.is_none() && item.live.is_none(),
            Wish::Restore(at) => item.archived_at == Some(at),
        };
        match (holds, waiting.wish) {
            (true, Wish::Publish(_, Some(due))) if due > now => {
                assert_eq!(view.proposal.state, ProposalState::Approved { due_at: due });
                self.waiting.push(Waiting {
                    due: Some(due),
                    ..waiting
                });
            }
            (true, wish) => {
                assert_eq!(view.proposal.state, ProposalState::Executed { at: now });
                self.carry_out(waiting.item, wish);
            }
            (false, _) => assert!(
                matches!(view.proposal.state, ProposalState::Stale { .. }),
                "{:?}",
                view.proposal.state
            ),
        }
    }

    fn carry_out(&mut self, index: usize, wish: Wish) {
        let now = self.test.now();
        let item = &mut self.items[index];
        match wish {
            Wish::Publish(revision, _) => item.go_live(revision),
            Wish::Unpublish => item.live = None,
            Wish::Archive => item.archived_at = Some(now),
            Wish::Restore(_) => item.archived_at = None,
        }
    }

    async fn reject(&mut self, pick: usize) {
        let Some(waiting) = self.pick(pick, true) else {
            return;
        };
        let owner = self.owner().await;
        self.test
            .decide(&owner, waiting.id, Verdict::Reject)
            .await
            .expect("rejected");
    }

    async fn cancel(&mut self, pick: usize) {
        let Some(waiting) = self.pick(pick, false) else {
            return;
        };
        let owner = self.owner().await;
        self.test
            .app
            .cancel_proposal(&owner, waiting.id)
            .await
            .expect("cancelled");
    }

    async fn roll_back(&mut self, index: usize, to: usize) {
        let item = &self.items[index];
        let Some(revision) = item
            .formerly_live
            .get(to % item.formerly_live.len().max(1))
            .copied()
        else {
            return;
        };
        let new = NewRollBack {
            content: item.content,
            to: revision,
            comment: "It was better.".into(),
        };
        let possible = item.live.is_some() && item.live != Some(revision);
        let owner = self.owner().await;
        let answer = self.test.app.roll_back(&owner, new).await;
        assert_eq!(answer.is_ok(), possible, "{:?}", outcome(&answer));
        if possible {
            self.items[index].go_live(revision);
        }
    }

    async fn pass(&mut self) {
        self.test.advance(minutes(30));
        self.test.run_due_work().await;
        let now = self.test.now();
        let is_due = |waiting: &Waiting| waiting.due.is_some_and(|due| due <= now);
        let (mut due, rest): (Vec<_>, Vec<_>) = self.waiting.drain(..).partition(is_due);
        self.waiting = rest;
        due.sort_by_key(|waiting| waiting.due);
        for waiting in due {
            if can_go_live(&self.items[waiting.item], &waiting) {
                self.carry_out(waiting.item, waiting.wish);
            }
        }
    }
}

fn can_go_live(item: &Item, waiting: &Waiting) -> bool {
    item.archived_at.is_none() && item.live == waiting.seen.0
}

fn payload(draft: Draft, wish: Wish) -> Payload {
    match wish {
        Wish::Publish(_, None) => setup::publication(vec![draft.publish()]),
        Wish::Publish(_, Some(due)) => setup::publication(vec![draft.publish_at(due, None)]),
        Wish::Unpublish => setup::publication(vec![draft.unpublish()]),
        Wish::Archive => setup::archive(draft.content),
        Wish::Restore(at) => setup::restore(draft.content, at),
    }
}

proptest! {
    // A fifth of what `PROPTEST_CASES` asks for, 51 when it says nothing: each is a whole story.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases / 5,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_public_reads_exactly_what_was_approved(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let mut story = Story::new().await;
            for step in steps {
                story.take(step).await;
                story.compare().await;
            }
            story.test.verify_ledger().await;
        });
    }
}
