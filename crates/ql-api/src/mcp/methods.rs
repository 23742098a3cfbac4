//! The methods of a request that speaks its protocol version without doubt.

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use serde_json::{Map, Value};

use super::answer::Answer;
use super::backend::{Backend, Caller};
use super::endpoint::Endpoint;
use super::era::{self, Era};
use super::message::{Invalid, Request};
use super::protocol;
use super::refusal::TurnedAway;
use super::rpc::{self, INVALID_PARAMS, Id, METHOD_NOT_FOUND, RpcError};
use crate::input::kind_of;

impl<B: Backend> Endpoint<B> {
    /// Answers a request, through the protocol library where its version isn't beyond doubt.
    pub(super) async fn dispatch(
        &self,
        parts: Parts,
        text: Bytes,
        request: Request,
        caller: B::Caller,
    ) -> Result<Response, TurnedAway> {
        let era = era::of(&parts.headers, &request).map_err(|error| {
            TurnedAway::Message(Invalid {
                id: Some(request.id.clone()),
                error,
            })
        })?;
        let Some(era) = era else {
            return Ok(self.protocol.serve(parts, text, request, caller).await);
        };
        let Request { id, method, params } = request;
        let answered = match method.as_str() {
            "tools/list" => self.list_tools(era, &id, &params, &caller),
            "tools/call" => self.call_tool(era, &id, params, &caller).await,
            "ping" if era == Era::Legacy => Ok(rpc::succeeded(&id, b"{}")),
            other => return Ok(method_not_found(era, &id, other)),
        };
        Ok(answered.unwrap_or_else(|error| rpc::failed(StatusCode::OK, Some(&id), &error)))
    }

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
        let mut result = self.registry.allowed_json(caller.scopes());
        if era == Era::Modern {
            result.extend_from_slice(br#","ttlMs":0,"cacheScope":"private""#);
            result.extend_from_slice(self.modern_members.as_bytes());
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
            Some(answer) => Ok(self.tool_result(era, id, &answer)),
            None => Err(RpcError::new(INVALID_PARAMS, protocol::unknown_tool(&name))),
        }
    }

    pub(super) fn tool_result(&self, era: Era, id: &Id, answer: &Answer) -> Response {
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
