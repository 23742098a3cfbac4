//! Serving a data folder.

use anyhow::Result;

use crate::config::ServerArgs;
use crate::output;
use crate::server::{Running, Signals};

/// Serves until a signal stops it.
///
/// # Errors
/// The settings don't fit, the folder has no data, or it can't be served.
pub async fn run(args: ServerArgs) -> Result<()> {
    start_log();
    let signals = Signals::catch()?;
    args.check()?;
    args.data_dir().require()?;
    let running = Running::start(&args).await?;
    output::line(&format!(
        "serving {} on {}",
        running.public_url, running.address
    ))?;
    running.until(signals).await
}

/// Writes the log to standard error; `RUST_LOG` chooses what, warnings and above when unset.
pub fn start_log() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    let logging = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // A log that can't be written, as on a full disk, is no reason to break off a call.
        .log_internal_errors(false)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .try_init();
    // A second start in one process keeps the first log.
    drop(logging);
}
