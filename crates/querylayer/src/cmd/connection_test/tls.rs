//! TLS as a client sees it, and what is wrong with it in words.

use std::io;
use std::sync::Arc;

use rustls_pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::{CertificateError, Error};

use super::Code;
use super::address::Address;
use super::report::Fault;
use crate::trust;

/// Agrees on TLS with whoever listens, trusting what this machine trusts.
pub(super) async fn secured(
    stream: TcpStream,
    address: &Address,
) -> Result<TlsStream<TcpStream>, Fault> {
    let failed = |why: String| {
        Fault::new(
            Code::TlsFailed,
            format!(
                "TLS with {} couldn't be agreed on: {why}",
                address.authority()
            ),
            "Look at the log of whatever ends TLS there; it must speak TLS 1.2 or 1.3",
        )
    };
    let name =
        ServerName::try_from(address.host.clone()).map_err(|error| failed(error.to_string()))?;
    let config = trust::client_config().map_err(|error| failed(error.to_string()))?;
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
        .map_err(|error| match tls_error(&error) {
            Some(error) => in_words(error, address).unwrap_or_else(|| failed(error.to_string())),
            None => failed(error.to_string()),
        })
}

fn tls_error(error: &io::Error) -> Option<&Error> {
    error.get_ref()?.downcast_ref()
}

fn in_words(error: &Error, address: &Address) -> Option<Fault> {
    let host = &address.host;
    match error {
        Error::InvalidCertificate(certificate) => Some(invalid(certificate, host)),
        Error::InvalidMessage(_) => Some(Fault::new(
            Code::NoTls,
            format!("port {} of {host} doesn't speak TLS", address.port),
            format!(
                "Name the port that does; if the server itself is meant to speak it, start it with --tls-cert and --tls-key. On its own machine it's http://127.0.0.1:{}{}",
                address.port,
                address.target()
            ),
        )),
        _ => None,
    }
}

fn invalid(certificate: &CertificateError, host: &str) -> Fault {
    use CertificateError as Bad;
    match certificate {
        Bad::Expired | Bad::ExpiredContext { .. } => Fault::new(
            Code::CertificateExpired,
            format!("the certificate of {host} is too old"),
            "Renew it; the server reads the new file by itself",
        ),
        Bad::NotValidYet | Bad::NotValidYetContext { .. } => Fault::new(
            Code::CertificateNotYetValid,
            format!("the certificate of {host} isn't valid yet"),
            "Compare this machine's clock with another one",
        ),
        Bad::NotValidForName => other_name(host, ""),
        Bad::NotValidForNameContext { presented, .. } => {
            let names: Vec<&str> = presented.iter().map(|name| bare(name)).collect();
            other_name(host, &format!(", but for {}", names.join(", ")))
        }
        Bad::UnknownIssuer => untrusted(
            host,
            "its authority is a private one, or the certificates between are missing in the server's file",
        ),
        // A certificate that signed itself as an authority does.
        Bad::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            untrusted(host, "it signed itself")
        }
        other => Fault::new(
            Code::TlsFailed,
            format!("the certificate of {host} doesn't hold: {other}"),
            "Replace it by one of an authority that this machine trusts",
        ),
    }
}

fn other_name(host: &str, but: &str) -> Fault {
    Fault::new(
        Code::CertificateName,
        format!("the certificate isn't for {host}{but}"),
        "Use a name that the certificate is for, or get one for this name",
    )
}

/// The name in `DnsName("cms.example.com")`.
fn bare(presented: &str) -> &str {
    presented.split('"').nth(1).unwrap_or(presented)
}

fn untrusted(host: &str, how: &str) -> Fault {
    Fault::new(
        Code::CertificateUntrusted,
        format!("nobody that this machine trusts signed the certificate of {host}: {how}"),
        "Serve the whole chain. Of a private authority or a certificate of your own, name the file: SSL_CERT_FILE here, NODE_EXTRA_CA_CERTS for clients in Node",
    )
}
