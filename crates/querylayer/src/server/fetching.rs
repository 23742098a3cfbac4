//! The server's work that waits for other people's servers, apart from its own.

use std::sync::Arc;

use ql_app::App;
use ql_app::fetch::Fetcher;
use tokio::sync::watch;

use super::ROUND;

/// How many sources are waited for at once.
pub(super) const WORKERS: usize = 4;

/// Carries out one fetching job after the other until the server stops; a fetch that hasn't ended by
/// then is another server's, or the next start's, once its lease has run out.
pub(super) async fn run(app: App, fetcher: Arc<dyn Fetcher>, mut stopping: watch::Receiver<bool>) {
    while !*stopping.borrow_and_update() {
        let worked = tokio::select! {
            _ = stopping.changed() => break,
            worked = app.run_due_fetch(&*fetcher) => worked,
        };
        match worked {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::error!(?error, "no fetching job could be claimed"),
        }
        tokio::select! {
            _ = stopping.changed() => {}
            () = tokio::time::sleep(ROUND) => {}
        }
    }
}
