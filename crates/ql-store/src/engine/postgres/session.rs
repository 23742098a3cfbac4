//! One connection with its statements, on a runtime of its own.

use std::collections::HashMap;
use std::future::Future;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config, NoTls, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{PostgresOptions, tls};
use crate::error::{Result, StoreError};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// What a session begins with. A server whose operator turned durable commits off gets them turned
/// on again: an answer means that the change is kept. Tables are never read from end to end where an
/// index leads, however small they are: a serializable transaction that reads a whole table meets
/// everybody who writes to it.
const SETTINGS: &str = "SET statement_timeout = '30s'; \
    SET enable_seqscan = off; \
    SET lock_timeout = '10s'; \
    SET idle_in_transaction_session_timeout = '60s'; \
    SELECT set_config('synchronous_commit', 'on', false) \
    WHERE current_setting('synchronous_commit') = 'off'";

/// Where to connect and how.
pub(super) struct Dial {
    config: Config,
    tls: MakeRustlsConnect,
    pub(super) server_clock: bool,
    pub(super) guesses: bool,
}

impl Dial {
    /// Reads an address.
    pub(super) fn new(url: &str, options: &PostgresOptions) -> Result<Self> {
        let mut config: Config = url.parse().map_err(|error: tokio_postgres::Error| {
            // The library's message names the part that is wrong and never its value.
            StoreError::Unsupported(format!("the database's address can't be read: {error}"))
        })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        config.application_name("querylayer");
        Ok(Self {
            tls: tls::connector(options.ca.as_deref())?,
            config,
            server_clock: options.server_clock,
            guesses: options.guesses,
        })
    }

    /// The role that this address works as.
    pub(super) fn user(&self) -> Option<&str> {
        self.config.get_user()
    }
}

/// An open connection.
pub(super) struct Session {
    pub(super) client: Client,
    runtime: Runtime,
    statements: HashMap<&'static str, Statement>,
    pub(super) server_clock: bool,
    /// Set when the server was heard to go away, which the library notices a moment later.
    pub(super) broken: bool,
    /// Whether the transaction of a read is still to be left.
    pub(super) looking: bool,
}

impl Session {
    /// Connects.
    pub(super) fn open(dial: &Dial) -> Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let client = runtime.block_on(connect(dial)).map_err(unreachable)?;
        Ok(Self {
            client,
            runtime,
            statements: HashMap::new(),
            server_clock: dial.server_clock,
            broken: false,
            looking: false,
        })
    }

    /// Whether the server is known to have gone away.
    pub(super) fn is_closed(&self) -> bool {
        self.broken || self.client.is_closed()
    }

    /// Waits for an answer, reading what the server sends meanwhile.
    pub(super) fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        self.runtime.block_on(answer)
    }

    /// A statement, prepared at its first use on this connection.
    pub(super) fn statement(
        &mut self,
        sql: &'static str,
    ) -> std::result::Result<Statement, tokio_postgres::Error> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        let fresh = self.runtime.block_on(self.client.prepare(sql))?;
        self.statements.insert(sql, fresh.clone());
        Ok(fresh)
    }

    /// Runs commands that need no answer.
    pub(super) fn batch(&self, sql: &str) -> std::result::Result<(), tokio_postgres::Error> {
        self.wait(self.client.batch_execute(sql))
    }
}

async fn connect(dial: &Dial) -> std::result::Result<Client, tokio_postgres::Error> {
    // The connection's own task ends with the client; what broke it shows at the next statement.
    let client = if dial.config.get_ssl_mode() == SslMode::Disable {
        let (client, connection) = dial.config.connect(NoTls).await?;
        tokio::spawn(async move { connection.await.err() });
        client
    } else {
        let (client, connection) = dial.config.connect(dial.tls.clone()).await?;
        tokio::spawn(async move { connection.await.err() });
        client
    };
    client.batch_execute(SETTINGS).await?;
    Ok(client)
}

/// Says why there is no connection, with what the server or the operating system says.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it is what map_err hands over"
)]
fn unreachable(error: tokio_postgres::Error) -> StoreError {
    StoreError::Unavailable(format!(
        "the database server can't be reached: {}",
        super::tx::describe(&error)
    ))
}
