//! A source of the demo's own, whose words change when the story asks for it. Its name belongs to
//! nobody (RFC 2606), so that only a server of the demo's own finds it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Result;
use axum::Router;
use axum::routing::get;
use ql_app::fetch::Fetcher;
use ql_core::address::{NotPublic, check_public};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::fetch::{GuardedFetcher, Limits, Resolver, Resolving};

const NAME: &str = "minutes.example";
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A page on this machine; gone when dropped.
pub(super) struct Minutes {
    address: SocketAddr,
    words: watch::Sender<&'static str>,
    serving: JoinHandle<()>,
}

impl Minutes {
    /// A page with these words.
    pub(super) async fn open(words: &'static str) -> Result<Self> {
        let listener = TcpListener::bind((HERE, 0)).await?;
        let address = listener.local_addr()?;
        let (words, read) = watch::channel(words);
        let page = get(move || std::future::ready(*read.borrow()));
        let router = Router::new().route("/minutes", page);
        // It serves until it is ended.
        let serving = tokio::spawn(async move { drop(axum::serve(listener, router).await) });
        Ok(Self {
            address,
            words,
            serving,
        })
    }

    /// The page's address.
    pub(super) fn url(&self) -> String {
        format!("http://{NAME}:{}/minutes", self.address.port())
    }

    /// An address of this machine that isn't the page's.
    pub(super) fn inside(&self) -> String {
        format!("http://127.0.0.2:{}/minutes", self.address.port())
    }

    /// Puts other words on the page.
    pub(super) fn say(&self, words: &'static str) {
        self.words.send_replace(words);
    }

    /// The server's own fetcher, to which the page's name is known and its port alone is open. All
    /// else goes through the guard as ever.
    pub(super) fn fetcher(&self) -> Result<Arc<dyn Fetcher>> {
        let limits = Limits {
            ports: vec![self.address.port()],
            ..Limits::default()
        };
        let fetcher = GuardedFetcher::with(Box::new(OneName), public_or_here, limits)?;
        Ok(Arc::new(fetcher))
    }
}

impl Drop for Minutes {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// In the demo's own server the page's address counts as public; every other one is what it is.
fn public_or_here(address: IpAddr) -> Result<(), NotPublic> {
    if address == HERE {
        Ok(())
    } else {
        check_public(address)
    }
}

/// A name server that knows the page.
struct OneName;

impl Resolver for OneName {
    fn resolve<'r>(&'r self, name: &'r str) -> Resolving<'r> {
        let known = if name == NAME { vec![HERE] } else { Vec::new() };
        Box::pin(std::future::ready(Ok(known)))
    }
}
