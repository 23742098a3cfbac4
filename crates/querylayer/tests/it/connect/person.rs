//! Whoever speaks to the server over HTTP: a person at the dashboard's API, and a client of MCP.

use reqwest::{Method, redirect};
use serde_json::{Value, json};

use crate::process::Server;

/// Somebody who is signed in.
#[derive(Clone)]
pub(super) struct Person {
    url: String,
    cookie: String,
    csrf: String,
}

impl Person {
    /// Opens the server's sign-in link.
    pub(super) fn sign_in(server: &Server) -> Self {
        let cookie = now(async {
            let client = crate::process::http().redirect(redirect::Policy::none());
            let client = client.build().expect("a client");
            let landed = client.get(server.text("sign_in_url")).send().await;
            let landed = landed.expect("an answer");
            let cookie = landed.headers()["set-cookie"].to_str().expect("text");
            cookie.split(';').next().expect("a pair").to_owned()
        });
        let mut person = Self {
            url: server.url(),
            cookie,
            csrf: String::new(),
        };
        let session = person.ask(Method::GET, "/api/v1/session", &Value::Null);
        let csrf = session["csrf_token"].as_str().expect("a token");
        csrf.clone_into(&mut person.csrf);
        person
    }

    /// Asks for a path of the server.
    pub(super) fn ask(&self, method: Method, path: &str, body: &Value) -> Value {
        let url = format!("{}{path}", self.url);
        let headers = [
            ("cookie", self.cookie.as_str()),
            ("x-csrf-token", &self.csrf),
        ];
        ask(method, &url, &headers, body)
    }
}

/// Runs a future where nothing else is async.
fn now<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(future)
}

/// Asks an address, and gives the JSON that it answers, or its text.
pub(super) fn ask(method: Method, url: &str, headers: &[(&str, &str)], body: &Value) -> Value {
    now(async {
        let mut request = crate::process::http()
            .build()
            .expect("a client")
            .request(method, url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !body.is_null() {
            request = request.json(body);
        }
        let answer = request.send().await.expect("an answer");
        let text = answer.text().await.expect("text");
        serde_json::from_str(&text).unwrap_or(Value::String(text))
    })
}

/// Calls a tool over MCP, as a client that keeps nothing.
pub(super) fn call(url: &str, token: &str, tool: &str, arguments: &Value) -> Value {
    let message = json!({
        "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments},
    });
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    ask(Method::POST, &format!("{url}/mcp"), &headers, &message)["result"]["structuredContent"]
        .clone()
}
