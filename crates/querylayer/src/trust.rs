//! Whom the program trusts when it is a client.

use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, Error, RootCertStore};

/// A client of HTTP that trusts what this machine trusts, to be built.
///
/// # Errors
/// No protocol version is left to speak.
pub fn http() -> Result<reqwest::ClientBuilder, Error> {
    Ok(reqwest::Client::builder().tls_backend_preconfigured(client_config()?))
}

/// TLS as a client that trusts what this machine trusts.
///
/// # Errors
/// No protocol version is left to speak.
pub(crate) fn client_config() -> Result<ClientConfig, Error> {
    let mut roots = RootCertStore::empty();
    // SSL_CERT_FILE stands in for the machine's own; without either, nobody is trusted.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}
