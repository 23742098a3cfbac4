//! The running server: its listener, its routes, its own work and its end.

mod connection;
mod directing;
mod fetching;
mod router;
mod sequencing;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use ql_app::App;
use ql_app::director::Director;
use ql_app::fetch::Fetcher;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::config::ServerArgs;
use crate::fetch::GuardedFetcher;
use crate::socket::AdminSocket;

const ROUND: Duration = Duration::from_millis(500);

/// The signals that stop a server, caught from the moment this is made, so that none comes too
/// early.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    // A file that the system doesn't let grow is a full disk, which calls are told; uncaught, this
    // signal would end the server instead.
    _file_too_large: Signal,
}

impl Signals {
    /// Begins to catch them.
    ///
    /// # Errors
    /// The operating system refuses.
    pub fn catch() -> Result<Self> {
        let (terminate, interrupt) = (SignalKind::terminate(), SignalKind::interrupt());
        let file_too_large = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
        Ok(Self {
            terminate: signal(terminate)?,
            interrupt: signal(interrupt)?,
            _file_too_large: signal(file_too_large)?,
        })
    }

    /// Waits for one that stops.
    pub async fn wait(mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// A server that runs.
#[derive(Debug)]
pub struct Running {
    /// The use cases it serves.
    pub app: App,
    /// Who takes productions through their stages, where the settings name a policy.
    pub director: Option<Director>,
    /// Where it listens.
    pub address: SocketAddr,
    /// The address that people and agents reach it at.
    pub public_url: String,
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
    working: JoinHandle<()>,
    waiting: Vec<JoinHandle<()>>,
    sequencing: (watch::Sender<bool>, JoinHandle<()>),
    _socket: Option<AdminSocket>,
    _occupied: Option<std::fs::File>,
}

impl Running {
    /// Opens the data folder and begins to serve.
    ///
    /// # Errors
    /// The settings don't fit, the address or the folder is taken, or the database can't be opened.
    pub async fn start(args: &ServerArgs) -> Result<Self> {
        let fetcher = GuardedFetcher::new(args.fetch_limits())?;
        Self::start_with(args, Arc::new(fetcher)).await
    }

    /// As [`Running::start`] with another fetcher than the settings ask for. No setting leads here.
    pub(crate) async fn start_with(args: &ServerArgs, fetcher: Arc<dyn Fetcher>) -> Result<Self> {
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
        let occupied = data.has_server().then(|| data.occupy()).transpose()?;
        let app = data.open(&public_url)?;
        if !data.has_server() {
            app.take_back_jobs().await?;
        }
        let director = directing::director(&app, args)?;
        let router = router::all((&app, director.as_ref()), args, &public_url)?;
        let tls = tls::acceptor(args)?;
        let socket = crate::socket::listen((&app, director.as_ref()), &data)?;
        let (stop, stopping) = watch::channel(false);
        let serving = connection::Serving {
            router,
            tls,
            proxy: args.behind_proxy,
        };
        let accepting = tokio::spawn(connection::accept(listener, serving, stopping.clone()));
        let mut waiting: Vec<_> = (0..fetching::WORKERS)
            .map(|_| fetching::run(app.clone(), Arc::clone(&fetcher), stopping.clone()))
            .map(tokio::spawn)
            .collect();
        if let Some(director) = &director {
            let workers = (0..directing::WORKERS)
                .map(|_| directing::run(director.clone(), stopping.clone()))
                .map(tokio::spawn);
            waiting.extend(workers);
        }
        let working = tokio::spawn(work(app.clone(), stopping));
        let (end, ending) = watch::channel(false);
        let sequencing = tokio::spawn(sequencing::run(app.clone(), ending));
        Ok(Self {
            app,
            director,
            address,
            public_url,
            stop,
            accepting,
            working,
            waiting,
            sequencing: (end, sequencing),
            _socket: Some(socket),
            _occupied: occupied,
        })
    }

    /// Waits for a signal to stop, then finishes what was accepted and closes the database.
    ///
    /// # Errors
    /// A task of the server panicked.
    pub async fn until(self, signals: Signals) -> Result<()> {
        signals.wait().await;
        self.stop().await
    }

    /// Finishes what was accepted and closes the database.
    ///
    /// # Errors
    /// A task of the server panicked.
    pub async fn stop(self) -> Result<()> {
        self.stop.send_replace(true);
        self.app.end_waiting();
        self.accepting.await?;
        self.working.await?;
        for worker in self.waiting {
            worker.await?;
        }
        // Nothing more is written now, so everything is signed when this ends.
        let (end, sequencing) = self.sequencing;
        end.send_replace(true);
        sequencing.await?;
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
