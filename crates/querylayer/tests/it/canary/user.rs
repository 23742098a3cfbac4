//! The secrets of a person and an agent, and what is done with them.

use reqwest::header::AUTHORIZATION;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

use super::logged::Logged;

/// What was left somewhere, by where.
pub(super) type Left = Vec<(String, Vec<u8>)>;

const PASSWORD: &str = "a passphrase that nobody else would choose";

/// Somebody with every secret there is, who uses each of them.
pub(super) struct User<'a> {
    server: &'a Logged,
    client: Client,
    cookie: String,
    csrf: String,
    personal: String,
}

/// Whatever was answered: status, headers and body.
async fn send(request: reqwest::RequestBuilder) -> Vec<u8> {
    let answer = request.send().await.expect("an answer");
    let mut whole = format!("{} {:?}", answer.status(), answer.headers()).into_bytes();
    whole.extend(answer.bytes().await.expect("a body"));
    whole
}

impl<'a> User<'a> {
    /// Opens the sign-in link, sets a password and makes a personal token.
    pub(super) async fn arrive(server: &'a Logged) -> Self {
        let client = crate::process::http().redirect(reqwest::redirect::Policy::none());
        let client = client.build().expect("a client");
        let landed = client.get(server.text("sign_in_url")).send().await;
        let landed = landed.expect("an answer");
        let cookie = landed.headers()["set-cookie"].to_str().expect("text");
        let cookie = cookie.split(';').next().expect("a pair").to_owned();
        let mut user = Self {
            server,
            client,
            cookie,
            csrf: String::new(),
            personal: String::new(),
        };
        let session = user.client.get(user.api("/session"));
        user.csrf = answer(user.signed_in(session), "csrf_token").await;
        let password = user.client.put(user.api("/session/password"));
        let set = user.changing(password).json(&json!({"password": PASSWORD}));
        assert!(set.send().await.expect("an answer").status().is_success());
        let token = user.client.post(user.api("/tokens"));
        let token = user.changing(token).json(&json!({"name": "canary"}));
        user.personal = answer(token, "token").await;
        user
    }

    /// Each secret by what it is, the connection's token first.
    pub(super) fn secrets(&self) -> Vec<(&'static str, String)> {
        let last = |text: &str, end: char| text.rsplit(end).next().expect("a part").to_owned();
        vec![
            ("the connection's token", self.server.text("token")),
            ("the personal token", self.personal.clone()),
            (
                "the sign-in link",
                last(&self.server.text("sign_in_url"), '/'),
            ),
            ("the session's cookie", last(&self.cookie, '=')),
            ("the password", PASSWORD.to_owned()),
        ]
    }

    /// Uses every secret, well and badly.
    pub(super) async fn use_them(&self) -> Left {
        let mut requests = self.as_an_agent();
        requests.extend(self.in_the_wrong_place());
        requests.extend(self.as_a_person());
        let mut left = Left::new();
        for (name, request) in requests {
            left.push((name.to_owned(), send(request).await));
        }
        left
    }

    fn as_an_agent(&self) -> Vec<(&'static str, RequestBuilder)> {
        let with_token = |request: RequestBuilder| request.bearer_auth(self.server.text("token"));
        let mcp = || self.client.post(self.server.text("mcp_url"));
        let evil = self.context().header("origin", "https://evil.example");
        let broken = mcp().header("content-type", "application/json").body("{");
        let refused = self.call("querylayer_begin_run", &json!({"run_type": "?"}));
        vec![
            ("a call", with_token(self.context())),
            ("a refusal", with_token(refused)),
            (
                "no such tool",
                with_token(self.call("nonsense", &json!({}))),
            ),
            ("broken JSON", with_token(broken)),
            ("a foreign origin", with_token(evil)),
            (
                "a wrong host",
                with_token(self.context().header("host", "evil.example")),
            ),
            (
                "the wrong method",
                with_token(self.client.get(self.server.text("mcp_url"))),
            ),
        ]
    }

    fn in_the_wrong_place(&self) -> Vec<(&'static str, RequestBuilder)> {
        let token = self.server.text("token");
        let at = |path: &str| self.client.get(format!("{}{path}", self.site()));
        let mcp = self.server.text("mcp_url");
        let basic = self
            .context()
            .header(AUTHORIZATION, format!("Basic {token}"));
        vec![
            (
                "one character more",
                self.context().bearer_auth(format!("{token}x")),
            ),
            ("another scheme", basic),
            (
                "in the address",
                self.client.post(format!("{mcp}?token={token}")),
            ),
            (
                "in another header",
                self.context().header("x-api-key", &token),
            ),
            (
                "at the API",
                self.client.get(self.api("/session")).bearer_auth(&token),
            ),
            (
                "at the public side",
                at("/delivery/v1/sites/elmsea/items").bearer_auth(&token),
            ),
            ("as a preview", at(&format!("/delivery/v1/preview/{token}"))),
            ("as a sign-in link", at(&format!("/sign-in/{token}"))),
            ("nowhere", at(&format!("/nowhere/{token}"))),
            (
                "a personal token over MCP",
                self.context().bearer_auth(&self.personal),
            ),
        ]
    }

    fn as_a_person(&self) -> Vec<(&'static str, RequestBuilder)> {
        let at = |path: &str| self.client.get(format!("{}{path}", self.site()));
        let reauth = || self.client.post(self.api("/session/reauth"));
        let wrong = json!({"password": format!("{PASSWORD}?")});
        let rename = self.client.patch(self.api("/organization"));
        let rename = rename.json(&json!({"name": "x"}));
        vec![
            (
                "a personal token",
                self.client
                    .get(self.api("/members"))
                    .bearer_auth(&self.personal),
            ),
            (
                "a personal token that may not",
                rename.bearer_auth(&self.personal),
            ),
            (
                "the link again",
                self.client.get(self.server.text("sign_in_url")),
            ),
            ("a page", self.signed_in(at("/sites/elmsea/agents"))),
            (
                "without the form's token",
                self.signed_in(reauth()).json(&wrong),
            ),
            ("a wrong password", self.changing(reauth()).json(&wrong)),
            (
                "a right password",
                self.changing(reauth()).json(&json!({"password": PASSWORD})),
            ),
            ("figures", at("/metrics")),
            ("readiness", at("/readyz")),
        ]
    }

    fn site(&self) -> String {
        let site = self.server.text("dashboard_url");
        site.trim_end_matches('/').to_owned()
    }

    fn api(&self, path: &str) -> String {
        format!("{}{path}", self.server.text("api_url"))
    }

    fn signed_in(&self, request: RequestBuilder) -> RequestBuilder {
        request.header("cookie", &self.cookie)
    }

    fn changing(&self, request: RequestBuilder) -> RequestBuilder {
        self.signed_in(request).header("x-csrf-token", &self.csrf)
    }

    fn call(&self, tool: &str, arguments: &Value) -> RequestBuilder {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}});
        self.client.post(self.server.text("mcp_url")).json(&body)
    }

    fn context(&self) -> RequestBuilder {
        self.call("querylayer_site_context", &json!({}))
    }
}

/// One text of a JSON answer.
async fn answer(request: RequestBuilder, name: &str) -> String {
    let answer: Value = request
        .send()
        .await
        .expect("an answer")
        .json()
        .await
        .expect("JSON");
    answer[name].as_str().expect("a text").to_owned()
}
