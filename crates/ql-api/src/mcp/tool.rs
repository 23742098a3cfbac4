//! What a tool is: everything about it is in its one file.

use ql_core::scope::Scope;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answer::Failure;
use super::backend::Backend;

/// One tool: what is published about it, and the one use case that it calls.
pub trait Tool<B: Backend>: Send + Sync + 'static {
    /// Name on the wire: lower case, digits and underscores, at most 49 characters, so that it
    /// stays below 64 with the prefixes that clients add.
    const NAME: &'static str;
    /// Name for people.
    const TITLE: &'static str;
    /// What it does and when to use it, written for a model, at most 1,000 characters.
    const DESCRIPTION: &'static str;
    /// It's listed and callable for whoever holds one of these.
    const SCOPES: &'static [Scope];
    /// What calling it may do to the world.
    const EFFECT: Effect;
    /// Whether it's for agents alone that play roles of productions.
    const FOR_PLAYERS: bool = false;
    /// Its arguments: the published schema is made from this type.
    type Params: DeserializeOwned + JsonSchema + Send;
    /// What it answers beside `ok`; must serialize as an object.
    type Output: Serialize + Send;

    /// Carries out a call whose arguments passed the published schema.
    fn call(
        backend: &B,
        caller: &B::Caller,
        call: Call<Self::Params>,
    ) -> impl Future<Output = Result<Self::Output, Failure>> + Send;
}

/// What one call brings.
#[derive(Debug)]
pub struct Call<P> {
    /// The arguments.
    pub params: P,
    /// The idempotency key, which every tool that changes something takes.
    pub repeat: Option<Repeat>,
}

/// An idempotency key and what it stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeat {
    /// The key, 1 to 128 characters.
    pub key: String,
    /// The call's other arguments, without those that are `null`.
    pub arguments: Value,
}

/// The four hints of a tool, as what they follow from. No tool here reaches beyond this server,
/// and none destroys: content and records only ever gain versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Reads,
    /// Adds something each time it's called without an idempotency key.
    Adds,
    /// Ends in the same state however often it's called with the same arguments.
    Settles,
}

impl Effect {
    /// Whether calls take an idempotency key.
    pub(crate) const fn is_repeatable(self) -> bool {
        !matches!(self, Self::Reads)
    }

    pub(crate) fn annotations(self) -> rmcp::model::ToolAnnotations {
        rmcp::model::ToolAnnotations::new()
            .read_only(self == Self::Reads)
            .destructive(false)
            .idempotent(self != Self::Adds)
            .open_world(false)
    }
}
