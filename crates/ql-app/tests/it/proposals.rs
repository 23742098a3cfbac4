//! Proposals: typed, resolved to what they stand for, decided once, carried out in the approval.

use ql_app::proposal::ProposalView;
use ql_app::site::SitePatch;
use ql_core::access::Principal;
use ql_core::id::ProposalId;
use ql_core::page::PageRequest;
use ql_core::proposal::{Payload, ProposalState, Risk, Verdict};
use ql_core::role::Role;
use ql_core::time::hours;
use ql_store::proposal::Filter;
use ql_testkit::{Draft, TestApp, article, setup};

use crate::drafts::Writer;
use crate::say::code;

/// The names of what happened to a proposal, in order.
async fn events(test: &TestApp, id: ProposalId) -> String {
    let editor = test.member(Role::Editor).await;
    let events = test
        .app
        .list_proposal_events(&editor, id)
        .await
        .expect("its chain");
    events
        .iter()
        .map(|event| event.kind.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

impl Writer {
    pub(crate) async fn propose(&self, payload: Payload) -> ProposalId {
        let proposed = self
            .test
            .propose(&self.agent, Some(self.run), payload)
            .await;
        proposed.expect("a proposal").proposal_id
    }

    pub(crate) async fn look(&self, id: ProposalId) -> ProposalView {
        self.test
            .app
            .get_proposal(&self.agent, id)
            .await
            .expect("the proposal")
    }
}

#[tokio::test]
async fn each_kind_is_made_approved_and_carried_out() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let draft = writer.draft("Page").await;
    let archived_at = test.now();
    let payloads = [
        setup::creation("Made by approval"),
        setup::rewriting(draft, "Rewritten"),
        setup::publication(vec![draft.publish()]),
        setup::publication(vec![draft.unpublish()]),
        setup::archive(draft.content),
        setup::restore(draft.content, archived_at),
    ];
    let mut report = Vec::new();
    for (place, payload) in payloads.into_iter().enumerate() {
        // The rewriting moved the draft on, so what is published is the newest one.
        let payload = if place == 2 {
            setup::publication(vec![newest(&writer, draft).await.publish()])
        } else {
            payload
        };
        let id = writer.propose(payload).await;
        let owner = test.member(Role::Owner).await;
        let view = test.approve(&owner, id).await.expect("approved");
        assert_eq!(
            view.proposal.state,
            ProposalState::Executed { at: test.now() }
        );
        report.push(format!(
            "{} | {} | {} | {}",
            view.proposal.title,
            view.proposal.kind(),
            view.proposal.risk,
            events(test, id).await
        ));
    }
    insta::assert_snapshot!(report.join("\n"), @"
    Create “Made by approval” | create_content | low | proposal.created proposal.approved draft.created proposal.executed
    Revise “Page” | content_revision | low | proposal.created proposal.approved draft.created proposal.executed
    Publish “Rewritten” | publish_lifecycle | medium | proposal.created proposal.approved proposal.executed
    Unpublish “Rewritten” | publish_lifecycle | medium | proposal.created proposal.approved proposal.executed
    Archive “Rewritten” | content_lifecycle | high | proposal.created proposal.approved proposal.executed
    Restore “Rewritten” | content_lifecycle | high | proposal.created proposal.approved proposal.executed
    ");
    test.verify_ledger().await;
}

async fn newest(writer: &Writer, draft: Draft) -> Draft {
    let view = writer
        .test
        .app
        .get_content(&writer.agent, draft.content, None)
        .await
        .expect("the item");
    Draft {
        content: draft.content,
        revision: view.stored.item.current_draft,
    }
}

#[tokio::test]
async fn what_an_approval_writes_is_attributed_to_who_proposed_it_and_is_not_live() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let id = writer.propose(setup::creation("Made by approval")).await;
    let editor = test.member(Role::Editor).await;
    test.approve(&editor, id).await.expect("approved");

    let items = test
        .app
        .list_content(
            &editor,
            &ql_store::content::Filter::default(),
            &PageRequest::default(),
            true,
        )
        .await;
    let item = items.expect("a list").items.remove(0);
    let revision = item.revision.expect("its draft");
    assert_eq!(
        (revision.author, revision.run),
        (writer.agent.principal().actor(), Some(writer.run))
    );
    assert_eq!(revision.fields, article("Made by approval"));
    assert_eq!(test.live(&test.home).await, []);
}

#[tokio::test]
async fn an_approval_after_the_run_is_over_is_carried_out_all_the_same() {
    let writer = Writer::new().await;
    let id = writer.propose(setup::creation("Made by approval")).await;
    let request = crate::runs::in_short();
    let done = (writer.run, ql_core::run::Outcome::Completed);
    writer
        .test
        .app
        .finish_run(&writer.agent, done, request, None)
        .await
        .expect("finished");
    let editor = writer.test.member(Role::Editor).await;
    let view = writer.test.approve(&editor, id).await.expect("approved");
    assert!(matches!(
        view.proposal.state,
        ProposalState::Executed { .. }
    ));
    writer.test.verify_ledger().await;
}

/// What the approver saw is what is made, even when the site's own language changed in between.
#[tokio::test]
async fn a_page_is_created_in_the_language_and_at_the_address_that_were_seen() {
    let writer = Writer::new().await;
    let (test, id) = (
        &writer.test,
        writer.propose(setup::creation("Willkommen")).await,
    );
    let seen = writer.look(id).await;
    let admin = test.member(Role::Admin).await;
    let german = SitePatch {
        locale: Some("de".into()),
        ..SitePatch::default()
    };
    test.app.update_site(&admin, german).await.expect("changed");

    test.decide_on(&admin, id, seen.digest).await;

    let page = PageRequest::default();
    let items = test
        .app
        .list_content(&admin, &ql_store::content::Filter::default(), &page, false)
        .await;
    let item = &items.expect("a list").items[0].stored;
    let resolved = &seen.proposal.resolved[0];
    assert_eq!(Some(item.item.locale.as_str()), resolved.locale.as_deref());
    assert_eq!(Some(item.draft_slug.as_str()), resolved.slug.as_deref());
}

trait DecideOn {
    async fn decide_on(
        &self,
        by: &ql_app::OpContext,
        id: ProposalId,
        digest: ql_core::hash::Digest,
    );
}

impl DecideOn for TestApp {
    async fn decide_on(
        &self,
        by: &ql_app::OpContext,
        id: ProposalId,
        digest: ql_core::hash::Digest,
    ) {
        let decision = setup::decision(id, Verdict::Approve, digest);
        self.app.decide(by, decision).await.expect("approved");
    }
}

#[tokio::test]
async fn exactly_the_same_request_joins_the_one_that_waits() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let payload = || setup::publication(vec![draft.publish()]);
    let first = writer.propose(payload()).await;
    let again = writer
        .test
        .propose(&writer.agent, Some(writer.run), payload())
        .await
        .expect("joined");
    assert_eq!((again.proposal_id, again.joined), (first, true));

    let editor = writer.test.member(Role::Editor).await;
    let theirs = writer
        .test
        .propose(&editor, None, payload())
        .await
        .expect("their own");
    assert!(!theirs.joined, "another proposer's request is another one");
}

#[tokio::test]
async fn a_request_is_not_joined_to_one_that_could_only_go_stale() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let first = test.live_article(&test.home, "Page").await;
    let old = writer
        .propose(setup::publication(vec![first.unpublish()]))
        .await;
    let second = writer.revise(first, "Next").await;
    let editor = test.member(Role::Editor).await;
    let theirs = test
        .propose(&editor, None, setup::publication(vec![second.publish()]))
        .await
        .expect("asked");
    let owner = test.member(Role::Owner).await;
    test.approve(&owner, theirs.proposal_id)
        .await
        .expect("another page is live now");

    let again = test
        .propose(
            &writer.agent,
            Some(writer.run),
            setup::publication(vec![first.unpublish()]),
        )
        .await;

    let again = again.expect("asked");
    assert_eq!((again.joined, again.superseded), (false, vec![old]));
    let view = test
        .approve(&owner, again.proposal_id)
        .await
        .expect("approved");
    assert!(matches!(
        view.proposal.state,
        ProposalState::Executed { .. }
    ));
}

#[tokio::test]
async fn a_request_is_not_joined_to_one_whose_time_ran_out() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let payload = || setup::publication(vec![draft.publish()]);
    let old = writer.propose(payload()).await;
    writer.test.advance(hours(336));
    let run = writer.test.begin_run(&writer.agent).await;
    let again = writer
        .test
        .propose(&writer.agent, Some(run), payload())
        .await
        .expect("asked");
    assert!(!again.joined && again.proposal_id != old);
}

#[tokio::test]
async fn a_newer_request_about_the_same_pages_supersedes_the_older_one() {
    let writer = Writer::new().await;
    let (a, b) = (writer.draft("A").await, writer.draft("B").await);
    let first = writer.propose(setup::publication(vec![a.publish()])).await;
    let next = writer.revise(a, "A again").await;

    let newer = writer
        .test
        .propose(
            &writer.agent,
            Some(writer.run),
            setup::publication(vec![next.publish(), b.publish()]),
        )
        .await;

    let newer = newer.expect("asked");
    assert_eq!(newer.superseded, [first]);
    let state = writer.look(first).await.proposal.state;
    assert_eq!(
        state,
        ProposalState::Superseded {
            at: writer.test.now(),
            by: newer.proposal_id
        }
    );
    let part = writer
        .test
        .propose(
            &writer.agent,
            Some(writer.run),
            setup::publication(vec![b.publish()]),
        )
        .await;
    assert_eq!(
        part.expect("asked").superseded,
        [],
        "one that asks for more stays"
    );
}

#[tokio::test]
async fn the_proposer_withdraws_and_nobody_else() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let id = writer.propose(setup::creation("Page")).await;
    let editor = test.member(Role::Editor).await;
    assert_eq!(
        code(test.app.withdraw_proposal(&editor, id).await),
        "not_found"
    );

    let view = test
        .app
        .withdraw_proposal(&writer.agent, id)
        .await
        .expect("withdrawn");

    assert_eq!(
        view.proposal.state,
        ProposalState::Withdrawn { at: test.now() }
    );
    assert_eq!(
        events(test, id).await,
        "proposal.created proposal.withdrawn"
    );
    assert_eq!(
        code(test.app.withdraw_proposal(&writer.agent, id).await),
        "invalid_transition"
    );
    assert_eq!(code(test.approve(&editor, id).await), "invalid_transition");
}

/// A rotated secret makes no other proposer of an agent: it joins, replaces and takes back what it
/// asked for before.
#[tokio::test]
async fn an_agent_is_the_same_proposer_over_each_of_its_connections() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let draft = writer.draft("Page").await;
    let publication = writer
        .propose(setup::publication(vec![draft.publish()]))
        .await;
    let creation = writer.propose(setup::creation("New")).await;
    let admin = test.member(Role::Admin).await;
    let id = test.home.connection.connection.id;
    let rotated = test
        .app
        .rotate_connection(&admin, id)
        .await
        .expect("rotated");
    let agent = test
        .app
        .authenticate_connection(rotated.secret.expose())
        .await
        .expect("in");
    let run = test.begin_run(&agent).await;

    let again = test
        .propose(&agent, Some(run), setup::creation("New"))
        .await
        .expect("joined");
    assert_eq!((again.joined, again.proposal_id), (true, creation));
    let next = test.revise(&agent, run, draft, "Page, again").await;
    let newer = test
        .propose(&agent, Some(run), setup::publication(vec![next.publish()]))
        .await;
    assert_eq!(newer.expect("asked").superseded, [publication]);
    test.app
        .withdraw_proposal(&agent, creation)
        .await
        .expect("withdrawn");
}

#[tokio::test]
async fn a_proposal_that_nobody_decided_in_time_expires() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let id = writer.propose(setup::creation("Page")).await;
    test.advance(hours(336));
    let editor = test.member(Role::Editor).await;
    assert_eq!(
        code(test.approve(&editor, id).await),
        "invalid_transition",
        "even before the server noticed"
    );

    assert_eq!(test.run_due_work().await.proposals_expired, 1);

    assert_eq!(
        writer.look(id).await.proposal.state,
        ProposalState::Expired { at: test.now() }
    );
    assert_eq!(events(test, id).await, "proposal.created proposal.expired");
    assert_eq!(test.run_due_work().await.proposals_expired, 0);
}

#[tokio::test]
async fn the_server_judges_the_risk_and_nobody_else() {
    let writer = Writer::new().await;
    let mut drafts = Vec::new();
    for number in 0..10 {
        drafts.push(writer.draft(&format!("Page {number}")).await);
    }
    let all = drafts.iter().map(|draft| draft.publish()).collect();
    let nine = drafts[..9].iter().map(|draft| draft.publish()).collect();
    let mut risks = Vec::new();
    for payload in [
        setup::creation("New"),
        setup::rewriting(drafts[0], "Rewritten"),
        setup::publication(nine),
        setup::publication(all),
        setup::archive(drafts[0].content),
    ] {
        let id = writer.propose(payload).await;
        risks.push(writer.look(id).await.proposal.risk);
    }
    assert_eq!(
        risks,
        [Risk::Low, Risk::Low, Risk::Medium, Risk::High, Risk::High]
    );
}

#[tokio::test]
async fn proposals_are_listed_by_state_kind_run_risk_and_proposer() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let draft = writer.draft("Page").await;
    let creation = writer.propose(setup::creation("New")).await;
    let publication = writer
        .propose(setup::publication(vec![draft.publish()]))
        .await;
    let editor = test.member(Role::Editor).await;
    let theirs = test
        .propose(&editor, None, setup::archive(draft.content))
        .await
        .expect("asked")
        .proposal_id;
    test.decide(&editor, creation, Verdict::Reject)
        .await
        .expect("rejected");
    let Principal::Agent(agent) = writer.agent.principal() else {
        panic!("an agent")
    };

    let filters = [
        Filter::default(),
        Filter {
            state: Some("pending"),
            ..Filter::default()
        },
        Filter {
            state: Some("rejected"),
            ..Filter::default()
        },
        Filter {
            kind: Some(ql_core::proposal::ProposalKind::PublishLifecycle),
            ..Filter::default()
        },
        Filter {
            run: Some(writer.run),
            ..Filter::default()
        },
        Filter {
            risk: Some(Risk::High),
            ..Filter::default()
        },
        Filter {
            proposer: Some(format!("agent:{}", agent.agent)),
            ..Filter::default()
        },
        Filter {
            proposer: Some("member:".into()),
            ..Filter::default()
        },
    ];
    let mut found = Vec::new();
    for filter in filters {
        found.push(ids(&writer, &filter).await);
    }
    let both = vec![publication, creation];
    assert_eq!(
        found,
        [
            vec![theirs, publication, creation],
            vec![theirs, publication],
            vec![creation],
            vec![publication],
            both.clone(),
            vec![theirs],
            both,
            vec![theirs],
        ]
    );
}

/// The proposals that a filter lets through, newest first.
async fn ids(writer: &Writer, filter: &Filter) -> Vec<ProposalId> {
    let (app, page) = (&writer.test.app, PageRequest::default());
    let list = app
        .list_proposals(&writer.agent, filter, &page)
        .await
        .expect("a list");
    list.items.iter().map(|view| view.proposal.id).collect()
}
