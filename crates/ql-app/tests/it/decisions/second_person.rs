//! Approvals that are to be of different people: a sign-in link lets whoever made it act as the one
//! it was made for.

use ql_app::OpContext;
use ql_app::session::SiteRef;
use ql_core::actor::Actor;
use ql_core::id::ProposalId;
use ql_core::policy::Policy;
use ql_core::role::Role;
use ql_testkit::{TestApp, setup};

use crate::say::code;

const PASSWORD: &str = "correct horse battery staple";

/// The session of the member of a role that opens by a link of `maker`'s.
async fn by_link_of(test: &TestApp, maker: &OpContext, role: Role) -> OpContext {
    let member = test.home.members[&role];
    let link = test.app.create_sign_in_link(maker, member).await;
    let opened = test.app.sign_in_with_link(&link.expect("a link")).await;
    at_home(test, &opened.expect("in").secret).await
}

async fn at_home(test: &TestApp, cookie: &str) -> OpContext {
    let signed_in = test.app.authenticate_session(cookie).await.expect("in");
    let site = SiteRef::Id(test.home.site.id);
    let context = test.app.member_context(&signed_in, &site).await;
    context.expect("its site").0
}

/// A draft of an agent's, which the admin asks to have published.
async fn asked_by(test: &TestApp, proposer: &OpContext) -> ProposalId {
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let draft = test.draft(&agent, run, "Page").await;
    let wish = setup::publication(vec![draft.publish()]);
    let proposed = test.propose(proposer, None, wish).await;
    proposed.expect("a proposal").proposal_id
}

async fn asked_by_agent(test: &TestApp) -> ProposalId {
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let draft = test.draft(&agent, run, "Page").await;
    test.request_publication(&agent, run, &[draft]).await
}

#[tokio::test]
async fn an_administrator_does_not_approve_its_own_proposal_as_somebody_it_let_in() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let id = asked_by(&test, &admin).await;
    let puppet = by_link_of(&test, &admin, Role::Editor).await;
    assert_eq!(code(test.approve(&puppet, id).await), "same_person");
    let owner = by_link_of(&test, &test.operator().await, Role::Owner).await;
    let approved = test.approve(&owner, id).await.expect("somebody else");
    let kept = approved.decisions[0].let_in_by;
    assert_eq!(kept, Some(Actor::Operator { uid: 1000 }));
}

#[tokio::test]
async fn nor_does_it_propose_as_somebody_it_let_in_and_approve_as_itself() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let puppet = by_link_of(&test, &admin, Role::Editor).await;
    let id = asked_by(&test, &puppet).await;
    assert_eq!(code(test.approve(&admin, id).await), "same_person");
    let owner = test.member(Role::Owner).await;
    let second = by_link_of(&test, &admin, Role::Reviewer).await;
    assert_eq!(code(test.approve(&second, id).await), "policy_denied");
    test.approve(&owner, id).await.expect("somebody else");
}

#[tokio::test]
async fn whoever_enters_its_own_password_is_another_person_whoever_invited_it() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let member = test.home.members[&Role::Editor];
    let link = test.app.create_sign_in_link(&admin, member).await;
    let opened = test.app.sign_in_with_link(&link.expect("a link")).await;
    let invited = test
        .app
        .authenticate_session(&opened.expect("in").secret)
        .await;
    let set = test.app.set_password(&invited.expect("in"), PASSWORD).await;
    set.expect("set");
    let opened = test
        .app
        .sign_in_with_password("editor@acme.example", PASSWORD)
        .await;
    let editor = at_home(&test, &opened.expect("in").secret).await;
    let id = asked_by(&test, &admin).await;
    let approved = test.approve(&editor, id).await.expect("another person");
    assert_eq!(approved.decisions[0].let_in_by, None);
}

/// Who set that password is in the history of the organization.
#[tokio::test]
async fn history_names_whose_link_a_session_and_a_password_rest_on() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let member = test.home.members[&Role::Editor];
    let link = test.app.create_sign_in_link(&admin, member).await;
    let opened = test.app.sign_in_with_link(&link.expect("a link")).await;
    let invited = test
        .app
        .authenticate_session(&opened.expect("in").secret)
        .await;
    let set = test.app.set_password(&invited.expect("in"), PASSWORD).await;
    set.expect("set");
    let page = ql_core::page::PageRequest::default();
    let history = test.app.list_organization_audit(&admin, &page).await;
    let maker = admin.principal().actor().to_json();
    for (kind, entry) in ["member.password_set", "member.signed_in"]
        .into_iter()
        .zip(history.expect("history").items)
    {
        assert_eq!(
            (entry.kind.as_str(), &entry.detail["let_in_by"]),
            (kind, &maker)
        );
    }
}

#[tokio::test]
async fn where_two_must_approve_one_is_not_two_by_a_link() {
    let test = TestApp::new().await;
    let mut policy = Policy::default();
    for rule in &mut policy.rules {
        rule.approvals = 2;
    }
    let admin = test.member(Role::Admin).await;
    test.app.set_policy(&admin, policy).await.expect("set");

    let id = asked_by_agent(&test).await;
    test.approve(&admin, id).await.expect("the first");
    let puppet = by_link_of(&test, &admin, Role::Editor).await;
    assert_eq!(code(test.approve(&puppet, id).await), "same_person");

    let id = asked_by_agent(&test).await;
    test.approve(&puppet, id).await.expect("the first");
    assert_eq!(code(test.approve(&admin, id).await), "same_person");
    assert_eq!(code(test.approve(&puppet, id).await), "already_approved");

    // Two whom one let in are one; two whom the operator let in are two, since it is no member.
    let id = asked_by_agent(&test).await;
    let owner = test.member(Role::Owner).await;
    let editor = by_link_of(&test, &owner, Role::Editor).await;
    let second = by_link_of(&test, &owner, Role::Admin).await;
    test.approve(&editor, id).await.expect("the first");
    assert_eq!(code(test.approve(&second, id).await), "same_person");
    let carried_out = test.approve(&admin, id).await.expect("the second");
    assert_eq!(carried_out.proposal.state.as_str(), "executed");
    test.verify_ledger().await;
}
