//! Connections: looked up anew at every call, and one answer for all that open nothing.

use ql_app::connection::NewConnection;
use ql_app::{OpContext, Unauthenticated};
use ql_core::access::Principal;
use ql_core::connection::Connection;
use ql_core::role::Role;
use ql_core::scope::{Scope, ScopeSet};
use ql_core::time::{days, minutes};
use ql_core::token::{Token, TokenKind};
use ql_testkit::{TestApp, setup};

use crate::say::{code, problems};

fn scopes(ctx: &OpContext) -> ScopeSet {
    match ctx.principal() {
        Principal::Agent(agent) => agent.scopes,
        other => panic!("{other:?} is no agent"),
    }
}

async fn enter(test: &TestApp, secret: &str) -> Result<ScopeSet, Unauthenticated> {
    test.app
        .authenticate_connection(secret)
        .await
        .map(|ctx| scopes(&ctx))
}

fn new(test: &TestApp, scopes: ScopeSet) -> NewConnection {
    NewConnection {
        agent: test.home.agent.id,
        name: "desktop".into(),
        scopes,
        expires_at: None,
    }
}

#[tokio::test]
async fn whatever_is_wrong_with_a_secret_the_answer_is_the_same() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let issue = || {
        test.app
            .create_connection(&admin, new(&test, ScopeSet::ALL))
    };
    let revoked = issue().await.expect("issued");
    test.app
        .revoke_connection(&admin, revoked.connection.id)
        .await
        .expect("revoked");
    let expiring = NewConnection {
        expires_at: Some(test.now().plus(minutes(1))),
        ..new(&test, ScopeSet::ALL)
    };
    let expired = test
        .app
        .create_connection(&admin, expiring)
        .await
        .expect("issued");
    let good = issue().await.expect("issued");
    test.advance(minutes(1));
    let good = good.secret.expose();
    let personal = Token::generate(TokenKind::Personal, &**test.app.ids());
    let unknown = Token::generate(TokenKind::Connection, &**test.app.ids());
    let damaged = format!("{}x", &good[..good.len() - 1]);
    let cases = [
        ("nothing", ""),
        ("something else", "secret"),
        ("one with a space", &format!("{good} ")),
        ("another kind", personal.expose()),
        ("a member's cookie", &"0".repeat(64)),
        ("a wrong checksum", &damaged),
        ("an unknown one", unknown.expose()),
        ("a revoked one", revoked.secret.expose()),
        ("an expired one", expired.secret.expose()),
    ];
    for (what, secret) in cases {
        let refused = enter(&test, secret).await;
        assert_eq!(refused, Err(Unauthenticated::Refused), "{what}");
        assert_eq!(
            refused.expect_err("refused").to_string(),
            "the credential opens nothing"
        );
    }
    assert_eq!(
        enter(&test, good).await,
        Ok(ScopeSet::ALL),
        "the good one still works"
    );
}

/// A harness throws a refused secret away; one that couldn't be looked up is to be tried again.
#[tokio::test]
async fn a_database_that_cannot_be_asked_refuses_nobody() {
    let test = TestApp::new().await;
    let owner = test.sign_in(&test.home, Role::Owner).await;
    let personal = test
        .app
        .issue_personal_token(&owner, "script")
        .await
        .expect("a token");
    test.app.store().close();
    let secret = test.home.connection.secret.expose();
    assert_eq!(
        enter(&test, secret).await,
        Err(Unauthenticated::Unavailable)
    );
    let session = test.app.authenticate_session("cookie").await.map(drop);
    assert_eq!(session, Err(Unauthenticated::Unavailable));
    let personal = test
        .app
        .authenticate_personal_token(personal.secret.expose())
        .await
        .map(drop);
    assert_eq!(personal, Err(Unauthenticated::Unavailable));
    assert_eq!(
        enter(&test, "malformed").await,
        Err(Unauthenticated::Refused),
        "nothing needs to be asked"
    );
}

#[tokio::test]
async fn a_secret_leads_to_its_own_site_and_nowhere_else() {
    let test = TestApp::new().await;
    for place in [&test.home, &test.sibling, &test.foreign] {
        let ctx = test.agent_of(place).await;
        assert_eq!(ctx.site(), Ok(place.site.id));
        assert_eq!(ctx.organization(), place.site.organization);
    }
}

#[tokio::test]
async fn a_permission_that_is_taken_away_is_gone_on_the_very_next_call() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let agent = test.agent().await;
    test.app
        .begin_run(&agent, setup::run(&[]), None)
        .await
        .expect("it may");
    let fewer = ScopeSet::ALL.minus([Scope::RunsWrite].into_iter().collect());
    test.app
        .set_permissions(&admin, test.home.agent.id, fewer)
        .await
        .expect("set");

    let agent = test.agent().await;

    assert_eq!(scopes(&agent), fewer);
    assert_eq!(
        code(test.app.begin_run(&agent, setup::run(&[]), None).await),
        "scope_denied"
    );
    test.app
        .set_permissions(&admin, test.home.agent.id, ScopeSet::ALL)
        .await
        .expect("set");
    let agent = test.agent().await;
    test.app
        .begin_run(&agent, setup::run(&[]), None)
        .await
        .expect("it may again, by the same secret");
}

#[tokio::test]
async fn a_connection_has_at_most_what_it_was_issued_with() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let reading: ScopeSet = [Scope::SiteRead, Scope::ContentRead].into_iter().collect();
    let issued = test
        .app
        .create_connection(&admin, new(&test, reading))
        .await
        .expect("issued");
    assert_eq!(enter(&test, issued.secret.expose()).await, Ok(reading));
}

#[tokio::test]
async fn a_connection_gets_no_scope_that_its_agent_lacks() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let reading: ScopeSet = [Scope::SiteRead].into_iter().collect();
    test.app
        .set_permissions(&admin, test.home.agent.id, reading)
        .await
        .expect("set");
    let refused = test
        .app
        .create_connection(&admin, new(&test, ScopeSet::ALL))
        .await;
    let missing = ScopeSet::ALL.minus(reading);
    assert_eq!(
        refused.map(drop),
        Err(ql_app::Error::ScopeExceedsPermission { missing })
    );
    let rotated = test
        .app
        .rotate_connection(&admin, test.home.connection.connection.id)
        .await;
    assert_eq!(code(rotated.map(drop)), "scope_exceeds_permission");
    test.agent().await;
}

#[tokio::test]
async fn a_revoked_connection_is_shut_at_once_and_a_rotated_one_has_a_new_secret() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let old = &test.home.connection;
    let rotated = test
        .app
        .rotate_connection(&admin, old.connection.id)
        .await
        .expect("rotated");

    assert_eq!(
        enter(&test, old.secret.expose()).await,
        Err(Unauthenticated::Refused)
    );
    assert_eq!(
        enter(&test, rotated.secret.expose()).await,
        Ok(ScopeSet::ALL)
    );
    assert_eq!(
        (rotated.connection.name.as_str(), rotated.connection.agent),
        ("laptop", old.connection.agent)
    );
    let before = test
        .app
        .get_connection(&admin, old.connection.id)
        .await
        .expect("it stays listed");
    assert_eq!(before.revoked_at, Some(test.now()));
    let twice = test
        .app
        .revoke_connection(&admin, old.connection.id)
        .await
        .expect("the same as once");
    assert_eq!(twice, before);

    test.app
        .revoke_connection(&admin, rotated.connection.id)
        .await
        .expect("revoked");
    assert_eq!(
        enter(&test, rotated.secret.expose()).await,
        Err(Unauthenticated::Refused)
    );
}

#[tokio::test]
async fn a_connection_lasts_ninety_days_and_at_most_a_year() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let until = |expires_at| NewConnection {
        expires_at: Some(expires_at),
        ..new(&test, ScopeSet::ALL)
    };
    let issued = test
        .app
        .create_connection(&admin, new(&test, ScopeSet::ALL))
        .await
        .expect("issued");
    assert_eq!(issued.connection.expires_at, test.now().plus(days(90)));
    for wrong in [test.now(), test.now().plus(days(365)).plus(minutes(1))] {
        let refused = test.app.create_connection(&admin, until(wrong)).await;
        assert_eq!(
            problems(refused),
            "/expires_at range: expected an instant from a minute to 365 days ahead"
        );
    }
    let longest = test
        .app
        .create_connection(&admin, until(test.now().plus(Connection::MAX_LIFETIME)))
        .await;
    let longest = longest.expect("issued");
    test.advance(days(365));
    assert_eq!(
        enter(&test, longest.secret.expose()).await,
        Err(Unauthenticated::Refused)
    );
}

/// go-gitea/gitea#39174 and others: every request wrote the row that says when a token was used.
#[tokio::test]
async fn its_use_is_noted_at_most_once_a_minute() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let id = test.home.connection.connection.id;
    let noted = async || {
        let connection = test.app.get_connection(&admin, id).await.expect("it");
        connection.last_used_at
    };
    // It is noted off the request's path, so it may take some turns until it shows.
    let turns = async |most: u32, wanted| {
        for _ in 0..most {
            if noted().await == wanted {
                return;
            }
            let work = |_: &mut ql_store::Tx<'_>| Ok::<_, ql_store::StoreError>(());
            test.app.store().write(work).await.expect("a turn");
            tokio::task::yield_now().await;
        }
    };
    assert_eq!(noted().await, None);
    let noon = test.now();
    test.agent().await;
    turns(5000, Some(noon)).await;
    assert_eq!(noted().await, Some(noon));
    test.advance(std::time::Duration::from_secs(59));
    test.agent().await;
    turns(50, Some(test.now())).await;
    assert_eq!(noted().await, Some(noon), "not again within a minute");
    test.advance(std::time::Duration::from_secs(1));
    test.agent().await;
    turns(5000, Some(test.now())).await;
    assert_eq!(noted().await, Some(test.now()));
}
