//! What comes along with every answer, and what never gets through.

use axum::body::Body;
use http::header::{CONTENT_TYPE, ORIGIN};
use http::{Method, Request, StatusCode};
use ql_core::role::Role;
use ql_testkit::TestApp;

use crate::browser::Browser;

#[tokio::test]
async fn a_form_without_the_sessions_own_token_changes_nothing() {
    let test = TestApp::new().await;
    let mut owner = Browser::member(&test, Role::Owner).await;
    let page = owner.get("/sites/site/settings").await;
    let mut form = page.filled("/sites/site/settings", &[("name", "Stolen")]);
    form.retain(|(name, _)| name != "csrf");
    let without = owner.post("/sites/site/settings", &form).await;
    assert_eq!(without.status, StatusCode::FORBIDDEN);
    assert!(without.says("The form is out of date") && without.says("Nothing was changed."));
    form.push(("csrf".into(), "0".repeat(64)));
    assert_eq!(
        owner.post("/sites/site/settings", &form).await.status,
        StatusCode::FORBIDDEN
    );
    let right = page.filled("/sites/site/settings", &[("name", "Stolen")]);
    let body: Vec<String> = right.iter().map(|(k, v)| format!("{k}={v}")).collect();
    let foreign = Request::post("/sites/site/settings")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(ORIGIN, "https://elsewhere.example")
        .body(Body::from(body.join("&")));
    let refused = owner.send(foreign.expect("a request")).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(
        !owner
            .get("/sites/site/settings")
            .await
            .html
            .contains("Stolen")
    );
    assert!(
        owner
            .submit(&page, "/sites/site/settings", &[("name", "Mine")])
            .await
            .says("Saved.")
    );
}

#[tokio::test]
async fn every_answer_carries_the_headers_that_keep_it_safe() {
    let test = TestApp::new().await;
    let mut owner = Browser::member(&test, Role::Owner).await;
    for path in [
        "/sites/site/inbox",
        "/sign-in",
        "/nowhere",
        "/sites/foreign/inbox",
    ] {
        let shown = owner.get(path).await;
        let policy = shown.header("content-security-policy");
        assert!(
            policy.contains("default-src 'none'; script-src 'self'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(shown.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(shown.header("cache-control"), "no-store", "{path}");
    }
    let asset = ql_web::assets::STYLES.to_string();
    let styles = owner.get(&asset).await;
    assert_eq!(
        styles.header("cache-control"),
        "public, max-age=31536000, immutable"
    );
    assert_eq!(
        styles.header("cross-origin-resource-policy"),
        "cross-origin"
    );
    assert_eq!(
        owner.get("/assets/ql.0000000000000000.css").await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_said_on_a_page() {
    let test = TestApp::new().await;
    let mut owner = Browser::member(&test, Role::Owner).await;
    let nowhere = owner.get("/sites/site/nowhere").await;
    assert_eq!(
        (nowhere.status, nowhere.heading()),
        (StatusCode::NOT_FOUND, "There is nothing here".into())
    );
    let method = owner.request(Method::DELETE, "/sites/site/inbox").await;
    assert_eq!(
        (method.status, method.heading()),
        (
            StatusCode::METHOD_NOT_ALLOWED,
            "That address doesn't take this".into()
        )
    );
    let json = Request::post("/sites/site/settings")
        .header(CONTENT_TYPE, "application/json")
        .body(Body::from("{}"));
    let json = owner.send(json.expect("a request")).await;
    assert!(
        json.status.is_client_error() && json.heading() == "The form can't be read",
        "{}",
        json.html
    );
    let large = owner
        .post(
            "/sites/site/settings",
            &[("name".into(), "x".repeat(3 << 20))],
        )
        .await;
    assert!(large.status.is_client_error() && large.heading() == "The form can't be read");
    let bad = owner.get("/sites/site/content/cnt_nonsense").await;
    assert_eq!(bad.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn markup_that_an_agent_writes_is_only_ever_text() {
    let test = TestApp::new().await;
    let hostile = "<img src=x onerror=alert(1)> & \"quoted\"";
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let draft = test.draft(&agent, run, hostile).await;
    let proposal = test.request_publication(&agent, run, &[draft]).await;
    let mut owner = Browser::member(&test, Role::Owner).await;
    let content = draft.content;
    for path in [
        "/sites/site/inbox".to_owned(),
        "/sites/site/content".to_owned(),
        format!("/sites/site/proposals/{proposal}"),
        format!("/sites/site/content/{content}"),
        format!("/sites/site/content/{content}/edit"),
        format!("/sites/site/content/{content}/revisions/{}", draft.revision),
        format!(
            "/sites/site/content/{content}/revisions/{}/preview",
            draft.revision
        ),
        format!("/sites/site/runs/{run}"),
    ] {
        let shown = owner.get(&path).await;
        assert_eq!(shown.status, StatusCode::OK, "{path}");
        assert!(!shown.html.contains("<img"), "{path}");
        crate::html::read(&shown.html).unwrap_or_else(|problem| panic!("{path}: {problem}"));
    }
}
