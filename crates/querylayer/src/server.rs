//! The running server: its listener, its routes, its own work and its end.

mod connection;
mod tls;

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result};
use axum::Router;
use ql_api::edge::origin::OriginPolicy;
use ql_api::edge::rate::Rate;
use ql_app::App;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::config::ServerArgs;
use crate::socket::AdminSocket;

const ROUND: Duration = Duration::from_millis(500);

/// A server that runs.
#[derive(Debug)]
pub struct Running {
    /// The use cases it serves.
    pub app: App,
    /// Where it listens.
    pub address: SocketAddr,
    /// The address that people and agents reach it at.
    pub public_url: String,
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
    working: JoinHandle<()>,
    _socket: Option<AdminSocket>,
}

impl Running {
    /// Opens the data folder and begins to serve.
    ///
    /// # Errors
    /// The settings don't fit, the address or the folder is taken, or the database can't be opened.
    pub async fn start(args: &ServerArgs) -> Result<Self> {
        args.check()?;
        let listen = args.listen_address();
        let listener = TcpListener::bind(listen)
            .await
            .with_context(|| format!("can't listen on {listen}"))?;
        let address = listener.local_addr()?;
        let scheme = if args.tls_cert.is_some() {
            "https"
        } else {
            "http"
        };
        let public_url = args
            .public_url
            .clone()
            .unwrap_or_else(|| format!("{scheme}://{address}"));
        let public_url = public_url.trim_end_matches('/').to_owned();
        let data = args.data_dir();
        let app = data.open(&public_url)?;
        let router = router(&app, args, &public_url)?;
        let tls = tls::acceptor(args)?;
        let socket = crate::socket::listen(&app, &data)?;
        let (stop, stopping) = watch::channel(false);
        let serving = connection::Serving {
            router,
            tls,
            proxy: args.behind_proxy,
        };
        let accepting = tokio::spawn(connection::accept(listener, serving, stopping.clone()));
        let working = tokio::spawn(work(app.clone(), stopping));
        Ok(Self {
            app,
            address,
            public_url,
            stop,
            accepting,
            working,
            _socket: Some(socket),
        })
    }

    /// Waits for a signal to stop, then finishes what was accepted and closes the database.
    ///
    /// # Errors
    /// The signals can't be waited for.
    pub async fn until_signal(self) -> Result<()> {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        self.stop().await
    }

    /// Finishes what was accepted and closes the database.
    ///
    /// # Errors
    /// A task of the server panicked.
    pub async fn stop(self) -> Result<()> {
        self.stop.send_replace(true);
        self.accepting.await?;
        self.working.await?;
        let app = self.app.clone();
        tokio::task::spawn_blocking(move || app.store().close()).await?;
        Ok(())
    }
}

/// Does the server's own work, round after round, until it stops.
async fn work(app: App, mut stopping: watch::Receiver<bool>) {
    while !*stopping.borrow_and_update() {
        if let Err(error) = app.run_due_work().await {
            tracing::error!(?error, "a round of the server's own work failed");
        }
        tokio::select! {
            _ = stopping.changed() => {}
            () = tokio::time::sleep(ROUND) => {}
        }
    }
}

fn rate(per_minute: Option<u32>, burst: Option<u32>, default: Rate) -> Option<Rate> {
    match per_minute {
        Some(0) => None,
        per_minute => {
            let per_minute = per_minute.unwrap_or(default.per_minute);
            Some(Rate {
                per_minute,
                burst: burst.unwrap_or(default.burst),
            })
        }
    }
}

fn router(app: &App, args: &ServerArgs, public_url: &str) -> Result<Router> {
    let origins = origins(public_url)?;
    let defaults = ql_api::mcp::McpConfig::default();
    let limit = Rate {
        per_minute: 1200,
        burst: 300,
    };
    let mcp = ql_api::mcp::McpConfig {
        origins,
        calls: rate(
            args.calls_per_minute,
            args.call_burst,
            defaults.calls.unwrap_or(limit),
        ),
        failed_authentications: rate(
            args.failed_authentications_per_minute,
            None,
            defaults.failed_authentications.unwrap_or(limit),
        ),
        ..defaults
    };
    Ok(ql_api::mcp::router(app.clone(), mcp))
}

/// The hosts and origins that the server answers to: its public address and this machine.
fn origins(public_url: &str) -> Result<OriginPolicy> {
    let authority = public_url.split("://").nth(1).unwrap_or_default();
    let host = authority.split('/').next().unwrap_or_default();
    let hosts = [host, "localhost", "127.0.0.1", "::1"];
    let origin = public_url.split('/').take(3).collect::<Vec<_>>().join("/");
    let origins = [
        origin.as_str(),
        "http://localhost:*",
        "http://127.0.0.1:*",
        "http://[::1]:*",
    ];
    OriginPolicy::new(hosts, origins)
        .with_context(|| format!("`{public_url}` can't be a public address"))
}
