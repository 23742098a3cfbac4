//! TLS: the certificate is read again when its file changes, without a restart.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::server::TlsStream;

use crate::config::ServerArgs;

/// Accepts TLS connections with the certificate as it is on the disk.
pub(super) struct Acceptor {
    cert: PathBuf,
    key: PathBuf,
    current: Mutex<(Option<SystemTime>, TlsAcceptor)>,
}

/// The acceptor of the configured certificate; none without one.
///
/// # Errors
/// The certificate or its key can't be read or don't fit together.
pub(super) fn acceptor(args: &ServerArgs) -> Result<Option<Acceptor>> {
    let (Some(cert), Some(key)) = (&args.tls_cert, &args.tls_key) else {
        return Ok(None);
    };
    let current = Mutex::new((changed_at(cert), load(cert, key)?));
    Ok(Some(Acceptor {
        cert: cert.clone(),
        key: key.clone(),
        current,
    }))
}

impl Acceptor {
    pub(super) async fn accept(&self, stream: TcpStream) -> std::io::Result<TlsStream<TcpStream>> {
        self.fresh().accept(stream).await
    }

    fn fresh(&self) -> TlsAcceptor {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = changed_at(&self.cert);
        if changed != current.0 {
            match load(&self.cert, &self.key) {
                Ok(acceptor) => *current = (changed, acceptor),
                // Half a renewal: the old certificate serves until both files fit.
                Err(error) => tracing::warn!(
                    error = format!("{error:#}"),
                    "the new certificate can't be used yet"
                ),
            }
        }
        current.1.clone()
    }
}

fn changed_at(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .ok()
}

fn load(cert: &Path, key: &Path) -> Result<TlsAcceptor> {
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect)
        .with_context(|| format!("{} holds no certificate in PEM", cert.display()))?;
    let key = PrivateKeyDer::from_pem_file(key)
        .with_context(|| format!("{} holds no private key in PEM", key.display()))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .context("the certificate and the key don't fit together")?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
