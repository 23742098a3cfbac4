//! The application: the store, time, identifiers and keys that every use case works with.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use ql_core::id::{ConnectionId, IdGen, SiteId, TemplateId};
use ql_core::template::{FieldSchema, Template};
use ql_core::time::{Clock, Timestamp};
use ql_store::{Store, Tx, template};

use crate::error::{Error, Result};
use crate::ledger::Signer;
use crate::waiting::Waiting;

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
    templates: RwLock<HashMap<(TemplateId, i64), Arc<CompiledTemplate>>>,
    touched: Mutex<HashMap<ConnectionId, Timestamp>>,
    signer: Signer,
    waiting: Waiting,
}

/// The use cases, as long as somebody else holds them.
#[derive(Clone)]
pub(crate) struct WeakApp(Weak<Inner>);

impl WeakApp {
    /// The use cases, where they are still held.
    pub(crate) fn upgrade(&self) -> Option<App> {
        self.0.upgrade().map(|inner| App { inner })
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App")
            .field("public_url", &self.inner.config.public_url)
            .finish_non_exhaustive()
    }
}

const CACHED_TEMPLATES: usize = 512;

/// One immutable version of a template, ready to check fields with.
#[derive(Debug)]
pub(crate) struct CompiledTemplate {
    /// The version.
    pub(crate) template: Template,
    /// Its schema.
    pub(crate) schema: FieldSchema,
}

impl App {
    /// The use cases over a store.
    pub fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGen>,
        config: AppConfig,
    ) -> Self {
        let (templates, touched) = (RwLock::default(), Mutex::default());
        Self {
            inner: Arc::new(Inner {
                store,
                clock,
                ids,
                config,
                templates,
                touched,
                signer: Signer::default(),
                waiting: Waiting::default(),
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

    /// The clock of every context.
    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.inner.clock)
    }

    /// The claims that wait on this server.
    pub(crate) fn waiting(&self) -> &Waiting {
        &self.inner.waiting
    }

    pub(crate) fn downgrade(&self) -> WeakApp {
        WeakApp(Arc::downgrade(&self.inner))
    }

    /// This server's part in signing the ledger.
    pub(crate) fn signer(&self) -> &Signer {
        &self.inner.signer
    }

    /// What the deployment decides.
    pub fn config(&self) -> &AppConfig {
        &self.inner.config
    }

    /// The address of a page of the dashboard.
    pub fn dashboard_url(&self, path: &str) -> String {
        format!("{}{path}", self.inner.config.public_url)
    }

    /// The latest version of a template with its compiled schema, read and compiled at most once
    /// per version.
    pub(crate) fn template(
        &self,
        tx: &mut Tx<'_>,
        site: SiteId,
        key: &str,
    ) -> Result<Arc<CompiledTemplate>> {
        const MISSING: Error = Error::NotFound("template");
        let latest = template::find_latest(tx, site, key)?.ok_or(MISSING)?;
        let cached = self
            .inner
            .templates
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&latest)
            .cloned();
        if let Some(compiled) = cached {
            return Ok(compiled);
        }
        let template = template::find(tx, site, key)?.ok_or(MISSING)?;
        let schema = FieldSchema::compile(&template.schema).map_err(|problems| {
            Error::Fault(format!("template {key} doesn't compile: {problems:?}"))
        })?;
        let compiled = Arc::new(CompiledTemplate { template, schema });
        let mut templates = self
            .inner
            .templates
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if templates.len() >= CACHED_TEMPLATES {
            templates.clear();
        }
        templates.insert(latest, Arc::clone(&compiled));
        Ok(compiled)
    }

    /// Forgets every compiled template. Transactions that were committed together see each other's
    /// versions, so one that was lost with all of them may have been compiled already, and its number
    /// goes to another version.
    pub(crate) fn forget_templates(&self) {
        self.inner
            .templates
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
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
