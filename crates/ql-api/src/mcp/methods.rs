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
use super::message::{Invalid, Request, kind_of};
use super::protocol;
use super::refusal::TurnedAway;
use super::rpc::{self, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError};

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
        let answered = match request.method.as_str() {
            "tools/list" => self.list_tools(era, &request, &caller),
            "tools/call" => self.call_tool(era, &request, &caller).await,
            "ping" if era == Era::Legacy => Ok(rpc::succeeded(&request.id, b"{}")),
            other => return Ok(method_not_found(era, &request, other)),
        };
        Ok(answered.unwrap_or_else(|error| rpc::failed(StatusCode::OK, Some(&request.id), &error)))
    }

    fn list_tools(
        &self,
        era: Era,
        request: &Request,
        caller: &B::Caller,
    ) -> Result<Response, RpcError> {
        if request
            .params
            .get("cursor")
            .is_some_and(|cursor| !cursor.is_null())
        {
            return Err(RpcError::new(INVALID_PARAMS, protocol::NO_CURSOR));
        }
        let mut result = self.registry.allowed_json(caller.scopes());
        if era == Era::Modern {
            result.extend_from_slice(br#","ttlMs":0,"cacheScope":"private""#);
            result.extend_from_slice(self.modern_members.as_bytes());
        }
        result.push(b'}');
        Ok(rpc::succeeded(&request.id, &result))
    }

    async fn call_tool(
        &self,
        era: Era,
        request: &Request,
        caller: &B::Caller,
    ) -> Result<Response, RpcError> {
        let (name, arguments) = called(&request.params)?;
        match self
            .registry
            .call(&self.backend, caller, name, arguments)
            .await
        {
            Some(answer) => Ok(self.tool_result(era, request, &answer)),
            None => Err(RpcError::new(INVALID_PARAMS, protocol::unknown_tool(name))),
        }
    }

    pub(super) fn tool_result(&self, era: Era, request: &Request, answer: &Answer) -> Response {
        let members = match era {
            Era::Legacy => "",
            Era::Modern => self.modern_members.as_str(),
        };
        rpc::succeeded(&request.id, &answer.to_result(members))
    }
}

/// The name and the arguments of a `tools/call`; absent and `null` arguments are none.
fn called(params: &Map<String, Value>) -> Result<(&str, Map<String, Value>), RpcError> {
    let wrong = |message: String| RpcError::new(INVALID_PARAMS, message);
    let name = match params.get("name") {
        Some(Value::String(name)) => name,
        Some(other) => {
            return Err(wrong(format!(
                "`params.name` must be a string, not {}",
                kind_of(other)
            )));
        }
        None => {
            return Err(wrong(
                "`params.name`, the tool to call, is missing".to_owned(),
            ));
        }
    };
    match params.get("arguments") {
        None | Some(Value::Null) => Ok((name, Map::new())),
        Some(Value::Object(arguments)) => Ok((name, arguments.clone())),
        Some(other) => Err(wrong(format!(
            "`params.arguments` must be an object, not {}",
            kind_of(other)
        ))),
    }
}

fn method_not_found(era: Era, request: &Request, method: &str) -> Response {
    let status = match era {
        Era::Legacy => StatusCode::OK,
        Era::Modern => StatusCode::NOT_FOUND,
    };
    let error = RpcError::new(METHOD_NOT_FOUND, protocol::no_method(method));
    rpc::failed(status, Some(&request.id), &error)
}
