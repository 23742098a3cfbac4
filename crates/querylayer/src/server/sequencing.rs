//! Giving the ledger's entries their places in the signed tree, soon after they were written.

use std::time::Duration;

use ql_app::App;
use ql_app::ledger::Sequenced;
use tokio::sync::watch;

/// How often it is looked whether an entry waits, which reads one row.
const LOOK: Duration = Duration::from_millis(75);
/// How long this server keeps out of the way of one that does it, or of what went wrong.
const REST: Duration = Duration::from_secs(1);

/// Sequences until the server stops; what was written before the end is signed before the end.
pub(super) async fn run(app: App, mut stopping: watch::Receiver<bool>) {
    loop {
        let is_last = *stopping.borrow_and_update();
        let rest = drain(&app).await;
        if is_last {
            return;
        }
        tokio::select! {
            _ = stopping.changed() => {}
            () = tokio::time::sleep(rest) => {}
        }
    }
}

/// Sequences what waits; how long to rest then.
async fn drain(app: &App) -> Duration {
    loop {
        match app.sequence().await {
            Ok(Sequenced::Appended { .. }) => {}
            Ok(Sequenced::Idle) => return LOOK,
            Ok(Sequenced::Elsewhere | Sequenced::OtherKey | Sequenced::Unlike { .. }) => {
                return REST;
            }
            Err(error) => {
                tracing::error!(?error, "the ledger's entries can't be given their places");
                return REST;
            }
        }
    }
}
