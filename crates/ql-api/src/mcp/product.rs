//! The product as the backend of its endpoint.

use ql_app::director::Director;
use ql_app::{App, Error, IdempotencyKey, OpContext, Unauthenticated};
use ql_core::id::ConnectionId;
use ql_core::scope::ScopeSet;
use ql_core::time::Timestamp;
use serde_json::json;

use super::answer::{Failure, Refusal};
use super::backend::{AuthenticationError, Backend, Caller};
use super::tool::{Repeat, Tool};
use crate::edge::rate::Rate;

/// The use cases, and what the deployment allows that agents are told of.
#[derive(Debug, Clone)]
pub(crate) struct Product {
    pub(crate) app: App,
    /// Who takes productions through their stages, where anything is produced.
    pub(crate) director: Option<Director>,
    /// How often a connection may call.
    pub(crate) calls: Option<Rate>,
    /// How large a body may be, in bytes.
    pub(crate) body_bytes: usize,
}

/// An agent's connection, authenticated for one request.
#[derive(Debug, Clone)]
pub(crate) struct AgentCaller {
    ctx: OpContext,
    connection: ConnectionId,
    scopes: ScopeSet,
    plays_roles: bool,
}

impl AgentCaller {
    /// What every use case takes first.
    pub(crate) fn ctx(&self) -> &OpContext {
        &self.ctx
    }
}

impl Caller for AgentCaller {
    fn scopes(&self) -> ScopeSet {
        self.scopes
    }

    fn plays_roles(&self) -> bool {
        self.plays_roles
    }

    fn connection(&self) -> ConnectionId {
        self.connection
    }
}

impl Backend for Product {
    type Caller = AgentCaller;

    fn now(&self) -> Timestamp {
        self.app.now()
    }

    async fn authenticate(&self, token: &str) -> Result<AgentCaller, AuthenticationError> {
        let ctx = self
            .app
            .authenticate_connection(token)
            .await
            .map_err(|error| match error {
                Unauthenticated::Refused => AuthenticationError::Invalid,
                Unauthenticated::Unavailable => AuthenticationError::Unavailable,
            })?;
        let agent = ctx.agent().map_err(|_| AuthenticationError::Invalid)?;
        let (connection, scopes) = (agent.connection, agent.scopes);
        let plays_roles = agent.plays_roles && self.director.is_some();
        Ok(AgentCaller {
            ctx,
            connection,
            scopes,
            plays_roles,
        })
    }
}

impl Product {
    /// The director, for tools that nobody is offered where there is none.
    pub(crate) fn director(&self) -> Result<&Director, Error> {
        self.director.as_ref().ok_or(Error::NotFound("production"))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        if let Some(internal) = error.internal() {
            tracing::error!(internal, "a use case failed");
        }
        if error.is_fault() {
            return Self::Fault;
        }
        Self::Refused(Refusal {
            code: error.code(),
            message: error.message(),
            remedy: error.remedy(),
            details: error.details().unwrap_or_else(|| json!({})),
        })
    }
}

/// The application's key of a repeatable call of tool `T`.
pub(crate) fn idempotency<T: Tool<Product>>(repeat: Option<Repeat>) -> Option<IdempotencyKey> {
    repeat.map(|repeat| IdempotencyKey::new(T::NAME, repeat.key, &repeat.arguments))
}
