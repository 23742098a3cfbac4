//! The application: the store, time, identifiers and keys that every use case works with.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ql_core::id::{ConnectionId, IdGen, TemplateId};
use ql_core::template::{FieldSchema, Template};
use ql_core::time::{Clock, Timestamp};
use ql_store::Store;

use crate::error::{Error, Result};

/// What the deployment decides.
#[derive(Debug, Clone)]
pub struct AppConfig {
    /// The address that people and agents reach the server at, without a slash at its end.
    pub public_url: String,
    /// The key that preview links are signed with.
    pub preview_key: [u8; 32],
}

/// The use cases, cheap to clone.
#[derive(Clone)]
pub struct App {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGen>,
    config: AppConfig,
    schemas: RwLock<HashMap<(TemplateId, i64), Arc<FieldSchema>>>,
    touched: Mutex<HashMap<ConnectionId, Timestamp>>,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App")
            .field("public_url", &self.inner.config.public_url)
            .finish_non_exhaustive()
    }
}

const CACHED_SCHEMAS: usize = 512;

impl App {
    /// The use cases over a store.
    pub fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGen>,
        config: AppConfig,
    ) -> Self {
        let (schemas, touched) = (RwLock::default(), Mutex::default());
        Self {
            inner: Arc::new(Inner {
                store,
                clock,
                ids,
                config,
                schemas,
                touched,
            }),
        }
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// The current instant.
    pub fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// Where identifiers and secrets come from.
    pub fn ids(&self) -> &Arc<dyn IdGen> {
        &self.inner.ids
    }

    /// What the deployment decides.
    pub fn config(&self) -> &AppConfig {
        &self.inner.config
    }

    /// The address of a page of the dashboard.
    pub fn dashboard_url(&self, path: &str) -> String {
        format!("{}{path}", self.inner.config.public_url)
    }

    /// The compiled schema of a template's version, compiled at most once.
    pub(crate) fn schema(&self, template: &Template) -> Result<Arc<FieldSchema>> {
        let key = (template.id, template.version);
        let cached = self
            .inner
            .schemas
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
            .cloned();
        if let Some(schema) = cached {
            return Ok(schema);
        }
        let schema = FieldSchema::compile(&template.schema).map_err(|problems| {
            Error::Fault(format!(
                "template {} doesn't compile: {problems:?}",
                template.key
            ))
        })?;
        let schema = Arc::new(schema);
        let mut schemas = self
            .inner
            .schemas
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if schemas.len() >= CACHED_SCHEMAS {
            schemas.clear();
        }
        schemas.insert(key, Arc::clone(&schema));
        Ok(schema)
    }

    /// Whether a connection's use at `now` is worth writing down: at most once a minute.
    pub(crate) fn should_touch(&self, connection: ConnectionId, now: Timestamp) -> bool {
        let mut touched = self
            .inner
            .touched
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let due = touched
            .get(&connection)
            .is_none_or(|last| now.since(*last).as_secs() >= 60);
        if due {
            touched.insert(connection, now);
        }
        due
    }
}
