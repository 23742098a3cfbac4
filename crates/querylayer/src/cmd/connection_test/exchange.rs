//! One request and its answer, each over a connection of its own.

use std::io;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode, header};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

use super::Code;
use super::address::Address;
use super::report::Fault;
use super::tls;

const LONGEST_ANSWER: usize = 4 << 20;

/// Something to read and write, encrypted or not.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Where requests go.
pub(super) struct Peer {
    pub(super) address: Address,
    limit: Duration,
}

/// What came back.
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Reply {
    /// The body, where it's JSON.
    pub(super) fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// One of the headers, where it's there and text.
    pub(super) fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl Peer {
    pub(super) fn new(address: Address, limit: Duration) -> Self {
        Self { address, limit }
    }

    /// Looks whether somebody listens there.
    pub(super) async fn reach(&self) -> Result<((), String), Fault> {
        let stream = self.connect().await?;
        let says = stream.peer_addr().map_or_else(
            |_| "somebody listens".to_owned(),
            |at| format!("{at} answers"),
        );
        Ok(((), says))
    }

    /// Looks whether TLS is spoken, with a certificate that holds.
    pub(super) async fn secure(&self) -> Result<((), String), Fault> {
        let stream = self.connect().await?;
        self.within(tls::secured(stream, &self.address)).await??;
        let says = format!("it holds for {}", self.address.host);
        Ok(((), says))
    }

    /// Calls a method of the endpoint.
    pub(super) async fn call(
        &self,
        token: Option<&str>,
        method: &str,
        params: &Value,
    ) -> Result<Reply, Fault> {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut request = Request::post(self.address.target())
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream");
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        self.send(request, message.to_string()).await
    }

    /// Reads a page of the same host.
    pub(super) async fn get(&self, path: &str) -> Result<Reply, Fault> {
        self.send(Request::get(path), String::new()).await
    }

    async fn send(
        &self,
        request: axum::http::request::Builder,
        body: String,
    ) -> Result<Reply, Fault> {
        let request = request
            .header(header::HOST, self.address.authority())
            .header(
                header::USER_AGENT,
                concat!("querylayer-connection-test/", env!("CARGO_PKG_VERSION")),
            )
            .body(Body::from(body))
            .map_err(|error| unexpected(&error))?;
        let stream = self.connect().await?;
        let stream: Box<dyn Stream> = if self.address.is_tls() {
            Box::new(self.within(tls::secured(stream, &self.address)).await??)
        } else {
            Box::new(stream)
        };
        self.within(exchange(stream, request))
            .await?
            .map_err(|error| self.broken(&error))
    }

    async fn connect(&self) -> Result<TcpStream, Fault> {
        let Address { host, port, .. } = &self.address;
        let found = self.within(lookup_host((host.as_str(), *port))).await?;
        let addresses: Vec<_> = found.map_err(|error| unknown(host, &error))?.collect();
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for address in addresses {
            match self.within(TcpStream::connect(address)).await? {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(self.unreached(&last))
    }

    async fn within<T>(&self, step: impl Future<Output = T>) -> Result<T, Fault> {
        timeout(self.limit, step).await.map_err(|_| {
            Fault::new(
                Code::NoAnswer,
                format!("nothing came from {} within {} s", self.address.authority(), self.limit.as_secs()),
                "Look whether a firewall drops what goes there, and whether the server is up: on its machine, /healthz answers at once",
            )
        })
    }

    fn unreached(&self, error: &io::Error) -> Fault {
        let Address { host, port, .. } = &self.address;
        if error.kind() == io::ErrorKind::ConnectionRefused {
            return Fault::new(
                Code::NothingListens,
                format!("no program listens on port {port} of {host}"),
                "Start the server, or compare the port with the one that it printed at its start",
            );
        }
        Fault::new(
            Code::Unreachable,
            format!("{host} can't be reached: {error}"),
            "Look at the network between this machine and the server",
        )
    }

    /// The answer can't be read as HTTP.
    fn broken(&self, error: &hyper::Error) -> Fault {
        let authority = self.address.authority();
        if self.address.is_tls() || !(error.is_parse() || error.is_incomplete_message()) {
            return Fault::new(
                Code::NotHttp,
                format!("what {authority} answers isn't HTTP: {error}"),
                "Compare the port with the one that the server printed at its start",
            );
        }
        Fault::new(
            Code::NotHttp,
            format!("what {authority} answers isn't HTTP, as if it spoke TLS: {error}"),
            format!("Try https://{authority}{}", self.address.target()),
        )
    }
}

async fn exchange(stream: Box<dyn Stream>, request: Request<Body>) -> Result<Reply, hyper::Error> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let answering = async {
        let answer = sender.send_request(request).await?;
        let (parts, body) = answer.into_parts();
        // What is longer isn't an answer of the endpoint, and is judged by its beginning: nothing.
        let body = to_bytes(Body::new(body), LONGEST_ANSWER).await;
        Ok(Reply {
            status: parts.status,
            headers: parts.headers,
            body: body.map(Vec::from).unwrap_or_default(),
        })
    };
    tokio::pin!(answering);
    tokio::select! {
        reply = &mut answering => reply,
        // The connection ends with the answer or before it; either way the answer says how.
        _ = connection => answering.await,
    }
}

fn unknown(host: &str, error: &io::Error) -> Fault {
    Fault::new(
        Code::HostUnknown,
        format!("the name {host} has no address: {error}"),
        "Look for a misspelling, or ask whoever runs the name server",
    )
}

fn unexpected(error: &dyn std::fmt::Display) -> Fault {
    Fault::new(
        Code::Unexpected,
        format!("the request can't be made: {error}"),
        "Look at the address for characters that don't belong into one",
    )
}
