//! One posted body as one JSON-RPC message.

use serde_json::{Map, Value, json};

use super::rpc::{INVALID_PARAMS, INVALID_REQUEST, Id, PARSE_ERROR, RpcError};
use crate::input::kind_of;
use ql_core::json::{self, Rejected};

/// What was posted.
#[derive(Debug, PartialEq)]
pub(crate) enum Message {
    /// Wants an answer.
    Request(Request),
    /// Wants none.
    Notification,
}

/// A request with its parameters; absent and `null` parameters are an empty object.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) id: Id,
    pub(crate) method: String,
    pub(crate) params: Map<String, Value>,
}

impl Request {
    /// The request's `_meta`.
    pub(crate) fn meta(&self, key: &str) -> Option<&Value> {
        self.params.get("_meta")?.get(key)
    }
}

/// A body that isn't one acceptable message; the id is there when it could be read.
#[derive(Debug, PartialEq)]
pub(crate) struct Invalid {
    pub(crate) id: Option<Id>,
    pub(crate) error: RpcError,
}

impl Invalid {
    fn request(id: Option<Id>, message: impl Into<String>) -> Self {
        Self {
            id,
            error: RpcError::new(INVALID_REQUEST, message),
        }
    }
}

/// Reads a body.
pub(crate) fn read(text: &[u8]) -> Result<Message, Invalid> {
    if text.trim_ascii_start().first() == Some(&b'[') {
        let message = "JSON-RPC batches aren't accepted, on any protocol version: post one message per request";
        return Err(Invalid::request(None, message));
    }
    match json::read(text) {
        Ok(Value::Object(members)) => message(members),
        Ok(_) => Err(Invalid::request(None, "a message is a JSON object")),
        Err(rejected) => Err(invalid_json(rejected)),
    }
}

fn invalid_json(rejected: Rejected) -> Invalid {
    match rejected {
        Rejected::Malformed { pointer, message } => {
            let message = format!("the body isn't valid JSON: {message}");
            let error = RpcError::new(PARSE_ERROR, message);
            Invalid {
                id: None,
                error: error.with_data(json!({ "pointer": pointer })),
            }
        }
        Rejected::Refused { value, problems } => {
            let places: Vec<_> = problems
                .iter()
                .map(|problem| format!("{}: {}", problem.pointer, problem.message))
                .collect();
            let message = format!("the JSON is refused: {}", places.join("; "));
            let error = RpcError::new(INVALID_REQUEST, message);
            Invalid {
                id: value.get("id").and_then(Id::read),
                error: error.with_data(json!({ "problems": problems })),
            }
        }
    }
}

fn message(mut members: Map<String, Value>) -> Result<Message, Invalid> {
    let id = members.get("id").and_then(Id::read);
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(Invalid::request(id, "`jsonrpc` must be \"2.0\""));
    }
    let method = match members.remove("method") {
        Some(Value::String(method)) => method,
        Some(_) => return Err(Invalid::request(id, "`method` must be a string")),
        None if members.contains_key("result") || members.contains_key("error") => {
            let message = "this server sends no requests, so it accepts no responses";
            return Err(Invalid::request(None, message));
        }
        None => return Err(Invalid::request(id, "`method` is missing")),
    };
    match (id, members.contains_key("id")) {
        (Some(id), _) => request(id, method, members.remove("params")).map(Message::Request),
        (None, true) => Err(Invalid::request(
            None,
            "`id` must be a string or a whole number; a notification has none",
        )),
        (None, false) => Ok(Message::Notification),
    }
}

fn request(id: Id, method: String, params: Option<Value>) -> Result<Request, Invalid> {
    let wrong = |id, message| Invalid {
        id: Some(id),
        error: RpcError::new(INVALID_PARAMS, message),
    };
    let params = match params {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        Some(other) => {
            let message = format!(
                "`params` of `{method}` must be an object, not {}",
                kind_of(&other)
            );
            return Err(wrong(id, message));
        }
    };
    match params.get("_meta") {
        None | Some(Value::Object(_)) => Ok(Request { id, method, params }),
        Some(other) => {
            let message = format!("`params._meta` must be an object, not {}", kind_of(other));
            Err(wrong(id, message))
        }
    }
}
