//! A brief is commissioned once, answered once, and its page's status follows the page.

use ql_app::Error;
use ql_core::actor::Actor;
use ql_core::page::PageRequest;
use ql_core::proposal::{ProposalState, Verdict};
use ql_core::role::Role;
use ql_core::topical_map::{NodeStatus, Operation};
use ql_testkit::{TestApp, setup};
use serde_json::json;
use tokio::task::JoinSet;

use crate::say::problems;

async fn status(test: &TestApp) -> Vec<String> {
    let viewer = test.member(Role::Viewer).await;
    let briefs = test
        .app
        .list_briefs(&viewer, None, &PageRequest::default())
        .await;
    let briefs = briefs.expect("briefs").items;
    briefs
        .iter()
        .map(|state| format!("{} {}", state.brief.document.node_key, state.status))
        .collect()
}

#[tokio::test]
async fn a_brief_says_what_the_map_knew_and_its_hash_holds() {
    let test = TestApp::new().await;
    test.briefed(&test.home, "tea").await;
    let sibling = Operation::AddNode(ql_core::topical_map::AddNode {
        key: "sencha".into(),
        kind: ql_core::topical_map::NodeKind::Page,
        title: "How to brew sencha".into(),
        query: Some("brew sencha".into()),
        intent: None,
        parent: Some("tea-cluster".into()),
        template: Some("article".into()),
    });
    let change = ql_core::proposal::TopicalMapChange {
        base_map_version: 1,
        operations: vec![sibling],
    };
    test.carry_out(
        &test.home,
        ql_core::proposal::Payload::TopicalMapChange(change),
    )
    .await;
    let agent = test.agent().await;
    let briefs = test
        .app
        .list_briefs(&agent, Some(NodeStatus::Briefed), &PageRequest::default())
        .await;
    let briefs = briefs.expect("briefs").items;
    assert_eq!(briefs[0].brief.sha256, briefs[0].brief.document.sha256());
    let text = serde_json::to_string_pretty(&json!(briefs[0].brief.document)).expect("JSON");
    insta::assert_snapshot!(text, @r#"
    {
      "above": [
        {
          "key": "tea-pillar",
          "kind": "pillar",
          "title": "tea pillar"
        },
        {
          "key": "tea-cluster",
          "kind": "cluster",
          "title": "tea cluster"
        }
      ],
      "beside": [
        {
          "key": "tea-page",
          "kind": "page",
          "title": "tea page"
        }
      ],
      "intent": null,
      "map_version": 2,
      "node_key": "sencha",
      "query": "brew sencha",
      "template": "article",
      "title": "How to brew sencha"
    }
    "#);
}

#[tokio::test]
async fn an_accepted_draft_is_the_agents_own_and_the_page_goes_its_way() {
    let test = TestApp::new().await;
    let brief = test.briefed(&test.home, "tea").await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let proposed = test
        .propose(&agent, Some(run), setup::brief_draft(brief, "Tea"))
        .await;
    let card = proposed.expect("a card").proposal_id;
    assert_eq!(status(&test).await, ["tea-page briefed"], "a card is inert");
    let owner = test.member(Role::Owner).await;
    test.approve(&owner, card).await.expect("accepted");
    assert_eq!(status(&test).await, ["tea-page drafted"]);

    let draft = test.answered(&test.home, brief).await;
    let elsewhere = test.agent_of(&test.sibling).await;
    for (reader, expected) in [
        (&owner, Some(brief)),
        (&agent, Some(brief)),
        (&elsewhere, None),
    ] {
        let found = test.app.find_revision_brief(reader, draft.revision).await;
        let found = found.expect("an answer").map(|state| state.brief.id);
        assert_eq!(found, expected);
    }
    let revision = test
        .app
        .get_revision(&owner, draft.revision)
        .await
        .expect("it");
    assert_eq!(revision.author, agent.principal().actor());
    assert!(matches!(revision.author, Actor::Agent { .. }));
    assert_eq!(revision.run, Some(run));
    assert_eq!(test.live(&test.home).await.len(), 0, "it isn't live");
    test.publish(&test.home, draft).await;
    assert_eq!(status(&test).await, ["tea-page published"]);
    test.carry_out(&test.home, setup::publication(vec![draft.unpublish()]))
        .await;
    assert_eq!(status(&test).await, ["tea-page drafted"]);
    test.verify_ledger().await;
}

#[tokio::test]
async fn a_brief_takes_one_draft_that_fits_its_template() {
    let test = TestApp::new().await;
    let brief = test.briefed(&test.home, "tea").await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let mut unfit = setup::brief_draft(brief, "Tea");
    if let ql_core::proposal::Payload::ContentBriefDraft(draft) = &mut unfit {
        draft.fields = json!({"title": "", "colour": 1});
    }
    let refused = test.propose(&agent, Some(run), unfit).await;
    insta::assert_snapshot!(problems(refused), @r#"
    /payload/fields schema: "body" is a required property
    /payload/fields/title schema: "" is shorter than 1 character
    /payload/fields schema: Additional properties are not allowed ('colour' was unexpected)
    "#);
    let propose =
        |title: &'static str| test.propose(&agent, Some(run), setup::brief_draft(brief, title));
    let first = propose("Tea").await.expect("a card").proposal_id;
    let second = propose("Better tea")
        .await
        .expect("another card")
        .proposal_id;
    let owner = test.member(Role::Owner).await;
    test.approve(&owner, first).await.expect("accepted");
    let view = test
        .approve(&owner, second)
        .await
        .expect("the decision is taken");
    let state = view.proposal.state;
    assert!(
        matches!(&state, ProposalState::Stale { reason, .. } if reason == "brief_answered"),
        "{state:?}"
    );
    let third = propose("Late tea").await;
    insta::assert_snapshot!(problems(third), @"/payload/brief_id brief_answered: another draft for the same brief was accepted");
    let nobodys = ql_core::id::BriefId::mint(&**test.app.ids(), test.now());
    let unknown = test
        .propose(&agent, Some(run), setup::brief_draft(nobodys, "x"))
        .await;
    assert_eq!(unknown, Err(Error::NotFound("brief")));
}

#[tokio::test]
async fn a_retired_page_needs_no_draft_any_more() {
    let test = TestApp::new().await;
    let brief = test.briefed(&test.home, "tea").await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let card = test
        .propose(&agent, Some(run), setup::brief_draft(brief, "Tea"))
        .await;
    let retire = Operation::RetireNode {
        key: "tea-page".into(),
    };
    let change = ql_core::proposal::TopicalMapChange {
        base_map_version: 1,
        operations: vec![retire],
    };
    test.carry_out(
        &test.home,
        ql_core::proposal::Payload::TopicalMapChange(change),
    )
    .await;
    assert_eq!(status(&test).await, ["tea-page retired"]);
    let owner = test.member(Role::Owner).await;
    let view = test
        .approve(&owner, card.expect("a card").proposal_id)
        .await
        .expect("taken");
    let state = view.proposal.state;
    assert!(
        matches!(&state, ProposalState::Stale { reason, .. } if reason == "brief_retired"),
        "{state:?}"
    );
}

/// Two cards for one brief, accepted at once by two members on two servers.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_cards_accepted_at_once_one_becomes_the_draft() {
    let test = TestApp::new().await;
    let replica = test.replica();
    let agent = test.agent().await;
    for round in 0..3 {
        let brief = test.briefed(&test.home, &format!("tea{round}")).await;
        let run = test.begin_run(&agent).await;
        let mut cards = Vec::new();
        for press in 0..2 {
            let payload = setup::brief_draft(brief, &format!("Tea {round} {press}"));
            let card = test.propose(&agent, Some(run), payload).await;
            cards.push(card.expect("a card"));
        }
        let members = [
            test.member(Role::Editor).await,
            test.member(Role::Admin).await,
        ];
        let servers = [
            test.app.clone(),
            replica.clone().unwrap_or_else(|| test.app.clone()),
        ];
        let mut presses = JoinSet::new();
        for ((card, member), server) in cards.into_iter().zip(members).zip(servers) {
            let decision = setup::decision(card.proposal_id, Verdict::Approve, card.digest);
            presses.spawn(async move { server.decide(&member, decision).await });
        }
        let mut executed = 0;
        while let Some(answer) = presses.join_next().await {
            let view = answer.expect("no panic").expect("a decision");
            executed += usize::from(matches!(
                view.proposal.state,
                ProposalState::Executed { .. }
            ));
        }
        assert_eq!(executed, 1);
        test.answered(&test.home, brief).await;
    }
    test.verify_ledger().await;
}
