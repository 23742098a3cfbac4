//! Links are proposed with the exact words and set in drafts when that is approved.

use ql_app::Error;
use ql_core::internal_link::Link;
use ql_core::proposal::ProposalState;
use ql_core::role::Role;
use ql_testkit::{Draft, TestApp, setup};

use crate::say::problems;

async fn two(test: &TestApp) -> (Draft, Draft) {
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    (
        test.draft(&agent, run, "Tea").await,
        test.draft(&agent, run, "Coffee").await,
    )
}

#[tokio::test]
async fn an_approved_link_is_in_a_draft_and_not_live() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let (tea, coffee) = two(&test).await;
    test.publish(&test.home, tea).await;
    let nofollow = Link {
        rel: Some("nofollow".into()),
        ..setup::link(coffee, tea.content)
    };
    let payload = setup::links(vec![setup::link(tea, coffee.content), nofollow]);
    let proposed = test
        .propose(&agent, Some(run), payload)
        .await
        .expect("a proposal");
    let owner = test.member(Role::Owner).await;
    test.approve(&owner, proposed.proposal_id)
        .await
        .expect("approved");
    let mut bodies = Vec::new();
    for page in [tea, coffee] {
        let found = test
            .app
            .get_content(&owner, page.content, None)
            .await
            .expect("it");
        let revision = found.revision.expect("a draft");
        assert_eq!(
            (revision.parent, revision.run),
            (Some(page.revision), Some(run))
        );
        bodies.push(revision.fields["body"].to_string());
    }
    insta::assert_snapshot!(bodies.join("\n"), @r#"
    "[About](/coffee) Tea."
    "<a href=\"/tea\" rel=\"nofollow\">About</a> Coffee."
    "#);
    let live = test.live(&test.home).await;
    assert_eq!(live[0].revision, tea.revision, "what is live stays");
    test.verify_ledger().await;
}

#[tokio::test]
async fn what_cannot_be_linked_is_refused_all_at_once() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let (tea, coffee) = two(&test).await;
    let good = setup::link(tea, coffee.content);
    let missing = Link {
        anchor: "Cocoa".into(),
        ..setup::link(coffee, tea.content)
    };
    let to_itself = setup::link(tea, tea.content);
    let payload = setup::links(vec![good.clone(), good.clone(), to_itself, missing]);
    let refused = test.propose(&agent, Some(run), payload).await;
    insta::assert_snapshot!(problems(refused), @"
    /payload/links/1 duplicate: another of these links joins the same two pages
    /payload/links/2/target_content_id self_link: a page doesn't link to itself
    /payload/links/1/anchor overlap: another of these links takes some of the same words
    /payload/links/2/anchor overlap: another of these links takes some of the same words
    /payload/links/3/anchor anchor_not_found: the revision has no such words with this prefix and suffix
    ");
    let next = test.revise(&agent, run, tea, "Green tea").await;
    let outdated = test
        .propose(&agent, Some(run), setup::links(vec![good]))
        .await;
    assert_eq!(
        outdated,
        Err(Error::StaleRevision {
            current: next.revision
        })
    );
}

#[tokio::test]
async fn a_link_goes_stale_with_its_page_and_with_its_target() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let (tea, coffee) = two(&test).await;
    let owner = test.member(Role::Owner).await;
    let propose = |link: Link| test.propose(&agent, Some(run), setup::links(vec![link]));

    let moved = propose(setup::link(tea, coffee.content))
        .await
        .expect("a proposal")
        .proposal_id;
    let mut elsewhere = setup::revision(coffee, "Coffee");
    elsewhere.slug = Some("elsewhere".into());
    test.app
        .create_draft(&agent, Some(run), elsewhere, None)
        .await
        .expect("moved");
    let written = propose(Link {
        suffix: " T".into(),
        ..setup::link(tea, coffee.content)
    })
    .await;
    test.revise(&agent, run, tea, "Green tea").await;
    let mut reasons = Vec::new();
    for id in [moved, written.expect("a proposal").proposal_id] {
        let shown = test.app.get_proposal(&owner, id).await.expect("it");
        if shown.proposal.state != ProposalState::Pending {
            reasons.push(shown.proposal.state.as_str().to_owned());
            continue;
        }
        let view = test.approve(&owner, id).await.expect("taken");
        let ProposalState::Stale { reason, .. } = view.proposal.state else {
            panic!("carried out: {:?}", view.proposal.state)
        };
        reasons.push(reason);
    }
    assert_eq!(reasons, ["superseded", "draft_moved"]);

    let (tea, coffee) = two(&test).await;
    let id = propose(setup::link(tea, coffee.content))
        .await
        .expect("a proposal")
        .proposal_id;
    let mut elsewhere = setup::revision(coffee, "Coffee");
    elsewhere.slug = Some("somewhere".into());
    test.app
        .create_draft(&agent, Some(run), elsewhere, None)
        .await
        .expect("moved");
    let view = test.approve(&owner, id).await.expect("taken");
    assert_eq!(view.proposal.state.reason(), Some("link_moved"));
}
