//! What is sealed, and that nothing else goes live.

use insta::assert_snapshot;
use ql_app::draft::{DraftTarget, NewDraft};
use ql_core::edit::Change;
use ql_core::proposal::PublishItem;
use ql_core::role::Role;
use ql_testkit::{Draft, setup};
use serde_json::json;

use super::world::{World, board, find, told};

#[tokio::test]
async fn a_production_goes_live_as_it_was_sealed_and_is_told_in_the_ledger() {
    let world = World::new().await;
    let view = world.release().await;
    let release = view.release.expect("sealed");
    assert_eq!(
        world.app.live(&world.app.home).await.len(),
        0,
        "nothing is live by itself"
    );
    let refused = world
        .approve("PUBLISH_APPROVED")
        .await
        .expect_err("refused");
    assert_snapshot!(refused, @"the input doesn't fit in 1 place(s): /stage approve the proposal to publish; the stage follows it");
    let owner = world.app.member(Role::Owner).await;
    world
        .app
        .approve(&owner, release.proposal)
        .await
        .expect("approved");
    let view = world.work().await;
    assert_snapshot!(board(&view), @"
    IDEA_PROPOSED passed
    TOPIC_APPROVED passed
    RESEARCH_COMPLETED passed
    BIBLICAL_RESEARCH_COMPLETED passed
    HERMENEUTICS_COMPLETED passed
    SCRIPT_GENERATED passed
    SCRIPT_AUDITED passed
    SCRIPT_APPROVED passed
    PRODUCTION_PLANNED passed
    VOICE_GENERATED passed
    THUMBNAIL_GENERATED passed
    SEO_GENERATED passed
    SHORTS_GENERATED passed
    RELEASE_GATED passed
    PUBLISH_APPROVED passed
    PUBLISHED passed
    ANALYTICS_COLLECTED passed
    CORRECTION_ISSUED waiting
    WITHDRAWN waiting
    ");
    assert_eq!(world.app.live(&world.app.home).await.len(), 1);
    world.app.verify_ledger().await;
}

#[tokio::test]
async fn another_revision_than_the_sealed_one_does_not_go_live() {
    let world = World::new().await;
    let release = world.release().await.release.expect("sealed");
    let agent = world.app.agent().await;
    let run = world.app.begin_run(&agent).await;
    let fields = json!({"title": "The way", "body": "Other words."});
    let new = NewDraft {
        target: DraftTarget::Existing {
            content: release.content,
            base: release.revision,
        },
        slug: None,
        change: Change::Fields(fields),
        note: String::new(),
    };
    let other = world
        .app
        .app
        .create_draft(&agent, Some(run), new, None)
        .await
        .expect("a draft");
    let draft = Draft {
        content: other.content_id,
        revision: other.revision_id,
    };
    let owner = world.app.member(Role::Owner).await;
    let payload = setup::publication(vec![draft.publish()]);
    let proposed = world
        .app
        .propose(&agent, Some(run), payload)
        .await
        .expect("a proposal");
    let decided = world
        .app
        .approve(&owner, proposed.proposal_id)
        .await
        .expect("decided");
    assert_snapshot!(decided.proposal.state.as_str(), @"stale");
    let decided = world.app.approve(&owner, release.proposal).await;
    let told = decided.map(|view| view.proposal.state.as_str().to_owned());
    assert_snapshot!(format!("{told:?}"), @r#"Err(InvalidTransition(InvalidTransition { from: "superseded" }))"#);
    assert_eq!(world.app.live(&world.app.home).await.len(), 0);
}

#[tokio::test]
async fn a_stage_that_is_opened_again_takes_the_seal_away() {
    let world = World::new().await;
    let release = world.release().await.release.expect("sealed");
    world.reopen("SEO_GENERATED").await.expect("reopened");
    let owner = world.app.member(Role::Owner).await;
    let decided = world
        .app
        .approve(&owner, release.proposal)
        .await
        .expect("decided");
    assert_snapshot!(decided.proposal.state.as_str(), @"stale");
    assert_eq!(world.app.live(&world.app.home).await.len(), 0);
    // Done again and sealed again, a new proposal goes live.
    let view = world.work().await;
    let again = view.release.expect("sealed anew");
    assert!(again.number > release.number);
    world
        .app
        .approve(&owner, again.proposal)
        .await
        .expect("approved");
    assert_eq!(world.app.live(&world.app.home).await.len(), 1);
}

#[tokio::test]
async fn what_is_not_as_it_was_sealed_is_not_said_to_be_published() {
    let world = World::new().await;
    let release = world.release().await.release.expect("sealed");
    let owner = world.app.member(Role::Owner).await;
    world
        .app
        .approve(&owner, release.proposal)
        .await
        .expect("approved");
    world.approve("PUBLISH_APPROVED").await.expect("approved");
    // Somebody takes the page off before the publishing role looks.
    let draft = Draft {
        content: release.content,
        revision: release.revision,
    };
    world
        .app
        .carry_out(
            &world.app.home,
            setup::publication(vec![PublishItem::Unpublish {
                content_id: draft.content,
            }]),
        )
        .await;
    let view = world.work().await;
    assert_snapshot!(told(&view, "PUBLISHED"), @"
    PUBLISHED attempt 1 held: rejected REJECTED
    ARTIFACT_CHANGED_AFTER_GATE /output/manifest_sha256: revision: rev_01m8p570g0e0080000000000fw was sealed, nothing is there
    ARTIFACT_CHANGED_AFTER_GATE /output/manifest_sha256: page's text: 15ad28371ee8348380c5cf4c301ad40f979e9eff28019260fde8e468b4acba34 was sealed, nothing is there
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth REJECTED
    ");
    assert_eq!(
        find(&view, "ANALYTICS_COLLECTED").stage.state.as_str(),
        "waiting"
    );
}
