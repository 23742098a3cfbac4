//! The topical map changes by approved proposals alone, version by version.

use ql_app::topical_map::{EdgeKind, Filter};
use ql_app::{Error, OpContext};
use ql_core::id::ProposalId;
use ql_core::page::PageRequest;
use ql_core::proposal::{Payload, ProposalState, TopicalMapChange};
use ql_core::role::Role;
use ql_core::topical_map::{NodeKind, NodeStatus, Operation, UpdateNode};
use ql_testkit::{TestApp, setup};
use tokio::task::JoinSet;

use crate::say::{code, problems};

fn change(base_map_version: i64, operations: Vec<Operation>) -> Payload {
    Payload::TopicalMapChange(TopicalMapChange {
        base_map_version,
        operations,
    })
}

/// The map in lines: each node with its status, below the node it stands under.
async fn picture(test: &TestApp, ctx: &OpContext) -> String {
    let whole = test.app.get_topical_map(ctx).await.expect("a map");
    let mut lines = vec![format!("version {}", whole.map.version)];
    let key = |id| {
        whole
            .map
            .nodes
            .iter()
            .find(|n| n.id == id)
            .map_or("?", |n| n.key.as_str())
    };
    for stored in &whole.map.nodes {
        let node = &stored.node;
        let parent = node.parent.as_deref().unwrap_or("-");
        let briefed = if stored.brief.is_some() {
            ", a brief"
        } else {
            ""
        };
        lines.push(format!(
            "{} {} under {parent}: {}{briefed}",
            node.kind, stored.key, stored.status
        ));
    }
    for edge in &whole.edges {
        if let EdgeKind::Link { anchor } = &edge.kind {
            lines.push(format!(
                "{} links to {} by “{anchor}”",
                key(edge.from),
                key(edge.to)
            ));
        }
    }
    lines.join("\n")
}

async fn propose(test: &TestApp, payload: Payload) -> ProposalId {
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let proposed = test.propose(&agent, Some(run), payload).await;
    proposed.expect("a proposal").proposal_id
}

#[tokio::test]
async fn a_change_is_a_version_and_each_new_page_gets_one_brief() {
    let test = TestApp::new().await;
    let viewer = test.member(Role::Viewer).await;
    assert_eq!(picture(&test, &viewer).await, "version 0");
    let id = propose(&test, setup::small_map(0, "tea")).await;
    assert_eq!(
        picture(&test, &viewer).await,
        "version 0",
        "nothing happens before"
    );

    let editor = test.member(Role::Editor).await;
    let view = test.approve(&editor, id).await.expect("approved");
    assert!(matches!(
        view.proposal.state,
        ProposalState::Executed { .. }
    ));
    let operations = vec![
        Operation::MoveNode {
            key: "tea-page".into(),
            parent: Some("tea-pillar".into()),
        },
        Operation::RetireNode {
            key: "tea-cluster".into(),
        },
        setup::node("sencha", NodeKind::Page, Some("tea-pillar")),
        Operation::UpdateNode(UpdateNode {
            key: "tea-pillar".into(),
            title: Some("All about tea".into()),
            ..UpdateNode::default()
        }),
    ];
    test.carry_out(&test.home, change(1, operations)).await;
    insta::assert_snapshot!(picture(&test, &viewer).await, @"
    version 2
    pillar tea-pillar under -: planned
    cluster tea-cluster under tea-pillar: retired
    page tea-page under tea-pillar: briefed, a brief
    page sencha under tea-pillar: briefed, a brief
    ");
    let events = test
        .app
        .list_proposal_events(&editor, id)
        .await
        .expect("its chain");
    let executed = events.last().expect("events");
    assert_eq!(executed.kind, "proposal.executed");
    assert_eq!(
        executed.detail["briefs"].as_array().map(Vec::len),
        Some(1),
        "{}",
        executed.detail
    );
    test.verify_ledger().await;
}

#[tokio::test]
async fn what_does_not_fit_the_map_is_refused_all_at_once() {
    let test = TestApp::new().await;
    test.briefed(&test.home, "tea").await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let mut page = setup::node("Bad key", NodeKind::Page, Some("nowhere"));
    if let Operation::AddNode(add) = &mut page {
        add.template = Some("none".into());
    }
    let operations = vec![
        setup::node("tea-pillar", NodeKind::Pillar, None),
        page,
        Operation::RetireNode {
            key: "tea-cluster".into(),
        },
    ];
    let refused = test.propose(&agent, Some(run), change(1, operations)).await;
    insta::assert_snapshot!(problems(refused), @"
    /payload/operations/0/key duplicate_key: the map has a node `tea-pillar` already, perhaps retired
    /payload/operations/1/key format: expected a key: a-z, 0-9, _ and -, at most 100 characters
    /payload/operations/1/parent unknown_parent: the map has no node `nowhere`
    /payload/operations/2/key has_children: the node `tea-cluster` has children; move or retire them first: `tea-page`
    /payload/operations/1/template unknown_template: the site has no template `none`
    ");
    let outdated = test
        .propose(&agent, Some(run), setup::small_map(0, "coffee"))
        .await;
    assert_eq!(outdated, Err(Error::StaleMap { current: 1 }));
    let none = test.propose(&agent, Some(run), change(1, Vec::new())).await;
    assert_eq!(code(none), "invalid_arguments");
}

#[tokio::test]
async fn a_change_of_an_older_version_is_stale_and_writes_nothing() {
    let test = TestApp::new().await;
    let first = propose(&test, setup::small_map(0, "tea")).await;
    let second = propose(&test, setup::small_map(0, "coffee")).await;
    let editor = test.member(Role::Editor).await;
    test.approve(&editor, first).await.expect("approved");
    let before = picture(&test, &editor).await;
    let shown = test.app.get_proposal(&editor, second).await.expect("it");
    let foretold = shown.preconditions[0]
        .stale
        .map(ql_core::lifecycle::StaleReason::code);
    assert_eq!(foretold, Some("map_moved"));
    let view = test
        .approve(&editor, second)
        .await
        .expect("the decision is taken");
    let state = view.proposal.state;
    assert!(
        matches!(&state, ProposalState::Stale { reason, .. } if reason == "map_moved"),
        "{state:?}"
    );
    assert_eq!(picture(&test, &editor).await, before);
    let briefs = test
        .app
        .list_briefs(&editor, None, &PageRequest::default())
        .await;
    assert_eq!(briefs.expect("briefs").items.len(), 1);
}

/// What a reviewer sees of a change stays what it was, though the map went on.
#[tokio::test]
async fn what_a_change_did_is_told_from_the_version_it_started_from() {
    let test = TestApp::new().await;
    test.briefed(&test.home, "tea").await;
    let rename = |base, title: &str| {
        let update = UpdateNode {
            key: "tea-page".into(),
            title: Some(title.into()),
            ..UpdateNode::default()
        };
        change(base, vec![Operation::UpdateNode(update)])
    };
    let first = propose(&test, rename(1, "One")).await;
    let editor = test.member(Role::Editor).await;
    test.approve(&editor, first).await.expect("approved");
    test.carry_out(&test.home, rename(2, "Two")).await;
    let changes = test
        .app
        .get_map_changes(&editor, first)
        .await
        .expect("changes");
    let before = changes[0].before.as_ref().map(|node| node.title.as_str());
    assert_eq!(
        (before, changes[0].after.title.as_str()),
        (Some("tea page"), "One")
    );
}

#[tokio::test]
async fn nodes_are_listed_page_by_page_with_the_edges_at_them() {
    let test = TestApp::new().await;
    test.briefed(&test.home, "tea").await;
    let retire = Operation::RetireNode {
        key: "tea-page".into(),
    };
    test.carry_out(&test.home, change(1, vec![retire])).await;
    let agent = test.agent().await;
    let list = |filter, page: PageRequest| {
        let (app, agent) = (test.app.clone(), agent.clone());
        async move {
            app.list_topical_map(&agent, filter, &page)
                .await
                .expect("a page")
        }
    };
    let first = list(Filter::default(), PageRequest::new(Some(1), None)).await;
    assert_eq!(
        (
            first.version,
            first.nodes.items[0].key.as_str(),
            first.edges.len()
        ),
        (2, "tea-pillar", 1)
    );
    let rest = list(
        Filter::default(),
        PageRequest::new(Some(5), first.nodes.next),
    )
    .await;
    let keys: Vec<&str> = rest
        .nodes
        .items
        .iter()
        .map(|node| node.key.as_str())
        .collect();
    assert_eq!(
        (keys, rest.nodes.next),
        (vec!["tea-cluster"], None),
        "retired nodes are asked for"
    );
    let retired = Filter {
        status: Some(NodeStatus::Retired),
        ..Filter::default()
    };
    let gone = list(retired, PageRequest::default()).await;
    assert_eq!(gone.nodes.items[0].status, NodeStatus::Retired);
    let found = test
        .app
        .get_topical_node(&agent, gone.nodes.items[0].id)
        .await;
    assert_eq!(found.expect("it").nodes.items.len(), 1);
}

/// Both servers approve, and so do several members: the page is commissioned once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_approvals_at_once_commission_one_brief() {
    let test = TestApp::new().await;
    let replica = test.replica();
    for round in 0..3 {
        // Two proposals for one version, approved at once on two servers.
        let ids = [
            propose(&test, setup::small_map(round, &format!("tea{round}"))).await,
            propose(&test, setup::small_map(round, &format!("tea{round}x"))).await,
        ];
        let mut presses = JoinSet::new();
        for press in 0..6 {
            let server = match &replica {
                Some(replica) if press % 2 == 1 => replica.clone(),
                _ => test.app.clone(),
            };
            let role = [Role::Editor, Role::Admin, Role::Owner][press / 2];
            let member = test.member(role).await;
            let id = ids[(press + press / 2) % 2];
            let digest = test.app.get_proposal(&member, id).await.expect("it").digest;
            let decision = setup::decision(id, ql_core::proposal::Verdict::Approve, digest);
            presses.spawn(async move { server.decide(&member, decision).await });
        }
        while let Some(answer) = presses.join_next().await {
            drop(answer.expect("no panic"));
        }
        let owner = test.member(Role::Owner).await;
        let briefs = test
            .app
            .list_briefs(&owner, None, &PageRequest::default())
            .await;
        let briefs = briefs.expect("briefs").items.len();
        let version = test.map_version(&test.home).await;
        assert_eq!((version, i64::try_from(briefs)), (round + 1, Ok(round + 1)));
    }
    test.verify_ledger().await;
}
