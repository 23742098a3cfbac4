//! A connection to an address that was checked, encrypted where the scheme says so.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use ql_app::fetch::FetchFailure;
use ql_core::address::{Destination, Name};
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;

/// Something to read and write, encrypted or not.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Connects to the first of the addresses that answers.
pub(super) async fn open(
    destination: &Destination,
    addresses: &[IpAddr],
    tls: &Arc<ClientConfig>,
) -> Result<Box<dyn Stream>, FetchFailure> {
    let stream = connect(addresses, destination.port()).await?;
    if !destination.is_secure() {
        return Ok(Box::new(stream));
    }
    let name = match destination.name() {
        Name::Address(address) => ServerName::from(address),
        Name::Domain(name) => ServerName::try_from(name).map_err(|_| FetchFailure::Tls)?,
    };
    let secured = TlsConnector::from(Arc::clone(tls)).connect(name, stream);
    Ok(Box::new(secured.await.map_err(|_| FetchFailure::Tls)?))
}

async fn connect(addresses: &[IpAddr], port: u16) -> Result<TcpStream, FetchFailure> {
    for address in addresses {
        if let Ok(stream) = TcpStream::connect(SocketAddr::new(*address, port)).await {
            return Ok(stream);
        }
    }
    Err(FetchFailure::Unreachable)
}
