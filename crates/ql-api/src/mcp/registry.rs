//! The one table of tools that serves both listing and calling.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use ql_core::scope::Scope;
use serde_json::{Map, Value};

use super::answer::{Answer, Failure, Refusal};
use super::backend::{Backend, Caller, Reach};
use super::schema;
use super::tool::{Call, Repeat, Tool};
use crate::input::shape::{Findings, SchemaDefect, Shape};

type Callable<B> = Box<
    dyn for<'a> Fn(
            &'a B,
            &'a <B as Backend>::Caller,
            Value,
        ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>>
        + Send
        + Sync,
>;

/// Every tool of a server, in the order of their names.
pub struct Registry<B: Backend> {
    tools: BTreeMap<&'static str, Entry<B>>,
}

struct Entry<B: Backend> {
    scopes: &'static [Scope],
    for_players: bool,
    published: rmcp::model::Tool,
    /// The published definition as it's sent, made once.
    json: String,
    shape: Shape,
    call: Callable<B>,
}

impl<B: Backend> Default for Registry<B> {
    fn default() -> Self {
        Self {
            tools: BTreeMap::new(),
        }
    }
}

impl<B: Backend> Registry<B> {
    /// The table with one more tool.
    ///
    /// # Errors
    /// What is wrong with the schema of its parameters.
    ///
    /// # Panics
    /// Never: strings and JSON values serialize.
    pub fn with<T: Tool<B>>(mut self) -> Result<Self, SchemaDefect> {
        let input = schema::input::<T::Params>(T::EFFECT);
        let shape = Shape::compile(&input)?;
        let published = rmcp::model::Tool::new(T::NAME, T::DESCRIPTION, Arc::new(input))
            .with_title(T::TITLE)
            .with_annotations(T::EFFECT.annotations());
        let json = serde_json::to_string(&published).expect("strings and JSON values serialize");
        let call: Callable<B> = Box::new(|backend, caller, arguments| {
            Box::pin(async move { Answer::of(call::<B, T>(backend, caller, arguments).await) })
        });
        let entry = Entry {
            scopes: T::SCOPES,
            for_players: T::FOR_PLAYERS,
            published,
            json,
            shape,
            call,
        };
        self.tools.insert(T::NAME, entry);
        Ok(self)
    }

    /// The published tools that somebody is offered, in the order of their names.
    pub(crate) fn allowed(&self, reach: Reach) -> impl Iterator<Item = &rmcp::model::Tool> {
        self.listed(reach).map(|entry| &entry.published)
    }

    /// Every published tool.
    pub fn all(&self) -> impl Iterator<Item = &rmcp::model::Tool> {
        self.tools.values().map(|entry| &entry.published)
    }

    /// The same list as JSON text, put together from prepared pieces.
    pub(crate) fn allowed_json(&self, reach: Reach) -> Vec<u8> {
        let pieces: Vec<&str> = self
            .listed(reach)
            .map(|entry| entry.json.as_str())
            .collect();
        let length = pieces.iter().map(|piece| piece.len() + 1).sum::<usize>();
        let mut out = Vec::with_capacity(length + 256);
        out.extend_from_slice(br#"{"tools":["#);
        for (index, piece) in pieces.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(piece.as_bytes());
        }
        out.push(b']');
        out
    }

    fn listed(&self, reach: Reach) -> impl Iterator<Item = &Entry<B>> {
        self.tools
            .values()
            .filter(move |entry| entry.is_allowed(reach))
    }

    /// Calls a tool; `None` when there is none of that name for this caller, which a caller can't
    /// tell from there being none at all.
    pub(crate) async fn call(
        &self,
        backend: &B,
        caller: &B::Caller,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Option<Answer> {
        let entry = self
            .tools
            .get(name)
            .filter(|entry| entry.is_allowed(caller.reach()))?;
        let mut arguments = Value::Object(arguments);
        let mut found = Findings::default();
        entry.shape.check(&mut arguments, "", &mut found);
        if !found.problems.is_empty() {
            return Some(Answer::refusal(&Refusal::invalid_arguments(
                &found.problems,
            )));
        }
        let answer = without_panic((entry.call)(backend, caller, arguments)).await;
        Some(answer.unwrap_or_else(|| {
            tracing::error!(tool = name, "a tool panicked");
            Answer::fault()
        }))
    }
}

impl<B: Backend> Entry<B> {
    fn is_allowed(&self, reach: Reach) -> bool {
        let is_within = self
            .scopes
            .iter()
            .any(|scope| reach.scopes.contains(*scope));
        is_within && (reach.plays_roles || !self.for_players)
    }
}

async fn call<B: Backend, T: Tool<B>>(
    backend: &B,
    caller: &B::Caller,
    mut arguments: Value,
) -> Result<T::Output, Failure> {
    let repeat = repeat_of(&mut arguments);
    let params = serde_json::from_value(arguments).map_err(|error| {
        // The published schema can't say everything that a type knows.
        let problem = ql_core::problem::Problem::new("", "value", error.to_string());
        Failure::Refused(Refusal::invalid_arguments(&[problem]))
    })?;
    T::call(backend, caller, Call { params, repeat }).await
}

/// Takes the idempotency key out of the arguments.
fn repeat_of(arguments: &mut Value) -> Option<Repeat> {
    let key = arguments.as_object_mut()?.remove(schema::IDEMPOTENCY_KEY)?;
    let key = key.as_str()?.to_owned();
    Some(Repeat {
        key,
        arguments: arguments.clone(),
    })
}

/// The outcome of `work`, or `None` when it panicked: one broken call must not cost the others
/// their connection.
async fn without_panic<T>(work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    std::future::poll_fn(|context| {
        match std::panic::catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(poll) => poll.map(Some),
            Err(_) => Poll::Ready(None),
        }
    })
    .await
}
