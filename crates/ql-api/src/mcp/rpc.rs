//! The JSON-RPC 2.0 shapes that this endpoint writes itself.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;
use serde_json::Value;

/// The text isn't JSON.
pub(crate) const PARSE_ERROR: i32 = -32700;
/// The JSON isn't a request that is accepted here.
pub(crate) const INVALID_REQUEST: i32 = -32600;
/// No such method.
pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
/// The method's parameters have the wrong shape, or name a tool that isn't there.
pub(crate) const INVALID_PARAMS: i32 = -32602;
/// A fault of the server.
pub(crate) const INTERNAL_ERROR: i32 = -32603;
/// The protocol version isn't spoken here.
pub(crate) const UNSUPPORTED_VERSION: i32 = -32022;
/// The credential is missing or not valid; outside the range that JSON-RPC and MCP reserve.
pub(crate) const UNAUTHENTICATED: i32 = 40100;
/// The host or the page that asks isn't served.
pub(crate) const FORBIDDEN: i32 = 40300;
/// Too many requests.
pub(crate) const RATE_LIMITED: i32 = 42900;

/// The identifier of a request: a string or a whole number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Id(Value);

impl Id {
    /// The identifier, when it is one.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        (value.is_string() || value.is_i64() || value.is_u64()).then(|| Self(value.clone()))
    }
}

/// The `error` member of an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RpcError {
    pub(crate) code: i32,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
}

impl RpcError {
    pub(crate) fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    pub(crate) fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }
}

#[derive(Serialize)]
struct Failed<'a> {
    jsonrpc: &'static str,
    // The specification leaves the member out when the request's own isn't known.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    error: &'a RpcError,
}

/// An answer with an `error`.
pub(crate) fn failed(status: StatusCode, id: Option<&Id>, error: &RpcError) -> Response {
    let body = Failed {
        jsonrpc: "2.0",
        id,
        error,
    };
    json(
        status,
        serde_json::to_vec(&body).expect("strings and JSON values serialize"),
    )
}

/// The text of an answer with this `result`, which must be JSON.
pub(crate) fn succeeded(id: &Id, result: &[u8]) -> Response {
    let mut body = Vec::with_capacity(result.len() + 64);
    body.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    body.extend_from_slice(id.0.to_string().as_bytes());
    body.extend_from_slice(br#","result":"#);
    body.extend_from_slice(result);
    body.push(b'}');
    json(StatusCode::OK, body)
}

/// A JSON body that no cache may keep: everything here depends on who asks.
pub(crate) fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
