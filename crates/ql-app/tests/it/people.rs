//! Members and agents: who is added, changed and removed by whom.

use ql_app::agent::{AgentPatch, NewAgent};
use ql_app::member::NewMember;
use ql_core::actor::Harness;
use ql_core::page::PageRequest;
use ql_core::role::Role;
use ql_testkit::TestApp;

use crate::say::{code, problems};

/// An address opens one account on the whole server, so whoever adds members learns that one is in
/// use, and nothing else: the answer is that of one's own.
#[tokio::test]
async fn an_address_that_another_organization_has_is_answered_as_ones_own() {
    let test = TestApp::new().await;
    let owner = test.organization_member(Role::Owner).await;
    let new = |email: &str| NewMember {
        email: email.into(),
        name: "Somebody".into(),
        role: Role::Viewer,
    };
    let add = |email: &'static str| test.app.create_member(&owner, new(email));
    let theirs = add("owner@globex.example").await.map(drop);
    assert_eq!(theirs, add("viewer@acme.example").await.map(drop));
    assert_eq!(code(theirs), "name_taken");
}

#[tokio::test]
async fn an_organization_keeps_an_owner() {
    let test = TestApp::new().await;
    let owner = test.organization_member(Role::Owner).await;
    let id = test.home.members[&Role::Owner];
    assert_eq!(
        code(test.app.set_role(&owner, id, Role::Admin).await),
        "last_owner"
    );
    assert_eq!(code(test.app.remove_member(&owner, id).await), "last_owner");

    let heir = test.home.members[&Role::Admin];
    test.app
        .set_role(&owner, heir, Role::Owner)
        .await
        .expect("a second owner");
    test.app
        .set_role(&owner, id, Role::Admin)
        .await
        .expect("the first may step down");
}

#[tokio::test]
async fn an_administrator_neither_makes_nor_unmakes_nor_becomes_an_owner() {
    let test = TestApp::new().await;
    let admin = test.organization_member(Role::Admin).await;
    let owner = test.home.members[&Role::Owner];
    let myself = test.home.members[&Role::Admin];
    let denied = [
        code(test.app.set_role(&admin, owner, Role::Viewer).await),
        code(test.app.set_role(&admin, myself, Role::Owner).await),
        code(test.app.remove_member(&admin, owner).await),
        code(test.app.create_sign_in_link(&admin, owner).await),
    ];
    assert_eq!(denied, ["role_denied"; 4]);
}

#[tokio::test]
async fn an_address_belongs_to_one_living_member() {
    let test = TestApp::new().await;
    let owner = test.organization_member(Role::Owner).await;
    let new = |email: &str| NewMember {
        email: email.into(),
        name: "Somebody".into(),
        role: Role::Viewer,
    };
    assert_eq!(
        code(
            test.app
                .create_member(&owner, new("Viewer@Acme.example"))
                .await
        ),
        "name_taken"
    );
    let viewer = test.home.members[&Role::Viewer];
    test.app
        .remove_member(&owner, viewer)
        .await
        .expect("removed");
    test.app
        .create_member(&owner, new("viewer@acme.example"))
        .await
        .expect("the address is free");
    for bad in [
        "",
        "viewer",
        "@localhost",
        "@acme.example",
        "a b@acme.example",
        "a@b.example@c.example",
    ] {
        let refused = test.app.create_member(&owner, new(bad)).await;
        assert_eq!(
            problems(refused),
            "/email format: expected an e-mail address",
            "{bad}"
        );
    }
    test.app
        .create_member(&owner, new("me@localhost"))
        .await
        .expect("good on this machine");
}

#[tokio::test]
async fn a_renamed_profile_is_one_event_and_changes_nothing_else() {
    let test = TestApp::new().await;
    let admin = test.organization_member(Role::Admin).await;
    let new = NewAgent {
        name: "Hermes".into(),
        harness: Harness::Hermes,
        profile_id: Some("profile-1".into()),
        profile_name: Some("writer".into()),
    };
    let agent = test
        .app
        .create_agent(&admin, new)
        .await
        .expect("registered");
    let before = test.app.get_agent(&admin, agent.id).await.expect("it");
    let rename = || AgentPatch {
        name: None,
        profile_name: Some("author".into()),
    };
    let renamed = test
        .app
        .update_agent(&admin, agent.id, rename())
        .await
        .expect("renamed");
    test.app
        .update_agent(&admin, agent.id, rename())
        .await
        .expect("the same again");

    let mut after = test.app.get_agent(&admin, agent.id).await.expect("it");
    assert_eq!(after.agent, renamed);
    assert_eq!(after.agent.profile_id.as_deref(), Some("profile-1"));
    after.agent.profile_name = before.agent.profile_name.clone();
    assert_eq!(after, before);
    let events = test
        .app
        .list_organization_audit(&admin, &PageRequest::default())
        .await
        .expect("a list");
    let noted = events
        .items
        .iter()
        .filter(|event| event.kind == "agent.renamed")
        .count();
    assert_eq!(noted, 1);
}

#[tokio::test]
async fn only_hermes_has_profiles_and_names_are_unique() {
    let test = TestApp::new().await;
    let admin = test.organization_member(Role::Admin).await;
    let new = |name: &str, harness| NewAgent {
        name: name.into(),
        harness,
        profile_id: (harness == Harness::Codex).then(|| "profile".to_owned()),
        profile_name: None,
    };
    let refused = test
        .app
        .create_agent(&admin, new("Codex", Harness::Codex))
        .await;
    assert_eq!(
        problems(refused),
        "/profile_id harness: only a Hermes agent is bound to a profile"
    );
    test.app
        .create_agent(&admin, new("Hermes", Harness::Hermes))
        .await
        .expect("registered");
    assert_eq!(
        code(
            test.app
                .create_agent(&admin, new("Hermes", Harness::Other))
                .await
        ),
        "name_taken"
    );
}
