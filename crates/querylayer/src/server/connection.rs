//! Connections: accepted, secured, bounded in time, and drained at the end.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use ql_api::edge::peer::Peer;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt as _;

use super::tls::Acceptor;
use crate::config::Cidr;

const MOST_CONNECTIONS: usize = 10_000;
const HEADER_TIME: Duration = Duration::from_secs(15);
const HEADER_BYTES: usize = 64 << 10;
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
const DRAIN_TIME: Duration = Duration::from_secs(10);

/// What connections are served with.
pub(super) struct Serving {
    pub(super) router: Router,
    pub(super) tls: Option<Acceptor>,
    pub(super) proxy: Option<Cidr>,
}

/// Accepts connections until the server stops, then lets the open ones finish.
pub(super) async fn accept(
    listener: TcpListener,
    serving: Serving,
    mut stopping: watch::Receiver<bool>,
) {
    let (serving, room) = (
        Arc::new(serving),
        Arc::new(Semaphore::new(MOST_CONNECTIONS)),
    );
    let graceful = GracefulShutdown::new();
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else {
            break;
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopping.changed() => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of descriptors, mostly: the others go on, and some will close.
                tracing::warn!(%error, "a connection wasn't accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let (serving, watcher) = (Arc::clone(&serving), graceful.watcher());
        tokio::spawn(async move {
            serve(&serving, watcher, stream, peer).await;
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(DRAIN_TIME, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some connections were still busy and were cut");
    }
}

async fn serve(serving: &Serving, watcher: Watcher, stream: TcpStream, peer: SocketAddr) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection broke before it began");
        return;
    }
    match &serving.tls {
        None => drive(serving, watcher, stream, peer).await,
        Some(acceptor) => match tokio::time::timeout(HANDSHAKE_TIME, acceptor.accept(stream)).await
        {
            Ok(Ok(stream)) => drive(serving, watcher, stream, peer).await,
            Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
            Err(_) => tracing::debug!("a TLS handshake took too long"),
        },
    }
}

async fn drive<S>(serving: &Serving, watcher: Watcher, stream: S, peer: SocketAddr)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let request = addressed(request.map(Body::new), peer, serving.proxy);
        let router = serving.router.clone();
        async move {
            Ok::<_, Infallible>(
                router
                    .oneshot(request)
                    .await
                    .unwrap_or_else(|never| match never {}),
            )
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(%error, "a connection broke");
    }
}

/// Notes who is at the other end: the connected peer, or whom the trusted proxy names.
fn addressed(mut request: Request<Body>, peer: SocketAddr, proxy: Option<Cidr>) -> Request<Body> {
    let extensions = request.extensions_mut();
    extensions.insert(ConnectInfo(peer));
    extensions.insert(Peer::new(peer.ip()));
    let trusted = proxy.is_some_and(|proxy| proxy.contains(peer.ip()));
    if trusted && let Some(client) = forwarded_for(&request, proxy) {
        let extensions = request.extensions_mut();
        extensions.insert(ConnectInfo(SocketAddr::new(client, 0)));
        extensions.insert(Peer::new(client));
    }
    request
}

/// The last address of `X-Forwarded-For` that isn't a trusted proxy itself.
fn forwarded_for(request: &Request<Body>, proxy: Option<Cidr>) -> Option<IpAddr> {
    let values = request.headers().get_all("x-forwarded-for");
    let hops: Vec<&str> = values
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(','))
        .collect();
    hops.into_iter()
        .rev()
        .map(|hop| hop.trim().parse::<IpAddr>())
        .map_while(Result::ok)
        .find(|address| !proxy.is_some_and(|proxy| proxy.contains(*address)))
}
