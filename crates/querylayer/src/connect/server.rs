//! The QueryLayer server as the connector speaks to it: `/connector/v1`, and three tools of `/mcp`.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use ql_core::runtime::Doubt;
use ql_core::token::Token;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::http::{Asked, Endpoint};

const PATIENCE: Duration = Duration::from_secs(30);
const PROTOCOL: &str = "2025-11-25";

/// The server, with the agent's token for it.
pub(super) struct Server {
    endpoint: Endpoint,
    token: Token,
}

/// What the server doesn't do.
#[derive(Debug, thiserror::Error)]
pub(super) enum ServerError {
    /// It can't be asked now; it may be later.
    #[error("{0}")]
    Unreachable(String),
    /// The token isn't valid, or no more.
    #[error("the server doesn't take the agent's token; an administrator can issue a new one")]
    Unauthenticated,
    /// It says no, and why.
    #[error("{0}")]
    Refused(Refused),
}

/// Why something wasn't done, in the server's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct Refused {
    /// The reason, where there is a finer one than the code.
    pub(super) reason: String,
    pub(super) message: String,
    pub(super) remedy: String,
}

/// What a report is answered with.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Reported {
    pub(super) profile_id: Option<String>,
    pub(super) profile_name: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
    pub(super) remedy: Option<String>,
    pub(super) sessions: Vec<String>,
}

/// A turn that waits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Waiting {
    pub(super) turn_id: String,
    pub(super) session_id: Option<String>,
}

#[derive(Deserialize)]
struct Peeked {
    turns: Vec<Waiting>,
}

/// A turn that this connector holds. It has no `Debug`: it carries the lease's token.
#[derive(Clone, Deserialize)]
pub(super) struct Claimed {
    pub(super) turn_id: String,
    pub(super) lease_token: String,
    pub(super) user_message: String,
    pub(super) conversation: ClaimedConversation,
    #[serde(default)]
    pub(super) plan_step: Option<Value>,
}

/// The conversation of a claimed turn.
#[derive(Clone, Deserialize)]
pub(super) struct ClaimedConversation {
    pub(super) conversation_id: String,
    pub(super) session_id: Option<String>,
}

/// What was seen of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) session: String,
    pub(super) found: bool,
    pub(super) doubt: Option<Doubt>,
}

impl Seen {
    pub(super) fn to_json(&self) -> Value {
        let mut json = json!({"session_id": self.session, "found": self.found});
        if let Some(doubt) = self.doubt {
            json["doubt"] = doubt.as_str().into();
        }
        json
    }
}

impl Server {
    pub(super) fn new(endpoint: Endpoint, token: Token) -> Self {
        Self { endpoint, token }
    }

    /// Says which profiles are here.
    pub(super) async fn report(&self, report: &Value) -> Result<Reported, ServerError> {
        self.post("report", report, PATIENCE).await
    }

    /// What waits, or what comes within a time.
    pub(super) async fn peek(&self, wait: Duration) -> Result<Vec<Waiting>, ServerError> {
        let body = json!({"wait_seconds": wait.as_secs()});
        let peeked: Peeked = self.post("peek", &body, wait + PATIENCE).await?;
        Ok(peeked.turns)
    }

    /// Says what was seen of a session; none is the answer when a claim in it would be let in.
    pub(super) async fn verify(
        &self,
        (connector, profile): (&str, &str),
        seen: &Seen,
    ) -> Result<Option<Refused>, ServerError> {
        let mut body = seen.to_json();
        body["connector_id"] = connector.into();
        body["profile_id"] = profile.into();
        let answer: Value = self.post("verify", &body, PATIENCE).await?;
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        Ok((answer["available"] != true).then(|| Refused {
            reason: text("reason"),
            message: text("message"),
            remedy: text("remedy"),
        }))
    }

    /// Keeps a lease; refused with `lease_lost` when the turn is over or somebody else's.
    pub(super) async fn renew(&self, held: &Claimed) -> Result<(), ServerError> {
        let body = json!({"turn_id": held.turn_id, "lease_token": held.lease_token});
        let _: Value = self.post("renew", &body, PATIENCE).await?;
        Ok(())
    }

    /// Takes the next turn of a session's conversation, where there is one.
    pub(super) async fn claim(
        &self,
        session: &str,
        previous: Option<&str>,
    ) -> Result<Claimed, ServerError> {
        let mut arguments = json!({"session_id": session, "wait_seconds": 0});
        if let Some(previous) = previous {
            arguments["previous_session_id"] = previous.into();
        }
        let answer = self.call("querylayer_claim_console_task", &arguments);
        understood(answer.await?)
    }

    /// Ends a turn that is held, or gives it back. The key makes a repeated call the same one.
    pub(super) async fn complete(
        &self,
        held: &Claimed,
        (outcome, message, key): (&str, &str, &str),
    ) -> Result<(), ServerError> {
        let arguments = json!({
            "turn_id": held.turn_id, "lease_token": held.lease_token, "outcome": outcome,
            "message": message, "idempotency_key": key,
        });
        let answer = self.call("querylayer_complete_console_task", &arguments);
        answer.await.map(drop)
    }

    async fn post<A: DeserializeOwned>(
        &self,
        name: &str,
        body: &Value,
        limit: Duration,
    ) -> Result<A, ServerError> {
        let path = format!("/connector/v1/{name}");
        let (status, json) = self.send(&path, body, limit).await?;
        if status.is_success() {
            return understood(json);
        }
        let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
        match text("code") {
            code if code.is_empty() || status.is_server_error() => Err(unusable(status)),
            code if code == "rate_limited" => Err(ServerError::Unreachable(text("detail"))),
            code => Err(ServerError::Refused(Refused {
                reason: code,
                message: text("detail"),
                remedy: text("remedy"),
            })),
        }
    }

    /// Calls a tool, which doesn't need a session of the protocol.
    async fn call(&self, tool: &str, arguments: &Value) -> Result<Value, ServerError> {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        });
        let (status, json) = self.send("/mcp", &message, PATIENCE).await?;
        let answer = &json["result"]["structuredContent"];
        if answer["ok"] == true {
            return Ok(answer.clone());
        }
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        let fine = answer["details"]["reason"].as_str();
        match text("code") {
            code if code.is_empty() => Err(unusable(status)),
            code if code == "rate_limited" => Err(ServerError::Unreachable(text("message"))),
            code => Err(ServerError::Refused(Refused {
                reason: fine.map_or(code, str::to_owned),
                message: text("message"),
                remedy: text("remedy"),
            })),
        }
    }

    async fn send(
        &self,
        path: &str,
        body: &Value,
        limit: Duration,
    ) -> Result<(StatusCode, Value), ServerError> {
        let asked = Asked {
            method: Method::POST,
            path,
            bearer: self.token.expose(),
            body: Some(body),
            protocol: (path == "/mcp").then_some(PROTOCOL),
            limit,
        };
        let answer = self.endpoint.ask(asked).await;
        let answer = answer.map_err(|error| ServerError::Unreachable(error.to_string()))?;
        if answer.status == StatusCode::UNAUTHORIZED {
            return Err(ServerError::Unauthenticated);
        }
        Ok((answer.status, answer.json))
    }
}

fn understood<A: DeserializeOwned>(json: Value) -> Result<A, ServerError> {
    serde_json::from_value(json).map_err(|_| {
        ServerError::Unreachable("the server answers something else than it should".to_owned())
    })
}

fn unusable(status: StatusCode) -> ServerError {
    ServerError::Unreachable(format!("the server answers {status}"))
}
