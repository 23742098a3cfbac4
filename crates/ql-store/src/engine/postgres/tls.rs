//! Encrypted connections: certificates are always checked.

use std::path::Path;
use std::sync::Arc;

use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::error::{Result, StoreError};

/// A connector that trusts what the machine trusts, and the certificates of `ca`.
pub(super) fn connector(ca: Option<&Path>) -> Result<MakeRustlsConnect> {
    let mut roots = RootCertStore::empty();
    // A machine without certificates of its own can still be given some.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca {
        let unusable = |error: &dyn std::fmt::Display| {
            StoreError::Unsupported(format!(
                "{} holds no certificates in PEM: {error}",
                path.display()
            ))
        };
        let read = CertificateDer::pem_file_iter(path).map_err(|error| unusable(&error))?;
        for certificate in read {
            let certificate = certificate.map_err(|error| unusable(&error))?;
            roots.add(certificate).map_err(|error| unusable(&error))?;
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Bug(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
