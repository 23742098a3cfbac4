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
        let key = match key {
            None => None,
            Some(key) => Some(idempotency::Key {
                agent: ctx.agent()?.agent,
                site: ctx.site()?,
                tool: key.tool,
                key: key.key,
                request: key.request,
            }),
        };
        self.store()
            .write(move |tx| {
                let Some(key) = &key else { return work(tx) };
                if let Some((request, response)) = idempotency::find(tx, key)? {
                    if request != key.request {
                        return Err(Error::IdempotencyConflict);
                    }
                    return Ok(serde_json::from_str(&response)?);
                }
                let answer = work(tx)?;
                idempotency::insert(tx, key, &serde_json::to_string(&answer)?, now)?;
                Ok(answer)
            })
            .await
    }
}
