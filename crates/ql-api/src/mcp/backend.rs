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

    /// The connection, which call limits count.
    fn connection(&self) -> ConnectionId;
}

/// Why no caller was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthenticationError {
    /// The token isn't valid, for a reason that isn't told.
    Invalid,
    /// The server couldn't find out.
    Unavailable,
}
