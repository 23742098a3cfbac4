//! How members come in: one-time links, sessions, passwords and personal tokens.

use ql_app::Unauthenticated;
use ql_core::role::Role;
use ql_core::time::{days, hours, minutes};
use ql_testkit::TestApp;

use crate::say::{code, problems};

#[tokio::test]
async fn a_sign_in_link_opens_one_session_within_a_day() {
    let test = TestApp::new().await;
    let operator = test.operator().await;
    let editor = test.home.members[&Role::Editor];
    let link = async || {
        test.app
            .create_sign_in_link(&operator, editor)
            .await
            .expect("a link")
    };

    let once = link().await;
    let session = test.app.sign_in_with_link(&once).await.expect("in");
    assert_eq!(session.member.id, editor);
    assert_eq!(
        code(test.app.sign_in_with_link(&once).await),
        "sign_in_failed"
    );

    let late = link().await;
    test.advance(hours(24));
    assert_eq!(
        code(test.app.sign_in_with_link(&late).await),
        "sign_in_failed"
    );
    assert_eq!(
        code(test.app.sign_in_with_link("guessed").await),
        "sign_in_failed"
    );
}

#[tokio::test]
async fn a_session_ends_after_twelve_hours_or_when_its_member_leaves() {
    let test = TestApp::new().await;
    let operator = test.operator().await;
    let id = test.home.members[&Role::Editor];
    let open = async || {
        let link = test
            .app
            .create_sign_in_link(&operator, id)
            .await
            .expect("a link");
        test.app.sign_in_with_link(&link).await.expect("in").secret
    };
    let living = async |secret: &str| test.app.authenticate_session(secret).await.is_ok();

    let (first, second) = (open().await, open().await);
    let signed_in = test.app.authenticate_session(&first).await.expect("in");
    test.app.sign_out(&signed_in).await.expect("out");
    assert_eq!((living(&first).await, living(&second).await), (false, true));

    let token = test.app.authenticate_session(&second).await.expect("in");
    let token = test
        .app
        .issue_personal_token(&token, "script")
        .await
        .expect("a token");
    let owner = test.organization_member(Role::Owner).await;
    test.app
        .set_role(&owner, id, Role::Viewer)
        .await
        .expect("demoted");
    let signed_in = test.app.authenticate_session(&second).await.expect("in");
    assert_eq!(
        signed_in.member.role,
        Role::Viewer,
        "a role is looked up at every call"
    );

    test.app.remove_member(&owner, id).await.expect("removed");
    assert!(!living(&second).await);
    assert!(
        test.app
            .authenticate_personal_token(token.secret.expose())
            .await
            .is_err()
    );

    let admin = test.home.members[&Role::Admin];
    let link = test
        .app
        .create_sign_in_link(&operator, admin)
        .await
        .expect("a link");
    let third = test.app.sign_in_with_link(&link).await.expect("in").secret;
    test.advance(hours(12));
    assert!(!living(&third).await);
}

#[tokio::test]
async fn a_password_is_checked_and_a_wrong_one_tells_nothing() {
    let test = TestApp::new().await;
    let editor = test.signed_in(&test.home, Role::Editor).await;
    let app = &test.app;
    let refused = app.set_password(&editor, "short").await;
    assert_eq!(
        problems(refused),
        "/password length: expected 10 to 200 characters"
    );
    app.set_password(&editor, "correct horse battery")
        .await
        .expect("set");

    let session = app
        .sign_in_with_password(" Editor@ACME.example ", "correct horse battery")
        .await
        .expect("in");
    assert_eq!(session.member.id, editor.member.id);
    let wrong = app
        .sign_in_with_password("editor@acme.example", "wrong horse battery")
        .await
        .map(drop);
    let unknown = app
        .sign_in_with_password("nobody@acme.example", "correct horse battery")
        .await
        .map(drop);
    let unset = app
        .sign_in_with_password("admin@acme.example", "correct horse battery")
        .await
        .map(drop);
    assert_eq!((&wrong, &unknown), (&unknown, &unset));
    assert_eq!(code(wrong), "sign_in_failed");

    let first = test
        .app
        .authenticate_session(&session.secret)
        .await
        .expect("in");
    app.set_password(&first, "correct horse battery")
        .await
        .expect("set");
    let elsewhere = test.signed_in(&test.home, Role::Editor).await;
    assert_ne!(
        elsewhere.session, editor.session,
        "the session that was open elsewhere has ended"
    );

    test.advance(minutes(6));
    let stale = app.authenticate_session(&session.secret).await.expect("in");
    assert!(!stale.is_fresh(app));
    assert_eq!(
        code(app.set_password(&stale, "another good one").await),
        "reauthentication_required"
    );
    assert_eq!(
        code(app.reauthenticate(&stale, "wrong horse battery").await),
        "sign_in_failed"
    );
    app.reauthenticate(&stale, "correct horse battery")
        .await
        .expect("proved");
    let fresh = app.authenticate_session(&session.secret).await.expect("in");
    assert!(fresh.is_fresh(app));
}

#[tokio::test]
async fn a_personal_token_lasts_ninety_days_or_until_it_is_revoked() {
    let test = TestApp::new().await;
    let owner = test.signed_in(&test.home, Role::Owner).await;
    let app = &test.app;
    let issue = async || {
        app.issue_personal_token(&owner, "script")
            .await
            .expect("a token")
    };
    let (first, second) = (issue().await, issue().await);
    let enter = async |token: &ql_app::session::IssuedToken| {
        app.authenticate_personal_token(token.secret.expose())
            .await
            .map(drop)
    };
    assert_eq!(
        (enter(&first).await, enter(&second).await),
        (Ok(()), Ok(()))
    );
    let other = test.signed_in(&test.home, Role::Admin).await;
    assert_eq!(
        code(app.revoke_personal_token(&other, first.token.id).await),
        "not_found"
    );
    app.revoke_personal_token(&owner, first.token.id)
        .await
        .expect("revoked");
    assert_eq!(enter(&first).await, Err(Unauthenticated::Refused));
    test.advance(days(90));
    assert_eq!(enter(&second).await, Err(Unauthenticated::Refused));
}
