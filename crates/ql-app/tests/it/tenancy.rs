//! What belongs to another site or organization looks as if it had never existed.

use ql_app::Error;
use ql_app::session::{Owned, SiteRef};
use ql_core::role::Role;
use ql_testkit::TestApp;

use crate::everything::{
    Answer, administers, decides, everything, manages_people, reads, takes_turns, talks, works,
};
use crate::ids::Ids;

/// What is shared by an organization's sites, so a sibling's identifiers are known there.
const SHARED: [&str; 9] = [
    "create_conversation",
    "get_agent",
    "get_permissions",
    "create_connection",
    "set_permissions",
    "update_agent",
    "create_sign_in_link",
    "set_role",
    "remove_member",
];

fn differing(theirs: &[Answer], nobodys: &[Answer]) -> Vec<String> {
    assert_eq!(theirs.len(), nobodys.len());
    let pairs = theirs.iter().zip(nobodys);
    pairs
        .filter(|(their, nobody)| their.1 != nobody.1)
        .map(|(their, nobody)| format!("{}: {:?} is not {:?}", their.0, their.1, nobody.1))
        .collect()
}

#[tokio::test]
async fn another_organizations_identifiers_are_answered_as_those_that_never_were() {
    let test = TestApp::new().await;
    let (foreign, never) = (Ids::of(&test, &test.foreign).await, Ids::never(&test));
    test.form(&test.home).await;
    for caller in [
        test.agent().await,
        test.member(Role::Owner).await,
        test.operator().await,
    ] {
        let theirs = everything(&test, &caller, &foreign).await;
        let nobodys = everything(&test, &caller, &never).await;
        let renamed = [
            "create_site",
            "create_agent",
            "create_member",
            "create_owner",
        ];
        let same = |answers: Vec<Answer>| -> Vec<Answer> {
            answers
                .into_iter()
                .filter(|(name, _)| !renamed.contains(name))
                .collect()
        };
        assert_eq!(differing(&same(theirs), &same(nobodys)), [""; 0]);
    }
}

#[tokio::test]
async fn another_sites_identifiers_are_answered_as_those_that_never_were() {
    let test = TestApp::new().await;
    let (sibling, never) = (Ids::of(&test, &test.sibling).await, Ids::never(&test));
    let caller = test.member(Role::Owner).await;
    test.form(&test.home).await;
    for caller in [test.agent().await, caller] {
        let mut pair = Vec::new();
        for ids in [&sibling, &never] {
            let mut answers = reads(&test, &caller, ids).await;
            answers.extend(works(&test, &caller, ids).await);
            answers.extend(takes_turns(&test, &caller, ids).await);
            answers.extend(talks(&test, &caller, ids).await);
            answers.extend(decides(&test, &caller, ids).await);
            answers.extend(administers(&test, &caller, ids).await);
            answers.retain(|(name, _)| {
                !SHARED.contains(name) && !["create_site", "create_agent"].contains(name)
            });
            pair.push(answers);
        }
        assert_eq!(differing(&pair[0], &pair[1]), [""; 0]);
    }
}

/// An own run gets an agent no further with content that isn't its site's.
#[tokio::test]
async fn neither_does_an_own_run_reach_another_sites_content() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    for place in [&test.sibling, &test.foreign] {
        let theirs = Ids::of(&test, place).await;
        let mut pair = Vec::new();
        for ids in [theirs, Ids::never(&test)] {
            let ids = ids.with_run(test.begin_run(&agent).await);
            pair.push(works(&test, &agent, &ids).await);
        }
        assert_eq!(differing(&pair[0], &pair[1]), [""; 0]);
        let found: Vec<&str> = pair[0]
            .iter()
            .filter(|(_, answer)| matches!(answer, Err(Error::NotFound(_))))
            .map(|(name, _)| *name)
            .collect();
        assert!(found.contains(&"create_draft_of_item"), "{found:?}");
    }
}

/// The negative control: with the home site's own identifiers the same table is full of answers.
#[tokio::test]
async fn ones_own_identifiers_are_found() {
    let test = TestApp::new().await;
    let ids = Ids::of(&test, &test.home).await;
    let owner = test.member(Role::Owner).await;
    let mut answers = reads(&test, &owner, &ids).await;
    answers.extend(decides(&test, &owner, &ids).await);
    answers.extend(
        manages_people(
            &test,
            &owner,
            &ids.with_member(test.home.members[&Role::Viewer]),
        )
        .await,
    );
    let missing: Vec<&str> = answers
        .iter()
        .filter(|(_, answer)| answer.is_err())
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[tokio::test]
async fn a_member_enters_no_other_organizations_site_by_any_door() {
    let test = TestApp::new().await;
    let foreign = Ids::of(&test, &test.foreign).await;
    let never = Ids::never(&test);
    let owner = test.signed_in(&test.home, Role::Owner).await;
    let mut doors = Vec::new();
    for ids in [&foreign, &never] {
        let mut answers = Vec::new();
        for owned in [
            Owned::Proposal(ids.to_approve),
            Owned::Run(ids.run),
            Owned::Connection(ids.connection),
            Owned::Conversation(ids.talks.conversation),
            Owned::Turn(ids.talks.queued),
            Owned::Plan(ids.talks.plan),
            Owned::Step(ids.talks.asking),
        ] {
            answers.push(test.app.member_context_of(&owner, owned).await.map(drop));
        }
        doors.push(answers);
    }
    assert_eq!(doors[0], doors[1]);
    let by_slug = test
        .app
        .member_context(&owner, &SiteRef::parse("foreign"))
        .await
        .map(drop);
    let by_id = test
        .app
        .member_context(&owner, &SiteRef::Id(test.foreign.site.id))
        .await
        .map(drop);
    let nowhere = test
        .app
        .member_context(&owner, &SiteRef::parse("nowhere"))
        .await
        .map(drop);
    assert_eq!((by_slug, by_id), (nowhere.clone(), nowhere));
}
