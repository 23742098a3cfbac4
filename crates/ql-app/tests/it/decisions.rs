//! Decisions: by members, on a digest, under the policy, once.

mod second_person;

use std::sync::Arc;

use ql_app::OpContext;
use ql_app::decision::NewDecision;
use ql_app::session::SiteRef;
use ql_core::hash::Digest;
use ql_core::id::ProposalId;
use ql_core::policy::{Policy, SelfApproval};
use ql_core::proposal::{ProposalKind, ProposalState, Verdict};
use ql_core::role::Role;
use ql_core::time::minutes;
use ql_testkit::{Draft, TestApp, setup};

use crate::drafts::Writer;
use crate::say::{code, outcome, problems};

/// The default policy with the publications' rule changed.
fn publishing(change: impl FnOnce(&mut ql_core::policy::Rule)) -> Policy {
    let mut policy = Policy::default();
    let rule = policy
        .rules
        .iter_mut()
        .find(|rule| rule.kind == ProposalKind::PublishLifecycle);
    change(rule.expect("a rule"));
    policy
}

/// A draft and the request to publish it.
async fn asked(writer: &Writer) -> (Draft, ProposalId) {
    let draft = writer.draft("Page").await;
    (
        draft,
        writer
            .propose(setup::publication(vec![draft.publish()]))
            .await,
    )
}

async fn set_policy(test: &TestApp, policy: Policy) {
    let admin = test.member(Role::Admin).await;
    test.app.set_policy(&admin, policy).await.expect("set");
}

#[tokio::test]
async fn a_decision_on_anything_but_what_stands_is_refused_and_not_kept() {
    let writer = Writer::new().await;
    let (_, id) = asked(&writer).await;
    let editor = writer.test.member(Role::Editor).await;
    let right = writer.look(id).await.digest;
    for verdict in Verdict::ALL {
        let blind = setup::decision(id, verdict, Digest::of(b"something else"));
        let refused = writer.test.app.decide(&editor, blind).await;
        assert_eq!(
            refused.map(drop),
            Err(ql_app::Error::DigestMismatch {
                current: right.to_string()
            })
        );
    }
    let view = writer.look(id).await;
    assert_eq!(
        (view.proposal.state, view.decisions),
        (ProposalState::Pending, Vec::new())
    );
}

/// margince/margince#1689: approve 82,000, execute 820,000. What is carried out is what was seen.
#[tokio::test]
async fn a_publication_promotes_exactly_the_revision_that_was_approved() {
    let writer = Writer::new().await;
    let (draft, id) = asked(&writer).await;
    let seen = writer.look(id).await;
    assert_eq!(seen.proposal.resolved[0].revision_id, Some(draft.revision));
    let editor = writer.test.member(Role::Editor).await;
    writer.test.approve(&editor, id).await.expect("approved");
    let live = writer.test.live(&writer.test.home).await;
    assert_eq!(live[0].revision, draft.revision);
    let revision = writer
        .test
        .app
        .get_revision(&editor, live[0].revision)
        .await
        .expect("it");
    assert_eq!(Some(revision.sha256), seen.proposal.resolved[0].sha256);
}

#[tokio::test]
async fn another_policy_makes_what_was_seen_another_thing() {
    let writer = Writer::new().await;
    let (_, id) = asked(&writer).await;
    let seen = writer.look(id).await.digest;
    set_policy(&writer.test, publishing(|rule| rule.valid_hours = 24)).await;

    let editor = writer.test.member(Role::Editor).await;
    let refused = writer
        .test
        .app
        .decide(&editor, setup::decision(id, Verdict::Approve, seen))
        .await;
    assert_eq!(code(refused), "digest_mismatch");
    writer
        .test
        .approve(&editor, id)
        .await
        .expect("the digest that stands now is good");
}

#[tokio::test]
async fn a_policy_that_was_tightened_applies_to_what_waits_already() {
    let writer = Writer::new().await;
    let (_, id) = asked(&writer).await;
    let test = &writer.test;
    test.member(Role::Editor).await;
    test.advance(minutes(6));
    let strict = Policy {
        high_risk_items: 1,
        ..Policy::default()
    };
    set_policy(test, strict).await;
    let editor = test.member(Role::Editor).await;
    assert_eq!(
        writer.look(id).await.proposal.risk,
        ql_core::proposal::Risk::High
    );
    assert_eq!(
        code(test.approve(&editor, id).await),
        "reauthentication_required"
    );
}

#[tokio::test]
async fn where_two_must_approve_one_is_not_enough_and_neither_is_the_same_one_twice() {
    let writer = Writer::new().await;
    set_policy(&writer.test, publishing(|rule| rule.approvals = 2)).await;
    let (draft, id) = asked(&writer).await;
    let test = &writer.test;
    let (editor, admin) = (
        test.member(Role::Editor).await,
        test.member(Role::Admin).await,
    );

    let view = test.approve(&editor, id).await.expect("the first");
    assert_eq!(
        (view.proposal.state.clone(), view.approvals()),
        (ProposalState::Pending, 1)
    );
    assert_eq!(test.live(&test.home).await, []);
    assert_eq!(code(test.approve(&editor, id).await), "already_approved");

    let view = test.approve(&admin, id).await.expect("the second");
    assert!(matches!(
        view.proposal.state,
        ProposalState::Executed { .. }
    ));
    assert_eq!(test.live(&test.home).await[0].revision, draft.revision);
}

#[tokio::test]
async fn the_approval_of_somebody_who_was_removed_or_demoted_no_longer_counts() {
    let writer = Writer::new().await;
    set_policy(&writer.test, publishing(|rule| rule.approvals = 2)).await;
    let (_, id) = asked(&writer).await;
    let test = &writer.test;
    let (editor, admin) = (
        test.member(Role::Editor).await,
        test.member(Role::Admin).await,
    );
    test.approve(&editor, id).await.expect("the first");
    let owners = test.organization_member(Role::Owner).await;
    let demoted = test.home.members[&Role::Editor];
    test.app
        .set_role(&owners, demoted, Role::Viewer)
        .await
        .expect("demoted");
    assert_eq!(writer.look(id).await.approvals(), 0);

    let view = test.approve(&admin, id).await.expect("counted");

    assert_eq!(
        (view.proposal.state.clone(), view.approvals()),
        (ProposalState::Pending, 1)
    );
    let owner = test.member(Role::Owner).await;
    let view = test
        .approve(&owner, id)
        .await
        .expect("the second that counts");
    assert!(matches!(
        view.proposal.state,
        ProposalState::Executed { .. }
    ));
}

/// A page that somebody wrote by hand and wants to have live.
async fn own_wish(test: &TestApp, member: &OpContext) -> ProposalId {
    let drafted = test
        .app
        .create_draft(member, None, setup::new_article("Mine"), None)
        .await;
    let draft = Draft::from(drafted.expect("written"));
    let payload = setup::publication(vec![draft.publish()]);
    test.propose(member, None, payload)
        .await
        .expect("asked")
        .proposal_id
}

/// Wagtail #1164, Plumber #120 and a pull request for AWX: editors, and administrators past the rule,
/// approved their own changes.
#[tokio::test]
async fn nobody_approves_their_own_proposal_not_even_an_owner() {
    let test = TestApp::new().await;
    for role in [Role::Owner, Role::Admin, Role::Editor] {
        let member = test.member(role).await;
        let id = own_wish(&test, &member).await;
        assert_eq!(
            code(test.approve(&member, id).await),
            "own_proposal",
            "{role}"
        );
        let other = if role == Role::Owner {
            Role::Editor
        } else {
            Role::Owner
        };
        let other = test.member(other).await;
        test.approve(&other, id).await.expect("somebody else may");
    }
}

#[tokio::test]
async fn the_only_one_who_could_may_approve_their_own_and_history_says_so() {
    let test = TestApp::new().await;
    let owner = test.member_of(&test.foreign, Role::Owner).await;
    let id = own_wish(&test, &owner).await;
    let view = test.approve(&owner, id).await.expect("nobody else could");
    assert!(view.decisions[0].own_proposal);
    let events = test
        .app
        .list_proposal_events(&owner, id)
        .await
        .expect("its chain");
    let approved = events
        .iter()
        .find(|event| event.kind == "proposal.approved")
        .expect("approved");
    assert_eq!(approved.detail["own_proposal"], true);
}

#[tokio::test]
async fn where_the_policy_forbids_it_even_the_only_one_may_not() {
    let test = TestApp::new().await;
    let owner = test.member_of(&test.foreign, Role::Owner).await;
    let strict = Policy {
        self_approval: SelfApproval::Forbidden,
        ..Policy::default()
    };
    test.app.set_policy(&owner, strict).await.expect("set");
    let id = own_wish(&test, &owner).await;
    assert_eq!(code(test.approve(&owner, id).await), "own_proposal");
}

#[tokio::test]
async fn high_risk_needs_a_fresh_proof_of_identity_and_medium_does_not() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let (_, medium) = asked(&writer).await;
    let other = writer.draft("Other").await;
    let high = writer.propose(setup::archive(other.content)).await;
    test.sign_in(&test.home, Role::Owner).await;
    test.advance(minutes(5));
    let owner = test.member(Role::Owner).await;
    assert_eq!(
        outcome(&test.decide(&owner, high, Verdict::RequestChanges).await),
        "ok",
        "within five minutes"
    );

    let high = writer.propose(setup::archive(other.content)).await;
    test.advance(minutes(1));
    assert_eq!(
        code(test.approve(&owner, high).await),
        "reauthentication_required"
    );
    test.approve(&owner, medium)
        .await
        .expect("medium risk needs none");

    test.sign_in(&test.home, Role::Owner).await;
    let owner = test.member(Role::Owner).await;
    test.approve(&owner, high).await.expect("fresh");
}

#[tokio::test]
async fn neither_agents_nor_operators_nor_personal_tokens_decide() {
    let writer = Writer::new().await;
    let (draft, id) = asked(&writer).await;
    let test = &writer.test;
    let signed_in = test.sign_in(&test.home, Role::Owner).await;
    let issued = test
        .app
        .issue_personal_token(&signed_in, "script")
        .await
        .expect("a token");
    let by_token = test
        .app
        .authenticate_personal_token(issued.secret.expose())
        .await
        .expect("in");
    let site = SiteRef::Id(test.home.site.id);
    let (by_token, _) = test
        .app
        .member_context(&by_token, &site)
        .await
        .expect("its site");
    let back = |content| ql_app::decision::NewRollBack {
        content,
        to: draft.revision,
        comment: "Back.".into(),
    };
    let operator = test.operator().await;
    let mut answers = Vec::new();
    for ctx in [&writer.agent, &operator, &by_token] {
        for verdict in Verdict::ALL {
            answers.push(code(test.decide(ctx, id, verdict).await));
        }
        answers.push(code(test.app.roll_back(ctx, back(draft.content)).await));
        answers.push(code(test.app.cancel_proposal(ctx, id).await));
    }
    assert_eq!(answers[..10], ["members_only"; 10]);
    assert_eq!(answers[10..], ["session_required"; 5]);
    assert_eq!(writer.look(id).await.proposal.state, ProposalState::Pending);
}

#[tokio::test]
async fn a_refusal_says_why() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let editor = test.member(Role::Editor).await;
    for (verdict, state) in [
        (Verdict::Reject, "rejected"),
        (Verdict::RequestChanges, "changes_requested"),
    ] {
        let (_, id) = asked(&writer).await;
        let digest = writer.look(id).await.digest;
        let silent = NewDecision {
            comment: " ".into(),
            ..setup::decision(id, verdict, digest)
        };
        let refused = test.app.decide(&editor, silent).await;
        assert_eq!(
            problems(refused),
            "/comment required: expected a text that isn't empty"
        );
        let view = test.decide(&editor, id, verdict).await.expect("decided");
        assert_eq!(view.proposal.state.as_str(), state);
        assert_eq!(view.decisions[0].comment, "I looked at it.");
        assert_eq!(code(test.approve(&editor, id).await), "invalid_transition");
    }
    assert_eq!(test.live(&test.home).await, []);
}

#[tokio::test]
async fn a_reviewer_decides_where_the_policy_says_so() {
    let writer = Writer::new().await;
    let (_, id) = asked(&writer).await;
    let test = &writer.test;
    let (reviewer, viewer) = (
        test.member(Role::Reviewer).await,
        test.member(Role::Viewer).await,
    );
    for verdict in Verdict::ALL {
        assert_eq!(
            code(test.decide(&reviewer, id, verdict).await),
            "policy_denied"
        );
        assert_eq!(code(test.decide(&viewer, id, verdict).await), "role_denied");
    }
    set_policy(test, publishing(|rule| rule.roles.push(Role::Reviewer))).await;
    test.approve(&reviewer, id).await.expect("now it may");
}

/// OWOX/owox-data-marts: an empty list of roles was read as everybody.
#[tokio::test]
async fn a_policy_that_takes_the_human_out_is_refused() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let nobody = publishing(|rule| rule.roles.clear());
    assert_eq!(
        problems(test.app.set_policy(&admin, nobody).await),
        "/rules/2/roles required: expected at least one role"
    );
    let none = publishing(|rule| rule.approvals = 0);
    assert_eq!(
        problems(test.app.set_policy(&admin, none).await),
        "/rules/2/approvals range: expected 1 to 5: no policy takes the human out"
    );
}

/// microsoft/agent-framework#4618: an approval that was replayed was applied twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_approval_that_is_pressed_by_everybody_at_once_is_carried_out_once() {
    let writer = Arc::new(Writer::new().await);
    let (draft, id) = asked(&writer).await;
    let mut presses = Vec::new();
    for role in [Role::Owner, Role::Admin, Role::Editor].repeat(8) {
        let member = writer.test.member(role).await;
        let writer = writer.clone();
        presses.push(tokio::spawn(async move {
            outcome(&writer.test.approve(&member, id).await)
        }));
    }
    let mut answers = Vec::new();
    for press in presses {
        answers.push(press.await.expect("no panic"));
    }
    answers.sort_unstable();
    let (refused, carried_out) = answers.split_at(23);
    assert_eq!(carried_out, ["ok"]);
    assert_eq!(refused, ["invalid_transition"; 23]);
    let changes = writer
        .test
        .app
        .changes(&writer.test.home.site, 0, 100)
        .await
        .expect("the feed");
    assert_eq!(changes.next, 1, "the live pointer moved once");
    assert_eq!(
        writer.test.live(&writer.test.home).await[0].revision,
        draft.revision
    );
    writer.test.verify_ledger().await;
}
