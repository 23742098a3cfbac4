//! An agent on a plain socket, so that a broken connection shows as what it is.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::writer::Draft;

/// One keep-alive connection to `/mcp`.
pub(crate) struct Agent {
    stream: BufReader<TcpStream>,
    head: String,
}

/// What a tool answered.
#[derive(Debug)]
pub(crate) struct Answer(Value);

impl Answer {
    /// Content id and revision id of an accepted draft.
    pub(crate) fn accepted(&self) -> (String, String) {
        (self.text("content_id"), self.text("revision_id"))
    }

    fn text(&self, key: &str) -> String {
        let text = self.0[key].as_str();
        text.unwrap_or_else(|| panic!("no {key} in {}", self.0))
            .to_owned()
    }
}

impl Agent {
    /// Connects to the endpoint at `url`, which is plain HTTP on loopback.
    pub(crate) fn connect(url: &str, token: &str) -> io::Result<Self> {
        let address = url.trim_start_matches("http://").trim_end_matches("/mcp");
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: 2025-11-25\r\n"
        );
        Ok(Self {
            stream: BufReader::new(stream),
            head,
        })
    }

    pub(crate) fn begin_run(&mut self) -> String {
        let run = json!({
            "run_type": "kill", "input": {}, "required_outputs": [],
            "completion_conditions": ["The server is gone."],
        });
        let answer = self
            .call("querylayer_begin_run", &run)
            .expect("the server stays");
        answer.text("run_id")
    }

    pub(crate) fn draft(&mut self, draft: &Draft) -> io::Result<Answer> {
        self.call("querylayer_create_draft", &draft.arguments)
    }

    /// All of this test's drafts: content id → revision id.
    pub(crate) fn list_drafts(&mut self) -> BTreeMap<String, String> {
        let mut drafts = BTreeMap::new();
        let mut page = json!({"template": "article", "limit": 100});
        loop {
            let Answer(answer) = self
                .call("querylayer_list_content", &page)
                .expect("the server stays");
            for item in answer["items"].as_array().expect("a list") {
                if item["slug"]
                    .as_str()
                    .is_some_and(|slug| slug.starts_with("kill-"))
                {
                    let text = |key: &str| item[key].as_str().expect("an id").to_owned();
                    drafts.insert(text("content_id"), text("current_draft_revision_id"));
                }
            }
            match &answer["next_cursor"] {
                Value::Null => return drafts,
                cursor => page["cursor"] = cursor.clone(),
            }
        }
    }

    /// Calls a tool. An error is a broken connection; a refusal fails the test.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> io::Result<Answer> {
        let answer = self.try_call(tool, arguments)?;
        Ok(answer.unwrap_or_else(|| panic!("{tool}: the database didn't answer")))
    }

    /// As [`Agent::call`]; none when the server says that its database doesn't answer.
    pub(crate) fn try_call(&mut self, tool: &str, arguments: &Value) -> io::Result<Option<Answer>> {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        });
        let body = self.exchange(&message.to_string())?;
        let body: Value = serde_json::from_slice(&body).expect("JSON");
        let answer = body["result"]["structuredContent"].clone();
        if answer["ok"] == true {
            return Ok(Some(Answer(answer)));
        }
        let said = body.to_string();
        let away = ["unavailable", "can't check credentials at the moment"];
        assert!(
            away.iter().any(|word| said.contains(word)),
            "{tool} was refused: {said}"
        );
        Ok(None)
    }

    fn exchange(&mut self, body: &str) -> io::Result<Vec<u8>> {
        let request = format!("{}Content-Length: {}\r\n\r\n{body}", self.head, body.len());
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(digits) = line.strip_prefix("content-length:") {
                length = digits.trim().parse().expect("a length");
            } else if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(body)
    }
}
