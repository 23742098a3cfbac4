//! What an agent sends: requests to `/mcp` in protocol version 2025-11-25.

use std::net::SocketAddr;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::wire::Wire;

/// An agent with its credential at one server.
#[derive(Debug, Clone)]
pub(crate) struct Agent {
    /// The server.
    pub(crate) address: SocketAddr,
    /// The connection's secret.
    pub(crate) token: String,
}

impl Agent {
    /// One whole request that lists the tools.
    pub(crate) fn list_tools(&self) -> Vec<u8> {
        self.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
    }

    /// One whole request that calls a tool.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Vec<u8> {
        self.post(&json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }))
    }

    /// Calls once and gives the answer, which must not be a refusal.
    pub(crate) async fn ask(&self, tool: &str, arguments: &Value) -> Result<Value> {
        let mut wire = Wire::connect(self.address).await?;
        let answer = wire.exchange(&self.call(tool, arguments)).await?;
        let body: Value = serde_json::from_str(answer.body)
            .with_context(|| format!("{tool} answered {} {}", answer.status, answer.body))?;
        let text = body["result"]["content"][0]["text"].as_str();
        let said: Value = serde_json::from_str(text.unwrap_or("null"))?;
        ensure!(said["ok"] == true, "{tool} was refused: {body}");
        Ok(said)
    }

    /// Begins a run and gives its id.
    pub(crate) async fn begin_run(&self) -> Result<String> {
        let run = json!({
            "run_type": "bench", "input": {}, "required_outputs": [],
            "completion_conditions": ["The load has ended."],
        });
        let answer = self.ask("querylayer_begin_run", &run).await?;
        let id = answer["run_id"].as_str().context("a run without an id")?;
        Ok(id.to_owned())
    }

    /// One whole request that drafts a new article, the `number`th of `run`.
    pub(crate) fn draft(&self, run: &str, number: u64) -> Vec<u8> {
        let mark = format!("{}-{number}", run.trim_start_matches("run_"));
        self.call(
            "querylayer_create_draft",
            &json!({
                "run_id": run, "template": "article", "locale": "en",
                "slug": format!("note-{mark}").to_lowercase(),
                "fields": article(&mark), "idempotency_key": mark,
            }),
        )
    }

    fn post(&self, message: &Value) -> Vec<u8> {
        let body = message.to_string();
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len(),
        )
        .into_bytes()
    }
}

/// One whole request for a path.
pub(crate) fn get(address: SocketAddr, path: &str, header: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{header}\r\n").into_bytes()
}

/// An article of about one kilobyte.
pub(crate) fn article(mark: &str) -> Value {
    let sentence = "The tide line moved a little further up the shingle in the night. ";
    json!({
        "title": format!("Field note {mark}"),
        "summary": "What was seen on the morning walk along the sea wall.",
        "author": "maren-oxley",
        "date": "2026-11-30",
        "topics": ["records", "coast"],
        "body": sentence.repeat(12),
    })
}
