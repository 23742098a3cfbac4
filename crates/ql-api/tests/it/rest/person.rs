//! Somebody who calls the API, with a credential or without.

use std::fmt::Write as _;

use axum::Router;
use axum::body::Body;
use ql_api::rest::{self, RestConfig};
use ql_app::session::SiteRef;
use ql_core::id::MemberId;
use ql_core::role::Role;
use ql_testkit::{Place, TestApp};
use serde_json::{Value, json};

use crate::actor::{Actor, Reply};

/// The API over a whole application.
pub(super) struct Api {
    pub(super) app: TestApp,
    pub(super) router: Router,
}

/// A caller.
#[derive(Clone)]
pub(super) struct Person {
    router: Router,
    pub(super) headers: Vec<(&'static str, String)>,
}

impl Api {
    pub(super) async fn new() -> Self {
        Self::with(RestConfig::default()).await
    }

    pub(super) async fn with(config: RestConfig) -> Self {
        let app = TestApp::new().await;
        let router = rest::router(app.app.clone(), config);
        Self { app, router }
    }

    pub(super) fn anonymous(&self) -> Person {
        Person {
            router: self.router.clone(),
            headers: Vec::new(),
        }
    }

    /// Somebody with a bearer token.
    pub(super) fn bearer(&self, token: &str) -> Person {
        self.anonymous()
            .with("authorization", format!("Bearer {token}"))
    }

    /// The home organization's member of a role, freshly signed in.
    pub(super) async fn member(&self, role: Role) -> Person {
        self.member_of(&self.app.home, role).await
    }

    pub(super) async fn owner(&self) -> Person {
        self.member(Role::Owner).await
    }

    pub(super) async fn member_of(&self, place: &Place, role: Role) -> Person {
        self.session(place, place.members[&role]).await
    }

    /// A member with a session that has just begun.
    pub(super) async fn session(&self, place: &Place, member: MemberId) -> Person {
        let site = SiteRef::Id(place.site.id);
        let operator = self.app.app.operator_site_context(0, &site).await;
        let (operator, _) = operator.expect("the site");
        let link = self.app.app.create_sign_in_link(&operator, member).await;
        let opened = self.app.app.sign_in_with_link(&link.expect("a link")).await;
        let opened = opened.expect("a session");
        self.anonymous()
            .with("cookie", format!("__Host-ql_session={}", opened.secret))
            .with("x-csrf-token", opened.session.csrf)
    }

    /// The personal token of a member of the home organization.
    pub(super) async fn personal_token(&self, role: Role) -> String {
        self.member(role).await.token().await
    }
}

impl Person {
    /// A new personal token of this member.
    pub(super) async fn token(&self) -> String {
        let issued = self.post("/tokens", json!({"name": "script"})).await;
        let token = issued.json()["token"].as_str().map(str::to_owned);
        token.unwrap_or_else(|| panic!("no token: {}", issued.body))
    }

    /// The same caller with another header.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value.into()));
        self
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self
    }

    pub(super) async fn send(&self, method: &str, path: &str, body: impl Into<Body>) -> Reply {
        let path = format!("/api/v1{path}");
        let actor = Actor::on(self.router.clone()).without_token();
        actor.send(method, &path, &self.headers, body.into()).await
    }

    async fn send_json(&self, method: &str, path: &str, body: &Value) -> Reply {
        let person = self.clone().with("content-type", "application/json");
        person.send(method, path, body.to_string()).await
    }

    /// Calls with a body where there is one.
    pub(super) async fn call(&self, method: &str, path: &str, body: Option<Value>) -> Reply {
        match body {
            Some(body) => self.send_json(method, path, &body).await,
            None => self.send(method, path, Body::empty()).await,
        }
    }

    pub(super) async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, Body::empty()).await
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> Reply {
        self.send_json("POST", path, &body).await
    }

    pub(super) async fn put(&self, path: &str, body: Value) -> Reply {
        self.send_json("PUT", path, &body).await
    }

    pub(super) async fn patch(&self, path: &str, body: Value) -> Reply {
        self.send_json("PATCH", path, &body).await
    }

    pub(super) async fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, Body::empty()).await
    }
}

/// The status and the code of an answer.
pub(super) fn outcome(reply: &Reply) -> String {
    let body: Value = serde_json::from_str(&reply.body).unwrap_or_default();
    let code = body["code"].as_str().unwrap_or_default();
    format!("{} {code}", reply.status.as_u16())
        .trim()
        .to_owned()
}

/// The outcome with every place that is named as wrong.
pub(super) fn problems(reply: &Reply) -> String {
    let body: Value = serde_json::from_str(&reply.body).unwrap_or_default();
    let mut lines = vec![outcome(reply)];
    for problem in body["problems"].as_array().into_iter().flatten() {
        let word = |key: &str| problem[key].as_str().unwrap_or_default().to_owned();
        lines.push(format!(
            "  {} {}: {}",
            word("pointer"),
            word("code"),
            word("message")
        ));
    }
    lines.join("\n")
}

/// A whole answer: its status, the headers that differ from call to call, and its body with each
/// member on a line of its own. What every answer must say is checked.
pub(super) fn whole(reply: &Reply) -> String {
    assert_eq!(reply.header("cache-control"), "no-store");
    let mut text = reply.status.as_u16().to_string();
    for name in ["allow", "www-authenticate", "retry-after"] {
        if !reply.header(name).is_empty() {
            let _ = write!(text, "\n{name}: {}", reply.header(name));
        }
    }
    if reply.body.is_empty() {
        return text;
    }
    let expected = if reply.status.is_success() {
        "application/json"
    } else {
        "application/problem+json"
    };
    assert_eq!(reply.header("content-type"), expected);
    let body: Value = reply.json();
    for (name, value) in body.as_object().expect("an object") {
        let elements = value
            .as_array()
            .filter(|all| all.iter().any(Value::is_object));
        let Some(elements) = elements else {
            let _ = write!(text, "\n{name}: {value}");
            continue;
        };
        let _ = write!(text, "\n{name}:");
        for element in elements {
            let _ = write!(text, "\n- {element}");
        }
    }
    text
}
