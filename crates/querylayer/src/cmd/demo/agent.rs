//! The agent of the story: an MCP client over HTTP.

use anyhow::{Context as _, Result, bail};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use crate::trust;

const VERSION: &str = "2025-11-25";

/// An MCP client with a bearer token.
pub(super) struct Agent {
    http: Client,
    url: String,
    token: String,
    next: u64,
}

impl Agent {
    /// A client of the endpoint that hasn't said anything yet.
    ///
    /// # Errors
    /// TLS can't be set up on this machine.
    pub(super) fn new(url: &str, token: &str) -> Result<Self> {
        Ok(Self {
            http: trust::http()?.build()?,
            url: format!("{url}/mcp"),
            token: token.to_owned(),
            next: 1,
        })
    }

    /// Shakes hands and gives the number of tools that are offered.
    pub(super) async fn connect(&mut self) -> Result<usize> {
        let hello = json!({
            "protocolVersion": VERSION, "capabilities": {},
            "clientInfo": {"name": "querylayer-demo", "version": env!("CARGO_PKG_VERSION")},
        });
        self.request("initialize", hello).await?;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.post(&ready).send().await?.error_for_status()?;
        let list = self.request("tools/list", json!({})).await?;
        Ok(list["tools"].as_array().map_or(0, Vec::len))
    }

    /// Calls a tool and gives its answer, which may be a refusal.
    pub(super) async fn call(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        let result = self
            .request("tools/call", json!({"name": tool, "arguments": arguments}))
            .await?;
        let answer = result
            .get("structuredContent")
            .cloned()
            .with_context(|| format!("{tool} failed: {result}"))?;
        Ok(answer)
    }

    /// Calls a tool that must not refuse.
    pub(super) async fn must(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        let answer = self.call(tool, arguments).await?;
        if answer["ok"] == true {
            Ok(answer)
        } else {
            bail!("{tool} refused: {answer}")
        }
    }

    /// The status that the endpoint gives the token now.
    pub(super) async fn status(&self) -> Result<StatusCode> {
        let ping = json!({"jsonrpc": "2.0", "id": 0, "method": "ping"});
        Ok(self.post(&ping).send().await?.status())
    }

    async fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        let id = self.next;
        self.next += 1;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let mut answer: Value = self
            .post(&message)
            .send()
            .await?
            .error_for_status()?
            .json()
            .await?;
        if let Some(error) = answer.get("error") {
            bail!("{method}: {error}");
        }
        Ok(answer["result"].take())
    }

    fn post(&self, message: &Value) -> reqwest::RequestBuilder {
        self.http
            .post(&self.url)
            .bearer_auth(&self.token)
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", VERSION)
            .json(message)
    }
}
