//! A program that posts to the endpoint and reads what comes back.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use http_body_util::BodyExt;
use ql_api::mcp::McpConfig;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::fixture::{HandClock, READER, WRITER, app};

/// The revisions with a handshake and the one without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaks {
    Legacy,
    Modern,
}

pub(crate) const BOTH: [Speaks; 2] = [Speaks::Legacy, Speaks::Modern];

#[derive(Clone)]
pub(crate) struct Actor {
    router: Router,
    token: Option<String>,
    speaks: Speaks,
    extra: Vec<(String, String)>,
    again: Option<&'static str>,
}

pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self}"))
    }

    /// Whatever the reason and whoever asks, a failure on the endpoint has the protocol's shape.
    fn assert_is_an_error_that_clients_read(&self) {
        if self.body.starts_with(r#"{"error":"not_found""#) {
            return;
        }
        let body = self.json();
        assert_eq!(self.header("content-type"), "application/json", "{self}");
        assert_eq!(body["jsonrpc"], "2.0", "{self}");
        assert!(body["error"]["code"].is_i64(), "{self}");
        assert!(
            body["error"]["message"]
                .as_str()
                .is_some_and(|text| text.len() > 10),
            "{self}"
        );
        assert!(
            body.get("id")
                .is_none_or(|id| id.is_string() || id.is_i64()),
            "{self}"
        );
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The structured answer of a tool, which must be the same as its text.
    pub(crate) fn answer(&self) -> Value {
        let result = &self.json()["result"];
        let text = result["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("no text: {self}"));
        assert!(text.starts_with(r#"{"ok":"#), "{text}");
        let answer: Value = serde_json::from_str(text).expect("the text is JSON");
        if result["isError"] == json!(false) {
            assert_eq!(result["structuredContent"], answer);
        }
        answer
    }
}

impl std::fmt::Display for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = format!("{}", self.status.as_u16());
        for name in ["allow", "www-authenticate", "retry-after", "content-type"] {
            if let Some(value) = self.headers.get(name) {
                let _ = write!(out, "\n{name}: {}", value.to_str().expect("text"));
            }
        }
        write!(f, "{out}\n{}", self.body)
    }
}

impl Actor {
    pub(crate) fn on(router: Router) -> Self {
        Self {
            router,
            token: Some(WRITER.to_owned()),
            speaks: Speaks::Legacy,
            extra: Vec::new(),
            again: None,
        }
    }

    /// The same program, with the same token, at another router.
    pub(crate) fn on_router(self, router: Router) -> Self {
        Self { router, ..self }
    }

    pub(crate) fn writer() -> Self {
        Self::on(app(McpConfig::default(), Arc::new(HandClock::default())))
    }

    pub(crate) fn reader() -> Self {
        Self::writer().token(READER)
    }

    pub(crate) fn token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    pub(crate) fn without_token(mut self) -> Self {
        self.token = None;
        self
    }

    pub(crate) fn speaking(mut self, speaks: Speaks) -> Self {
        self.speaks = speaks;
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.extra.retain(|(other, _)| other != name);
        self.extra.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends this header twice, with the same value.
    pub(crate) fn repeating(self, name: &'static str) -> Self {
        Self {
            again: Some(name),
            ..self
        }
    }

    /// Sends any request; the actor's extra headers stand in for the usual ones.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, String)],
        body: Body,
    ) -> Reply {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .body(body)
            .expect("a request");
        let usual = [(header::HOST.as_str(), "localhost:8080".to_owned())];
        let token = self
            .token
            .as_ref()
            .map(|token| ("authorization", format!("Bearer {token}")));
        let extra = self
            .extra
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()));
        for (name, value) in usual
            .into_iter()
            .chain(token)
            .chain(headers.iter().cloned())
            .chain(extra)
        {
            let name: header::HeaderName = name.parse().expect("a header name");
            request.headers_mut().insert(
                name,
                HeaderValue::from_bytes(value.as_bytes()).expect("a header value"),
            );
        }
        if let Some(name) = self.again {
            let same = request.headers()[name].clone();
            request.headers_mut().append(name, same);
        }
        let response = self
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("no service fails");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        let body = String::from_utf8(bytes.to_vec()).expect("UTF-8");
        let reply = Reply {
            status: parts.status,
            headers: parts.headers,
            body,
        };
        if reply.status.as_u16() >= 400 && path.starts_with("/mcp") && method != "HEAD" {
            reply.assert_is_an_error_that_clients_read();
        }
        reply
    }

    /// Posts a body as JSON with the headers that `tools/list` needs.
    pub(crate) async fn post(&self, body: impl Into<Body>) -> Reply {
        self.post_as("tools/list", None, body).await
    }

    async fn post_as(&self, method: &str, name: Option<&str>, body: impl Into<Body>) -> Reply {
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
        ];
        if self.speaks == Speaks::Modern {
            headers.push(("mcp-protocol-version", "2026-07-28".to_owned()));
            headers.push(("mcp-method", method.to_owned()));
            headers.extend(name.map(|name| ("mcp-name", name.to_owned())));
        }
        self.send("POST", "/mcp", &headers, body.into()).await
    }

    /// Sends one well-formed request.
    pub(crate) async fn request(&self, method: &str, params: Value) -> Reply {
        let mut params = params;
        if self.speaks == Speaks::Modern && params.is_object() {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": { "name": "actor", "version": "1" }
            });
        }
        let name = params["name"].as_str().map(str::to_owned);
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        self.post_as(method, name.as_deref(), body.to_string())
            .await
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
        .await
    }

    pub(crate) async fn tool_names(&self) -> Vec<String> {
        let list = self.request("tools/list", json!({})).await.json();
        let tools = list["result"]["tools"].as_array().expect("tools").clone();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    }
}
