//! What people may say, and what they may not.

use insta::assert_snapshot;
use ql_app::{Error, OpContext};
use ql_core::hash::Digest;
use ql_core::page::PageRequest;
use ql_core::production::Cast;
use ql_core::role::Role;
use ql_pipeline::finding::Code;

use super::world::{World, find, production, told};

#[tokio::test]
async fn whose_connection_was_revoked_plays_no_role() {
    let world = World::new().await;
    let operator = world.app.operator().await;
    let connection = world.app.home.connection.connection.id;
    world
        .app
        .app
        .revoke_connection(&operator, connection)
        .await
        .expect("revoked");
    let view = world.begin().await;
    assert_snapshot!(told(&view, "RESEARCH_COMPLETED"), @"RESEARCH_COMPLETED attempt 0 held: role_not_cast -");
    assert_eq!(world.asked(), "", "nobody was asked");
}

#[tokio::test]
async fn a_waiver_names_a_finding_and_a_reason_and_the_engine_computes_anew() {
    let world = World::new().await;
    let view = world.begin().await;
    let research = find(&view, "RESEARCH_COMPLETED");
    let finding = research
        .findings
        .iter()
        .find(|f| f.code == Code::HistoricalClaimUnverified);
    let fingerprint = finding.expect("found").fingerprint();
    let owner = world.app.member(Role::Owner).await;
    let waive = |reason: &'static str| {
        world
            .director
            .waive(&owner, world.id, (fingerprint, reason))
    };
    assert!(
        matches!(waive(" ").await, Err(Error::Invalid(_))),
        "a reason is needed"
    );
    waive("It is told as a legend.").await.expect("waived");
    world.reopen("RESEARCH_COMPLETED").await.expect("reopened");
    let view = world.work().await;
    // The corrections in the task are what they were, so the agent mends the claim all the same.
    assert_eq!(
        find(&view, "RESEARCH_COMPLETED").stage.state.as_str(),
        "passed"
    );
    assert_eq!(view.waivers.len(), 1);
}

#[tokio::test]
async fn what_the_server_knows_for_certain_is_not_waived() {
    let world = World::new().await;
    world.begin().await;
    world.reopen("RESEARCH_COMPLETED").await.expect("reopened");
    world
        .reopen("BIBLICAL_RESEARCH_COMPLETED")
        .await
        .expect("reopened");
    let view = world.work().await;
    let script = find(&view, "SCRIPT_GENERATED");
    let finding = script
        .findings
        .iter()
        .find(|f| f.code == Code::ScriptureQuoteMismatch);
    let fingerprint = finding.expect("found").fingerprint();
    let owner = world.app.member(Role::Owner).await;
    let refused = world
        .director
        .waive(&owner, world.id, (fingerprint, "It sounds better."))
        .await;
    assert_snapshot!(refused.expect_err("refused"), @"the input doesn't fit in 1 place(s): /fingerprint nobody may waive SCRIPTURE_QUOTE_MISMATCH; mend it");
}

/// What each act answers a caller who may and to whom there is nothing to do, or who may not.
async fn acts(world: &World, by: &OpContext) -> String {
    fn code<T>(result: Result<T, Error>) -> &'static str {
        match result {
            Ok(_) => "ok",
            Err(error) => error.code(),
        }
    }
    let (director, id) = (&world.director, world.id);
    let connection = world.app.home.connection.connection.id;
    let page = PageRequest::new(None, None);
    let material = ("a letter", "text/plain", b"Words.".as_slice());
    [
        (
            "list",
            code(director.list_productions(by, page.clone()).await),
        ),
        ("look", code(director.get_production(by, id).await)),
        ("cards", code(director.list_cards(by, page.clone()).await)),
        ("roles", code(director.list_cast(by).await)),
        (
            "stage",
            code(director.get_stage(by, id, "RESEARCH_COMPLETED").await),
        ),
        ("publication", code(director.find_publication(by, id).await)),
        ("start", code(director.start(by, production()).await)),
        (
            "cast",
            code(
                director
                    .cast(by, Cast::by_provider("research", connection))
                    .await,
            ),
        ),
        ("add", code(director.add_source(by, id, material).await)),
        (
            "request",
            code(director.request_source(by, id, "https://a.example/").await),
        ),
        (
            "exclude",
            code(director.exclude_source(by, id, "nowhere").await),
        ),
        (
            "reopen",
            code(director.reopen_stage(by, id, "PUBLISHED").await),
        ),
        (
            "approve",
            code(director.approve_stage(by, id, "PUBLISHED").await),
        ),
        (
            "waive",
            code(director.waive(by, id, (Digest::ZERO, "Why not.")).await),
        ),
    ]
    .map(|(act, code)| format!("{act} {code}"))
    .join(", ")
}

#[tokio::test]
async fn every_act_has_its_role_and_its_site() {
    let world = World::new().await;
    let mut lines = Vec::new();
    for role in Role::ALL {
        let member = world.app.member(role).await;
        lines.push(format!("{role}: {}", acts(&world, &member).await));
    }
    let others = [
        ("operator", world.app.operator().await),
        ("agent", world.app.agent().await),
        (
            "owner elsewhere",
            world.app.member_of(&world.app.foreign, Role::Owner).await,
        ),
        (
            "owner on another site",
            world.app.member_of(&world.app.sibling, Role::Owner).await,
        ),
    ];
    for (name, caller) in &others {
        lines.push(format!("{name}: {}", acts(&world, caller).await));
    }
    assert_snapshot!(lines.join("\n"), @"
    owner: list ok, look ok, cards ok, roles ok, stage ok, publication ok, start ok, cast ok, add ok, request ok, exclude not_found, reopen invalid_transition, approve not_found, waive not_found
    admin: list ok, look ok, cards ok, roles ok, stage ok, publication ok, start ok, cast ok, add ok, request conflict, exclude not_found, reopen invalid_transition, approve not_found, waive not_found
    editor: list ok, look ok, cards ok, roles ok, stage ok, publication ok, start ok, cast ok, add ok, request conflict, exclude not_found, reopen invalid_transition, approve not_found, waive not_found
    reviewer: list ok, look ok, cards ok, roles ok, stage ok, publication ok, start role_denied, cast role_denied, add role_denied, request role_denied, exclude role_denied, reopen role_denied, approve not_found, waive not_found
    viewer: list ok, look ok, cards ok, roles ok, stage ok, publication ok, start role_denied, cast role_denied, add role_denied, request role_denied, exclude role_denied, reopen role_denied, approve role_denied, waive role_denied
    operator: list ok, look ok, cards ok, roles ok, stage ok, publication ok, start ok, cast ok, add ok, request conflict, exclude not_found, reopen invalid_transition, approve members_only, waive members_only
    agent: list ok, look ok, cards ok, roles ok, stage ok, publication ok, start members_only, cast members_only, add members_only, request members_only, exclude members_only, reopen members_only, approve members_only, waive members_only
    owner elsewhere: list ok, look not_found, cards ok, roles ok, stage not_found, publication not_found, start ok, cast not_found, add not_found, request not_found, exclude not_found, reopen not_found, approve not_found, waive not_found
    owner on another site: list ok, look not_found, cards ok, roles ok, stage not_found, publication not_found, start ok, cast not_found, add not_found, request not_found, exclude not_found, reopen not_found, approve not_found, waive not_found
    ");
}

#[tokio::test]
async fn only_what_the_policy_has_is_cast() {
    let world = World::new().await;
    let editor = world.app.member(Role::Editor).await;
    let own = world.app.home.connection.connection.id;
    let refused = world
        .director
        .cast(&editor, Cast::by_provider("prophet", own))
        .await
        .expect_err("refused");
    assert_snapshot!(refused, @"the input doesn't fit in 1 place(s): /role the policy has no role `prophet`");
    let foreign = world.app.foreign.connection.connection.id;
    let refused = world
        .director
        .cast(&editor, Cast::by_provider("research", foreign))
        .await
        .expect_err("refused");
    assert_snapshot!(refused, @"there is no such connection here");
}

#[tokio::test]
async fn nobody_skips_a_stage() {
    let world = World::new().await;
    let refused = world.approve("SCRIPT_APPROVED").await.expect_err("refused");
    assert_snapshot!(refused, @"a stage that is waiting can't pass");
    let refused = world.approve("SCRIPT_AUDITED").await.expect_err("refused");
    assert_snapshot!(refused, @"there is no such stage of a person here");
    let refused = world.reopen("PUBLISHED").await.expect_err("refused");
    assert_snapshot!(refused, @"a stage that is waiting can't be opened again");
}

#[tokio::test]
async fn a_production_stays_under_the_policy_that_it_began_with() {
    let world = World::new().await;
    world.approve("IDEA_PROPOSED").await.expect("approved");
    world.approve("TOPIC_APPROVED").await.expect("approved");
    let other = world.under_another_policy();
    let owner = world.app.member(Role::Owner).await;
    let refused = other
        .reopen_stage(&owner, world.id, "TOPIC_APPROVED")
        .await
        .expect_err("refused");
    assert_snapshot!(refused, @"the input doesn't fit in 1 place(s): /production the production is made under the policy 4d48ca70; serve that one");
    other.run_due_stages().await.expect("work");
    let view = world.view().await;
    assert_snapshot!(told(&view, "RESEARCH_COMPLETED"), @"RESEARCH_COMPLETED attempt 0 held: policy_changed -");
    assert_eq!(world.asked(), "", "nobody was asked");
}
