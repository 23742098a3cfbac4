//! Rolling back: a member puts a revision live again that was live before, in one step.

use ql_app::decision::NewRollBack;
use ql_core::id::RevisionId;
use ql_core::proposal::{ProposalKind, ProposalState};
use ql_core::role::Role;
use ql_core::time::minutes;
use ql_testkit::{Draft, TestApp, setup};

use crate::drafts::Writer;
use crate::say::{code, outcome, problems};
use crate::templates::with_summary;

fn back(page: Draft, to: RevisionId) -> NewRollBack {
    NewRollBack {
        content: page.content,
        to,
        comment: "The numbers were wrong.".into(),
    }
}

/// A page whose first and second revision were live, and whose third is a draft.
async fn page(writer: &Writer) -> (Draft, Draft, Draft) {
    let home = &writer.test.home;
    let first = writer.draft("First").await;
    writer.test.publish(home, first).await;
    let second = writer.revise(first, "Second").await;
    writer.test.publish(home, second).await;
    let third = writer.revise(second, "Third").await;
    (first, second, third)
}

async fn live(test: &TestApp) -> RevisionId {
    test.live(&test.home).await[0].revision
}

#[tokio::test]
async fn a_roll_back_moves_the_live_pointer_and_leaves_the_draft_untouched() {
    let writer = Writer::new().await;
    let (first, _, third) = page(&writer).await;
    let test = &writer.test;
    let editor = test.member(Role::Editor).await;

    let view = test
        .app
        .roll_back(&editor, back(first, first.revision))
        .await
        .expect("rolled back");

    assert_eq!(live(test).await, first.revision);
    let item = test
        .app
        .get_content(&editor, first.content, None)
        .await
        .expect("it")
        .stored
        .item;
    assert_eq!(
        (item.current_draft, item.published),
        (third.revision, Some(first.revision))
    );
    assert_eq!(
        view.proposal.state,
        ProposalState::Executed { at: test.now() }
    );
    assert_eq!(
        (view.proposal.kind(), view.proposal.proposer),
        (ProposalKind::PublishLifecycle, editor.principal().actor())
    );
    assert!(view.decisions[0].own_proposal);
    let events = test
        .app
        .list_proposal_events(&editor, view.proposal.id)
        .await
        .expect("its chain");
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(
        kinds,
        ["proposal.created", "proposal.approved", "proposal.executed"]
    );
    assert_eq!(events[1].detail["roll_back"], true);
    test.verify_ledger().await;
}

#[tokio::test]
async fn a_roll_back_needs_a_fresh_proof_of_identity() {
    let writer = Writer::new().await;
    let (first, second, _) = page(&writer).await;
    let test = &writer.test;
    test.member(Role::Editor).await;
    test.advance(minutes(6));
    let editor = test.member(Role::Editor).await;
    assert_eq!(
        code(
            test.app
                .roll_back(&editor, back(first, first.revision))
                .await
        ),
        "reauthentication_required"
    );
    assert_eq!(live(test).await, second.revision);
    test.sign_in(&test.home, Role::Editor).await;
    let editor = test.member(Role::Editor).await;
    test.app
        .roll_back(&editor, back(first, first.revision))
        .await
        .expect("fresh");
}

#[tokio::test]
async fn only_what_was_live_can_be_live_again() {
    let writer = Writer::new().await;
    let (first, second, third) = page(&writer).await;
    let test = &writer.test;
    let editor = test.member(Role::Editor).await;
    let other = writer.draft("Other").await;
    let to = |revision| test.app.roll_back(&editor, back(first, revision));
    insta::assert_snapshot!(problems(to(third.revision).await), @"/to_revision_id never_live: a roll-back goes to a revision that was live before");
    insta::assert_snapshot!(problems(to(second.revision).await), @"/to_revision_id already_live: this revision is live already");
    assert_eq!(code(to(other.revision).await), "not_found");
    let silent = NewRollBack {
        comment: String::new(),
        ..back(first, first.revision)
    };
    insta::assert_snapshot!(problems(test.app.roll_back(&editor, silent).await), @"/comment required: expected a text that isn't empty");
    assert_eq!(live(test).await, second.revision);
}

/// What was taken off the site goes live by an approval, not by one member's roll-back.
#[tokio::test]
async fn a_page_that_is_not_live_cannot_be_rolled_back() {
    let writer = Writer::new().await;
    let (first, second, _) = page(&writer).await;
    let test = &writer.test;
    test.carry_out(&test.home, setup::publication(vec![second.unpublish()]))
        .await;
    let editor = test.member(Role::Editor).await;
    insta::assert_snapshot!(problems(test.app.roll_back(&editor, back(first, first.revision)).await), @" not_live: only a live page can be rolled back; what was taken off the site goes live by a publication that is approved");
    assert_eq!(test.live(&test.home).await, []);
}

/// The old revision fitted the template of its day; bringing it back must not wait for a rewrite.
#[tokio::test]
async fn a_revision_is_rolled_back_to_whatever_the_template_says_today() {
    let writer = Writer::new().await;
    let (first, _, _) = page(&writer).await;
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
        .roll_back(&editor, back(first, first.revision))
        .await
        .expect("rolled back");
    assert_eq!(live(&writer.test).await, first.revision);
}

#[tokio::test]
async fn a_reviewer_rolls_back_where_the_policy_names_it_and_a_viewer_never() {
    let writer = Writer::new().await;
    let (first, second, _) = page(&writer).await;
    let test = &writer.test;
    let mut answers = Vec::new();
    for role in [Role::Reviewer, Role::Viewer] {
        let member = test.member(role).await;
        answers.push(outcome(
            &test
                .app
                .roll_back(&member, back(first, first.revision))
                .await,
        ));
    }
    assert_eq!(answers, ["policy_denied", "role_denied"]);
    assert_eq!(live(test).await, second.revision);
}

#[tokio::test]
async fn a_roll_back_makes_a_waiting_publication_stale() {
    let writer = Writer::new().await;
    let (first, _, third) = page(&writer).await;
    let test = &writer.test;
    let waiting = writer
        .propose(setup::publication(vec![third.publish()]))
        .await;
    let editor = test.member(Role::Editor).await;
    test.app
        .roll_back(&editor, back(first, first.revision))
        .await
        .expect("rolled back");
    let view = test.approve(&editor, waiting).await.expect("decided");
    assert_eq!(view.proposal.state.reason(), Some("live_moved"));
    assert_eq!(live(test).await, first.revision);
}
