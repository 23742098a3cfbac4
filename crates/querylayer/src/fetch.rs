//! Fetching sources from elsewhere without being led into one's own network.
//!
//! Every hop of a redirection is judged anew: its scheme, its port, and every address that its name
//! resolves to. The connection goes to an address that was checked, never to a name, so no second
//! answer of a name server counts. There are no proxies, no cookies and no credentials.

mod answer;
mod connection;

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use ql_app::fetch::{FetchFailure, Fetched, Fetcher, Fetching};
use ql_core::address::{DEFAULT_PORTS, Destination, Name, NotPublic, Refused, check_public};
use tokio::net::lookup_host;
use tokio_rustls::rustls::{self, ClientConfig};

use self::answer::Answer;
use crate::trust;

/// How far a fetch goes.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The ports that may be asked.
    pub ports: Vec<u16>,
    /// The most bytes of a body, before and after it is decoded.
    pub bytes: usize,
    /// How long everything may take together.
    pub time: Duration,
    /// How many redirections are followed.
    pub redirects: usize,
}

impl Default for Limits {
    /// The ports of HTTP, 2 MiB, 20 seconds, five redirections.
    fn default() -> Self {
        Self {
            ports: DEFAULT_PORTS.to_vec(),
            bytes: 2 << 20,
            time: Duration::from_secs(20),
            redirects: 5,
        }
    }
}

/// What a name server's answer becomes.
pub type Resolving<'r> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'r>>;

/// Knows the addresses of names.
pub trait Resolver: Send + Sync {
    /// Every address of a name now.
    fn resolve<'r>(&'r self, name: &'r str) -> Resolving<'r>;
}

/// The machine's own resolver.
#[derive(Debug, Clone, Copy)]
struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'r>(&'r self, name: &'r str) -> Resolving<'r> {
        Box::pin(async move {
            let found = lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Which addresses may be connected to.
pub type Permit = fn(IpAddr) -> Result<(), NotPublic>;

/// A fetcher that asks public addresses alone.
pub struct GuardedFetcher {
    resolver: Box<dyn Resolver>,
    permit: Permit,
    limits: Limits,
    tls: Arc<ClientConfig>,
}

impl std::fmt::Debug for GuardedFetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("GuardedFetcher");
        shown.field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl GuardedFetcher {
    /// The fetcher of a server: the machine's resolver, and public addresses alone.
    ///
    /// # Errors
    /// TLS can't be set up.
    pub fn new(limits: Limits) -> Result<Self, rustls::Error> {
        Self::with(Box::new(SystemResolver), check_public, limits)
    }

    /// A fetcher with another resolver, and other addresses in the place of the public ones. No
    /// setting leads here; it is for tests and the demo's own server, which have no public address to
    /// ask.
    ///
    /// # Errors
    /// TLS can't be set up.
    pub fn with(
        resolver: Box<dyn Resolver>,
        permit: Permit,
        limits: Limits,
    ) -> Result<Self, rustls::Error> {
        Ok(Self {
            resolver,
            permit,
            limits,
            tls: Arc::new(trust::client_config()?),
        })
    }

    async fn follow(&self, url: &str) -> Result<Fetched, FetchFailure> {
        let mut here = Destination::parse(url, &self.limits.ports)?;
        let (mut for_good, mut moved) = (true, false);
        for _ in 0..=self.limits.redirects {
            let answer = self.ask(&here).await?;
            let Some(redirection) = answer.redirection() else {
                return Ok(answer.into_fetched(here.to_string(), moved));
            };
            let there = here.join(redirection.location, &self.limits.ports)?;
            // What follows a temporary step is no longer where the source has moved to.
            for_good &= redirection.is_permanent;
            moved |= for_good && !here.is_same_place(&there);
            here = there;
        }
        Err(FetchFailure::TooManyRedirects)
    }

    async fn ask(&self, destination: &Destination) -> Result<Answer, FetchFailure> {
        let addresses = self.addresses(destination).await?;
        let stream = connection::open(destination, &addresses, &self.tls).await?;
        answer::ask(stream, destination, self.limits.bytes).await
    }

    /// The addresses of a destination, every one of them permitted.
    async fn addresses(&self, destination: &Destination) -> Result<Vec<IpAddr>, FetchFailure> {
        let found = match destination.name() {
            Name::Address(address) => vec![address],
            Name::Domain(name) => {
                let resolved = self.resolver.resolve(&name).await;
                resolved.map_err(|_| FetchFailure::NoSuchName)?
            }
        };
        if found.is_empty() {
            return Err(FetchFailure::NoSuchName);
        }
        for address in &found {
            (self.permit)(*address).map_err(Refused::Address)?;
        }
        Ok(found)
    }
}

impl Fetcher for GuardedFetcher {
    fn fetch<'f>(&'f self, url: &'f str) -> Fetching<'f> {
        Box::pin(async move {
            tokio::time::timeout(self.limits.time, self.follow(url))
                .await
                .unwrap_or(Err(FetchFailure::TimedOut))
        })
    }
}
