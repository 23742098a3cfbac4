//! Idempotency: the same key with the same arguments gives the first success again.

use ql_core::hash::Digest;
use ql_core::time::Timestamp;
use ql_store::{Tx, idempotency};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};

/// A caller's key and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// The tool that is called.
    pub tool: &'static str,
    /// The key, 1 to 128 characters.
    pub key: String,
    /// The digest of the call's canonical arguments without the key.
    pub request: Digest,
}

impl IdempotencyKey {
    /// The key of a call with these arguments.
    pub fn new(tool: &'static str, key: impl Into<String>, arguments: &Value) -> Self {
        Self {
            tool,
            key: key.into(),
            request: ql_core::canon::digest(arguments),
        }
    }

    /// The key as it is stored: scoped to the calling agent and its site.
    pub(crate) fn scoped(self, ctx: &OpContext) -> Result<idempotency::Key> {
        Ok(idempotency::Key {
            agent: ctx.agent()?.agent,
            site: ctx.site()?,
            tool: self.tool,
            key: self.key,
            request: self.request,
        })
    }
}

/// The first success under a key, where there was one.
///
/// # Errors
/// [`Error::IdempotencyConflict`] when the key was used with other arguments.
pub(crate) fn first_answer<T: DeserializeOwned>(
    tx: &mut Tx<'_>,
    key: &idempotency::Key,
) -> Result<Option<T>> {
    match idempotency::find(tx, key)? {
        Some((request, _)) if request != key.request => Err(Error::IdempotencyConflict),
        Some((_, response)) => Ok(Some(serde_json::from_str(&response)?)),
        None => Ok(None),
    }
}

impl App {
    /// Runs `work` in one transaction, once per key: a key that succeeded before answers as it did
    /// then, without looking at any state.
    pub(crate) async fn mutate<T, F>(
        &self,
        ctx: &OpContext,
        key: Option<IdempotencyKey>,
        now: Timestamp,
        work: F,
    ) -> Result<T>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let key = key.map(|key| key.scoped(ctx)).transpose()?;
        self.store()
            .write(move |tx| {
                let Some(key) = &key else { return work(tx) };
                let guesses = tx.guesses();
                if !guesses && let Some(answer) = first_answer(tx, key)? {
                    return Ok(answer);
                }
                let answer = match work(tx) {
                    // What the key's first call changed may be why the second one is refused.
                    Err(_) if guesses => return Err(tx.guess_failed().into()),
                    answer => answer?,
                };
                idempotency::insert(tx, key, &serde_json::to_string(&answer)?, now)?;
                Ok(answer)
            })
            .await
    }
}
