//! Who is let in.

use std::time::Duration;

use axum::body::Body;
use ql_api::edge::rate::Rate;
use ql_api::rest::RestConfig;
use ql_core::role::Role;
use ql_core::time::{days, hours};
use serde_json::json;

use super::person::{Api, outcome, whole};

#[tokio::test]
async fn a_signed_in_member_sees_its_session() {
    let api = Api::new().await;
    let session = api.owner().await.get("/session").await;
    insta::assert_snapshot!(whole(&session), @r#"
    200
    csrf_token: "3c79477f13f3392d366f41a17b25c36a851b49e024b17caa51519b982b5c1a65"
    member: {"email":"owner@acme.example","id":"mem_01m8p570g0e008000000000005","name":"The owner"}
    reauthenticated_at: "2026-11-30T12:00:00.000000Z"
    role: "owner"
    "#);
    let token = api.personal_token(Role::Viewer).await;
    let session = api.bearer(&token).get("/session").await;
    insta::assert_snapshot!(whole(&session), @r#"
    200
    csrf_token: null
    member: {"email":"viewer@acme.example","id":"mem_01m8p570g0e00800000000000d","name":"The viewer"}
    reauthenticated_at: null
    role: "viewer"
    "#);
}

#[tokio::test]
async fn only_sending_nothing_reads_differently_from_sending_something_bad() {
    let api = Api::new().await;
    let nothing = api.anonymous().get("/session").await;
    insta::assert_snapshot!(whole(&nothing), @r#"
    401
    www-authenticate: Bearer realm="querylayer"
    code: "unauthenticated"
    detail: "no credential was sent"
    remedy: "Sign in on the dashboard and send its session cookie, or send a personal token as `Authorization: Bearer qlp_…`."
    status: 401
    title: "Unauthenticated"
    type: "urn:querylayer:problem:unauthenticated"
    "#);

    let unknown = api
        .bearer("qlp_000000000000000000000000000000000000")
        .get("/session")
        .await;
    insta::assert_snapshot!(whole(&unknown), @r#"
    401
    www-authenticate: Bearer realm="querylayer", error="invalid_token"
    code: "unauthenticated"
    detail: "the credential isn't valid"
    remedy: "Sign in on the dashboard and send its session cookie, or send a personal token as `Authorization: Bearer qlp_…`."
    status: 401
    title: "Unauthenticated"
    type: "urn:querylayer:problem:unauthenticated"
    "#);

    let (revoked, expired) = (api.owner().await, api.owner().await);
    let token = api.personal_token(Role::Editor).await;
    let id = api.bearer(&token).get("/tokens").await.json()["items"][0]["id"].clone();
    let path = format!("/tokens/{}", id.as_str().expect("an id"));
    assert_eq!(
        api.member(Role::Editor).await.delete(&path).await.status,
        204
    );
    let old = api.personal_token(Role::Editor).await;
    assert_eq!(outcome(&revoked.delete("/session").await), "204");
    let agent = api.app.home.connection.secret.expose();
    api.app.advance(days(91));
    for (what, person) in [
        ("revoked token", api.bearer(&token)),
        ("expired token", api.bearer(&old)),
        ("malformed token", api.bearer("qlp_x")),
        ("agent's token", api.bearer(agent)),
        ("ended session", revoked),
        ("expired session", expired),
        (
            "no session",
            api.anonymous().with("cookie", "__Host-ql_session=x"),
        ),
    ] {
        let reply = person.get("/session").await;
        assert_eq!(whole(&reply), whole(&unknown), "{what}");
    }
}

#[tokio::test]
async fn a_removed_member_is_out_at_once() {
    let api = Api::new().await;
    let (viewer, owner) = (api.member(Role::Viewer).await, api.owner().await);
    assert_eq!(viewer.get("/session").await.status, 200);
    let path = format!("/members/{}", api.app.home.members[&Role::Viewer]);
    assert_eq!(owner.delete(&path).await.status, 204);
    assert_eq!(viewer.get("/session").await.status, 401);
}

#[tokio::test]
async fn the_cookie_of_plain_http_opens_nothing_on_https() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let cookie = owner.headers[0]
        .1
        .replace("__Host-ql_session", "ql_session");
    assert_eq!(
        owner.with("cookie", cookie).get("/session").await.status,
        401
    );
}

#[tokio::test]
async fn a_session_changes_nothing_without_its_own_csrf_token() {
    let api = Api::new().await;
    let (owner, other) = (api.owner().await, api.owner().await);
    let theirs = other.headers[1].1.clone();
    let name = json!({"name": "Taken over"});
    let missing = owner.clone().without("x-csrf-token");
    insta::assert_snapshot!(whole(&missing.patch("/organization", name.clone()).await), @r#"
    403
    code: "csrf_token_required"
    detail: "a session changes something only with its CSRF token, which is missing or isn't this session's"
    remedy: "Send the csrf_token of GET /api/v1/session in the X-CSRF-Token header."
    status: 403
    title: "Csrf token required"
    type: "urn:querylayer:problem:csrf_token_required"
    "#);
    for wrong in ["", "x", theirs.as_str()] {
        let person = owner.clone().with("x-csrf-token", wrong);
        let reply = person.patch("/organization", name.clone()).await;
        assert_eq!(outcome(&reply), "403 csrf_token_required", "{wrong}");
        for method in ["POST", "PUT", "DELETE"] {
            let path = if method == "POST" {
                "/agents"
            } else {
                "/session/password"
            };
            let path = if method == "DELETE" { "/session" } else { path };
            let reply = person.call(method, path, Some(name.clone())).await;
            assert_eq!(outcome(&reply), "403 csrf_token_required", "{method}");
        }
    }
    assert_eq!(missing.get("/organization").await.json()["name"], "Acme");
    // The negative control: with the token it is carried out.
    assert_eq!(
        owner.patch("/organization", name).await.json()["name"],
        "Taken over"
    );
}

#[tokio::test]
async fn a_personal_token_needs_no_csrf_token_and_may_not_change_authority() {
    let api = Api::new().await;
    let person = api.bearer(&api.personal_token(Role::Owner).await);
    let agent = json!({"name": "Helper", "harness": "claude"});
    assert_eq!(person.post("/agents", agent).await.status, 201);
    let path = format!("/agents/{}/permissions/site", api.app.home.agent.id);
    let denied = person.put(&path, json!({"scopes": []})).await;
    insta::assert_snapshot!(whole(&denied), @r#"
    403
    code: "session_required"
    detail: "a personal token may not change members, permissions or the approval policy"
    remedy: "Sign in on the dashboard and do it there."
    status: 403
    title: "Session required"
    type: "urn:querylayer:problem:session_required"
    "#);
    let token = person.post("/tokens", json!({"name": "another"})).await;
    assert_eq!(outcome(&token), "403 reauthentication_required");
}

#[tokio::test]
async fn the_server_answers_only_under_its_own_name_and_to_its_own_pages() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let elsewhere = owner.clone().with("host", "evil.example");
    insta::assert_snapshot!(whole(&elsewhere.get("/session").await), @r#"
    403
    code: "host_refused"
    detail: "this server isn't configured to be reached under this Host name"
    remedy: "Use the address that the server is configured for."
    status: 403
    title: "Host refused"
    type: "urn:querylayer:problem:host_refused"
    "#);
    let page = owner.clone().with("origin", "https://evil.example");
    assert_eq!(outcome(&page.get("/session").await), "403 origin_refused");
    let page = owner.with("origin", "http://localhost:8080");
    assert_eq!(page.get("/session").await.status, 200);
    let document = api
        .anonymous()
        .with("host", "evil.example")
        .get("/openapi.json")
        .await;
    assert_eq!(outcome(&document), "403 host_refused");
}

#[tokio::test]
async fn a_database_that_does_not_answer_is_no_bad_credential() {
    let api = Api::new().await;
    let owner = api.owner().await;
    api.app.lose_database();
    insta::assert_snapshot!(whole(&owner.get("/session").await), @r#"
    503
    code: "unavailable"
    detail: "the server can't check credentials at the moment"
    remedy: "Try again in a moment."
    status: 503
    title: "Unavailable"
    type: "urn:querylayer:problem:unavailable"
    "#);
}

#[tokio::test]
async fn guessing_is_slowed_down() {
    let config = RestConfig {
        failed_authentications: Some(Rate {
            per_minute: 60,
            burst: 3,
        }),
        ..RestConfig::default()
    };
    let api = Api::with(config).await;
    let owner = api.owner().await;
    assert_eq!(owner.get("/session").await.status, 200);
    let guesser = api.bearer("qlp_x");
    for _ in 0..3 {
        assert_eq!(guesser.get("/session").await.status, 401);
    }
    insta::assert_snapshot!(whole(&guesser.get("/session").await), @r#"
    429
    retry-after: 1
    code: "rate_limited"
    detail: "too many failed authentications from this address"
    remedy: "Wait 1 s and try again."
    status: 429
    title: "Rate limited"
    type: "urn:querylayer:problem:rate_limited"
    "#);
    assert_eq!(
        owner.get("/session").await.status,
        200,
        "who was let in before still is"
    );
    api.app.advance(Duration::from_secs(1));
    assert_eq!(guesser.get("/session").await.status, 401);
}

#[tokio::test]
async fn a_password_proves_a_member_again_for_five_minutes() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let right = json!({"password": "correct horse battery"});
    assert_eq!(
        owner.put("/session/password", right.clone()).await.status,
        200
    );
    api.app.advance(hours(1));
    let late = json!({"password": "another long password"});
    let late = owner.put("/session/password", late).await;
    assert_eq!(outcome(&late), "403 reauthentication_required");

    let wrong = owner
        .post("/session/reauth", json!({"password": "wrong"}))
        .await;
    insta::assert_snapshot!(whole(&wrong), @r#"
    403
    code: "sign_in_failed"
    detail: "this isn't your password"
    remedy: "Check the address and the password, or ask an administrator for a new sign-in link."
    status: 403
    title: "Sign in failed"
    type: "urn:querylayer:problem:sign_in_failed"
    "#);
    let proven = owner.post("/session/reauth", right.clone()).await;
    assert_eq!(
        proven.json()["reauthenticated_at"],
        api.app.now().to_string()
    );
    assert_eq!(proven.json(), owner.get("/session").await.json());

    for _ in 0..8 {
        owner
            .post("/session/reauth", json!({"password": "wrong"}))
            .await;
    }
    let slowed = owner.post("/session/reauth", right).await;
    insta::assert_snapshot!(whole(&slowed), @r#"
    429
    retry-after: 6
    code: "rate_limited"
    detail: "too many passwords were tried"
    remedy: "Wait 6 s and try again."
    status: 429
    title: "Rate limited"
    type: "urn:querylayer:problem:rate_limited"
    "#);
    let token = api.bearer(&api.personal_token(Role::Owner).await);
    let reply = token
        .post("/session/reauth", json!({"password": "x"}))
        .await;
    assert_eq!(
        outcome(&reply),
        "429 rate_limited",
        "the limit is the member's"
    );
}

#[tokio::test]
async fn what_is_not_there_is_said_in_the_same_shape() {
    let api = Api::new().await;
    insta::assert_snapshot!(whole(&api.anonymous().get("/nothing").await), @r#"
    404
    code: "no_such_route"
    detail: "there is nothing at this address"
    remedy: "Check the path; GET /api/v1/openapi.json lists every call."
    status: 404
    title: "No such route"
    type: "urn:querylayer:problem:no_such_route"
    "#);
    let owner = api.owner().await;
    let method = owner.send("PATCH", "/session", Body::empty()).await;
    insta::assert_snapshot!(whole(&method), @r#"
    405
    allow: GET, DELETE, HEAD
    code: "method_not_allowed"
    detail: "this path isn't served for this method"
    remedy: "Use GET, DELETE, HEAD."
    status: 405
    title: "Method not allowed"
    type: "urn:querylayer:problem:method_not_allowed"
    "#);
    let head = owner.send("HEAD", "/session", Body::empty()).await;
    assert_eq!((head.status.as_u16(), head.body.as_str()), (200, ""));
}
