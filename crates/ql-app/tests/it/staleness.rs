//! Every precondition is looked at again in the approval's transaction; what no longer holds makes
//! the proposal stale, and nothing is written.

use std::sync::Arc;

use ql_core::id::ProposalId;
use ql_core::proposal::{Payload, ProposalState};
use ql_core::role::Role;
use ql_store::ledger;
use ql_testkit::{Draft, TestApp, setup};

use crate::drafts::Writer;
use crate::templates::with_summary;

/// Approves what can't be carried out any more, and checks that nothing of it was kept.
async fn stale(writer: &Writer, id: ProposalId) -> String {
    let test = &writer.test;
    test.sign_in(&test.home, Role::Owner).await;
    let owner = test.member(Role::Owner).await;
    let shown = test.app.get_proposal(&owner, id).await.expect("it");
    let foretold = shown
        .preconditions
        .iter()
        .find_map(|precondition| precondition.stale);
    let before = picture(test).await;

    let view = test
        .approve(&owner, id)
        .await
        .expect("the decision itself is taken");

    assert_eq!(picture(test).await, before, "nothing was written");
    let ProposalState::Stale { reason, .. } = view.proposal.state else {
        panic!("carried out: {:?}", view.proposal.state)
    };
    assert_eq!(
        foretold.map(ql_core::lifecycle::StaleReason::code),
        Some(reason.as_str()),
        "the page said so before"
    );
    let events = test
        .app
        .list_proposal_events(&owner, id)
        .await
        .expect("its chain");
    let last = events.last().expect("events");
    assert_eq!(
        (last.kind.as_str(), &last.detail["reason"]),
        ("proposal.stale", &reason.clone().into())
    );
    reason
}

/// What the public and the writers see.
async fn picture(test: &TestApp) -> (i64, Vec<String>, Vec<String>) {
    let owner = test.member(Role::Owner).await;
    let page = ql_core::page::PageRequest::new(Some(100), None);
    let mut items = Vec::new();
    for status in ql_core::content::ContentStatus::ALL {
        let filter = ql_store::content::Filter {
            status: Some(status),
            ..Default::default()
        };
        let listed = test
            .app
            .list_content(&owner, &filter, &page, true)
            .await
            .expect("a list");
        items.extend(listed.items.into_iter().map(|view| format!("{view:?}")));
    }
    let live = test
        .live(&test.home)
        .await
        .iter()
        .map(|page| format!("{page:?}"))
        .collect();
    let changes = test
        .app
        .changes(&test.home.site, 0, 100)
        .await
        .expect("the feed");
    (changes.next, items, live)
}

impl Writer {
    /// Carries something out on behalf of somebody else.
    async fn somebody_does(&self, payload: Payload) {
        let test = &self.test;
        let editor = test.member(Role::Editor).await;
        let id = test
            .propose(&editor, None, payload)
            .await
            .expect("asked")
            .proposal_id;
        test.sign_in(&test.home, Role::Owner).await;
        let owner = test.member(Role::Owner).await;
        let view = test.approve(&owner, id).await.expect("approved");
        assert!(
            matches!(view.proposal.state, ProposalState::Executed { .. }),
            "{:?}",
            view.proposal.state
        );
    }

    async fn wants_to_publish(&self, draft: Draft) -> ProposalId {
        self.propose(setup::publication(vec![draft.publish()]))
            .await
    }
}

#[tokio::test]
async fn an_item_that_was_archived_is_not_published() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let id = writer.wants_to_publish(draft).await;
    writer.somebody_does(setup::archive(draft.content)).await;
    assert_eq!(stale(&writer, id).await, "archived");
}

#[tokio::test]
async fn a_revision_that_a_newer_draft_replaced_is_not_published() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let id = writer.wants_to_publish(draft).await;
    writer.revise(draft, "Newer").await;
    assert_eq!(stale(&writer, id).await, "draft_moved");
}

/// Sanity #2123: promoting an older full snapshot took back fields that were published meanwhile.
#[tokio::test]
async fn an_older_snapshot_never_takes_back_what_was_published_meanwhile() {
    let writer = Writer::new().await;
    let first = writer.draft("Old").await;
    let old = writer.wants_to_publish(first).await;
    let second = writer.revise(first, "New").await;
    writer
        .somebody_does(setup::publication(vec![second.publish()]))
        .await;

    assert_eq!(stale(&writer, old).await, "live_moved");
    assert_eq!(
        writer.test.live(&writer.test.home).await[0].revision,
        second.revision
    );
    let again = writer
        .test
        .propose(
            &writer.agent,
            Some(writer.run),
            setup::publication(vec![first.publish()]),
        )
        .await;
    assert_eq!(
        crate::say::code(again),
        "stale_revision",
        "nor can it be asked for"
    );
}

#[tokio::test]
async fn a_page_whose_live_revision_is_not_the_one_that_was_seen_is_left_alone() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let id = writer.wants_to_publish(draft).await;
    writer
        .somebody_does(setup::publication(vec![draft.publish()]))
        .await;
    assert_eq!(stale(&writer, id).await, "live_moved");

    let id = writer
        .propose(setup::publication(vec![draft.unpublish()]))
        .await;
    let next = writer.revise(draft, "Next").await;
    writer
        .somebody_does(setup::publication(vec![next.publish()]))
        .await;
    assert_eq!(
        stale(&writer, id).await,
        "live_moved",
        "an unpublication too"
    );
}

#[tokio::test]
async fn an_address_that_was_taken_meanwhile_is_not_taken_twice() {
    let writer = Writer::new().await;
    let id = writer.propose(setup::creation("Same title")).await;
    writer.draft("Same title").await;
    assert_eq!(stale(&writer, id).await, "slug_taken");
}

/// Strapi #27722: a release showed a stale "blocked" and published all the same, since validity was
/// kept and never looked at again.
#[tokio::test]
async fn fields_that_no_longer_fit_the_template_are_looked_at_in_the_publication_itself() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let publication = writer.wants_to_publish(draft).await;
    let creation = writer.propose(setup::creation("Other")).await;
    let rewriting = writer.propose(setup::rewriting(draft, "Rewritten")).await;
    let editor = writer.test.member(Role::Editor).await;
    writer
        .test
        .app
        .save_template(&editor, with_summary())
        .await
        .expect("saved");
    for id in [publication, creation, rewriting] {
        assert_eq!(stale(&writer, id).await, "template_mismatch");
    }
}

/// The other half of the same case: what was blocked once and fits again is published.
#[tokio::test]
async fn fields_that_fit_again_are_published() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let id = writer.wants_to_publish(draft).await;
    let editor = writer.test.member(Role::Editor).await;
    writer
        .test
        .app
        .save_template(&editor, with_summary())
        .await
        .expect("saved");
    writer
        .test
        .app
        .save_template(&editor, setup::article_template())
        .await
        .expect("saved");
    let view = writer.test.approve(&editor, id).await.expect("approved");
    assert!(matches!(
        view.proposal.state,
        ProposalState::Executed { .. }
    ));
}

#[tokio::test]
async fn a_page_that_somebody_else_unpublished_is_not_unpublished_again() {
    let writer = Writer::new().await;
    let page = writer.test.live_article(&writer.test.home, "Page").await;
    let id = writer
        .propose(setup::publication(vec![page.unpublish()]))
        .await;
    writer
        .somebody_does(setup::publication(vec![page.unpublish()]))
        .await;
    assert_eq!(stale(&writer, id).await, "not_live");
}

#[tokio::test]
async fn a_page_that_went_live_meanwhile_is_not_archived() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let id = writer.propose(setup::archive(draft.content)).await;
    writer
        .somebody_does(setup::publication(vec![draft.publish()]))
        .await;
    assert_eq!(stale(&writer, id).await, "still_live");
}

#[tokio::test]
async fn an_archived_state_that_is_not_the_one_that_was_seen_is_left_alone() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let id = writer.propose(setup::archive(draft.content)).await;
    writer.somebody_does(setup::archive(draft.content)).await;
    assert_eq!(stale(&writer, id).await, "archived_state_moved");
}

#[tokio::test]
async fn a_rewriting_of_a_draft_that_moved_on_or_was_archived_is_not_written() {
    let writer = Writer::new().await;
    let (moved, archived) = (writer.draft("A").await, writer.draft("B").await);
    let (first, second) = (
        writer
            .propose(setup::rewriting(moved, "A, rewritten"))
            .await,
        writer
            .propose(setup::rewriting(archived, "B, rewritten"))
            .await,
    );
    writer.revise(moved, "A, by hand").await;
    writer.somebody_does(setup::archive(archived.content)).await;
    assert_eq!(stale(&writer, first).await, "draft_moved");
    assert_eq!(stale(&writer, second).await, "archived");
}

#[tokio::test]
async fn of_several_items_all_are_carried_out_or_none() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let (a, b) = (writer.draft("A").await, writer.draft("B").await);
    let old = test.live_article(&test.home, "Old").await;
    let id = writer
        .propose(setup::publication(vec![
            a.publish(),
            old.unpublish(),
            b.publish(),
        ]))
        .await;
    let b = writer.revise(b, "B, newer").await;

    assert_eq!(stale(&writer, id).await, "draft_moved");
    let live: Vec<_> = test
        .live(&test.home)
        .await
        .iter()
        .map(|page| page.content)
        .collect();
    assert_eq!(live, [old.content]);

    let id = writer
        .propose(setup::publication(vec![
            a.publish(),
            old.unpublish(),
            b.publish(),
        ]))
        .await;
    let owner = test.member(Role::Owner).await;
    test.approve(&owner, id).await.expect("approved");
    let live: Vec<_> = test
        .live(&test.home)
        .await
        .iter()
        .map(|page| page.content)
        .collect();
    assert_eq!(live, [b.content, a.content]);
    let heads = test
        .app
        .store()
        .read(ledger::verify)
        .await
        .expect("readable");
    assert_eq!(heads.broken, []);
}

/// Sanity #2123 at full speed: an approval and a newer draft arrive at the same moment. Whoever comes
/// first, what is live is what was approved, or nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_approval_that_races_a_newer_draft_publishes_what_was_approved_or_nothing() {
    let writer = Arc::new(Writer::new().await);
    for round in 0..40 {
        let draft = writer.draft(&format!("Page {round}")).await;
        let id = writer.wants_to_publish(draft).await;
        let editor = writer.test.member(Role::Editor).await;
        let (approving, revising) = (writer.clone(), writer.clone());
        let approval = tokio::spawn(async move { approving.test.approve(&editor, id).await });
        let newer = setup::revision(draft, &format!("Page {round}, newer"));
        let revision = tokio::spawn(async move { revising.write(newer).await });
        let state = approval
            .await
            .expect("no panic")
            .expect("decided")
            .proposal
            .state;
        revision
            .await
            .expect("no panic")
            .expect("a newer draft is always taken");

        let live = writer.test.live(&writer.test.home).await;
        let live = live.iter().find(|page| page.content == draft.content);
        let published = matches!(state, ProposalState::Executed { .. });
        assert_eq!(
            live.map(|page| page.revision),
            published.then_some(draft.revision)
        );
        assert!(
            published || state.reason() == Some("draft_moved"),
            "{state:?}"
        );
    }
    writer.test.verify_ledger().await;
}
