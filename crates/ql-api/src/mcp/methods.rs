//! The methods of a request that speaks its protocol version without doubt.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use rmcp::ServerHandler;
use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::backend::{Backend, Caller};
use super::era::{self, Era};
use super::message::{Invalid, Request};
use super::protocol::{self, Handler, Protocol};
use super::refusal::TurnedAway;
use super::registry::Registry;
use super::rpc::{self, INVALID_PARAMS, Id, METHOD_NOT_FOUND, RpcError};
use crate::input::kind_of;

/// A request that was let in, with everything that was learned on the way.
pub(super) struct Admitted<C> {
    pub(super) parts: Parts,
    /// The body as it came.
    pub(super) text: Bytes,
    /// The same, read.
    pub(super) request: Request,
    pub(super) caller: C,
}

/// What answers the requests that were let in.
pub(super) trait Methods<B: Backend>: Send + Sync + 'static {
    /// The answer, or why there is none.
    fn answer(
        &self,
        admitted: Admitted<B::Caller>,
    ) -> impl Future<Output = Result<Response, TurnedAway>> + Send;
}

/// The product's way: what speaks its version without doubt is answered from the tool table, the
/// rest through the protocol library on the same table.
pub(super) struct Prepared<B: Backend> {
    backend: B,
    registry: Arc<Registry<B>>,
    protocol: Protocol<Handler<B>>,
    results: Results,
}

impl<B: Backend> Prepared<B> {
    pub(super) fn new(backend: B, registry: Registry<B>, body_limit: usize) -> Self {
        let registry = Arc::new(registry);
        let handler = Handler::new(backend.clone(), Arc::clone(&registry));
        Self {
            protocol: Protocol::new(handler, body_limit),
            results: Results::new(),
            backend,
            registry,
        }
    }
}

impl<B: Backend> Methods<B> for Prepared<B> {
    async fn answer(&self, admitted: Admitted<B::Caller>) -> Result<Response, TurnedAway> {
        let headers = &admitted.parts.headers;
        let era = era::of(headers, &admitted.request).map_err(|error| {
            TurnedAway::Message(Invalid {
                id: Some(admitted.request.id.clone()),
                error,
            })
        })?;
        let Some(era) = era else {
            return Ok(self.protocol.serve(admitted).await);
        };
        let Admitted {
            request, caller, ..
        } = admitted;
        let Request { id, method, params } = request;
        let answered = match method.as_str() {
            "tools/list" => self.list_tools(era, &id, &params, &caller),
            "tools/call" => self.call_tool(era, &id, params, &caller).await,
            "ping" if era == Era::Legacy => Ok(rpc::succeeded(&id, b"{}")),
            other => return Ok(method_not_found(era, &id, other)),
        };
        Ok(answered.unwrap_or_else(|error| rpc::failed(StatusCode::OK, Some(&id), &error)))
    }
}

/// Everything is the library's: the conformance fixture's way.
impl<B: Backend, H: ServerHandler + Clone> Methods<B> for Protocol<H> {
    async fn answer(&self, admitted: Admitted<B::Caller>) -> Result<Response, TurnedAway> {
        Ok(self.serve(admitted).await)
    }
}

impl<B: Backend> Prepared<B> {
    fn list_tools(
        &self,
        era: Era,
        id: &Id,
        params: &Map<String, Value>,
        caller: &B::Caller,
    ) -> Result<Response, RpcError> {
        if params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
            return Err(RpcError::new(INVALID_PARAMS, protocol::NO_CURSOR));
        }
        let mut result = self.registry.allowed_json(caller.reach());
        if era == Era::Modern {
            result.extend_from_slice(br#","ttlMs":0,"cacheScope":"private""#);
            result.extend_from_slice(self.results.modern_members.as_bytes());
        }
        result.push(b'}');
        Ok(rpc::succeeded(id, &result))
    }

    async fn call_tool(
        &self,
        era: Era,
        id: &Id,
        params: Map<String, Value>,
        caller: &B::Caller,
    ) -> Result<Response, RpcError> {
        let (name, arguments) = called(params)?;
        let answer = self.registry.call(&self.backend, caller, &name, arguments);
        match answer.await {
            Some(answer) => Ok(self.results.of_tool(era, id, &answer)),
            None => Err(RpcError::new(INVALID_PARAMS, protocol::unknown_tool(&name))),
        }
    }
}

/// Writes results in the form of each lifecycle.
pub(super) struct Results {
    /// The members that 2026-07-28 wants at the end of every result, ready to append.
    modern_members: String,
}

impl Results {
    pub(super) fn new() -> Self {
        let meta = json!({ protocol::SERVER_INFO: protocol::implementation() });
        Self {
            modern_members: format!(r#","resultType":"complete","_meta":{meta}"#),
        }
    }

    /// The answer of a tool call.
    pub(super) fn of_tool(&self, era: Era, id: &Id, answer: &Answer) -> Response {
        let members = match era {
            Era::Legacy => "",
            Era::Modern => self.modern_members.as_str(),
        };
        rpc::succeeded(id, &answer.to_result(members))
    }
}

/// The name and the arguments of a `tools/call`; absent and `null` arguments are none.
fn called(mut params: Map<String, Value>) -> Result<(String, Map<String, Value>), RpcError> {
    let name = match params.remove("name") {
        Some(Value::String(name)) => name,
        None => return Err(wrong("`params.name`, the tool to call, is missing")),
        Some(other) => {
            let kind = kind_of(&other);
            return Err(wrong(format!("`params.name` must be a string, not {kind}")));
        }
    };
    match params.remove("arguments") {
        None | Some(Value::Null) => Ok((name, Map::new())),
        Some(Value::Object(arguments)) => Ok((name, arguments)),
        Some(other) => {
            let kind = kind_of(&other);
            Err(wrong(format!(
                "`params.arguments` must be an object, not {kind}"
            )))
        }
    }
}

fn wrong(message: impl Into<String>) -> RpcError {
    RpcError::new(INVALID_PARAMS, message)
}

fn method_not_found(era: Era, id: &Id, method: &str) -> Response {
    let status = match era {
        Era::Legacy => StatusCode::OK,
        Era::Modern => StatusCode::NOT_FOUND,
    };
    let error = RpcError::new(METHOD_NOT_FOUND, protocol::no_method(method));
    rpc::failed(status, Some(id), &error)
}
