//! What the deployment decides about the dashboard, and what its handlers share.

use std::sync::Arc;

use ql_app::App;
use ql_app::director::Director;

use crate::edge::limit::Attempts;

/// What the deployment decides.
#[derive(Debug, Clone)]
pub struct WebConfig {
    /// The address that people reach the dashboard at, without a slash at its end. Cookies are
    /// `Secure` when it begins with `https`.
    pub public_url: String,
    /// Who takes productions through their stages; none where nothing is produced.
    pub director: Option<Director>,
}

impl WebConfig {
    /// Whether the dashboard is reached over TLS.
    pub fn is_secure(&self) -> bool {
        self.public_url.starts_with("https://")
    }
}

/// What every handler works with.
#[derive(Debug, Clone)]
pub(crate) struct Web {
    pub(crate) app: App,
    pub(crate) config: Arc<WebConfig>,
    /// Failed passwords, counted per address and per peer.
    pub(crate) attempts: Arc<Attempts>,
}

impl Web {
    pub(crate) fn new(app: App, config: WebConfig) -> Self {
        Self {
            app,
            config: Arc::new(config),
            attempts: Arc::new(Attempts::default()),
        }
    }

    /// The address that agents connect to.
    pub(crate) fn mcp_url(&self) -> String {
        format!("{}/mcp", self.config.public_url)
    }
}
