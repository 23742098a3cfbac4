//! The audit trail as people read it.

use ql_app::OpContext;
use ql_core::page::PageRequest;
use ql_core::role::Role;
use ql_store::ledger::Filter;
use ql_testkit::TestApp;

async fn kinds(test: &TestApp, reader: &OpContext, filter: Filter) -> Vec<String> {
    let page = PageRequest::new(Some(100), None);
    let entries = test
        .app
        .list_audit(reader, &filter, &page)
        .await
        .expect("a list");
    let mut kinds: Vec<String> = entries.items.into_iter().map(|entry| entry.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

#[tokio::test]
async fn entries_are_found_by_what_happened_and_by_who_did_it() {
    let test = TestApp::with_a_story().await;
    let viewer = test.member(Role::Viewer).await;
    let by = |kind: Option<&str>, actor: Option<&str>| Filter {
        kind: kind.map(str::to_owned),
        actor: actor.map(str::to_owned),
    };
    let all = kinds(&test, &viewer, by(None, None)).await;
    insta::assert_snapshot!(all.join(" "), @"agent.permissions_set artifact.recorded claim.recorded connection.created conversation.begun conversation.session_bound draft.created evidence_review.opened form.saved policy.set proposal.approved proposal.created proposal.executed reverification.asked_for reverification.attempted reverification.scheduled run.begun site.created source_package.disposed source_package.staged strategy.imported template.saved turn.claimed turn.ended turn.written");
    let proposals = kinds(&test, &viewer, by(Some("proposal."), None)).await;
    assert_eq!(
        proposals,
        ["proposal.approved", "proposal.created", "proposal.executed"]
    );
    let agent = format!("agent:{}", test.home.agent.id);
    let theirs = kinds(&test, &viewer, by(None, Some(&agent))).await;
    insta::assert_snapshot!(theirs.join(" "), @"artifact.recorded claim.recorded conversation.session_bound draft.created proposal.created run.begun source_package.staged turn.claimed turn.ended");
    let owner = format!("member:{}", test.home.members[&Role::Owner]);
    let owners = kinds(&test, &viewer, by(None, Some(&owner))).await;
    insta::assert_snapshot!(owners.join(" "), @"conversation.begun form.saved policy.set proposal.approved reverification.asked_for reverification.scheduled source_package.disposed strategy.imported");
    for nothing in [
        by(Some("proposal_"), None),
        by(Some("PROPOSAL."), None),
        by(None, Some("%")),
        by(None, Some("agent_")),
    ] {
        assert_eq!(
            kinds(&test, &viewer, nothing).await,
            [""; 0],
            "a filter is no pattern"
        );
    }
}

#[tokio::test]
async fn pages_of_entries_follow_each_other_without_a_gap() {
    let test = TestApp::with_a_story().await;
    let viewer = test.member(Role::Viewer).await;
    let mut after = None;
    let mut seen = Vec::new();
    loop {
        let page = PageRequest::new(Some(7), after);
        let entries = test
            .app
            .list_audit(&viewer, &Filter::default(), &page)
            .await
            .expect("a list");
        seen.extend(entries.items.into_iter().map(|entry| entry.id));
        after = entries.next;
        if after.is_none() {
            break;
        }
    }
    let page = PageRequest::new(Some(100), None);
    let all = test
        .app
        .list_audit(&viewer, &Filter::default(), &page)
        .await
        .expect("a list");
    assert_eq!(
        seen,
        all.items.iter().map(|entry| entry.id).collect::<Vec<_>>()
    );
    assert!(seen.is_sorted_by(|a, b| a > b), "the newest first");
}

#[tokio::test]
async fn a_member_may_have_the_ledger_verified() {
    let test = TestApp::with_a_story().await;
    let viewer = test.member(Role::Viewer).await;
    let found = test.app.verify_ledger(&viewer).await.expect("followed");
    assert_eq!(found.broken, []);
    assert!(found.entries > 20);
}
