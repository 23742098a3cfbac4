//! A visitor fetches a form, fills it in and sends it, with scripts and without.

use axum::Router;
use axum::body::Body;
use ql_api::form::router;
use ql_core::form::Rules;
use ql_core::page::PageRequest;
use ql_core::role::Role;
use ql_testkit::TestApp;
use serde_json::{Value, json};

use crate::actor::{Actor, Reply};

struct Visitor {
    test: TestApp,
    router: Router,
}

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

impl Visitor {
    async fn new() -> Self {
        let test = TestApp::new().await;
        test.form(&test.home).await;
        let router = router(test.app.clone());
        Self { test, router }
    }

    async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let headers: Vec<(&str, String)> = headers
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect();
        let anybody = Actor::on(self.router.clone()).without_token();
        let path = format!("/forms/site/contact{path}");
        anybody
            .send(method, &path, &headers, Body::from(body.to_owned()))
            .await
    }

    async fn token(&self) -> String {
        let told: Value = self.ask("GET", "/token", &[], "").await.json();
        self.test.advance(Rules::default().min_fill());
        told["token"].as_str().expect("a token").to_owned()
    }

    async fn send(&self, media: &str, body: &str) -> Reply {
        self.ask("POST", "", &[("content-type", media)], body).await
    }

    /// As a browser sends a page's form.
    async fn browse(&self, body: &str) -> Reply {
        let headers = [
            ("content-type", FORM),
            ("accept", "text/html,application/xhtml+xml"),
            ("origin", "https://site.example"),
        ];
        self.ask("POST", "", &headers, body).await
    }

    async fn count(&self, standing: &str) -> usize {
        let owner = self.test.member(Role::Owner).await;
        let (of, page) = (("contact", standing), PageRequest::default());
        let found = self.test.app.list_submissions(&owner, of, &page).await;
        found.expect("a list").items.len()
    }
}

#[tokio::test]
async fn a_script_fetches_a_token_and_sends_json() {
    let visitor = Visitor::new().await;
    let token = visitor.token().await;
    let post = json!({"message": "Hello", "ql_token": token, "ql_website": ""});
    let reply = visitor.send(JSON, &post.to_string()).await;
    assert_eq!(reply.status, 201);
    insta::assert_snapshot!(reply.body, @r#"{"ok":true,"decision":"accepted","message":"Thank you. Your message has arrived.","reasons":[]}"#);
    let robot = json!({"message": "Buy", "ql_token": visitor.token().await, "ql_website": "x"});
    let reply = visitor.send(JSON, &robot.to_string()).await;
    assert_eq!(reply.status, 422);
    insta::assert_snapshot!(reply.body, @r#"{"ok":false,"decision":"rejected","message":"Your message was not taken.","reasons":[{"code":"honeypot_filled","message":"the field that people don't see was filled in"}]}"#);
    let reply = visitor.send(JSON, r#"{"message": "No token"}"#).await;
    assert_eq!(reply.status, 202);
    let kept = ["accepted", "held", "rejected"];
    for standing in kept {
        assert_eq!(visitor.count(standing).await, 1, "{standing}");
    }
}

#[tokio::test]
async fn a_page_without_scripts_shows_the_words_once_more_and_then_takes_them() {
    let visitor = Visitor::new().await;
    let page = visitor
        .browse("message=A+%C2%ABquoted%C2%BB+%3Cb%3Eword%3C%2Fb%3E&ql_website=&ql_next=%2Fthanks")
        .await;
    assert_eq!(page.status, 200);
    assert!(
        page.body.contains("A «quoted» &#60;b&#62;word&#60;/b&#62;"),
        "{}",
        page.body
    );
    assert_eq!(visitor.count("held").await, 0, "nothing is kept yet");
    let hidden = |name: &str| {
        let after = page.body.split(&format!("name=\"{name}\" value=\"")).nth(1);
        let value = after.and_then(|rest| rest.split('"').next());
        value.expect("a hidden field").to_owned()
    };
    visitor.test.advance(Rules::default().min_fill());
    let body = format!(
        "message=Hello&ql_website=&ql_token={}&ql_next={}",
        hidden("ql_token"),
        hidden("ql_next")
    );
    let gone_on = visitor.browse(&body).await;
    assert_eq!(gone_on.status, 303);
    assert_eq!(gone_on.headers["location"], "https://site.example/thanks");
    assert_eq!(visitor.count("accepted").await, 1);
}

#[tokio::test]
async fn the_next_page_is_never_another_sites() {
    let visitor = Visitor::new().await;
    for (number, next) in [
        "//evil.example/",
        "https://evil.example/",
        "/\\evil.example",
        "/a%0d%0ab",
    ]
    .into_iter()
    .enumerate()
    {
        let token = visitor.token().await;
        let body = format!("message=Hello+{number}&ql_token={token}&ql_next={next}");
        let page = visitor.browse(&body).await;
        assert_eq!(page.status, 201, "{next}");
        assert!(!page.headers.contains_key("location"), "{next}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_said_beside_the_words_and_nothing_is_lost() {
    let visitor = Visitor::new().await;
    let body = format!("message=&phone=1&ql_token={}", visitor.token().await);
    let page = visitor.browse(&body).await;
    assert_eq!(page.status, 422);
    assert!(
        page.body.contains("Nothing you wrote is lost."),
        "{}",
        page.body
    );
    assert!(
        page.body.contains("this must be filled in."),
        "{}",
        page.body
    );
    assert!(
        page.body.contains("phone: this form asks for message."),
        "{}",
        page.body
    );
    let reply = visitor.send(JSON, r#"{"message": 1, "other": []}"#).await;
    assert_eq!(reply.status, 422);
    let problems: Value = reply.json();
    let at: Vec<&Value> = problems["problems"]
        .as_array()
        .expect("problems")
        .iter()
        .map(|problem| &problem["pointer"])
        .collect();
    assert_eq!(at, ["/message", "/other"]);
}

#[tokio::test]
async fn bad_posts_get_a_typed_refusal_and_are_not_kept() {
    let visitor = Visitor::new().await;
    let deep = "[".repeat(5_000);
    let large = format!(r#"{{"message": "{}"}}"#, "x".repeat(300 << 10));
    let cases = [
        (JSON, "{", 422, "invalid_arguments"),
        (JSON, deep.as_str(), 422, "invalid_arguments"),
        (
            JSON,
            r#"{"message": "a", "message": "b"}"#,
            422,
            "invalid_arguments",
        ),
        (JSON, "[]", 422, "invalid_arguments"),
        (JSON, large.as_str(), 413, "payload_too_large"),
        (FORM, "message=a&message=b", 422, "invalid_arguments"),
        (FORM, "message=%ff", 422, "invalid_arguments"),
        ("text/plain", "message=a", 415, "unsupported_media_type"),
        (
            "multipart/form-data; boundary=x",
            "",
            415,
            "unsupported_media_type",
        ),
    ];
    for (media, body, status, code) in cases {
        let reply = visitor.send(media, body).await;
        let shown: String = body.chars().take(40).collect();
        assert_eq!(reply.status, status, "{media} {shown}: {}", reply.body);
        let told: Value = reply.json();
        assert_eq!(told["code"], code, "{media} {shown}");
    }
    for standing in ["accepted", "held", "rejected"] {
        assert_eq!(visitor.count(standing).await, 0);
    }
}

#[tokio::test]
async fn only_pages_of_the_site_and_of_the_server_may_send() {
    let visitor = Visitor::new().await;
    let from = async |origin: &str| {
        let headers = [("content-type", JSON), ("origin", origin)];
        visitor
            .ask("POST", "", &headers, r#"{"message": "x"}"#)
            .await
    };
    let own = from("https://site.example").await;
    assert_eq!(own.status, 202);
    assert_eq!(
        own.headers["access-control-allow-origin"],
        "https://site.example"
    );
    for evil in [
        "https://evil.example",
        "https://site.example.evil.example",
        "null",
        "http://site.example",
    ] {
        let reply = from(evil).await;
        assert_eq!(reply.status, 403, "{evil}");
        assert!(!reply.headers.contains_key("access-control-allow-origin"));
    }
    let asked = [("origin", "https://site.example")];
    let preflight = visitor.ask("OPTIONS", "", &asked, "").await;
    assert_eq!(preflight.status, 204);
    assert_eq!(
        preflight.headers["access-control-allow-methods"],
        "GET, HEAD, POST"
    );
}

#[tokio::test]
async fn a_form_that_isnt_there_is_not_found_whatever_is_asked() {
    let visitor = Visitor::new().await;
    let anybody = Actor::on(visitor.router.clone()).without_token();
    let mut seen: Vec<String> = Vec::new();
    for path in [
        "/forms/site/nowhere",
        "/forms/nowhere/contact",
        "/forms/foreign/contact",
    ] {
        for (method, path) in [
            ("GET", path.to_owned()),
            ("POST", path.to_owned()),
            ("GET", format!("{path}/token")),
        ] {
            let reply = anybody.send(method, &path, &[], Body::empty()).await;
            assert_eq!(reply.status, 404, "{method} {path}");
            seen.push(reply.body);
        }
    }
    seen.dedup();
    assert_eq!(seen.len(), 1);
}

#[tokio::test]
async fn the_forms_own_page_runs_nothing_and_is_framed_by_its_site_alone() {
    let visitor = Visitor::new().await;
    let page = visitor.ask("GET", "", &[], "").await;
    assert_eq!(page.status, 200);
    let policy = page.headers["content-security-policy"]
        .to_str()
        .expect("text");
    insta::assert_snapshot!(policy, @"default-src 'none'; style-src 'self'; form-action 'self' https://site.example; frame-ancestors 'self' https://site.example; base-uri 'none'");
    assert!(!page.body.contains("<script"), "{}", page.body);
    assert_eq!(page.headers["cache-control"], "no-store");
    let refused = visitor.ask("DELETE", "", &[], "").await;
    assert_eq!(refused.status, 405);
    assert_eq!(refused.headers["allow"], "GET, HEAD, POST, OPTIONS");
}
