//! The story that everything else varies: an agent drafts, a person approves, the site reads.

use ql_core::proposal::ProposalState;
use ql_core::role::Role;
use ql_testkit::TestApp;

/// Sanity's pull request 12202: publishing hung on versions that an agent had made.
#[tokio::test]
async fn an_agent_drafts_a_member_approves_and_the_site_reads() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let draft = test.draft(&agent, run, "First steps").await;
    let proposal = test.request_publication(&agent, run, &[draft]).await;
    assert_eq!(test.live(&test.home).await, [], "asking publishes nothing");

    let editor = test.member(Role::Editor).await;
    let view = test.approve(&editor, proposal).await.expect("approved");

    let at = test.now();
    assert_eq!(view.proposal.state, ProposalState::Executed { at });
    let live = test.live(&test.home).await;
    assert_eq!(live.len(), 1);
    assert_eq!(
        (live[0].content, live[0].revision),
        (draft.content, draft.revision)
    );
    assert_eq!(live[0].slug.as_str(), "first-steps");
    test.verify_ledger().await;
}
