//! What the endpoint needs to know of the product behind it.

use ql_core::id::ConnectionId;
use ql_core::scope::ScopeSet;
use ql_core::time::Timestamp;

/// Verifies credentials and carries out tool calls. The product is one; tests and the conformance
/// fixture bring their own tools on the identical stack.
pub trait Backend: Clone + Send + Sync + 'static {
    /// An authenticated connection, resolved anew for every request.
    type Caller: Caller;

    /// The current instant, by which limits count.
    fn now(&self) -> Timestamp;

    /// The caller of a presented token.
    fn authenticate(
        &self,
        token: &str,
    ) -> impl Future<Output = Result<Self::Caller, AuthenticationError>> + Send;
}

/// Whom a request acts for.
pub trait Caller: Clone + Send + Sync + 'static {
    /// What the connection may do now.
    fn scopes(&self) -> ScopeSet;

    /// Whether the agent plays roles of productions itself.
    fn plays_roles(&self) -> bool {
        false
    }

    /// What it's offered.
    fn reach(&self) -> Reach {
        Reach {
            scopes: self.scopes(),
            plays_roles: self.plays_roles(),
        }
    }

    /// The connection, which call limits count.
    fn connection(&self) -> ConnectionId;
}

/// What decides which tools somebody is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// What the connection may do.
    pub scopes: ScopeSet,
    /// Whether the agent plays roles of productions itself.
    pub plays_roles: bool,
}

/// Why no caller was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthenticationError {
    /// The token isn't valid, for a reason that isn't told.
    Invalid,
    /// The server couldn't find out.
    Unavailable,
}
