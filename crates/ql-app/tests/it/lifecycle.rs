//! Taking pages off the site, putting items away and bringing them back.

use ql_core::content::ContentStatus;
use ql_core::proposal::{Payload, ProposalState};
use ql_core::role::Role;
use ql_core::time::minutes;
use ql_testkit::{Draft, setup};

use crate::drafts::Writer;
use crate::say::{code, problems};

async fn status(writer: &Writer, draft: Draft) -> ContentStatus {
    let view = writer
        .test
        .app
        .get_content(&writer.agent, draft.content, None)
        .await;
    view.expect("the item").stored.item.status()
}

async fn refused(writer: &Writer, payload: Payload) -> String {
    problems(
        writer
            .test
            .propose(&writer.agent, Some(writer.run), payload)
            .await,
    )
}

#[tokio::test]
async fn unpublishing_takes_off_whatever_is_live_and_keeps_the_drafts() {
    let writer = Writer::new().await;
    let home = &writer.test.home;
    let page = writer.test.live_article(home, "Page").await;
    let next = writer.revise(page, "Next").await;

    writer
        .test
        .carry_out(home, setup::publication(vec![page.unpublish()]))
        .await;

    assert_eq!(writer.test.live(home).await, []);
    assert_eq!(status(&writer, page).await, ContentStatus::Draft);
    let view = writer
        .test
        .app
        .get_content(&writer.agent, page.content, None)
        .await
        .expect("it");
    assert_eq!(view.stored.item.current_draft, next.revision);
}

#[tokio::test]
async fn a_live_page_must_be_unpublished_before_it_is_archived() {
    let writer = Writer::new().await;
    let home = &writer.test.home;
    let page = writer.test.live_article(home, "Page").await;
    insta::assert_snapshot!(refused(&writer, setup::archive(page.content)).await, @"/payload/items/0 still_live: the page is live and must be unpublished first");

    writer
        .test
        .carry_out(home, setup::publication(vec![page.unpublish()]))
        .await;
    writer
        .test
        .carry_out(home, setup::archive(page.content))
        .await;
    assert_eq!(status(&writer, page).await, ContentStatus::Archived);
}

#[tokio::test]
async fn an_archived_item_is_neither_drafted_nor_published_nor_archived_again() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    writer
        .test
        .carry_out(&writer.test.home, setup::archive(draft.content))
        .await;
    let ask = |payload| {
        writer
            .test
            .propose(&writer.agent, Some(writer.run), payload)
    };
    assert_eq!(
        code(ask(setup::publication(vec![draft.publish()])).await),
        "archived"
    );
    assert_eq!(
        code(ask(setup::rewriting(draft, "Rewritten")).await),
        "archived"
    );
    insta::assert_snapshot!(refused(&writer, setup::archive(draft.content)).await, @"/payload/items/0 archived_state_moved: the item's archived state changed since this was proposed");
}

#[tokio::test]
async fn restoring_names_the_archived_state_it_saw_and_never_republishes() {
    let writer = Writer::new().await;
    let (test, home) = (&writer.test, &writer.test.home);
    let page = test.live_article(home, "Page").await;
    test.carry_out(home, setup::publication(vec![page.unpublish()]))
        .await;
    test.carry_out(home, setup::archive(page.content)).await;
    let archived_at = test.now();
    test.advance(minutes(1));
    insta::assert_snapshot!(refused(&writer, setup::restore(page.content, test.now())).await, @"/payload/items/0 archived_state_moved: the item's archived state changed since this was proposed");

    let view = test
        .carry_out(home, setup::restore(page.content, archived_at))
        .await;

    assert!(matches!(
        view.proposal.state,
        ProposalState::Executed { .. }
    ));
    assert_eq!(status(&writer, page).await, ContentStatus::Draft);
    assert_eq!(test.live(home).await, []);
    let again = writer
        .propose(setup::publication(vec![page.publish()]))
        .await;
    let editor = test.member(Role::Editor).await;
    test.approve(&editor, again)
        .await
        .expect("it goes live by an approval");
    assert_eq!(test.live(home).await[0].revision, page.revision);
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_with_its_place() {
    let writer = Writer::new().await;
    let page = writer.test.live_article(&writer.test.home, "Page").await;
    let draft = writer.draft("Draft").await;
    insta::assert_snapshot!(refused(&writer, setup::publication(vec![page.publish(), draft.unpublish(), draft.publish()])).await, @"
    /payload/items/2/content_id duplicate: this page is named twice
    /payload/items/0/revision_id already_live: this revision is live already
    /payload/items/1 not_live: the page isn't live
    ");
    insta::assert_snapshot!(refused(&writer, setup::publication(Vec::new())).await, @"/payload/items range: expected 1 to 100 items");
    let many = (0..101).map(|_| page.unpublish()).collect();
    let refused = refused(&writer, setup::publication(many)).await;
    assert!(
        refused.starts_with("/payload/items range: expected 1 to 100 items"),
        "{refused}"
    );
}
