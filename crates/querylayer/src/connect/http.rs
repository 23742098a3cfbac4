//! JSON over HTTP to one address: encrypted, or within this machine. Each request has a connection
//! of its own, which ends with it.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode, header};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use reqwest::Url;
use rustls_pki_types::ServerName;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;

use crate::trust;

const USER_AGENT: &str = concat!("querylayer-connector/", env!("CARGO_PKG_VERSION"));
const LONGEST_ANSWER: usize = 16 << 20;
const CONNECT_TIME: Duration = Duration::from_secs(10);

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Where requests go.
#[derive(Clone)]
pub struct Endpoint {
    /// The host without the brackets of IPv6.
    host: String,
    port: u16,
    /// Host and port as they are sent.
    authority: String,
    /// What stands before every path.
    base: String,
    tls: Option<Arc<ClientConfig>>,
}

/// Why an address isn't spoken to.
#[derive(Debug, thiserror::Error)]
pub enum UnusableAddress {
    /// It isn't one.
    #[error("`{0}` isn't an address such as https://cms.example.com")]
    Unreadable(String),
    /// It holds a secret, which isn't repeated.
    #[error("[an address with a secret in it] isn't an address such as https://cms.example.com")]
    WithSecret,
    /// A token would be readable on the way.
    #[error("over http anybody on the way to {0} could read the token; use https")]
    InTheClear(String),
    /// TLS can't be set up.
    #[error("TLS can't be set up: {0}")]
    Tls(#[from] tokio_rustls::rustls::Error),
}

/// Nothing that can be read came back.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoAnswer {
    #[error("nothing listens at {0}")]
    Refused(String),
    #[error("{0} can't be reached: {1}")]
    Unreachable(String, String),
    #[error("nothing came from {0} within {1} s")]
    Late(String, u64),
}

/// What came back.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    /// The body, null where it isn't JSON.
    pub(super) json: Value,
}

/// One request.
pub(super) struct Asked<'a> {
    pub(super) method: Method,
    pub(super) path: &'a str,
    pub(super) bearer: &'a str,
    pub(super) body: Option<&'a Value>,
    /// The version of MCP, where that is spoken.
    pub(super) protocol: Option<&'a str>,
    pub(super) limit: Duration,
}

impl Endpoint {
    /// The server at an address; a path of it stands before every other.
    ///
    /// # Errors
    /// It isn't an address, or what is sent there could be read on the way.
    pub fn parse(text: &str) -> Result<Self, UnusableAddress> {
        let unreadable = || match text {
            _ if text.contains('@') || text.contains("qla_") => UnusableAddress::WithSecret,
            _ => UnusableAddress::Unreadable(text.chars().take(200).collect()),
        };
        let url = Url::parse(text).map_err(|_| unreadable())?;
        let secret = !url.username().is_empty() || url.password().is_some();
        let (Some(named), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return Err(unreadable());
        };
        if secret || !matches!(url.scheme(), "http" | "https") {
            return Err(unreadable());
        }
        let host = named.trim_matches(['[', ']']).to_owned();
        let is_here = host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
        let tls = match url.scheme() {
            "https" => Some(Arc::new(trust::client_config()?)),
            _ if is_here => None,
            _ => return Err(UnusableAddress::InTheClear(host)),
        };
        let authority = match url.port() {
            Some(port) => format!("{named}:{port}"),
            None => named.to_owned(),
        };
        let base = url.path().trim_end_matches('/').to_owned();
        Ok(Self {
            host,
            port,
            authority,
            base,
            tls,
        })
    }

    /// Asks, and waits for the whole answer.
    pub(super) async fn ask(&self, asked: Asked<'_>) -> Result<Answer, NoAnswer> {
        let limit = asked.limit;
        tokio::time::timeout(limit, self.exchange(asked))
            .await
            .unwrap_or_else(|_| Err(NoAnswer::Late(self.authority.clone(), limit.as_secs())))
    }

    async fn exchange(&self, asked: Asked<'_>) -> Result<Answer, NoAnswer> {
        let broken = |error: &dyn std::fmt::Display| {
            NoAnswer::Unreachable(self.authority.clone(), error.to_string())
        };
        let body = asked.body.map(Value::to_string).unwrap_or_default();
        let mut request = Request::builder();
        if let Some(version) = asked.protocol {
            request = request.header("mcp-protocol-version", version);
        }
        let request = request
            .method(asked.method)
            .uri(format!("{}{}", self.base, asked.path))
            .header(header::HOST, &self.authority)
            .header(header::USER_AGENT, USER_AGENT)
            .header(header::AUTHORIZATION, format!("Bearer {}", asked.bearer))
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::CONNECTION, "close")
            .body(Body::from(body))
            .map_err(|error| broken(&error))?;
        let stream = self.connect().await?;
        let handshake = http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = handshake.map_err(|error| broken(&error))?;
        let answering = async {
            let answer = sender.send_request(request).await;
            let (parts, body) = answer.map_err(|error| broken(&error))?.into_parts();
            let body = to_bytes(Body::new(body), LONGEST_ANSWER).await;
            let body = body.map_err(|error| broken(&error))?;
            Ok(Answer {
                status: parts.status,
                json: serde_json::from_slice(&body).unwrap_or_default(),
            })
        };
        tokio::pin!(answering);
        tokio::select! {
            answer = &mut answering => answer,
            // The connection ends with the answer or before it; either way the answer says how.
            _ = connection => answering.await,
        }
    }

    async fn connect(&self) -> Result<Box<dyn Stream>, NoAnswer> {
        let unreachable = |error: &dyn std::fmt::Display| {
            NoAnswer::Unreachable(self.authority.clone(), error.to_string())
        };
        let opened = TcpStream::connect((self.host.as_str(), self.port));
        let stream = match tokio::time::timeout(CONNECT_TIME, opened).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                return Err(NoAnswer::Refused(self.authority.clone()));
            }
            Ok(Err(error)) => return Err(unreachable(&error)),
            Err(_) => {
                let seconds = CONNECT_TIME.as_secs();
                return Err(NoAnswer::Late(self.authority.clone(), seconds));
            }
        };
        let Some(tls) = &self.tls else {
            return Ok(Box::new(stream));
        };
        let name = ServerName::try_from(self.host.clone()).map_err(|error| unreachable(&error))?;
        let secured = TlsConnector::from(Arc::clone(tls)).connect(name, stream);
        match tokio::time::timeout(CONNECT_TIME, secured).await {
            Ok(Ok(stream)) => Ok(Box::new(stream)),
            Ok(Err(error)) => Err(unreachable(&error)),
            Err(_) => Err(unreachable(&"TLS wasn't agreed on in time")),
        }
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Endpoint({}{})", self.authority, self.base)
    }
}
