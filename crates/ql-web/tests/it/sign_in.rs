//! Coming in, and being kept out.

use axum::body::Body;
use http::{Method, Request, StatusCode};
use ql_core::role::Role;
use ql_core::time::minutes;
use ql_testkit::TestApp;

use crate::browser::{Browser, sign_in_link};

#[tokio::test]
async fn a_link_opens_a_session_once_and_asks_for_a_password_at_the_first_visit() {
    let test = TestApp::new().await;
    let link = sign_in_link(&test, &test.home, Role::Owner).await;
    let mut owner = Browser::new(&test);
    assert_eq!(
        owner.request(Method::HEAD, &link).await.status,
        StatusCode::NO_CONTENT
    );
    let landed = owner.get(&link).await;
    assert_eq!(
        (landed.status, landed.heading()),
        (StatusCode::OK, "Choose a password".into())
    );
    let cookie = landed.header("set-cookie");
    assert!(cookie.starts_with("__Host-ql_session="), "{cookie}");
    assert!(
        cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"),
        "{cookie}"
    );

    let again = Browser::new(&test).get(&link).await;
    assert_eq!(again.status, StatusCode::UNAUTHORIZED);
    assert!(
        again.says("This sign-in link was used or has expired."),
        "{}",
        again.words()
    );

    let differ = [
        ("password", "four unrelated words"),
        ("again", "four unrelated swords"),
    ];
    let refused = owner.submit(&landed, "/password", &differ).await;
    assert!(refused.says("The two passwords differ."));
    let short = owner
        .submit(
            &refused,
            "/password",
            &[("password", "short"), ("again", "short")],
        )
        .await;
    assert!(short.says("10 to 200 characters"), "{}", short.words());
    let fine = [
        ("password", "four unrelated words"),
        ("again", "four unrelated words"),
    ];
    let home = owner.submit(&short, "/password", &fine).await;
    assert_eq!(home.heading(), "Inbox");

    let left = owner.submit(&home, "/sign-out", &[]).await;
    assert_eq!(left.heading(), "Sign in");
    assert_eq!(owner.get("/").await.location(), "/sign-in?next=/");
    let typed = [
        ("email", "owner@acme.example"),
        ("password", "four unrelated words"),
    ];
    assert_eq!(
        owner.submit(&left, "/sign-in", &typed).await.heading(),
        "Inbox"
    );
}

#[tokio::test]
async fn on_the_machine_itself_the_cookie_has_no_prefix_that_needs_tls() {
    let test = TestApp::new().await;
    let link = sign_in_link(&test, &test.home, Role::Owner).await;
    let landed = Browser::at(&test, "http://127.0.0.1:4000").get(&link).await;
    let cookie = landed.header("set-cookie");
    assert!(
        cookie.starts_with("ql_session=") && !cookie.contains("Secure"),
        "{cookie}"
    );
}

#[tokio::test]
async fn guessing_is_slow_and_the_next_address_stays_on_this_server() {
    let test = TestApp::new().await;
    let mut stranger = Browser::new(&test);
    let typed = [("email", "owner@acme.example"), ("password", "wrong")];
    for _ in 0..10 {
        let form = stranger.get("/sign-in?next=//elsewhere.example").await;
        assert!(form.html.contains("name=\"next\" value=\"/\""));
        let refused = stranger.submit(&form, "/sign-in", &typed).await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    }
    let form = stranger.get("/sign-in").await;
    let limited = stranger.submit(&form, "/sign-in", &typed).await;
    assert_eq!(limited.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(limited.header("retry-after"), "300");
    test.advance(minutes(6));
    let form = stranger.get("/sign-in").await;
    assert_eq!(
        stranger.submit(&form, "/sign-in", &typed).await.status,
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test]
async fn whoever_is_signed_out_comes_back_to_where_they_were_going() {
    let test = TestApp::new().await;
    let mut stranger = Browser::new(&test);
    let sent = stranger.get("/sites/site/content?q=a%20b").await;
    assert_eq!(sent.status, StatusCode::SEE_OTHER);
    assert_eq!(
        sent.location(),
        "/sign-in?next=/sites/site/content%3Fq%3Da%2520b"
    );
    let form = stranger.get(&sent.location()).await;
    assert!(
        form.html.contains("value=\"/sites/site/content?q=a%20b\""),
        "{}",
        form.html
    );
}

#[tokio::test]
async fn a_link_in_a_mail_reaches_its_page_although_the_cookie_is_strict() {
    let test = TestApp::new().await;
    let address = "/sites/site/inbox?state=all";
    let request = Request::get(address).header("sec-fetch-site", "cross-site");
    let request = request.body(Body::empty()).expect("a request");
    let first = Browser::new(&test).send(request).await;
    assert_eq!(first.status, StatusCode::OK);
    assert!(
        first
            .html
            .contains("content=\"0; url=/sites/site/inbox?state=all\""),
        "{}",
        first.html
    );
    let second = Browser::new(&test).get(address).await;
    assert_eq!(second.status, StatusCode::SEE_OTHER);
}
